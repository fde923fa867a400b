"""Trains the model of promises: a logistic regression over hashed letter groups, and which act it is, kept as int8.

``python -m training.promises WORK/d OUT_FOLDER``. Answers with and without a promise are written rows; as answers that
promise nothing, facts stated from a source and what customers write are added; and turns of agents that the large
network has judged. The offset is set on rows left out in turn by customer, so that six in a hundred answers without a
promise reach one half. Rows kept aside (``aside.py``) train nothing.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from proctor.models.local.ngrams import BITS, features
from proctor.models.local.promises import ACTS
from training.aside import split
from training.data import clean, read
from training.unjudged import judged_answers

__all__ = ["fit", "fit_acts", "harmless", "offset", "promised"]

STRENGTH = 30.0  # inverse of the penalty; 10 to 100 differ by a point
WORTH = 0.5  # of a text that was not written as an answer
JUDGED_WORTH = 0.4  # of an answer that the large network is sure of; one that it doubts is worth less
FOLDS = 5
FLAGGED = 0.06  # of the answers without a promise, most of them twins of answers with one


def promised() -> list[dict[str, Any]]:
    """The written answers, each with its acts."""
    return [
        {"text": clean(r["answer"]), "acts": r["acts"], "group": r.get("customer") or r["answer"]}
        for r in split("commitments")[0]
    ]


def harmless(data: Path, facts: int = 5000, messages: int = 4000, seed: int = 5) -> list[str]:
    """Sentences about policies, and what customers write: no promises of an agent."""
    dice = random.Random(seed)
    told = sorted({t for r in read(data / "written-facts.jsonl.gz") for t in (r["h"], r["p"])})
    asked = [r["text"] for r in read(data / "guard-intents.jsonl.gz")]
    long, short = ([t for t in asked if low < len(t) < high] for low, high in ((40, 300), (1, 41)))
    found = dice.sample(told, min(facts, len(told)))
    for some, most in ((long, messages), (short, messages)):  # a few letters say little, and must say nothing
        found += dice.sample(some, min(most, len(some)))
    return found


def matrix(texts: Sequence[str]) -> Any:
    """The letter groups of each text, over the root of their number."""
    from scipy.sparse import csr_matrix

    parts = [features(t) for t in texts]
    sizes = np.array([len(p) for p in parts])
    data = np.repeat(1 / np.sqrt(np.maximum(sizes, 1)), sizes).astype(np.float32)
    starts = np.concatenate([[0], np.cumsum(sizes)])
    return csr_matrix((data, np.concatenate(parts), starts), shape=(len(texts), 2**BITS))


def fit(rows: Sequence[dict[str, Any]], plain: Sequence[str], judged: Sequence[tuple[str, float]] = ()) -> Any:
    """The model of any promise; ``judged`` are answers with the logit that the large network gave them."""
    from sklearn.linear_model import LogisticRegression

    texts = [*(r["text"] for r in rows), *plain, *(text for text, _ in judged)]
    labels = np.array([bool(r["acts"]) for r in rows] + [False] * len(plain) + [logit > 0 for _, logit in judged])
    sure = [JUDGED_WORTH * abs(np.tanh(logit / 2)) for _, logit in judged]
    worth = np.array([1.0] * len(rows) + [WORTH] * len(plain) + sure)
    return LogisticRegression(C=STRENGTH, max_iter=500).fit(matrix(texts), labels, sample_weight=worth)


def fit_acts(rows: Sequence[dict[str, Any]]) -> Any:
    """The model of which act a promise is."""
    from sklearn.linear_model import LogisticRegression

    some = [r for r in rows if r["acts"]]
    kinds = np.array([ACTS.index(r["acts"][0]) for r in some])
    return LogisticRegression(C=STRENGTH, max_iter=100).fit(matrix([r["text"] for r in some]), kinds)


def offset(
    rows: Sequence[dict[str, Any]], plain: Sequence[str], judged: Sequence[tuple[str, float]] = (), seed: int = 7
) -> float:
    """The logit that so many answers without a promise reach, of models that have not seen their customer."""
    groups = sorted({r["group"] for r in rows})
    random.Random(seed).shuffle(groups)
    fold = {group: at % FOLDS for at, group in enumerate(groups)}
    logits = []
    for at in range(FOLDS):
        whether = fit([r for r in rows if fold[r["group"]] != at], plain, judged)
        held = [r["text"] for r in rows if fold[r["group"]] == at and not r["acts"]]
        logits.append(whether.decision_function(matrix(held)))
    return float(np.quantile(np.concatenate(logits), 1 - FLAGGED))


def small(flat: np.ndarray) -> tuple[np.ndarray, float]:
    """Weights as int8, and their scale."""
    top = min(float(np.abs(flat).max()), float(np.quantile(np.abs(flat), 0.9999)) * 1.5)
    scale = top / 127
    return np.clip(np.round(flat / scale), -127, 127).astype(np.int8), scale


def main() -> None:
    """Write ``promises.npz``."""
    ask = argparse.ArgumentParser(description=__doc__)
    ask.add_argument("data", type=Path)
    ask.add_argument("out", type=Path)
    told = ask.parse_args()
    rows, plain, judged = promised(), harmless(told.data), judged_answers()
    above = offset(rows, plain, judged)
    whether, which = fit(rows, plain, judged), fit_acts(rows)
    weights, scale = small(whether.coef_[0])
    acts, act_scale = small(which.coef_)
    np.savez_compressed(
        told.out / "promises.npz",
        weights=weights,
        scale=scale,
        bias=float(whether.intercept_[0]) - above,
        acts=acts,
        act_scale=act_scale,
        act_bias=which.intercept_.astype(np.float32),
    )
    print(len(rows), "answers", len(plain), "others", len(judged), "judged; offset", round(above, 2))


if __name__ == "__main__":
    main()
