"""Tests for paired cases: is the change more than chance?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

__all__ = ["SAME", "McNemar", "mcnemar", "sign_flip", "sign_flips", "sign_test", "smallest_p"]

Numbers = npt.NDArray[np.float64]

SAME = 1e-9  # differences up to this are rounding, not change
_MAX_EXACT_CASES = 12  # every sign pattern is tried up to this many changed cases
_CHUNK = 2048


@dataclass(frozen=True, slots=True, kw_only=True)
class McNemar:
    """McNemar's test of pass and fail: the exact p-value, and the mid-p, which is less conservative."""

    lost: int
    gained: int
    exact: float
    mid_p: float


def mcnemar(lost: int, gained: int) -> McNemar:
    """Return the two-sided McNemar test from how many cases went from pass to fail, and from fail to pass."""
    if lost < 0 or gained < 0:
        raise ValueError(f"counts cannot be negative: {lost}, {gained}")
    changed, fewer = lost + gained, min(lost, gained)
    tail = _half_binomial(fewer, changed)
    exact = min(1.0, 2 * tail)
    if not changed:
        return McNemar(lost=0, gained=0, exact=1.0, mid_p=1.0)
    # The mid-p counts half of the outcomes that are exactly as extreme as the observed one.
    point = math.exp(_log_choose(changed, fewer) - changed * math.log(2))
    mid_p = 1.0 - point / 2 if lost == gained else exact - point
    return McNemar(lost=lost, gained=gained, exact=exact, mid_p=mid_p)


def sign_test(differences: Sequence[float]) -> float:
    """Return the two-sided p-value of the sign test, which ignores the size of the differences."""
    up = sum(each > SAME for each in differences)
    down = sum(each < -SAME for each in differences)
    return mcnemar(down, up).exact


def smallest_p(changed: int) -> float:
    """Return the smallest two-sided p-value that so many changed cases can reach, if all go one way."""
    return min(1.0, math.ldexp(2.0, -changed))


def sign_flip(differences: Sequence[float], *, resamples: int = 9999, seed: int = 0) -> float:
    """Return the two-sided p-value for a mean difference of 0, by sign flips; exact up to 12 changed cases."""
    return sign_flips(np.asarray(differences, dtype=np.float64).reshape(-1, 1), resamples=resamples, seed=seed)[0]


def sign_flips(differences: Numbers, *, resamples: int = 9999, seed: int = 0) -> list[float]:
    """Return the p-value of each column of differences (one row per case), with the same flips for all columns.

    If before and after were the same system, a case's difference would be equally likely with the other sign. So the
    p-value is the share of sign patterns whose sum is at least as far from 0 as the observed one. This assumes no
    normal distribution and is valid for scores that are mostly 1. NaN marks a case without a pair and is ignored.
    """
    table = np.nan_to_num(np.asarray(differences, dtype=np.float64), nan=0.0)
    table[np.abs(table) <= SAME] = 0.0
    sums = np.abs(table.sum(axis=0))
    changed = (table != 0).sum(axis=0)
    many = np.flatnonzero(changed > _MAX_EXACT_CASES)
    drawn = _drawn(table[:, many], sums[many], resamples, seed) if many.size else {}
    found = []
    for column in range(table.shape[1]):
        if changed[column] <= _MAX_EXACT_CASES:
            values = table[:, column]
            found.append(_every_pattern(values[values != 0]))
        else:
            found.append(drawn[int(np.searchsorted(many, column))])
    return found


def _every_pattern(values: Numbers) -> float:
    """Return the exact p-value from half of the patterns; the rest are mirror images."""
    if not values.size:
        return 1.0
    sums = np.array([values[0]])
    for value in values[1:]:
        sums = np.concatenate((sums + value, sums - value))
    return float((np.abs(sums) >= abs(values.sum()) - SAME * values.size).mean())


def _drawn(table: Numbers, sums: Numbers, resamples: int, seed: int) -> dict[int, float]:
    source = np.random.default_rng(seed)
    hits = np.zeros(table.shape[1], dtype=np.int64)
    total = table.sum(axis=0)
    limit = sums - SAME * table.shape[0]
    left = resamples
    while left:
        rows = min(left, _CHUNK)
        bits = source.integers(0, 256, size=(rows, (table.shape[0] + 7) // 8), dtype=np.uint8)
        flips = np.unpackbits(bits, axis=1, count=table.shape[0]).astype(np.float64)
        # A sum under signs of ±1 is the plain sum minus twice what was flipped.
        hits += (np.abs(total - 2.0 * (flips @ table)) >= limit).sum(axis=0)
        left -= rows
    found = {}
    for column in range(table.shape[1]):
        drawn = (int(hits[column]) + 1) / (resamples + 1)
        if not hits[column]:
            # No resample was as extreme: Hoeffding's bound on the same sum always applies, and may be far smaller.
            square = float((table[:, column] ** 2).sum())
            drawn = min(drawn, 2.0 * math.exp(-(float(sums[column]) ** 2) / (2.0 * square)))
        found[column] = drawn
    return found


def _half_binomial(hits: int, total: int) -> float:
    """Return the probability of at most ``hits`` heads in ``total`` throws of a fair coin."""
    logs = [_log_choose(total, k) - total * math.log(2) for k in range(hits + 1)]
    return min(1.0, math.fsum(math.exp(each) for each in logs))


def _log_choose(total: int, chosen: int) -> float:
    return math.lgamma(total + 1) - math.lgamma(chosen + 1) - math.lgamma(total - chosen + 1)
