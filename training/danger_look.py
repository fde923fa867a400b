"""Trains the first look for dangers: a logistic regression over hashed letter groups, kept as int8.

``python -m training.danger_look WORK/d OUT_FOLDER``. It decides which messages the multilingual network reads, so it
must miss little: ``ask`` of the manifest is the logit that two in a hundred held-out support messages reach.
"""

from __future__ import annotations

import argparse
import random
from pathlib import Path

import numpy as np

from training.data import clean, read, written
from training.promises import matrix, small

__all__ = ["rows"]

ORDINARY = 22_000  # harmless rows that were not written as near misses
STRENGTH = 30.0
NEW = 1.5  # the weight of the rows named .eleventh, which have kinds that the others lack
SHARE = 0.02  # of the support messages that are read twice


def rows(data: Path, seed: int = 1) -> tuple[list[str], list[bool], list[float]]:
    """Texts, whether each tells of a danger, and its weight."""
    packed = [r for r in read(data / "guard-intents.jsonl.gz") if r["part"] == "train"]
    risky = [r for r in packed if r["label"] != "none"]
    plain = [r for r in packed if r["label"] == "none"]
    plain = random.Random(seed).sample(plain, min(len(plain), ORDINARY))
    known = {r["text"] for r in packed}
    new = [r for r in written("intent_safety") if clean(r["text"]) not in known]
    texts = [r["text"] for r in (*risky, *plain)] + [clean(r["text"]) for r in new]
    labels = [True] * len(risky) + [False] * len(plain) + [r["label"] != "none" for r in new]
    return texts, labels, [1.0] * (len(risky) + len(plain)) + [NEW] * len(new)


def main() -> None:
    """Write ``danger.npz``, and print the logit from which a second opinion is asked for."""
    from sklearn.linear_model import LogisticRegression

    ask = argparse.ArgumentParser(description=__doc__)
    ask.add_argument("data", type=Path)
    ask.add_argument("out", type=Path)
    told = ask.parse_args()
    texts, labels, worth = rows(told.data)
    model = LogisticRegression(C=STRENGTH, max_iter=60, solver="liblinear").fit(matrix(texts), labels, worth)
    weights, scale = small(model.coef_[0])
    np.savez_compressed(told.out / "danger.npz", weights=weights, scale=scale, bias=float(model.intercept_[0]))
    support = [r["text"] for r in read(told.data / "guard-held.jsonl.gz") if r["set"] == "danger support"]
    level = float(np.quantile(model.decision_function(matrix(support)), 1 - SHARE))
    print(len(texts), "texts,", sum(labels), "of a danger; ask from", round(level, 2))


if __name__ == "__main__":
    main()
