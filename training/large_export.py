"""Packs the adapter of the large network as it ships: ``large.npz``, four bits a weight, and its hash in the manifest.

``adapter_float.npz`` has for each layer and matrix the sides ``layers.0.q.a`` (rank x inputs) and ``layers.0.q.b``
(outputs x rank), already rounded to what four bits hold, and ``norm``, ``head.weight`` and ``head.bias``.

With ``--lines`` (``flat``, all token numbers, and ``sizes``) and ``--said`` (the outputs in float, a row for each line)
some of them become ``tests/models/local/large_parity.npz``: what the converted network is compared with.
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

__all__ = ["main", "packed", "parity", "write_adapter"]

ROOT = Path(__file__).resolve().parents[1]
WEIGHTS = ROOT / "src" / "proctor" / "models" / "local" / "weights"
PARITY = ROOT / "tests" / "models" / "local" / "large_parity.npz"
LINES, LONGEST = 40, 200  # that are compared, and tokens of one
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


def parity(flat: np.ndarray, sizes: np.ndarray, said: np.ndarray) -> dict[str, np.ndarray]:
    """Some of the lines, evenly from all that are short, with what the network says to them in float."""
    short = np.flatnonzero(sizes <= LONGEST)
    chosen = short[np.linspace(0, len(short) - 1, min(LINES, len(short))).astype(int)]
    starts = np.cumsum(sizes) - sizes
    tokens = [flat[starts[at] : starts[at] + sizes[at]] for at in chosen]
    return {
        "flat": np.concatenate(tokens).astype(np.uint16),
        "sizes": sizes[chosen].astype(np.uint16),
        "said": said[chosen].astype(np.float16),
    }


def main() -> None:
    """Write the adapter into a folder of weights."""
    ask = argparse.ArgumentParser(description=__doc__)
    ask.add_argument("adapter", type=Path, help="adapter_float.npz")
    ask.add_argument("--out", type=Path, default=WEIGHTS, help="a folder of weights with its manifest")
    ask.add_argument("--lines", type=Path, help="lines for the test of parity")
    ask.add_argument("--said", type=Path, help="what the network says to them in float")
    ask.add_argument("--parity", type=Path, default=PARITY)
    told = ask.parse_args()
    if told.lines and told.said:
        with np.load(told.lines) as lines:
            np.savez_compressed(told.parity, **parity(lines["flat"], lines["sizes"].astype(int), np.load(told.said)))
    with np.load(told.adapter) as found:
        worst = write_adapter(dict(found), told.out / ADAPTER)
    manifest = json.loads((told.out / "manifest.json").read_text(encoding="utf-8"))
    manifest["files"][ADAPTER] = hashlib.sha256((told.out / ADAPTER).read_bytes()).hexdigest()
    manifest["files"] = dict(sorted(manifest["files"].items()))
    (told.out / "manifest.json").write_text(json.dumps(manifest, indent=1) + "\n", encoding="utf-8")
    print((told.out / ADAPTER).stat().st_size, "bytes; largest difference", worst)


if __name__ == "__main__":
    main()
