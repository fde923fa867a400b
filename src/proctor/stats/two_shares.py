"""Two independent shares: their difference with its interval, its p-value, and the smallest one that can be seen."""

from __future__ import annotations

import math
from statistics import NormalDist

from proctor.stats.chi_square import chi_square_tail
from proctor.stats.interval import Interval, wilson

__all__ = ["g_of_two_shares", "minimum_difference", "newcombe", "share_difference_p"]


def newcombe(hits: int, total: int, other_hits: int, other_total: int, *, confidence: float = 0.95) -> Interval | None:
    """Return the interval of the first share minus the other (Newcombe 1998); ``None`` if one is of nothing."""
    first = wilson(hits, total, confidence=confidence)
    second = wilson(other_hits, other_total, confidence=confidence)
    if first is None or second is None:
        return None
    one, other = hits / total, other_hits / other_total
    low = one - other - math.sqrt((one - first.low) ** 2 + (second.high - other) ** 2)
    high = one - other + math.sqrt((first.high - one) ** 2 + (other - second.low) ** 2)
    return Interval(low=low, high=high)


def g_of_two_shares(hits: int, total: int, other_hits: int, other_total: int) -> float:
    """Return the G statistic of two shares: 2 × the log-likelihood ratio against one common share."""
    common = (hits + other_hits) / (total + other_total)
    found = 0.0
    for count, size in ((hits, total), (other_hits, other_total)):
        for seen, expected in ((count, size * common), (size - count, size * (1 - common))):
            if seen:
                found += seen * math.log(seen / expected)
    return max(0.0, 2 * found)


def share_difference_p(hits: int, total: int, other_hits: int, other_total: int) -> float:
    """Return the p-value of the G-test of two equal shares; 1 if one of them is of nothing."""
    if not total or not other_total:
        return 1.0
    return chi_square_tail(g_of_two_shares(hits, total, other_hits, other_total), 1)


def minimum_difference(
    share: float, total: int, other_total: int, *, alpha: float = 0.05, power: float = 0.8
) -> float | None:
    """Return the smallest rise above ``share`` that a two-sided test of these sizes detects with this ``power``.

    ``None`` if no rise up to 1 can be seen.
    """
    if not total or not other_total:
        return None
    reach, chance = NormalDist().inv_cdf(1 - alpha / 2), NormalDist().inv_cdf(power)

    def is_seen(rise: float) -> bool:
        now = share + rise
        common = (now * total + share * other_total) / (total + other_total)
        null = math.sqrt(common * (1 - common) * (1 / total + 1 / other_total))
        true = math.sqrt(now * (1 - now) / total + share * (1 - share) / other_total)
        return rise >= reach * null + chance * true

    low, high = 0.0, 1.0 - share
    if not is_seen(high):
        return None
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if is_seen(middle) else (middle, high)
    return high
