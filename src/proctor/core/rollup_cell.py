"""Counts of one minute of production in one slice, and how they add up."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from proctor.core.event_row import EventRow

__all__ = ["MINUTE", "RollupCell", "Slice", "latency_bin", "latency_quantile", "total_of"]

MINUTE: Final = 60
_RATIO: Final = 1.02  # of a latency bin to the one before it: a quantile is accurate to 1 %
_LOG_RATIO: Final = math.log(_RATIO)
_SHORTEST_SECONDS: Final = 1e-4  # shorter latencies are counted as this


class Slice(NamedTuple):
    """What events are counted by; an unknown field is empty."""

    intent: str = ""
    model: str = ""
    version: str = ""
    source: str = ""

    @classmethod
    def of(cls, row: EventRow) -> Slice:
        """Return the slice of a row."""
        return cls(row.intent or "", row.model or "", row.version or "", row.source or "")


@dataclass(slots=True, kw_only=True)
class RollupCell:
    """What happened in ``step`` seconds from ``start`` on, in one slice.

    ``events`` counts by kind, and scores as ``score/NAME`` too; ``signals`` counts what alert rules count, ``values``
    adds up the values of ``score/NAME``. ``conversations`` counts those whose first event is here, so that cells add
    up. ``latency`` maps the number of a bin to its count.
    """

    start: int
    step: int = MINUTE
    slice: Slice = field(default_factory=Slice)
    turns: int = 0
    conversations: int = 0
    csat_sum: float = 0.0
    csat_count: int = 0
    confidence_sum: float = 0.0
    confidence_count: int = 0
    cost: float = 0.0
    events: dict[str, int] = field(default_factory=dict)
    signals: dict[str, int] = field(default_factory=dict)
    values: dict[str, float] = field(default_factory=dict)
    latency: dict[int, int] = field(default_factory=dict)

    def add(self, row: EventRow, *, is_first: bool = False) -> None:
        """Count one event; ``is_first`` says that its conversation begins here."""
        events, kind = self.events, row.kind
        events[kind] = events.get(kind, 0) + 1
        self.conversations += is_first
        if kind == "turn":
            self.turns += 1
            if row.latency is not None and (place := latency_bin(row.latency)) is not None:
                self.latency[place] = self.latency.get(place, 0) + 1
            if row.confidence is not None:
                self.confidence_sum += row.confidence
                self.confidence_count += 1
            self.cost += row.cost or 0.0
        elif kind == "csat" and row.value is not None:
            self.csat_sum += row.value
            self.csat_count += 1
        elif kind == "score" and row.name:
            name = f"score/{row.name}"
            events[name] = events.get(name, 0) + 1
            if row.value is not None:
                self.values[name] = self.values.get(name, 0.0) + row.value
        for signal in row.signals:
            self.signals[signal] = self.signals.get(signal, 0) + 1

    def merge(self, other: RollupCell) -> None:
        """Add the counts of another cell."""
        self.turns += other.turns
        self.conversations += other.conversations
        self.csat_sum += other.csat_sum
        self.csat_count += other.csat_count
        self.confidence_sum += other.confidence_sum
        self.confidence_count += other.confidence_count
        self.cost += other.cost
        for name, number in other.events.items():
            self.events[name] = self.events.get(name, 0) + number
        for name, number in other.signals.items():
            self.signals[name] = self.signals.get(name, 0) + number
        for name, value in other.values.items():
            self.values[name] = self.values.get(name, 0.0) + value
        for place, number in other.latency.items():
            self.latency[place] = self.latency.get(place, 0) + number

    def quantile(self, share: float) -> float | None:
        """Return the latency that ``share`` of the turns are at or below; ``None`` if none is known."""
        return latency_quantile(self.latency, share)

    @property
    def csat(self) -> float | None:
        """The mean satisfaction."""
        return self.csat_sum / self.csat_count if self.csat_count else None

    @property
    def confidence(self) -> float | None:
        """The mean confidence of the turns."""
        return self.confidence_sum / self.confidence_count if self.confidence_count else None


def latency_bin(seconds: float) -> int | None:
    """Return the number of the bin of a latency; ``None`` if it is no length of time."""
    if not 0 <= seconds < math.inf:
        return None
    return math.floor(math.log(max(seconds, _SHORTEST_SECONDS)) / _LOG_RATIO)


def latency_quantile(bins: Mapping[int, int], share: float) -> float | None:
    """Return the latency in the middle of the bin that holds a quantile; ``None`` if there are no latencies."""
    if not 0.0 <= share <= 1.0:
        raise ValueError(f"a share lies in [0, 1], not {share}")
    rank = max(1, math.ceil(share * sum(bins.values())))
    passed = 0
    for place in sorted(bins):
        passed += bins[place]
        if passed >= rank:
            return math.pow(_RATIO, place + 0.5)
    return None


def total_of(cells: Iterable[RollupCell]) -> RollupCell:
    """Return the sum of cells."""
    total = RollupCell(start=0)
    for cell in cells:
        total.merge(cell)
    return total
