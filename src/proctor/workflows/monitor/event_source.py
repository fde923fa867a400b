"""Events for the figures: from log files, or from the project's own event log."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from proctor.config import Config
from proctor.core.codec import loads
from proctor.core.decode import decode
from proctor.core.errors import InputError
from proctor.core.event import Event
from proctor.core.event_row import EventRow
from proctor.monitor.completion import in_utc
from proctor.monitor.ingest import Placed, in_order, read_events
from proctor.store.event_log import FOLDER, EventLog
from proctor.store.log_reader import LOG_SUFFIX
from proctor.store.time_order import lines_by_time

__all__ = ["EventSource", "has_event_log"]

_NO_EVENTS = "send events to `proctor serve`, or name a file with --events"


@dataclass(frozen=True, slots=True, kw_only=True)
class EventSource:
    """Where events come from: ``files``, or without any, the log in the project's store."""

    store: Path = Path()
    files: tuple[Path, ...] = ()

    @classmethod
    def of(cls, config: Config, files: Sequence[Path] = ()) -> EventSource:
        """Return the source of a project.

        Raises:
            InputError: no file is given, and the project has no event log.
        """
        if not files and not has_event_log(config):
            raise InputError("this project has no event log", file=str(config.store / FOLDER), hint=_NO_EVENTS)
        return cls(store=config.store, files=tuple(files))

    def __str__(self) -> str:
        return ", ".join(path.name for path in self.files) or "the project's event log"

    def read(
        self, *, since: datetime | None = None, until: datetime | None = None, late: float = 300.0
    ) -> Iterator[Placed]:
        """Yield the events from ``since`` up to ``until`` in the order of time.

        A file may be out of order by ``late`` seconds. The project's log is sorted, whatever order it was written in.

        Raises:
            InputError: a file cannot be read, or an event in it is wrong.
            StoreError: the log cannot be read.
        """
        return self._of_files(since, until, late) if self.files else self._of_log(since, until)

    def rows(self, *, since: datetime | None = None, until: datetime | None = None) -> Iterator[EventRow]:
        """Yield the rows of the project's log in the order in which they were written."""
        log = EventLog(self.store / FOLDER)
        return log.read(since.timestamp() if since else None, until.timestamp() if until else None)

    def end(self, now: datetime, asked: datetime | None = None) -> datetime | None:
        """Return the time after which no event counts: of the project's log now, or a later one that was asked for.

        There an event with a later time has a clock that is fast; it must not end the windows of others. Files are
        records that end with their last event, so for them it is ``None``.
        """
        return None if self.files else max(now, in_utc(asked or now))

    def last_time(self) -> datetime | None:
        """Return the time of the newest event; ``None`` if there is none."""
        if self.files:
            return max((in_utc(placed.event.time) for path in self.files for placed in read_events(path)), default=None)
        newest = max((row.time for row in self.rows()), default=None)
        return None if newest is None else datetime.fromtimestamp(newest, UTC)

    def _of_files(self, since: datetime | None, until: datetime | None, late: float) -> Iterator[Placed]:
        logs = [read_events(path) for path in self.files]
        merged = heapq.merge(*logs, key=lambda placed: in_utc(placed.event.time)) if len(logs) > 1 else logs[0]
        for placed in in_order(merged, late=late):
            time = in_utc(placed.event.time)
            if (since is None or time >= since) and (until is None or time < until):
                yield placed

    def _of_log(self, since: datetime | None, until: datetime | None) -> Iterator[Placed]:
        name = str(self.store / FOLDER)
        for number, (_, line) in enumerate(lines_by_time(self.rows(since=since, until=until), self.store), start=1):
            yield Placed(event=decode(Event, loads(line)), file=name, line=number)


def has_event_log(config: Config) -> bool:
    """Return whether the project's event log has files of events; its indexes may be there without any."""
    folder = config.store / FOLDER
    return folder.is_dir() and any(path.suffix in (LOG_SUFFIX, ".parquet") for path in folder.rglob("*"))
