"""Counts of what comes in, for `/metrics`; the number of series is bounded whatever is sent."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import Counter, deque
from statistics import median
from typing import Final

from proctor.core.event_row import EventRow
from proctor.core.live_figures import LATENCY_BUCKETS, LiveFigures

__all__ = ["LiveCounts"]

_MOST_SIGNALS: Final = 100  # different names; the rest are counted together
_REST: Final = "other"


class LiveCounts:
    """Counts events, signals and latencies since the start of the process."""

    def __init__(self) -> None:
        self._events: Counter[str] = Counter()
        self._signals: Counter[str] = Counter()
        self._latency = [0] * (len(LATENCY_BUCKETS) + 1)
        self._latency_sum = self._cost = 0.0
        self._lags: deque[float] = deque(maxlen=200)

    def observe(self, row: EventRow, lag: float) -> None:
        """Count one event that arrived ``lag`` seconds after it happened."""
        self._events[row.kind] += 1
        for signal in row.signals:
            if signal not in self._signals and len(self._signals) >= _MOST_SIGNALS:
                signal = _REST  # noqa: PLW2901 - one series for all others
            self._signals[signal] += 1
        if row.latency is not None and math.isfinite(row.latency) and row.latency >= 0:
            self._latency[bisect_left(LATENCY_BUCKETS, row.latency)] += 1
            self._latency_sum += row.latency
        if row.cost is not None and math.isfinite(row.cost) and row.cost > 0:
            self._cost += row.cost
        self._lags.append(lag)

    def figures(self, *, late: int = 0, leads: bool = False) -> LiveFigures:
        """Return the counts so far."""
        return LiveFigures(
            events=dict(self._events),
            signals=dict(self._signals),
            latency=tuple(self._latency),
            latency_sum=self._latency_sum,
            cost=self._cost,
            lag=median(self._lags) if self._lags else None,
            late=late,
            leads=leads,
        )
