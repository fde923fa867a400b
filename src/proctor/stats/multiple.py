"""Many tests at once: what each one's p-value is worth when any of them could have come up by chance."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["holm", "holm_reachable", "reachable"]


def holm(values: Sequence[float]) -> list[float]:
    """Holm's adjusted p-values, in the order given: calling those up to alpha errs anywhere in at most alpha of all."""
    for value in values:
        if not 0.0 <= value <= 1.0:
            raise ValueError(f"a p-value lies in [0, 1], not {value}")
    adjusted = [1.0] * len(values)
    reached = 0.0
    for rank, place in enumerate(sorted(range(len(values)), key=values.__getitem__)):
        reached = max(reached, min(1.0, (len(values) - rank) * values[place]))
        adjusted[place] = reached
    return adjusted


def reachable(smallest: Sequence[float], alpha: float) -> list[bool]:
    """Which tests could come out at all, given the smallest p-value each one can reach (Tarone 1990).

    A test of a handful of changed cases cannot reach a small p-value whatever they say. It is never called, so it can
    raise no false alarm, and the others need not pay for it. What a test can reach depends on how many cases changed,
    not on which way they went, so choosing by it leaves the error rate as it is.
    """
    if not 0.0 < alpha < 1.0:
        raise ValueError(f"alpha must be between 0 and 1, not {alpha}")
    for family in range(1, len(smallest) + 1):
        able = [value <= alpha / family for value in smallest]
        if sum(able) <= family:
            return able
    return []


def holm_reachable(values: Sequence[float], smallest: Sequence[float], *, alpha: float) -> list[float]:
    """Holm's adjusted p-values over the tests that could come out at all; 1 for the others."""
    if len(values) != len(smallest):
        raise ValueError("one smallest p-value for each p-value")
    able = reachable(smallest, alpha)
    adjusted = iter(holm([value for value, yes in zip(values, able, strict=True) if yes]))
    return [next(adjusted) if yes else 1.0 for yes in able]
