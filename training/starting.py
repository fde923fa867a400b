"""Writes the starting weights that training reads, from the public models: int8 rows or halves, so that they travel."""

from __future__ import annotations

import argparse
import shutil
from collections.abc import Mapping
from pathlib import Path

import numpy as np

__all__ = ["entry_map", "main", "small"]


def small(weights: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Each matrix as int8 rows with a scale each (``name|s``), everything else in halves."""
    found: dict[str, np.ndarray] = {}
    for name, value in weights.items():
        wide = value.astype(np.float32)
        if wide.ndim < 2 or wide.size < 5000:
            found[name] = wide.astype(np.float16)
            continue
        scale = np.abs(wide).max(1, keepdims=True) / 127 + 1e-12
        found[name] = np.round(wide / scale).astype(np.int8)
        found[name + "|s"] = scale.astype(np.float32)
    return found


def entry_map(ours: np.ndarray, theirs: np.ndarray) -> np.ndarray:
    """The map from our word vectors to those another body grew up with; both tables have the same words."""
    ridge = 1e-2 * np.eye(ours.shape[1]) * len(ours) / 1000
    return np.linalg.solve(ours.T @ ours + ridge, ours.T @ theirs)


def _body(weights: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    plain = {name.replace("bert.", ""): value for name, value in weights.items()}
    other = ("embeddings.word", "pooler", "position_ids")
    return {n: v.astype(np.float16) for n, v in plain.items() if not any(o in n for o in other)}


def _words(weights: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    return {n: v for n, v in weights.items() if "word_embeddings" in n}


def main() -> None:
    """Write ``table.npz``, ``minilm_*``, ``gte_body.npz`` and ``mpnet_*.npz`` into a folder."""
    ask = argparse.ArgumentParser(description=main.__doc__)
    ask.add_argument("out", type=Path)
    ask.add_argument("--base", type=Path, required=True, help="folder that training.vocabulary wrote")
    ask.add_argument("--minilm", type=Path, required=True, help="folder of all-MiniLM-L6-v2")
    ask.add_argument("--gte", type=Path, required=True, help="model.safetensors of gte-small")
    ask.add_argument("--mpnet", type=Path, help="model.safetensors of all-mpnet-base-v2, for the English teacher")
    told = ask.parse_args()
    from safetensors.numpy import load_file

    told.out.mkdir(parents=True, exist_ok=True)
    shutil.copy(told.base / "tokenizer.json", told.out / "tokenizer.json")
    shutil.copy(told.minilm / "tokenizer.json", told.out / "minilm_tokenizer.json")
    table = small({"table": np.load(told.base / "table.npy")})
    np.savez_compressed(told.out / "table.npz", q=table["table"], s=table["table|s"])
    minilm, gte = load_file(told.minilm / "model.safetensors"), load_file(told.gte)
    words = small(_words(minilm))
    np.savez_compressed(told.out / "minilm_words.npz", **words)
    np.savez_compressed(told.out / "minilm_body.npz", **_body(minilm))
    (key,) = (n for n in words if not n.endswith("|s"))
    (theirs,) = _words(gte).values()
    entry = entry_map(words[key].astype(np.float32) * words[key + "|s"], theirs.astype(np.float32))
    np.savez_compressed(told.out / "gte_body.npz", **_body(gte), entry=entry.astype(np.float16))
    if told.mpnet:
        mpnet = {n: v for n, v in sorted(load_file(told.mpnet).items()) if "position_ids" not in n}
        half, seen, parts = sum(v.size for v in mpnet.values()) / 2, 0, ({}, {})
        for name, value in mpnet.items():  # two files of like size: one alone is too large to send
            parts[seen >= half][name] = value
            seen += value.size
        for letter, part in zip("ab", parts, strict=True):
            np.savez_compressed(told.out / f"mpnet_{letter}.npz", **small(part))


if __name__ == "__main__":
    main()
