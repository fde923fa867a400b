"""How far two distributions over categories differ: effect sizes, what chance alone would show, and a p-value."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from proctor.stats.chi_square import chi_square_tail

__all__ = [
    "DistributionShift",
    "cramer_v",
    "distribution_shift",
    "js_divergence",
    "minimum_cramer_v",
    "psi",
]

Numbers = npt.NDArray[np.float64]
_HALF = 0.5  # added to every count of the PSI, which is infinite for a category that is missing on one side


@dataclass(frozen=True, slots=True, kw_only=True)
class DistributionShift:
    """The difference of two distributions.

    ``psi_chance`` is the mean PSI of the same counts shuffled: what sampling alone shows. ``psi_excess`` is the PSI
    less that, never below 0. ``p`` is from the shuffles, ``p_asymptotic`` that of the G-test. ``v_chance`` is what
    Cramér's V reaches in one shuffle of twenty.
    """

    count: int
    other_count: int
    categories: int
    g: float
    p: float
    p_asymptotic: float
    v: float
    v_chance: float
    js: float
    psi: float
    psi_chance: float
    psi_excess: float


def distribution_shift(
    now: Sequence[int], before: Sequence[int], *, shuffles: int = 2000, seed: int = 0
) -> DistributionShift | None:
    """Compare the counts of the same categories in two samples; ``None`` if one is empty or there is one category.

    Shuffling which sample each case belongs to gives tables with the same margins, so the p-value holds also for rare
    categories, where the chi-square approximation does not.
    """
    table = np.array([now, before], dtype=np.int64)
    table = table[:, table.sum(axis=0) > 0]
    sizes = table.sum(axis=1)
    if table.shape[1] < 2 or not sizes.all():
        return None
    source = np.random.default_rng(seed)
    drawn = source.multivariate_hypergeometric(table.sum(axis=0), int(sizes[0]), size=shuffles, method="marginals")
    rest = table.sum(axis=0) - drawn
    g, seen = float(_g(table[0], table[1])), _g(drawn, rest)
    v_chance = np.quantile(np.sqrt(_chi_square(drawn, rest) / table.sum()), 0.95)
    found = float(_psi(table[0], table[1]))
    chance = float(_psi(drawn, rest).mean())
    return DistributionShift(
        count=int(sizes[0]),
        other_count=int(sizes[1]),
        categories=table.shape[1],
        g=g,
        p=(1 + int((seen >= g - 1e-9).sum())) / (1 + shuffles),
        p_asymptotic=chi_square_tail(g, table.shape[1] - 1),
        v=cramer_v(now, before) or 0.0,
        v_chance=float(v_chance),
        js=js_divergence(now, before) or 0.0,
        psi=found,
        psi_chance=chance,
        psi_excess=max(0.0, found - chance),
    )


def cramer_v(now: Sequence[int], before: Sequence[int]) -> float | None:
    """Return Cramér's V of two samples over the same categories: 0 for equal shares, 1 for nothing in common."""
    total = sum(now) + sum(before)
    if not sum(now) or not sum(before):
        return None
    return math.sqrt(max(0.0, float(_on_used(now, before, _chi_square))) / total)


def js_divergence(now: Sequence[int], before: Sequence[int]) -> float | None:
    """Return the Jensen–Shannon divergence of two samples' shares in bits: 0 equal, 1 nothing in common."""
    if not sum(now) or not sum(before):
        return None
    one = np.asarray(now, dtype=np.float64) / sum(now)
    other = np.asarray(before, dtype=np.float64) / sum(before)
    middle = (one + other) / 2
    return max(0.0, float((_relative(one, middle) + _relative(other, middle)) / 2 / math.log(2)))


def psi(now: Sequence[int], before: Sequence[int]) -> float | None:
    """Return the population stability index; half a case is added to every count, so that it is always finite."""
    if not sum(now) or not sum(before):
        return None
    return float(_on_used(now, before, _psi))


def minimum_cramer_v(
    categories: int, count: int, other: int, *, alpha: float = 0.05, power: float = 0.8
) -> float | None:
    """Return the smallest Cramér's V that a chi-square test of these sizes detects with this ``power``.

    By the noncentral chi-square distribution. ``None`` if there is nothing to compare, or not even 1 is seen.
    """
    if categories < 2 or not count or not other:
        return None
    freedom = categories - 1
    limit = _upper_point(alpha, freedom)
    low, high = 0.0, 1.0
    while _noncentral_tail(limit, freedom, high) < power:
        low, high = high, high * 2
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (low, middle) if _noncentral_tail(limit, freedom, middle) >= power else (middle, high)
    found = math.sqrt(high / (count + other))  # the noncentrality is n V²
    return found if found <= 1 else None


def _on_used(now: Sequence[int], before: Sequence[int], figure: Callable[..., Numbers]) -> Numbers:
    table = np.array([now, before], dtype=np.float64)
    table = table[:, table.sum(axis=0) > 0]
    return figure(table[0], table[1])


def _g(now: npt.NDArray[np.generic], before: npt.NDArray[np.generic]) -> Numbers:
    """Return G by row of tables with the same categories."""
    one, other = np.asarray(now, dtype=np.float64), np.asarray(before, dtype=np.float64)
    both = one + other
    total = both.sum(axis=-1, keepdims=True)
    found = np.zeros(one.shape[:-1])
    for side in (one, other):
        expected = both * side.sum(axis=-1, keepdims=True) / total
        with np.errstate(divide="ignore", invalid="ignore"):
            found = found + np.where(side > 0, side * np.log(side / expected), 0.0).sum(axis=-1)
    doubled: Numbers = 2 * found
    return doubled


def _chi_square(now: npt.NDArray[np.generic], before: npt.NDArray[np.generic]) -> Numbers:
    one, other = np.asarray(now, dtype=np.float64), np.asarray(before, dtype=np.float64)
    both = one + other
    total = both.sum(axis=-1, keepdims=True)
    found = np.zeros(one.shape[:-1])
    for side in (one, other):
        expected = both * side.sum(axis=-1, keepdims=True) / total
        found = found + ((side - expected) ** 2 / expected).sum(axis=-1)
    return found


def _psi(now: npt.NDArray[np.generic], before: npt.NDArray[np.generic]) -> Numbers:
    one, other = np.asarray(now, dtype=np.float64) + _HALF, np.asarray(before, dtype=np.float64) + _HALF
    left = one / one.sum(axis=-1, keepdims=True)
    right = other / other.sum(axis=-1, keepdims=True)
    found: Numbers = ((left - right) * np.log(left / right)).sum(axis=-1)
    return found


def _relative(one: Numbers, other: Numbers) -> float:
    used = one > 0
    return float((one[used] * np.log(one[used] / other[used])).sum())


def _upper_point(alpha: float, freedom: float) -> float:
    low, high = 0.0, freedom + 10.0
    while chi_square_tail(high, freedom) > alpha:
        high *= 2
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if chi_square_tail(middle, freedom) > alpha else (low, middle)
    return high


def _noncentral_tail(value: float, freedom: float, noncentrality: float) -> float:
    """Return the upper tail of a noncentral chi-square: a Poisson mixture of central ones, summed about its middle."""
    mean = noncentrality / 2
    if mean == 0:
        return chi_square_tail(value, freedom)
    reach = int(12 * math.sqrt(mean) + 30)
    found = 0.0
    for step in range(max(0, int(mean) - reach), int(mean) + reach):
        chance = math.exp(step * math.log(mean) - mean - math.lgamma(step + 1))
        if chance > 1e-14:
            found += chance * chi_square_tail(value, freedom + 2 * step)
    return min(1.0, found)
