"""The data of a trend report: each figure run by run, with its floor and what changed between runs."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from proctor.report.dimensions import title_of

__all__ = ["TrendMoment", "TrendSeries", "TrendView"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TrendMoment:
    """One run of a line; ``changed`` is what differs from the run before (suite, scorers, models, target)."""

    run: str
    time: datetime
    mean: float | None
    cases: int = 0
    unscored: int = 0
    changed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TrendSeries:
    """One figure of one intent (``None``: over all intents) over time, the oldest run first."""

    dimension: str
    intent: str | None = None
    moments: tuple[TrendMoment, ...] = ()
    floor: float | None = None
    alarm: str = ""

    @property
    def title(self) -> str:
        """The figure by its name for people."""
        whole, _, part = self.dimension.partition(".")
        return " · ".join(title_of(each) for each in (whole, part) if each)

    @property
    def newest(self) -> float | None:
        """The mean of the last run."""
        return self.moments[-1].mean if self.moments else None

    @property
    def before(self) -> float | None:
        """The mean of the last run but one."""
        return self.moments[-2].mean if len(self.moments) > 1 else None

    @property
    def step(self) -> float | None:
        """The change of the last run."""
        return None if self.newest is None or self.before is None else self.newest - self.before

    @property
    def state(self) -> str:
        """``alarm``, ``under`` its floor, ``ok``, or nothing without a floor."""
        if self.alarm:
            return "alarm"
        if self.floor is None or self.newest is None:
            return ""
        return "under" if self.newest < self.floor else "ok"


@dataclass(frozen=True, slots=True, kw_only=True)
class TrendView:
    """The lines of one suite and target."""

    suite: str
    target: str
    lines: tuple[TrendSeries, ...] = ()
    time: datetime | None = None

    @property
    def alarms(self) -> tuple[str, ...]:
        """The alarms that stand."""
        return tuple(line.alarm for line in self.lines if line.alarm)

    @property
    def runs(self) -> int:
        """How many runs the longest line has."""
        return max((len(line.moments) for line in self.lines), default=0)
