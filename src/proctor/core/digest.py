"""A digest of production over a day, a week or a month: figures with intervals, compared with the period before."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

__all__ = [
    "Difference",
    "DigestExample",
    "DigestFigure",
    "DigestSection",
    "FigureTable",
    "Measured",
    "Period",
    "PeriodDigest",
    "PeriodKind",
    "TimeSlot",
]

PeriodKind = Literal["daily", "weekly", "monthly"]
Unit = Literal["share", "rating", "score", "money", "seconds", "count", "number"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Period:
    """A day, a week or a month: from ``begin`` up to and without ``end``. Its ``name`` is as ISO 8601 writes it."""

    kind: PeriodKind
    name: str
    begin: datetime
    end: datetime

    def has(self, time: datetime) -> bool:
        """Return whether a time is in the period."""
        return self.begin <= time < self.end


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """A value with its 95 % interval and the number of observations; None if there were none.

    A total has no interval: everything was counted.
    """

    value: float | None = None
    low: float | None = None
    high: float | None = None
    count: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """The present value minus the one before, with its 95 % interval if both have one."""

    value: float
    low: float | None = None
    high: float | None = None

    @property
    def is_clear(self) -> bool:
        """Whether the interval excludes zero."""
        return self.low is not None and self.high is not None and (self.low > 0.0 or self.high < 0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class DigestFigure:
    """One figure, the one before, and the difference. ``better`` is the direction of improvement, if it has one."""

    name: str
    unit: Unit
    now: Measured = field(default_factory=Measured)
    before: Measured = field(default_factory=Measured)
    change: Difference | None = None
    better: Literal["higher", "lower"] | None = None

    @property
    def trend(self) -> Literal["better", "worse", ""]:
        """Whether it clearly improved or became worse."""
        if self.change is None or self.better is None or not self.change.is_clear:
            return ""
        return "better" if (self.change.value > 0) == (self.better == "higher") else "worse"


@dataclass(frozen=True, slots=True, kw_only=True)
class FigureTable:
    """Figures of one kind, one row each: for example one for each intent."""

    title: str
    figures: tuple[DigestFigure, ...] = ()
    hint: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class DigestExample:
    """One conversation or alert to look at, and why."""

    what: str
    where: str = ""
    intent: str = ""
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class DigestSection:
    """One part of the digest. ``missing`` states why nothing was measured; then there are no figures."""

    name: str
    title: str
    tables: tuple[FigureTable, ...] = ()
    examples: tuple[DigestExample, ...] = ()
    notes: tuple[str, ...] = ()
    missing: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeSlot:
    """An hour of a day, or a day of a longer period: what happened in it."""

    begin: datetime
    turns: int = 0
    conversations: int = 0
    handed_over: int = 0
    errors: int = 0
    stopped: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class PeriodDigest:
    """Everything that is known of one period. ``headline`` holds the figures that matter most."""

    period: Period
    before: Period
    headline: tuple[DigestFigure, ...] = ()
    sections: tuple[DigestSection, ...] = ()
    slots: tuple[TimeSlot, ...] = ()
    events: int = 0
    source: str = ""
    notes: tuple[str, ...] = ()
    extra: Mapping[str, Any] = field(default_factory=dict)

    @property
    def worse(self) -> tuple[DigestFigure, ...]:
        """The headline figures that clearly became worse."""
        return tuple(figure for figure in self.headline if figure.trend == "worse")

    def section(self, name: str) -> DigestSection | None:
        """Return a section by its name."""
        return next((each for each in self.sections if each.name == name), None)
