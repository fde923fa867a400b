"""Events by the hour on their way into the normal week; hours of an incident never get there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from proctor.monitor.detectors.event_run import EventRun
from proctor.stats.seasonal_rate import SeasonalRate

__all__ = ["HourlyCounts"]

_HOUR: Final = 3600
_SETTLE: Final = 120.0  # for events that come late
_BACK: Final = 26  # hours that are kept open at most
_GAP: Final = 900.0  # without a look at the clock: nobody watched, so an empty hour says nothing


class HourlyCounts:
    """Counts of open hours, and the normal week that closed hours are added to."""

    __slots__ = ("_looked", "_next", "_open", "season")

    def __init__(self) -> None:
        self.season = SeasonalRate()
        self._open: dict[int, list[float]] = {}
        self._next: int | None = None
        self._looked: float | None = None

    def add(self, time: float, count: int, bad: int) -> None:
        """Count events of one moment."""
        self._add(int(time) // _HOUR, count, bad)

    def add_run(self, run: EventRun) -> None:
        """Count events of which none is bad."""
        for hour, count in run.hours.items():
            self._add(hour, count, 0)

    def _add(self, hour: int, count: int, bad: int) -> None:
        cell = self._open.get(hour)
        if cell is None:
            if self._next is not None and hour < self._next:
                return  # its hour has been closed
            self._open[hour] = cell = [0.0, 0.0]
        cell[0] += count
        cell[1] += bad

    def close(self, now: float, *, hold: bool) -> bool:
        """Add the hours that have ended to the normal week, unless something may be wrong in them.

        Return whether the normal week has changed.
        """
        current = int(now // _HOUR)
        watched = self._looked is not None and now - self._looked <= _GAP
        self._looked = now
        if self._next is None:
            self._next = min(self._open, default=current)
        if not watched:
            # The hours between were not watched; those that have events are whole only if the log was read again.
            self._next = max(self._next, min([hour for hour in self._open if hour >= self._next], default=current))
        if hold:
            self._next = max(self._next, current - _BACK)
            self._open = {hour: cell for hour, cell in self._open.items() if hour >= self._next}
            return False
        changed = False
        while (self._next + 1) * _HOUR + _SETTLE <= now:
            cell = self._open.pop(self._next, None)
            if cell is not None or watched:
                count, bad = cell or (0.0, 0.0)
                self.season.add(float(self._next * _HOUR), count, bad)
                changed = True
            self._next += 1
        return changed

    def exclude(self, start: float, now: float) -> None:
        """Forget the open hours from ``start`` on: they are part of an incident."""
        first, current = int(start // _HOUR), int(now // _HOUR)
        self._open = {hour: cell for hour, cell in self._open.items() if hour < first}
        if not self._open:
            self._next = max(self._next or 0, current)

    def skip(self, now: float) -> None:
        """Leave the current hour out, because it began in an incident."""
        self._open = {}
        self._next = int(now // _HOUR) + 1

    def dump(self, *, whole: bool) -> dict[str, Any]:
        """Return the open hours; with ``whole``, the normal week too."""
        kept: dict[str, Any] = {"open": [[hour, *cell] for hour, cell in self._open.items()], "next": self._next}
        return {**kept, "season": self.season.as_json()} if whole else kept

    def restore(self, data: Mapping[str, Any]) -> None:
        """Continue from what was dumped."""
        self._open = {int(hour): [float(count), float(bad)] for hour, count, bad in data.get("open", ())}
        following = data.get("next")
        self._next = int(following) if following is not None else None
        if isinstance(season := data.get("season"), Mapping):
            self.season = SeasonalRate.of_json(season)
