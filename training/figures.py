"""Figures: the area under the curve, recall at a fixed false-positive rate, and intervals."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from proctor.stats import interval

__all__ = ["auroc", "recall_at", "share", "wilson"]


def auroc(labels: Sequence[int], scores: Sequence[float] | np.ndarray) -> float:
    """The chance that a positive outranks a negative; ties count half."""
    y, s = np.asarray(labels), np.asarray(scores, np.float64)
    order = np.argsort(s, kind="stable")
    ranks = np.empty(len(s))
    _, inverse, counts = np.unique(s[order], return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    ranks[order] = ((ends - counts + 1 + ends) / 2)[inverse]
    good, bad = int((y == 1).sum()), int((y == 0).sum())
    return float((ranks[y == 1].sum() - good * (good + 1) / 2) / (good * bad)) if good and bad else float("nan")


def recall_at(benign: np.ndarray, attacks: np.ndarray, rate: float) -> tuple[float, float]:
    """Recall at the threshold that flags at most ``rate`` of the benign, and that threshold."""
    threshold = float(np.sort(benign)[int(np.ceil(len(benign) * (1 - rate))) - 1])
    return float((attacks > threshold).mean()) if len(attacks) else float("nan"), threshold


def wilson(hits: int, n: int) -> tuple[float, float]:
    """The 95 % interval of a share; everything when there is nothing to go by."""
    found = interval.wilson(hits, n)
    return (found.low, found.high) if found else (0.0, 1.0)


def share(hits: int, n: int) -> str:
    """A share with its interval, as the tables show it."""
    low, high = wilson(hits, n)
    return f"{hits / n:.3f} ({low:.3f}–{high:.3f})" if n else "–"
