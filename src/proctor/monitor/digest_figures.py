"""Figures of a digest: a share, a mean or a total, with its interval and the difference from the period before."""

from __future__ import annotations

import math
from typing import Literal

from proctor.core.digest import Difference, DigestFigure, Measured, Unit
from proctor.core.share import Share
from proctor.stats.histogram import RatioHistogram
from proctor.stats.interval import wilson
from proctor.stats.two_samples import Moments, mover_interval, welch_interval
from proctor.stats.two_shares import newcombe

__all__ = [
    "Better",
    "estimate_figure",
    "mean_figure",
    "measured_share",
    "quantile_figure",
    "share_figure",
    "total_figure",
]

# Student's interval of few values may leave the scale.
_SCALES = {"score": (0.0, 1.0), "rating": (1.0, 5.0), "money": (0.0, math.inf)}
Better = Literal["higher", "lower"] | None


def share_figure(
    name: str, now: Share | tuple[int, int], before: Share | tuple[int, int], better: Better
) -> DigestFigure:
    """Return a share; both sides are counts with Wilson's interval, the difference has Newcombe's."""
    hits, total = _counts(now)
    hits_before, total_before = _counts(before)
    change = None
    if (gap := newcombe(hits, total, hits_before, total_before)) is not None:
        change = Difference(value=hits / total - hits_before / total_before, low=gap.low, high=gap.high)
    return DigestFigure(
        name=name,
        unit="share",
        now=measured_share(hits, total),
        before=measured_share(hits_before, total_before),
        change=change,
        better=better,
    )


def mean_figure(name: str, now: Moments, before: Moments, unit: Unit, better: Better) -> DigestFigure:
    """Return a mean with Student's interval; the difference has Welch's."""
    change = None
    if now.count and before.count:
        gap = welch_interval(now, before)
        change = Difference(value=now.mean - before.mean, low=gap.low if gap else None, high=gap.high if gap else None)
    return DigestFigure(
        name=name,
        unit=unit,
        now=measured_mean(now, unit),
        before=measured_mean(before, unit),
        change=change,
        better=better,
    )


def quantile_figure(name: str, now: RatioHistogram, before: RatioHistogram, share: float) -> DigestFigure:
    """Return a quantile of latency in seconds, with its interval by order statistics."""
    one, other = _measured_quantile(now, share), _measured_quantile(before, share)
    change = Difference(value=one.value - other.value) if one.value is not None and other.value is not None else None
    return DigestFigure(name=name, unit="seconds", now=one, before=other, change=change, better="lower")


def estimate_figure(name: str, now: Measured, before: Measured, unit: Unit, better: Better) -> DigestFigure:
    """Return an estimate that has its interval already; the difference combines both intervals."""
    change = None
    if now.value is not None and before.value is not None:
        change = Difference(value=now.value - before.value)
        if now.low is not None and now.high is not None and before.low is not None and before.high is not None:
            gap = mover_interval((now.value, now.low, now.high), (before.value, before.low, before.high))
            change = Difference(value=change.value, low=gap.low, high=gap.high)
    return DigestFigure(name=name, unit=unit, now=now, before=before, change=change, better=better)


def total_figure(
    name: str, now: float | None, before: float | None, unit: Unit = "count", *, counts: tuple[int, int] = (0, 0)
) -> DigestFigure:
    """Return a total; everything was counted, so it has no interval."""
    return DigestFigure(
        name=name,
        unit=unit,
        now=Measured(value=now, count=counts[0]),
        before=Measured(value=before, count=counts[1]),
        change=Difference(value=now - before) if now is not None and before is not None else None,
    )


def measured_share(hits: int, total: int) -> Measured:
    """Return a share of counts with its interval; without a value if nothing was counted."""
    interval = wilson(hits, total)
    if interval is None:
        return Measured()
    return Measured(value=hits / total, low=interval.low, high=interval.high, count=total)


def measured_mean(moments: Moments, unit: Unit) -> Measured:
    """Return a mean with its interval, which does not leave the scale of the unit."""
    if not moments.count:
        return Measured()
    interval = moments.interval()
    if interval is None:
        return Measured(value=moments.mean, count=moments.count)
    least, most = _SCALES.get(unit, (-math.inf, math.inf))
    low, high = max(least, interval.low), min(most, interval.high)
    return Measured(value=moments.mean, low=low, high=high, count=moments.count)


def _counts(share: Share | tuple[int, int]) -> tuple[int, int]:
    return (share.hits, share.total) if isinstance(share, Share) else share


def _measured_quantile(values: RatioHistogram, share: float) -> Measured:
    value = values.quantile(share)
    interval = wilson(round(share * values.count), values.count)
    if value is None or interval is None:
        return Measured()
    return Measured(
        value=value, low=values.quantile(interval.low), high=values.quantile(interval.high), count=values.count
    )
