"""What happens to every event from production: masked, written once, counted, watched by the alert rules, indexed."""

from __future__ import annotations

import contextlib
import logging
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Protocol

import orjson

from proctor.core.codec import dumps, encode
from proctor.core.errors import StoreError
from proctor.core.event import Event
from proctor.core.event_row import EventRow
from proctor.monitor.rollup import Rollup
from proctor.store.event_log import FOLDER, Appended, EventLog
from proctor.store.history import History
from proctor.store.log_reader import log_files, new_rows
from proctor.store.mask_events import EventMasker
from proctor.store.span_journal import SpanJournal, WaitingSpan
from proctor.workflows.monitor.event_lines import row_of_data
from proctor.workflows.monitor.history_upkeep import HistoryUpkeep
from proctor.workflows.monitor.mask_spans import SpanMasker
from proctor.workflows.monitor.trace_assembly import TraceAssembly
from proctor.workflows.monitor.validate_events import check_names, check_values

__all__ = ["AlertSocket", "Intake", "IntakeFigures"]

_log = logging.getLogger(__name__)
_RECOVERED: Final = 900.0  # seconds of the log that are counted again at the start
_SETTLED_AT_ONCE: Final = 500  # traces that are read into memory
_KEPT: Final = 3600.0  # seconds that the counts in memory reach back


class AlertSocket(Protocol):
    """The alert engine, as the intake uses it."""

    def observe(self, row: EventRow) -> None:
        """Count one new event."""

    def observe_all(self, rows: Sequence[EventRow]) -> None:
        """Count new events."""

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
    complete, ``index`` brings the history up to the log, ``tick`` asks the alert rules. The server calls these three in
    the background; ``run_due`` is all of them.
    """

    def __init__(
        self,
        store: Path,
        *,
        alerts: AlertSocket | None = None,
        masker: EventMasker | None = None,
        history: History | None = None,
        settle: float = 2.0,
        patience: float = 60.0,
        late: float = 60.0,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.store = store
        self.log = EventLog(store / FOLDER)
        self.history = history or History(store)
        self.upkeep = HistoryUpkeep(history=self.history, log=self.log)
        self.rollup = Rollup(kept=_KEPT)
        self.alerts = alerts
        self.masker = masker if masker is not None and masker.masking != "none" else None
        self._span_masker = SpanMasker() if self.masker is not None else None
        self.journal = SpanJournal(store)
        self.traces = TraceAssembly(self.journal, settle=settle, patience=patience, late=late)
        self._clock = clock
        self._counting = threading.Lock()
        self._settling = threading.Lock()
        self._indexing = threading.Lock()
        self._masking = threading.Lock()
        self._kinds: Counter[str] = Counter()
        self._duplicates = 0

    def recover(self) -> int:
        """Count the last minutes of the log again and take over waiting spans; return the number of events read.

        Call it before listening: a killed process may have written events that its alert rules had not counted.
        """
        now, count = self._clock(), 0
        known = getattr(self.alerts, "seen_until", 0.0)
        for row in self._recent_rows(now - _RECOVERED):
            self.rollup.add(row)
            if self.alerts is not None and row.time > known:
                self.alerts.observe(row)
            count += 1
        self.traces.recover(now)
        return count

    def _recent_rows(self, since: float) -> Iterator[EventRow]:
        for path in log_files(self.store / FOLDER):
            with contextlib.suppress(FileNotFoundError):  # sealed meanwhile
                if path.stat().st_mtime < since:
                    continue
                with path.open("rb") as file:
                    yield from (each.row for each in new_rows(file, 0) if each.row and each.row.time >= since)

    def add(self, events: Sequence[Event]) -> Appended:
        """Mask and write events; those that the log has already are dropped.

        Raises:
            StoreError: the disk failed; nothing counts as written.
        """
        return self.add_rows(self.rows(events))

    def rows(self, events: Sequence[Event]) -> list[EventRow]:
        """Return events as rows, masked as the settings say."""
        if self.masker is None:
            now = datetime.fromtimestamp(self._clock(), UTC)
            made = [row_of_data(encode(event), received=now) for event in events]
            return [each for each in made if isinstance(each, EventRow)]
        with self._masking:
            return self.masker.rows(events)

    def read(self, data: Any, *, source: str | None, received: datetime) -> EventRow | Event:
        """Return what was sent as JSON: a masked row, or an event that ``rows`` must mask first. It is not yet written.

        Raises:
            MalformedError: it is no event, has an unknown field, or a value that cannot be.
        """
        check_names(data)
        if self.masker is None:
            read = row_of_data(data, received=received, source=source)
        else:
            by_patterns = self.masker if self.masker.masking == "patterns" else None
            with self._masking:
                read = row_of_data(data, received=received, source=source, masking=True, masker=by_patterns)
        check_values(data, read, received)
        return read

    def span_line(self, record: dict[str, Any]) -> bytes:
        """Return a span, run or score as a line of the journal; personal data that patterns find is masked."""
        if self._span_masker is not None:
            with self._masking:
                record = self._span_masker.masked(record)
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
            self._kinds.update([row.kind for row in made.new])
            self.rollup.extend(made.new)
            if self.alerts is not None:
                self.alerts.observe_all(made.new)
        return made

    def add_spans(self, spans: Sequence[WaitingSpan]) -> None:
        """Write spans, which wait for the rest of their trace.

        Raises:
            StoreError: the disk failed; nothing counts as written.
        """
        self.traces.add(spans, self._clock())

    def settle(self, *, at_once: bool = False) -> int:
        """Write the turns of traces whose time has come; ``at_once`` also those whose root has arrived.

        Return how many events are new.

        Raises:
            StoreError: the disk failed; the traces are tried again.
        """
        count = 0
        with self._settling:
            # Each of these once: a trace with a step that has not ended stays incomplete.
            rest = self.traces.complete() if at_once else iter(())
            while True:
                traces = self.traces.due(self._clock()) or list(islice(rest, _SETTLED_AT_ONCE))
                if not traces:
                    return count
                try:
                    count += len(self.add_rows(self._readable(self.traces.events(traces, self._clock()))).new)
                except BaseException:
                    self.traces.again(traces, self._clock())
                    raise
                self.traces.written(traces, self._clock())

    def _readable(self, events: Sequence[Event]) -> list[EventRow]:
        """Return the rows of events; one that cannot be a row is dropped and counted, and must not stop the others."""
        try:
            return self.rows(events)
        except StoreError:
            raise
        except Exception:
            rows: list[EventRow] = []
            for event in events:
                try:
                    rows += self.rows([event])
                except StoreError:
                    raise
                except Exception as error:
                    self.traces.unreadable += 1
                    _log.warning("the event %s cannot be stored: %s", event.id, type(error).__name__)
            return rows

    def index(self) -> int | None:
        """Bring the history up to the log: conversations, windows, texts; return how many events were new.

        Once in an hour the log is sealed, once in a day what is too old is removed.
        """
        with self._indexing:
            return self.upkeep.tick(self._clock())

    def tick(self) -> Sequence[Any]:
        """Ask the alert rules; return what changed."""
        if self.alerts is None:
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
        self.history.close()
        if self.masker is not None:
            self.masker.close()

    def __enter__(self) -> Intake:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
