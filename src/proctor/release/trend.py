"""Figures over time, run by run, and the alarm if one stays under its floor."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from statistics import fmean

from proctor.release.floors import Floor, Floors
from proctor.release.measures import PASS_RATE, QUALITY, Baseline, CaseMeasure, cells

__all__ = ["Alarm", "TrendPoint", "alarms", "points", "series", "streak"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TrendPoint:
    """One figure of one run: the mean of a dimension or a sub-score over one intent."""

    run: str
    created: datetime | None = None
    suite: str = ""
    target: str = ""
    trigger: str = "manual"
    intent: str
    dimension: str
    value: float
    cases: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Alarm:
    """A figure that was under its floor in each of the last runs."""

    intent: str
    dimension: str
    floor: Floor
    runs: tuple[str, ...]
    values: tuple[float, ...] = field(default_factory=tuple)

    @property
    def message(self) -> str:
        """The alarm in one line."""
        shown = ", ".join(f"{value:.3f}" for value in self.values)
        times = "in the last run" if len(self.runs) == 1 else f"in the last {len(self.runs)} runs"
        return f"{self.intent} {self.dimension} under {self.floor.least:g} {times} ({shown})"


def points(run: Baseline, *, target: str = "") -> tuple[TrendPoint, ...]:
    """Return every figure of a run: dimensions, sub-scores, quality and the pass rate, by intent and over all."""
    found = []
    for intent, cases in cells(run.cases).items():
        for name in _names(cases):
            values = [value for case in cases if (value := case.figure(name)) is not None]
            if values:
                point = TrendPoint(
                    run=run.run,
                    created=run.created,
                    suite=run.suite,
                    target=target,
                    trigger=run.fingerprint.trigger,
                    intent=intent,
                    dimension=name,
                    value=fmean(values),
                    cases=len(values),
                )
                found.append(point)
    return tuple(found)


def series(history: Iterable[TrendPoint]) -> Mapping[tuple[str, str], tuple[TrendPoint, ...]]:
    """Return the points by intent and dimension, in the order given (the oldest first)."""
    found: dict[tuple[str, str], list[TrendPoint]] = {}
    for point in history:
        found.setdefault((point.intent, point.dimension), []).append(point)
    return {key: tuple(each) for key, each in found.items()}


def streak(history: Sequence[TrendPoint], least: float) -> tuple[TrendPoint, ...]:
    """Return the points under ``least`` at the end of one figure's history, one per run."""
    begin = len(history)
    while begin and history[begin - 1].value < least:
        begin -= 1
    return tuple(history[begin:])


def alarms(history: Iterable[TrendPoint], floors: Floors, *, consecutive: int = 1) -> tuple[Alarm, ...]:
    """Return every figure that was under its floor in as many of the last runs as required."""
    found = []
    for (intent, dimension), each in series(history).items():
        floor = floors.of(intent, dimension)
        if floor is None:
            continue
        under = streak(each, floor.least)
        if len(under) >= (floor.consecutive or consecutive):
            alarm = Alarm(
                intent=intent,
                dimension=dimension,
                floor=floor,
                runs=tuple(point.run for point in under),
                values=tuple(point.value for point in under),
            )
            found.append(alarm)
    return tuple(found)


def _names(cases: Sequence[CaseMeasure]) -> tuple[str, ...]:
    dimensions = dict.fromkeys(name for case in cases for name in case.dimensions)
    parts = dict.fromkeys(name for case in cases for name in case.parts)
    return tuple(dict.fromkeys((*dimensions, *parts, QUALITY, PASS_RATE)))
