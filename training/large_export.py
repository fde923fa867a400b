"""Packs the adapter of the large network as it ships: ``large.npz``, four bits a weight, and its hash in the manifest.

``adapter_float.npz`` has for each layer and matrix the sides ``layers.0.q.a`` (rank x inputs) and ``layers.0.q.b``
(outputs x rank), already rounded to what four bits hold, and ``norm``, ``head.weight`` and ``head.bias``.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import json
import zipfile
from pathlib import Path

import numpy as np

from proctor.models.local.large_adapter import ADAPTED, open_adapter, pack_codes
from proctor.models.local.large_files import ADAPTER

__all__ = ["main", "packed", "write_adapter"]

WEIGHTS = Path(__file__).resolve().parents[1] / "src" / "proctor" / "models" / "local" / "weights"
BEGINNING = (1980, 1, 1, 0, 0, 0)  # of every file in the archive: the same adapter gives the same bytes


def packed(adapter: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The arrays of ``large.npz``; blocks run along the long side of each matrix."""
    layers = 1 + max(int(name.split(".")[1]) for name in adapter if name.startswith("layers."))
    found: dict[str, np.ndarray] = {"layers": np.array(layers)}
    for layer in range(layers):
        for name in ADAPTED:
            start = f"layers.{layer}.{name}"
            found |= pack_codes(f"{start}.a", adapter[f"{start}.a"].astype(np.float32))
            found |= pack_codes(f"{start}.b", adapter[f"{start}.b"].astype(np.float32).T)
    found["norm"] = adapter["norm"].astype(np.float32)
    found["head.weight"] = adapter["head.weight"].astype(np.float16)
    found["head.bias"] = adapter["head.bias"].astype(np.float32)
    return found


def write_adapter(adapter: dict[str, np.ndarray], target: Path) -> float:
    """Write the file; return how far the matrices it holds are from those given, as a share of the largest number."""
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, value in packed(adapter).items():
            content = io.BytesIO()
            np.save(content, value)
            archive.writestr(zipfile.ZipInfo(f"{name}.npy", BEGINNING), content.getvalue(), zipfile.ZIP_DEFLATED)
    kept, worst = open_adapter(target), 0.0
    for layer in range(kept.layers):
        for name in ADAPTED:
            a, b = (adapter[f"layers.{layer}.{name}.{side}"].astype(np.float32) for side in "ab")
            whole = b @ a
            near = kept.merged(np.zeros_like(whole), layer, name)
            worst = max(worst, float(np.abs(near - whole).max() / max(np.abs(whole).max(), 1e-12)))
    return worst


def main() -> None:
    """Write the adapter into a folder of weights."""
    ask = argparse.ArgumentParser(description=__doc__)
    ask.add_argument("adapter", type=Path, help="adapter_float.npz")
    ask.add_argument("--out", type=Path, default=WEIGHTS, help="a folder of weights with its manifest")
    told = ask.parse_args()
    with np.load(told.adapter) as found:
        worst = write_adapter(dict(found), told.out / ADAPTER)
    manifest = json.loads((told.out / "manifest.json").read_text(encoding="utf-8"))
    manifest["files"][ADAPTER] = hashlib.sha256((told.out / ADAPTER).read_bytes()).hexdigest()
    manifest["files"] = dict(sorted(manifest["files"].items()))
    (told.out / "manifest.json").write_text(json.dumps(manifest, indent=1) + "\n", encoding="utf-8")
    print((told.out / ADAPTER).stat().st_size, "bytes; largest difference", worst)


if __name__ == "__main__":
    main()
