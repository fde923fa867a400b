"""Confidence intervals of shares."""

from __future__ import annotations

import math
from functools import cache

from proctor.core.record import dataclass

__all__ = ["DEVIATIONS_95", "Interval", "wilson", "wilson_of_share"]

DEVIATIONS_95 = 1.9599639845400536  # standard deviations that contain 95 % of a normal distribution


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """A confidence interval; for a share both ends are in [0, 1]."""

    low: float
    high: float


def wilson(hits: int, total: int, *, confidence: float = 0.95) -> Interval | None:
    """Return the Wilson score interval of ``hits`` in ``total``; ``None`` if nothing was counted.

    Unlike the textbook interval it never leaves [0, 1] and is reliable at 0 %, at 100 % and for few cases.
    """
    if total < 0 or not 0 <= hits <= total:
        raise ValueError(f"{hits} hits in {total} cannot be")
    return wilson_of_share(hits / total if total else 0.0, total, confidence=confidence)


def wilson_of_share(share: float, count: float, *, confidence: float = 0.95) -> Interval | None:
    """Return the Wilson score interval about a mean of ``count`` shares; ``None`` if there are none.

    With shares of 0 and 1 it is that of a count. Shares between them vary less, so the interval is then wider than
    necessary, never narrower. ``count`` may be fractional: correlated results count for fewer.
    """
    if count < 0 or not 0.0 <= share <= 1.0:
        raise ValueError(f"a share of {share} in {count} cannot be")
    if not 0.0 < confidence < 1.0:
        raise ValueError(f"confidence must be between 0 and 1, not {confidence}")
    if count == 0:
        return None
    z = _deviations(confidence)
    square = z * z / count
    middle = (share + square / 2) / (1 + square)
    reach = z * math.sqrt(share * (1 - share) / count + square / (4 * count)) / (1 + square)
    # At the extremes the exact bound is the share itself; rounding must not exceed it.
    low = 0.0 if share == 0.0 else max(0.0, min(share, middle - reach))
    high = 1.0 if share == 1.0 else min(1.0, max(share, middle + reach))
    return Interval(low=low, high=high)


@cache
def _deviations(confidence: float) -> float:
    """Return how many standard deviations contain this share of a normal distribution."""
    if confidence == 0.95:
        return DEVIATIONS_95
    from statistics import NormalDist  # noqa: PLC0415 - loads decimals and fractions

    return NormalDist().inv_cdf(0.5 + confidence / 2)
