"""The chi-square distribution: its upper tail, in double precision."""

from __future__ import annotations

import math

__all__ = ["chi_square_tail", "incomplete_gamma"]

_TINY = 1e-300
_MAX_STEPS = 100_000


def chi_square_tail(value: float, freedom: float) -> float:
    """Return the share of a chi-square with ``freedom`` degrees of freedom above ``value``."""
    if not freedom > 0:
        raise ValueError(f"degrees of freedom must be more than 0, not {freedom}")
    if value <= 0:
        return 1.0
    return incomplete_gamma(freedom / 2, value / 2)


def incomplete_gamma(a: float, x: float) -> float:
    """Return the regularised upper incomplete gamma function: the share of a Gamma(a) above ``x``."""
    if not (a > 0 and x >= 0):
        raise ValueError(f"no incomplete gamma at a={a}, x={x}")
    if x == 0:
        return 1.0
    front = math.exp(a * math.log(x) - x - math.lgamma(a))
    # The series converges fast below a, the continued fraction above it.
    if x < a + 1:
        return max(0.0, 1.0 - front * _series(a, x))
    return min(1.0, front * _fraction(a, x))


def _series(a: float, x: float) -> float:
    term = total = 1.0 / a
    for step in range(1, _MAX_STEPS):
        term *= x / (a + step)
        total += term
        if term < total * 1e-16:
            break
    return total


def _fraction(a: float, x: float) -> float:
    """Evaluate the continued fraction by Lentz's method."""
    b = x + 1.0 - a
    c = 1.0 / _TINY
    d = 1.0 / b
    total = d
    for step in range(1, _MAX_STEPS):
        factor = -step * (step - a)
        b += 2.0
        d = factor * d + b
        d = 1.0 / (d if abs(d) > _TINY else _TINY)
        c = b + factor / c
        c = c if abs(c) > _TINY else _TINY
        total *= d * c
        if abs(d * c - 1.0) < 1e-16:
            break
    return total
