"""Power analysis: the smallest detectable change for a number of paired cases, and the reverse."""

from __future__ import annotations

import math

from proctor.stats.student import student_quantile

__all__ = ["fewest_changed", "minimum_effect"]


def minimum_effect(spread: float, cases: int, *, alpha: float = 0.05, power: float = 0.8) -> float | None:
    """Return the smallest true change of a mean that a two-sided test over ``cases`` pairs detects with this ``power``.

    ``spread`` is the standard deviation of the differences. ``None`` if there are too few cases.
    """
    _check(alpha, power)
    if cases < 2:
        return None
    freedom = cases - 1
    reach = student_quantile(1 - alpha / 2, freedom) + student_quantile(power, freedom)
    return reach * spread / math.sqrt(cases)


def fewest_changed(alpha: float) -> int:
    """Return how many cases must change in one direction for a sign-flip test to be significant at ``alpha``."""
    _check(alpha, 0.5)
    return 1 + math.ceil(-math.log2(alpha) - 1e-9)


def _check(alpha: float, power: float) -> None:
    for name, share in (("alpha", alpha), ("power", power)):
        if not 0.0 < share < 1.0:
            raise ValueError(f"{name} must be between 0 and 1, not {share}")
