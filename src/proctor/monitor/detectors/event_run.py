"""Events that follow each other and say nothing bad: counted once for all rules, not once for each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from proctor.core.event_row import EventRow

__all__ = ["EventRun", "runs_of"]

_SHORTEST: Final = 8  # fewer events are counted faster one by one

Key = tuple[str | None, str | None, str | None]


class EventRun:
    """Rows of one kind and name without signals, and their counts: by hour, and by minute and slice."""

    __slots__ = ("hours", "kind", "last", "minutes", "name", "newest", "rows")

    def __init__(self, rows: Sequence[EventRow]) -> None:
        self.rows = rows
        self.kind, self.name = rows[0].kind, rows[0].name
        self.last = rows[-1].time
        self.newest = self.last
        self.minutes: dict[int, dict[Key, int]] = {}  # in the order in which they came
        self.hours: dict[int, int] = {}
        minutes, hours = self.minutes, self.hours
        for row in rows:
            time = row.time
            self.newest = max(self.newest, time)
            minute = int(time) // 60
            cells = minutes.get(minute)
            if cells is None:
                cells = minutes[minute] = {}
            key = (row.intent, row.model, row.version)
            cells[key] = cells.get(key, 0) + 1
        for minute, cells in minutes.items():
            hours[minute // 60] = hours.get(minute // 60, 0) + sum(cells.values())

    def __len__(self) -> int:
        return len(self.rows)


def runs_of(rows: Sequence[EventRow], earliest: float, latest: float) -> Iterator[EventRun | EventRow]:
    """Yield rows in their order: in runs, or alone where they have signals, or a time outside the limits."""
    run: list[EventRow] = []
    kind = name = None
    for row in rows:
        if row.signals or not earliest <= row.time <= latest:
            yield from _joined(run)
            run = []
            yield row
            continue
        if run and (row.kind != kind or row.name != name):
            yield from _joined(run)
            run = []
        if not run:
            kind, name = row.kind, row.name
        run.append(row)
    yield from _joined(run)


def _joined(run: Sequence[EventRow]) -> Sequence[EventRun | EventRow]:
    return run if len(run) < _SHORTEST else (EventRun(run),)
