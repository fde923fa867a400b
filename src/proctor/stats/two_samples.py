"""Means of streams, and intervals of the difference between two independent estimates."""

from __future__ import annotations

import math
from dataclasses import dataclass

from proctor.stats.interval import Interval
from proctor.stats.student import student_quantile

__all__ = ["Estimated", "Moments", "mover_interval", "welch_interval"]

Estimated = tuple[float, float, float]  # a value and the ends of its interval


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


def welch_interval(now: Moments, before: Moments, *, confidence: float = 0.95) -> Interval | None:
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


def mover_interval(now: Estimated, before: Estimated) -> Interval:
    """Return the interval of one estimate minus another from their own intervals (method of variance estimates).

    With Wilson's intervals of shares it is Newcombe's.
    """
    (value, low, high), (earlier, low_before, high_before) = now, before
    middle = value - earlier
    return Interval(
        low=middle - math.hypot(value - low, high_before - earlier),
        high=middle + math.hypot(high - value, earlier - low_before),
    )
