"""Student's t: its distribution function and quantiles, in double precision."""

from __future__ import annotations

import math
from functools import cache
from statistics import NormalDist

__all__ = ["incomplete_beta", "student_cdf", "student_quantile"]

_TINY = 1e-300
_MAX_STEPS = 500
_MAX_FREEDOM = 1e7  # above this many degrees of freedom, t equals the normal to all printed digits


def incomplete_beta(a: float, b: float, x: float) -> float:
    """Return the regularised incomplete beta function: the share of a Beta(a, b) below ``x``."""
    if not (a > 0 and b > 0 and 0.0 <= x <= 1.0):
        raise ValueError(f"no incomplete beta at a={a}, b={b}, x={x}")
    if x in (0.0, 1.0):
        return x
    front = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    # The fraction converges fast on one side only; the other follows by symmetry.
    if x < (a + 1) / (a + b + 2):
        return math.exp(front) * _fraction(a, b, x) / a
    return 1.0 - math.exp(front) * _fraction(b, a, 1.0 - x) / b


def student_cdf(t: float, freedom: float) -> float:
    """Return the share of Student's t with ``freedom`` degrees of freedom below ``t``."""
    if not freedom > 0:
        raise ValueError(f"degrees of freedom must be more than 0, not {freedom}")
    if freedom > _MAX_FREEDOM:
        return NormalDist().cdf(t)
    square = t * t
    tail = 0.5 * incomplete_beta(freedom / 2, 0.5, freedom / (freedom + square))
    return 1.0 - tail if t > 0 else tail


@cache
def student_quantile(share: float, freedom: float) -> float:
    """Return the number that ``share`` of Student's t is below."""
    if not 0.0 < share < 1.0:
        raise ValueError(f"a share lies between 0 and 1, not {share}")
    if share == 0.5:
        return 0.0
    # Computed in the lower tail, where the distribution function keeps its precision.
    lower = min(share, 1.0 - share)
    low, high = -1.0, 0.0
    while student_cdf(low, freedom) > lower:
        low, high = low * 2, low
    for _ in range(200):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        low, high = (middle, high) if student_cdf(middle, freedom) < lower else (low, middle)
    found = (low + high) / 2
    return found if share < 0.5 else -found


def _fraction(a: float, b: float, x: float) -> float:
    """Evaluate the continued fraction of the incomplete beta function by Lentz's method."""
    c, d = 1.0, 1.0 - (a + b) * x / (a + 1)
    d = 1.0 / (d if abs(d) > _TINY else _TINY)
    total = d
    for m in range(1, _MAX_STEPS):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for term in (even, odd):
            d = 1.0 + term * d
            d = 1.0 / (d if abs(d) > _TINY else _TINY)
            c = 1.0 + term / c
            c = c if abs(c) > _TINY else _TINY
            total *= c * d
        if abs(c * d - 1.0) < 1e-15:
            break
    return total
