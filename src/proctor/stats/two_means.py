"""Two independent means: their difference, its interval and p-value (Welch), and the smallest that can be seen."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, variance

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
    first: Sequence[float], other: Sequence[float], *, confidence: float = 0.95, power: float = 0.8
) -> MeanDifference | None:
    """Compare two means by Welch's t-test; ``None`` for fewer than two values on a side."""
    if len(first) < 2 or len(other) < 2:
        return None
    value = fmean(first) - fmean(other)
    one, two = variance(first) / len(first), variance(other) / len(other)
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
