"""Two independent means: their difference, its interval and p-value (Welch), and the smallest that can be seen."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from proctor.stats.interval import Interval
from proctor.stats.student import student_cdf, student_quantile

__all__ = ["MeanDifference", "mean_difference"]


@dataclass(frozen=True, slots=True, kw_only=True)
class MeanDifference:
    """The first mean less the other; ``minimum`` is the smallest difference seen four times out of five."""

    value: float
    interval: Interval
    p: float
    minimum: float


def mean_difference(
    first: Sequence[float],
    other: Sequence[float],
    *,
    weights: tuple[Sequence[float], Sequence[float]] | None = None,
    confidence: float = 0.95,
    power: float = 0.8,
) -> MeanDifference | None:
    """Compare two means by Welch's t-test; ``None`` for fewer than two values on a side.

    With weights, of the first and of the other, the means are weighted and their variances those of weighted means.
    """
    if len(first) < 2 or len(other) < 2:
        return None
    given = weights or ([1.0] * len(first), [1.0] * len(other))
    (mean, one), (before, two) = _mean_and_error(first, given[0]), _mean_and_error(other, given[1])
    value = mean - before
    error = math.sqrt(one + two)
    if error <= 1e-15 * max(1.0, abs(value)):
        return MeanDifference(value=value, interval=Interval(low=value, high=value), p=float(value == 0), minimum=0.0)
    freedom = (one + two) ** 2 / (one**2 / (len(first) - 1) + two**2 / (len(other) - 1))
    reach = student_quantile(0.5 + confidence / 2, freedom)
    return MeanDifference(
        value=value,
        interval=Interval(low=value - reach * error, high=value + reach * error),
        p=min(1.0, 2 * student_cdf(-abs(value) / error, freedom)),
        minimum=(reach + student_quantile(power, freedom)) * error,
    )


def _mean_and_error(values: Sequence[float], weights: Sequence[float]) -> tuple[float, float]:
    """Return a weighted mean and the square of its standard error."""
    total = math.fsum(weights)
    mean = math.fsum(w * v for w, v in zip(weights, values, strict=True)) / total
    squares = math.fsum((w * (v - mean)) ** 2 for w, v in zip(weights, values, strict=True))
    return mean, squares / total**2 * len(values) / (len(values) - 1)
