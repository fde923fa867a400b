"""The normal rate of bad events and the normal traffic in each hour of the week, from hours without an incident."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

__all__ = ["HOURS", "SeasonalRate", "hour_of_week"]

HOURS = 168
_HOUR = 3600.0
_FIRST = 72  # the epoch began on a Thursday; hour 0 is Monday 00:00 UTC
_KEEP = 0.8  # of an hour's weight after a week: about the last five weeks count
_CELL_PRIOR = 40.0  # bad events that a single hour needs to be believed over the same hour of other days
_DAY_PRIOR = 20.0
_HOUR_DOUBT = 0.4  # by how much an hour of the day that was never seen may normally be worse than the others
_PART_DOUBT = 0.15  # the same of an hour of the weekend, whose hour is known from working days


def hour_of_week(time: float) -> int:
    """Return the hour of the week of a time in seconds since the epoch: 0 is Monday 00:00 UTC."""
    return (int(time // _HOUR) + _FIRST) % HOURS


class SeasonalRate:
    """Counts of events and bad events by hour of the week, in which older weeks count for less.

    An hour with few bad events is drawn towards the same hour of the other working days (or the weekend), that towards
    the same hour of all days, and that towards all hours, by the weight of its evidence.
    """

    __slots__ = ("_bad", "_count", "_sums", "_week", "_weight")

    def __init__(self) -> None:
        self._count = [0.0] * HOURS
        self._bad = [0.0] * HOURS
        self._weight = [0.0] * HOURS
        self._week = [-1] * HOURS
        self._sums: tuple[float, float, list[tuple[float, float]], list[float]] | None = None

    @property
    def events(self) -> float:
        """How many events the rate rests on."""
        return self._totals()[0]

    @property
    def bad(self) -> float:
        """How many bad events the rate rests on."""
        return self._totals()[1]

    @property
    def hours(self) -> int:
        """How many hours of the week have been seen."""
        return sum(weight > 0 for weight in self._weight)

    @property
    def ready(self) -> bool:
        """Whether there is enough to say what is normal."""
        events, bad, _, _ = self._totals()
        return events >= 3_000 or (events >= 300 and bad >= 10)

    def add(self, time: float, count: float, bad: float) -> None:
        """Add the events of the hour that contains ``time``; the first of a new week makes the older weeks lighter."""
        cell, week = hour_of_week(time), int((time // _HOUR + _FIRST) // HOURS)
        if week > self._week[cell]:
            faded = _KEEP ** min(60, week - self._week[cell]) if self._week[cell] >= 0 else 0.0
            self._count[cell] *= faded
            self._bad[cell] *= faded
            self._weight[cell] = self._weight[cell] * faded + 1.0
            self._week[cell] = week
        self._count[cell] += count
        self._bad[cell] += bad
        self._sums = None

    def rate(self, time: float) -> float | None:
        """Return the normal share of bad events at a time; none while too little is known."""
        return self._rate(hour_of_week(time)) if self.ready else None

    def _rate(self, cell: int) -> float:
        events, bad, days, _ = self._totals()
        # Half a standard error more than the mean: a rate that is too low by chance would ring without a cause.
        overall = (bad + 0.5 + 0.5 * math.sqrt(bad)) / (events + 1.0)
        working, weekend = days[cell % 24], days[24 + cell % 24]
        of_day, of_part = (working[0] + weekend[0], working[1] + weekend[1]), days[_part(cell)]
        hour = (of_day[1] + _DAY_PRIOR) / (of_day[0] + _DAY_PRIOR / overall)
        part = (of_part[1] + _DAY_PRIOR) / (of_part[0] + _DAY_PRIOR / hour)
        own = (self._bad[cell] + _CELL_PRIOR) / (self._count[cell] + _CELL_PRIOR / part)
        # An hour of the day, or of the weekend, that was hardly seen may normally be worse than the others.
        unseen = _DAY_PRIOR / (_DAY_PRIOR + of_day[1])
        unseen_part = _DAY_PRIOR / (_DAY_PRIOR + of_part[1])
        return min(0.9, max(1e-7, own * (1 + _HOUR_DOUBT * unseen) * (1 + _PART_DOUBT * unseen_part)))

    def expected(self, start: float, end: float) -> float:
        """Return the normal number of events between two times."""
        total, time = 0.0, start
        while time < end:
            until = min(end, (time // _HOUR + 1) * _HOUR)
            total += self._hourly(hour_of_week(time)) * (until - time) / _HOUR
            time = until
        return total

    def week(self) -> list[tuple[float, float]]:
        """Return the events and the rate of each hour of a normal week."""
        return [(self._hourly(cell), self._rate(cell)) for cell in range(HOURS)]

    def move(self, factor: float) -> None:
        """Make ``factor`` times the rate the new normal, in every hour."""
        if not (math.isfinite(factor) and factor > 0):
            raise ValueError(f"a level cannot move by {factor}")
        self._bad = [bad * factor for bad in self._bad]
        self._sums = None

    def _hourly(self, cell: int) -> float:
        if self._weight[cell] > 0:
            return self._count[cell] / self._weight[cell]
        return self._totals()[3][cell % 24]  # an hour of the week that was never seen is like that of other days

    def _totals(self) -> tuple[float, float, list[tuple[float, float]], list[float]]:
        """Return all events, all bad ones, both by hour of the day, and events in an hour."""
        if self._sums is None:
            days = [[0.0, 0.0] for _ in range(48)]
            for cell in range(HOURS):
                days[_part(cell)][0] += self._count[cell]
                days[_part(cell)][1] += self._bad[cell]
            mean = _mean(self._count, self._weight) or 0.0
            hours = [_mean(self._count[hour::24], self._weight[hour::24]) for hour in range(24)]
            filled = [mean if each is None else each for each in hours]
            self._sums = sum(self._count), sum(self._bad), [(count, bad) for count, bad in days], filled
        return self._sums

    def as_json(self) -> dict[str, Any]:
        """Return what is known, for a store."""
        return {
            "count": [round(each, 3) for each in self._count],
            "bad": [round(each, 4) for each in self._bad],
            "weight": [round(each, 4) for each in self._weight],
            "week": self._week,
        }

    @classmethod
    def of_json(cls, data: Mapping[str, Any]) -> SeasonalRate:
        """Return what a store has kept; anything of another shape is unknown."""
        made = cls()
        lists = [data.get(name) for name in ("count", "bad", "weight", "week")]
        if all(isinstance(each, list) and len(each) == HOURS for each in lists):
            made._count, made._bad, made._weight = ([float(x) for x in each or ()] for each in lists[:3])
            made._week = [int(x) for x in lists[3] or ()]
        return made


def _mean(counts: Sequence[float], weights: Sequence[float]) -> float | None:
    seen = [count / weight for count, weight in zip(counts, weights, strict=True) if weight > 0]
    return sum(seen) / len(seen) if seen else None


def _part(cell: int) -> int:
    """Return the hour of the day, with those of Saturday and Sunday after those of the working days."""
    return cell % 24 + (24 if cell >= 120 else 0)
