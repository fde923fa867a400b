"""The events of named files, or of the store's own log, as rows."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from pathlib import Path

from proctor.config import Config
from proctor.core.audit import AuditedConversation
from proctor.core.codec import loads
from proctor.core.decode import decode
from proctor.core.errors import InputError
from proctor.core.event import Event
from proctor.core.event_row import EventRow, row_of
from proctor.core.trajectory import Trajectory
from proctor.monitor.conversation_facts import FactCollector
from proctor.monitor.ingest import read_events
from proctor.monitor.sessions import conversations
from proctor.store.event_log import FOLDER, EventLog

__all__ = ["RowSource", "collect_facts", "row_source", "trajectories"]

RowSource = Callable[[float | None, float | None], Iterator[EventRow]]
_MAX_KEPT_BYTES = 100_000_000
_ALL_TIME = 10 * 366 * 86_400.0  # seconds of silence that never come


def row_source(config: Config, files: Sequence[Path]) -> RowSource:
    """Return a function that reads the events of a time again and again: from files, or from the store's log.

    Raises:
        InputError: no file is named, and the store has no event log.
    """
    if files:
        return _FileRows(files).between
    folder = config.store / FOLDER
    if not folder.is_dir():
        raise InputError(
            "there is no event log in the store",
            file=str(folder),
            hint="name event log files, or let `proctor serve` collect events",
        )
    return lambda since, until: _from_log(folder, since, until)


def collect_facts(rows: Iterable[EventRow], *, repeat_hours: float = 24.0) -> list[AuditedConversation]:
    """Return the conversations in some events, in order of their beginning."""
    collector = FactCollector()
    for row in rows:
        collector.add(row)
    return collector.conversations(repeat_hours=repeat_hours)


def trajectories(rows: Iterable[EventRow], sessions: Collection[str]) -> dict[str, Trajectory]:
    """Return the whole conversations of these sessions; only their events are decoded."""
    wanted = [row for row in rows if row.session in sessions and row.kind in ("turn", "escalation", "gate")]
    wanted.sort(key=lambda row: row.time)
    events = (decode(Event, loads(row.line)) for row in wanted)
    return {each.session or "": each for each in conversations(events, silence=_ALL_TIME)}


class _FileRows:
    """The rows of files; those of small files are parsed once."""

    def __init__(self, files: Sequence[Path]) -> None:
        self.files = files
        self.kept: list[EventRow] | None = None

    def between(self, since: float | None, until: float | None) -> Iterator[EventRow]:
        for row in self._rows():
            if (since is None or row.time >= since) and (until is None or row.time < until):
                yield row

    def _rows(self) -> Iterable[EventRow]:
        if self.kept is not None:
            return self.kept
        rows = (row_of(placed.event) for path in self.files for placed in read_events(path, with_ids=True))
        if sum(path.stat().st_size for path in self.files if path.is_file()) > _MAX_KEPT_BYTES:
            return rows
        self.kept = list(rows)
        return self.kept


def _from_log(folder: Path, since: float | None, until: float | None) -> Iterator[EventRow]:
    with EventLog(folder) as log:
        yield from log.read(since, until)
