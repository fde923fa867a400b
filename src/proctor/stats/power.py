"""How small a change some number of paired cases can show, and how many cases a change needs."""

from __future__ import annotations

import math

from proctor.stats.student import student_cdf, student_quantile

__all__ = ["cases_needed", "fewest_changed", "minimum_effect", "power_of"]


def minimum_effect(spread: float, cases: int, *, alpha: float = 0.05, power: float = 0.8) -> float | None:
    """The smallest true change of a mean that a two-sided test over ``cases`` pairs finds with this ``power``.

    ``spread`` is the standard deviation of the differences. ``None`` when there are too few cases to say.
    """
    _check(alpha, power)
    if cases < 2:
        return None
    freedom = cases - 1
    reach = student_quantile(1 - alpha / 2, freedom) + student_quantile(power, freedom)
    return reach * spread / math.sqrt(cases)


def power_of(effect: float, spread: float, cases: int, *, alpha: float = 0.05) -> float:
    """How often a two-sided test over ``cases`` pairs finds a true change of this size (the far tail left out)."""
    _check(alpha, 0.5)
    if cases < 2:
        return 0.0
    if spread == 0:
        return 1.0 if effect else 0.0
    freedom = cases - 1
    return student_cdf(abs(effect) * math.sqrt(cases) / spread - student_quantile(1 - alpha / 2, freedom), freedom)


def cases_needed(effect: float, spread: float, *, alpha: float = 0.05, power: float = 0.8) -> int | None:
    """The fewest pairs that find a change of this size with this ``power``; ``None`` for no change at all."""
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
    """How many cases must change, all in one direction, before a sign-flip test can say so at ``alpha``."""
    _check(alpha, 0.5)
    return 1 + math.ceil(-math.log2(alpha) - 1e-9)


def _check(alpha: float, power: float) -> None:
    for name, share in (("alpha", alpha), ("power", power)):
        if not 0.0 < share < 1.0:
            raise ValueError(f"{name} must be between 0 and 1, not {share}")
