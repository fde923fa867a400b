"""Bounds of a quantile by order statistics: no assumption about how the values are distributed."""

from __future__ import annotations

from proctor.stats.student import incomplete_beta

__all__ = ["binomial_tail", "breach_count", "smallest_breach"]


def binomial_tail(count: int, total: int, share: float) -> float:
    """Return how probably at least ``count`` of ``total`` happen if each does with probability ``share``."""
    if count <= 0:
        return 1.0
    if count > total:
        return 0.0
    return incomplete_beta(count, total - count + 1, share)


def breach_count(total: int, quantile: float, alpha: float) -> int | None:
    """Return the fewest of ``total`` values above a limit that show that the quantile is above it.

    With an error of at most ``alpha``: so many are above by chance at most that often if the quantile is at the limit.
    It is the same as a lower confidence bound by order statistics that is above the limit. None if there are too few
    values for any number to show it.
    """
    if not 0 < quantile < 1 or not 0 < alpha < 1:
        raise ValueError(f"no bound at quantile {quantile} and error {alpha}")
    if binomial_tail(total, total, 1 - quantile) > alpha:
        return None
    low, high = 0, total
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if binomial_tail(middle, total, 1 - quantile) <= alpha else (middle, high)
    return high


def smallest_breach(total: int, quantile: float, alpha: float, *, power: float = 0.99) -> float | None:
    """Return the smallest true share of values above the limit that is found with this ``power`` in ``total``."""
    needed = breach_count(total, quantile, alpha) if total else None
    if needed is None:
        return None
    low, high = 1 - quantile, 1.0
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (low, middle) if binomial_tail(needed, total, middle) >= power else (middle, high)
    return high
