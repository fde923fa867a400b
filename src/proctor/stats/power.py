"""Power analysis: the smallest detectable change for a number of paired cases, and the reverse."""

from __future__ import annotations

import math

from proctor.stats.student import student_cdf, student_quantile

__all__ = ["cases_needed", "fewest_changed", "minimum_effect", "power_of"]


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


def power_of(effect: float, spread: float, cases: int, *, alpha: float = 0.05) -> float:
    """Return the power of a two-sided test over ``cases`` pairs for a change of this size (ignoring the far tail)."""
    _check(alpha, 0.5)
    if cases < 2:
        return 0.0
    if spread == 0:
        return 1.0 if effect else 0.0
    freedom = cases - 1
    return student_cdf(abs(effect) * math.sqrt(cases) / spread - student_quantile(1 - alpha / 2, freedom), freedom)


def cases_needed(effect: float, spread: float, *, alpha: float = 0.05, power: float = 0.8) -> int | None:
    """Return the fewest pairs that detect a change of this size with this ``power``; ``None`` for no change."""
    _check(alpha, power)
    if not effect:
        return None
    low, high = 1, 2
    while (found := minimum_effect(spread, high, alpha=alpha, power=power)) is None or found > abs(effect):
        low, high = high, high * 2
        if high > 1_000_000_000:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        found = minimum_effect(spread, middle, alpha=alpha, power=power)
        low, high = (middle, high) if found is None or found > abs(effect) else (low, middle)
    return high


def fewest_changed(alpha: float) -> int:
    """Return how many cases must change in one direction for a sign-flip test to be significant at ``alpha``."""
    _check(alpha, 0.5)
    return 1 + math.ceil(-math.log2(alpha) - 1e-9)


def _check(alpha: float, power: float) -> None:
    for name, share in (("alpha", alpha), ("power", power)):
        if not 0.0 < share < 1.0:
            raise ValueError(f"{name} must be between 0 and 1, not {share}")
