"""Trains the first stage: a logistic regression over hashed letter groups, kept as int8."""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from proctor.models.local.ngrams import BITS, Linear, features
from training.data import read

__all__ = ["train"]


def train(texts: list[str], labels: np.ndarray, weights: np.ndarray, seed: int = 9) -> tuple[np.ndarray, float, float]:
    """Weights as int8, their scale and the bias."""
    from scipy.sparse import csr_matrix
    from sklearn.linear_model import SGDClassifier

    parts = [features(t) for t in texts]
    sizes = np.array([len(p) for p in parts])
    data = np.repeat(1 / np.sqrt(np.maximum(sizes, 1)), sizes).astype(np.float32)
    matrix = csr_matrix(
        (data, np.concatenate(parts), np.concatenate([[0], np.cumsum(sizes)])), shape=(len(texts), 2**BITS)
    )
    model = SGDClassifier(loss="log_loss", alpha=2e-7, max_iter=12, tol=None, average=True, random_state=seed)
    model.fit(matrix, labels, sample_weight=weights)
    flat = model.coef_[0]
    top = np.abs(flat).max()
    top = min(top, np.quantile(np.abs(flat), 0.9999) * 1.5)
    scale = float(top / 127)
    return np.clip(np.round(flat / scale), -127, 127).astype(np.int8), scale, float(model.intercept_[0])


def main() -> None:
    """Write ``linear.npz`` and say what it finds on the held-out part."""
    ask = argparse.ArgumentParser()
    ask.add_argument("data", type=Path)
    ask.add_argument("out", type=Path)
    ask.add_argument("--limit", type=int)
    told = ask.parse_args()
    rows = read(told.data / "injection.jsonl.gz", told.limit)
    used = [r for r in rows if r["part"] == "train"]
    kept, scale, bias = train(
        [r["text"] for r in used], np.array([r["label"] for r in used]), np.array([r["w"] for r in used])
    )
    np.savez_compressed(told.out, weights=kept, scale=scale, bias=bias)
    model = Linear(kept, scale, bias)
    held = [r for r in rows if r["part"] == "dev"]
    score = np.array([model.logit(r["text"]) for r in held])
    label = np.array([r["label"] for r in held])
    for cut in (-6, -5, -4, -3, -2, -1, 0, 2, 4, 6):
        print(
            cut,
            f"attacks above {(score[label == 1] > cut).mean():.4f} benign above {(score[label == 0] > cut).mean():.4f}",
        )


if __name__ == "__main__":
    main()
