"""What happens to every event from production: masked, written once, counted, watched by the alert rules, indexed."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Protocol

import orjson

from proctor.core.codec import dumps, encode
from proctor.core.event import Event
from proctor.core.event_row import EventRow
from proctor.monitor.rollup import Rollup
from proctor.store.event_database import EventDatabase
from proctor.store.event_indexer import EventIndexer
from proctor.store.event_log import FOLDER, Appended, EventLog
from proctor.store.span_journal import SpanJournal, WaitingSpan
from proctor.workflows.monitor.event_lines import DataMask, row_of_data
from proctor.workflows.monitor.trace_assembly import TraceAssembly

__all__ = ["AlertSocket", "Intake", "IntakeFigures"]

_REBUILT: Final = 86_400.0  # seconds of the log that are counted again at the start


class AlertSocket(Protocol):
    """The alert engine, as the intake uses it."""

    def observe(self, row: EventRow) -> None:
        """Count one new event."""

    def tick(self, now: float) -> Sequence[Any]:
        """Decide which alerts begin and end; return what changed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IntakeFigures:
    """What the intake has done since its start, and what waits."""

    events: int
    duplicates: int
    waiting_traces: int
    waiting_spans: int
    unreadable_traces: int
    traces_without_turn: int
    lag: float
    by_kind: dict[str, int]


class Intake:
    """Takes events, rows and spans; one object for the server, `watch` and tests. Threads may share it.

    ``add`` and ``add_spans`` return when everything is on disk. ``settle`` writes the turns of traces that are
    complete, ``index`` brings the conversation index up to the log, ``tick`` asks the alert rules. The server calls
    these three in the background; ``run_due`` is all of them. With a shared ``database`` several servers work on one
    folder of logs; one of them indexes and watches, and when it dies, another one.
    """

    def __init__(
        self,
        store: Path,
        *,
        alerts: AlertSocket | None = None,
        mask: DataMask | None = None,
        settle: float = 2.0,
        patience: float = 30.0,
        late: float = 60.0,
        clock: Callable[[], float] = time.time,
        database: EventDatabase | None = None,
    ) -> None:
        self.store = store
        self.log = EventLog(store / FOLDER)
        self._is_shared = database is not None  # several servers: the one that indexes watches the events of all
        self.indexer = EventIndexer(store, database=database, counted=self._watch if self._is_shared else None)
        self.rollup = Rollup()
        self.alerts = alerts
        self.mask = mask
        self.journal = SpanJournal(store)
        self.traces = TraceAssembly(self.journal, settle=settle, patience=patience, late=late, masked=mask is not None)
        self._clock = clock
        self._counting = threading.Lock()
        self._settling = threading.Lock()
        self._indexing = threading.Lock()
        self._kinds: Counter[str] = Counter()
        self._duplicates = 0

    def recover(self) -> int:
        """Count the last day of the log again and take over waiting spans; return the number of events read.

        Call it before listening: an alert rule must know what a killed process had written.
        """
        now, count = self._clock(), 0
        for row in self.log.read(since=now - _REBUILT):
            self.rollup.add(row)
            count += 1
        self.traces.recover(now)
        return count

    def add(self, events: Iterable[Event]) -> Appended:
        """Mask and write events; those that the log has already are dropped.

        Raises:
            StoreError: the disk failed; nothing counts as written.
        """
        now = datetime.fromtimestamp(self._clock(), UTC)
        return self.add_rows([row_of_data(encode(event), received=now, mask=self.mask) for event in events])

    def row_of(self, data: Any, *, source: str | None, received: datetime) -> EventRow:
        """Return the row of an event that was sent as JSON, masked; it is not written yet.

        Raises:
            MalformedError: it is no event.
        """
        return row_of_data(data, received=received, source=source, mask=self.mask)

    def span_line(self, record: dict[str, Any]) -> bytes:
        """Return a span, run or score as a line of the journal, masked."""
        if self.mask is not None:
            record = self.mask(record)
        try:
            return orjson.dumps(record)
        except TypeError:  # a large integer, half a surrogate pair
            return dumps(record)

    def add_rows(self, rows: Sequence[EventRow]) -> Appended:
        """Write rows, which are masked already, then count those that are new.

        Raises:
            StoreError: the disk failed; nothing counts as written.
        """
        made = self.log.append(rows)
        with self._counting:
            self._duplicates += made.duplicates
            for row in made.new:
                self._kinds[row.kind] += 1
                self.rollup.add(row)
                if self.alerts is not None and not self._is_shared:
                    self.alerts.observe(row)
        return made

    def _watch(self, rows: Sequence[EventRow]) -> None:
        """Show the alert rules what was counted, from whichever server it came."""
        if self.alerts is not None:
            with self._counting:
                for row in rows:
                    self.alerts.observe(row)

    def add_spans(self, spans: Sequence[WaitingSpan]) -> None:
        """Write spans, which wait for the rest of their trace.

        Raises:
            StoreError: the disk failed; nothing counts as written.
        """
        self.traces.add(spans, self._clock())

    def settle(self, *, at_once: bool = False) -> int:
        """Write the turns of traces whose time has come; ``at_once`` writes all whose root has arrived.

        Return how many events are new.

        Raises:
            StoreError: the disk failed; the traces are tried again.
        """
        count = 0
        with self._settling:
            while True:
                traces = self.traces.due(self._clock())
                if not traces and at_once:
                    traces = self.traces.complete()
                if not traces:
                    return count
                try:
                    count += len(self.add(self.traces.events(traces)).new)
                except BaseException:
                    self.traces.again(traces, self._clock())
                    raise
                self.traces.written(traces, self._clock())

    def index(self) -> int | None:
        """Bring the conversation index and the stored rollups up to the log; return how many events were new."""
        with self._indexing:
            return self.indexer.catch_up()

    def tick(self) -> Sequence[Any]:
        """Ask the alert rules; return what changed. Of several servers the one that indexes does so."""
        if self.alerts is None or (self._is_shared and not self.indexer.is_indexer):
            return ()
        with self._counting:
            return self.alerts.tick(self._clock())

    def run_due(self) -> Sequence[Any]:
        """Settle, index and tick; return what changed in the alerts."""
        self.settle()
        self.index()
        return self.tick()

    def figures(self) -> IntakeFigures:
        """Return counts since the start, and how long the oldest incomplete trace has waited."""
        oldest = self.traces.oldest
        return IntakeFigures(
            events=sum(self._kinds.values()),
            duplicates=self._duplicates,
            waiting_traces=len(self.traces),
            waiting_spans=self.journal.waiting,
            unreadable_traces=self.traces.unreadable,
            traces_without_turn=self.traces.without_turn,
            lag=max(0.0, self._clock() - oldest) if oldest is not None else 0.0,
            by_kind=dict(self._kinds),
        )

    def close(self) -> None:
        """Close the files. Traces that wait stay on disk for the next start."""
        self.journal.close()
        self.log.close()
        self.indexer.close()

    def __enter__(self) -> Intake:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
