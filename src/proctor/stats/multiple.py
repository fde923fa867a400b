"""Correction of p-values for multiple tests."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["benjamini_hochberg", "holm", "holm_reachable", "reachable"]


def holm(values: Sequence[float]) -> list[float]:
    """Return Holm's adjusted p-values in the given order: rejecting those up to alpha bounds the family-wise error."""
    _check(values)
    adjusted = [1.0] * len(values)
    reached = 0.0
    for rank, place in enumerate(sorted(range(len(values)), key=values.__getitem__)):
        reached = max(reached, min(1.0, (len(values) - rank) * values[place]))
        adjusted[place] = reached
    return adjusted


def benjamini_hochberg(values: Sequence[float]) -> list[float]:
    """Return adjusted p-values in the given order: among those up to q, at most a share q is expected to be false.

    By Benjamini and Hochberg 1995. For a report of many slices, where a few false ones do less harm than many missed.
    """
    _check(values)
    adjusted = [1.0] * len(values)
    reached = 1.0
    ordered = sorted(range(len(values)), key=values.__getitem__)
    for rank in range(len(values), 0, -1):
        place = ordered[rank - 1]
        reached = min(reached, values[place] * len(values) / rank)
        adjusted[place] = reached
    return adjusted


def reachable(smallest: Sequence[float], alpha: float) -> list[bool]:
    """Return which tests can be significant at all, given the smallest p-value each can reach (Tarone 1990).

    A test of few changed cases cannot reach a small p-value whatever their direction. It is never significant, so it
    raises no false alarm and the others need no correction for it. The reachable p-value depends on how many cases
    changed, not on their direction, so selecting by it does not change the error rate.
    """
    if not 0.0 < alpha < 1.0:
        raise ValueError(f"alpha must be between 0 and 1, not {alpha}")
    for family in range(1, len(smallest) + 1):
        able = [value <= alpha / family for value in smallest]
        if sum(able) <= family:
            return able
    return []


def holm_reachable(values: Sequence[float], smallest: Sequence[float], *, alpha: float) -> list[float]:
    """Return Holm's adjusted p-values over the reachable tests; 1 for the others."""
    if len(values) != len(smallest):
        raise ValueError("one smallest p-value for each p-value")
    able = reachable(smallest, alpha)
    adjusted = iter(holm([value for value, yes in zip(values, able, strict=True) if yes]))
    return [next(adjusted) if yes else 1.0 for yes in able]


def _check(values: Sequence[float]) -> None:
    for value in values:
        if not 0.0 <= value <= 1.0:
            raise ValueError(f"a p-value lies in [0, 1], not {value}")
