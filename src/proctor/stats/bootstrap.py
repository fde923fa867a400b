"""Bootstrap confidence intervals over cases."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from proctor.stats.interval import Interval
from proctor.stats.student import student_quantile

__all__ = ["interval_of", "interval_of_all", "mean_interval", "mean_intervals", "ratio_interval"]

Numbers = npt.NDArray[np.float64]
Places = npt.NDArray[np.int64]

_CHUNK = 4_000_000


def mean_interval(
    values: Sequence[float], *, confidence: float = 0.95, resamples: int = 2000, seed: int = 0
) -> Interval | None:
    """Return the interval of a mean; for paired differences that of the change. ``None`` for fewer than two values."""
    table = np.asarray(values, dtype=np.float64).reshape(-1, 1)
    return mean_intervals(table, confidence=confidence, resamples=resamples, seed=seed)[0]


def mean_intervals(
    table: Numbers, *, confidence: float = 0.95, resamples: int = 2000, seed: int = 0
) -> list[Interval | None]:
    """Return the interval of each column's mean (one row per case); NaN marks a missing value.

    Percentiles of the resampled means, widened as Student's t widens the normal: plain percentiles are too narrow for
    a few dozen cases.
    """
    present = ~np.isnan(table)
    counts = present.sum(axis=0)
    filled = np.where(present, table, 0.0)
    draws = _draws(filled, present.astype(np.float64), resamples, seed)
    found: list[Interval | None] = []
    for column, count in enumerate(counts):
        means = draws[:, column][~np.isnan(draws[:, column])]
        if count < 2 or not means.size:
            found.append(None)
            continue
        tail = _tail(confidence, int(count))
        low, high = np.quantile(means, (tail, 1.0 - tail))
        # Rounding must not put the mean outside its own interval.
        mean = float(filled[:, column].sum() / count)
        found.append(Interval(low=min(float(low), mean), high=max(float(high), mean)))
    return found


def interval_of(
    count: int,
    figure: Callable[[Places], float | None],
    *,
    confidence: float = 0.95,
    resamples: int = 1000,
    seed: int = 0,
) -> Interval | None:
    """Return the interval of any figure of ``count`` cases; ``figure`` gets the indices of the resampled cases.

    Resamples without a value (``None`` or NaN) are left out. ``None`` for fewer than two cases, or if most
    resamples have no value.
    """

    def figures(draws: Places) -> Numbers:
        found = [figure(at) for at in draws]
        return np.array([math.nan if each is None else each for each in found], dtype=np.float64)

    return interval_of_all(count, figures, confidence=confidence, resamples=resamples, seed=seed)


def interval_of_all(
    count: int,
    figures: Callable[[Places], Numbers],
    *,
    confidence: float = 0.95,
    resamples: int = 1000,
    seed: int = 0,
) -> Interval | None:
    """Return the interval of any figure of ``count`` cases that is computed for many resamples at once.

    ``figures`` gets the indices of the resampled cases, one row per resample, and returns a value for each row, NaN if
    it has none. The resamples are those of ``interval_of``.
    """
    if count < 2:
        return None
    source = np.random.default_rng(seed)
    block = max(1, _CHUNK // count)
    sizes = [min(block, resamples - start) for start in range(0, resamples, block)]
    drawn = np.concatenate([figures(source.integers(0, count, size=(size, count))) for size in sizes])
    values = drawn[~np.isnan(drawn)]
    if values.size * 2 < resamples:
        return None
    tail = _tail(confidence, count)
    low, high = np.quantile(values, (tail, 1.0 - tail))
    return Interval(low=float(low), high=float(high))


def ratio_interval(
    tops: Sequence[float], bottoms: Sequence[float], *, confidence: float = 0.95, resamples: int = 2000, seed: int = 0
) -> Interval | None:
    """Return the interval of a sum relative to another over the same cases; ``None`` for fewer than two cases.

    The bottoms must be more than 0. It is the mean over results if a case has several: the tops are a case's sums, the
    bottoms its numbers of results.
    """
    count = len(tops)
    if count < 2:
        return None
    top = np.asarray(tops, dtype=np.float64).reshape(-1, 1)
    bottom = np.asarray(bottoms, dtype=np.float64).reshape(-1, 1)
    if not (bottom > 0).all():
        raise ValueError("the bottoms of a ratio must be more than 0")
    tail = _tail(confidence, count)
    low, high = np.quantile(_draws(top, bottom, resamples, seed)[:, 0], (tail, 1.0 - tail))
    # Rounding must not put the ratio outside its own interval.
    ratio = float(top.sum() / bottom.sum())
    return Interval(low=min(float(low), ratio), high=max(float(high), ratio))


def _tail(confidence: float, count: int) -> float:
    """Return the tail share for which percentiles reach as far as Student's t would (Hesterberg 2015)."""
    if not 0.0 < confidence < 1.0:
        raise ValueError(f"confidence must be between 0 and 1, not {confidence}")
    reach = student_quantile(0.5 + confidence / 2, count - 1) * math.sqrt(count / (count - 1))
    return NormalDist().cdf(-reach)


def _draws(filled: Numbers, present: Numbers, resamples: int, seed: int) -> Numbers:
    """Return the means of each resample by column, with the same resamples for all columns."""
    rows = filled.shape[0]
    means = np.full((resamples, filled.shape[1]), np.nan)
    if not rows:
        return means
    source = np.random.default_rng(seed)
    step = max(1, _CHUNK // rows)
    for begin in range(0, resamples, step):
        size = min(step, resamples - begin)
        picks = source.integers(0, rows, size=(size, rows)) + (np.arange(size) * rows)[:, None]
        times = np.bincount(picks.ravel(), minlength=size * rows).reshape(size, rows).astype(np.float64)
        with np.errstate(invalid="ignore"):
            means[begin : begin + size] = (times @ filled) / (times @ present)
    return means
