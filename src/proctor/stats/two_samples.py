"""Intervals of the difference between two independent samples: of shares, and of means."""

from __future__ import annotations

import math
from dataclasses import dataclass

from proctor.stats.interval import Interval, wilson
from proctor.stats.student import student_quantile

__all__ = ["Moments", "mean_difference", "share_difference"]


@dataclass(slots=True)
class Moments:
    """Count, mean and variance of a stream in constant memory (Welford)."""

    count: int = 0
    mean: float = 0.0
    _squares: float = 0.0

    def add(self, value: float) -> None:
        """Add one number; non-finite ones are rejected.

        Raises:
            ValueError: the number is not finite.
        """
        if not math.isfinite(value):
            raise ValueError(f"cannot count {value!r}")
        self.count += 1
        step = value - self.mean
        self.mean += step / self.count
        self._squares += step * (value - self.mean)

    @property
    def total(self) -> float:
        """The sum of all numbers."""
        return self.mean * self.count

    @property
    def variance(self) -> float | None:
        """The unbiased variance; ``None`` for fewer than two numbers."""
        return self._squares / (self.count - 1) if self.count > 1 else None

    def interval(self, *, confidence: float = 0.95) -> Interval | None:
        """Return Student's interval of the mean; ``None`` for fewer than two numbers."""
        if (variance := self.variance) is None:
            return None
        reach = student_quantile(0.5 + confidence / 2, self.count - 1) * math.sqrt(variance / self.count)
        return Interval(low=self.mean - reach, high=self.mean + reach)


def share_difference(hits: int, total: int, hits_before: int, total_before: int) -> Interval | None:
    """Return Newcombe's 95 % interval of a share minus an earlier one; ``None`` if either has no observation.

    It is made of the two Wilson intervals, so it is reliable for few cases and near 0 and 1.
    """
    now, before = wilson(hits, total), wilson(hits_before, total_before)
    if now is None or before is None:
        return None
    share, earlier = hits / total, hits_before / total_before
    middle = share - earlier
    low = middle - math.hypot(share - now.low, before.high - earlier)
    high = middle + math.hypot(now.high - share, earlier - before.low)
    return Interval(low=max(-1.0, low), high=min(1.0, high))


def mean_difference(now: Moments, before: Moments, *, confidence: float = 0.95) -> Interval | None:
    """Return Welch's interval of a mean minus an earlier one; ``None`` if either has fewer than two numbers."""
    if now.variance is None or before.variance is None:
        return None
    one, other = now.variance / now.count, before.variance / before.count
    middle, spread = now.mean - before.mean, one + other
    if spread == 0.0:
        return Interval(low=middle, high=middle)
    freedom = spread**2 / (one**2 / (now.count - 1) + other**2 / (before.count - 1))
    reach = student_quantile(0.5 + confidence / 2, freedom) * math.sqrt(spread)
    return Interval(low=middle - reach, high=middle + reach)
