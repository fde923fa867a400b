"""Turns from spans that arrive in several requests, late or out of order; each trace once."""

from __future__ import annotations

import heapq
import logging
import threading
from array import array
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final

import orjson

from proctor.core.errors import ProctorError
from proctor.core.event import Event
from proctor.store.span_journal import SpanJournal, WaitingSpan
from proctor.suites.conversations.langfuse import LANGFUSE_TRACES
from proctor.suites.conversations.langsmith import LANGSMITH_TRACES
from proctor.suites.conversations.otel import OTEL_TRACES
from proctor.suites.conversations.trace_format import TraceFormat
from proctor.suites.conversations.trace_scores import TracedScore
from proctor.suites.conversations.trace_turns import TracedTurns, read_trace

__all__ = ["FORMATS", "SCORES", "TraceAssembly", "events_of_trace", "score_event"]

FORMATS: Final[Mapping[str, TraceFormat]] = {
    each.name: each for each in (OTEL_TRACES, LANGFUSE_TRACES, LANGSMITH_TRACES)
}
SCORES: Final = "score"  # the format of a record that is a score by itself
_MAX_SESSIONS: Final = 100_000  # traces whose session is remembered, for scores that come later
_MAX_RUNNING_SECONDS: Final = 600.0
_MAX_SPANS_OF_TRACE: Final = 10_000  # a trace with more is written in parts
_log = logging.getLogger(__name__)


@dataclass(slots=True)
class _Waiting:
    """A trace that is not complete, or was a moment ago. ``due`` is when it is looked at next."""

    format: str
    source: str | None
    arrived: float
    due: float
    has_root: bool = False
    is_written: bool = False
    places: array[int] = field(default_factory=lambda: array("Q"))


class TraceAssembly:
    """Collects the spans of traces and builds their events when nothing more is to be expected.

    A trace is complete ``settle`` seconds after its last span if its root has arrived, else after ``patience`` seconds.
    Its spans stay for another ``late`` seconds: a span that comes then is read together with them, and what is new in
    the trace is written. The ids of a trace's events are made from its id, so that repeated deliveries change nothing.
    """

    def __init__(
        self,
        journal: SpanJournal,
        *,
        settle: float = 2.0,
        patience: float = 60.0,
        late: float = 60.0,
    ) -> None:
        self._journal = journal
        self._settle, self._patience, self._late = settle, patience, late
        self._lock = threading.Lock()
        self._traces: dict[str, _Waiting] = {}
        self._queue: list[tuple[float, str]] = []
        self._sessions: OrderedDict[str, tuple[str | None, str | None]] = OrderedDict()
        self.unreadable = 0
        self.without_turn = 0

    def recover(self, now: float) -> int:
        """Take over the spans that an earlier process left; return how many.

        A trace that it had written waits for late spans only, as long as it would have waited there: a server that
        crashes again and again must not write the same traces at every start.
        """
        count = 0
        last: dict[str, float] = {}  # when the last span of a trace came; infinite if the trace is to be written
        for span, places, is_written in self._journal.take_over():
            self._place([span], places, now)
            arrived = span.arrived if is_written else float("inf")
            last[span.trace] = max(last.get(span.trace, 0.0), arrived)
            count += 1
        with self._lock:
            for trace, arrived in last.items():
                if arrived != float("inf"):
                    waiting = self._traces[trace]
                    waiting.is_written = True
                    wait = self._settle if waiting.has_root else self._patience
                    waiting.due = min(now, arrived + wait) + self._late
                    heapq.heappush(self._queue, (waiting.due, trace))
        return count

    def add(self, spans: Sequence[WaitingSpan], now: float) -> None:
        """Add spans; they are on disk when this returns.

        Raises:
            StoreError: the disk failed.
        """
        if spans:
            self._place(spans, self._journal.append(spans), now)

    def _place(self, spans: Sequence[WaitingSpan], places: array[int], now: float) -> None:
        with self._lock:
            touched: dict[str, _Waiting] = {}
            for at, span in enumerate(spans):
                waiting = self._traces.get(span.trace)
                if waiting is None:
                    waiting = self._traces[span.trace] = _Waiting(span.format, span.source, span.arrived, 0.0)
                    # A score of a trace that was written lately need not wait for it.
                    waiting.has_root = span.format == SCORES and span.trace in self._sessions
                elif waiting.format == SCORES:
                    waiting.format, waiting.source = span.format, waiting.source or span.source
                waiting.places.extend(places[2 * at : 2 * at + 2])
                waiting.has_root = waiting.has_root or span.is_root
                waiting.is_written = False
                touched[span.trace] = waiting
            for trace, waiting in touched.items():
                is_full = len(waiting.places) >= 2 * _MAX_SPANS_OF_TRACE
                wait = 0.0 if is_full else self._settle if waiting.has_root else self._patience
                if waiting.due != now + wait or is_full:  # else the queue has it: it would be due twice
                    waiting.due = now + wait
                    heapq.heappush(self._queue, (waiting.due, trace))

    def due(self, now: float, *, limit: int = 500) -> list[str]:
        """Return traces whose time has come; those that were written and are no longer waited for are released."""
        found: list[str] = []
        with self._lock:
            while self._queue and self._queue[0][0] <= now and len(found) < limit:
                time, trace = heapq.heappop(self._queue)
                waiting = self._traces.get(trace)
                if waiting is None or waiting.due != time:
                    continue
                if waiting.is_written:
                    del self._traces[trace]
                    self._journal.release(waiting.places)
                else:
                    found.append(trace)
        return found

    def complete(self) -> Iterator[str]:
        """Yield each trace whose root has arrived, whatever its time, if it is not written when it is asked for."""
        for trace, waiting in list(self._traces.items()):
            if waiting.has_root and not waiting.is_written:
                yield trace

    def events(self, traces: Sequence[str], now: float) -> list[Event]:
        """Return the events of traces, from all their spans that are known now.

        A trace with a step that has begun and not ended is waited for, up to ten minutes.
        """
        made: list[Event] = []
        for trace in traces:
            with self._lock:
                waiting = self._traces.get(trace)
                if waiting is None:
                    continue
                places = array("Q", waiting.places)
                waiting.is_written = True  # a span that comes from now on sets it back
            records = [orjson.loads(span.line) for span in self._journal.read(places)]
            if _is_running(records) and now - waiting.arrived < _MAX_RUNNING_SECONDS:
                self.again([trace], now + self._patience)
                continue
            made += self._read(trace, waiting, records)
        return made

    def written(self, traces: Sequence[str], now: float) -> None:
        """Note that the events of traces are on disk."""
        places = array("Q")
        with self._lock:
            for trace in traces:
                waiting = self._traces.get(trace)
                if waiting is not None and waiting.is_written:
                    waiting.due = now + self._late
                    heapq.heappush(self._queue, (waiting.due, trace))
                    places.extend(waiting.places)
        self._journal.mark_written(places)

    def again(self, traces: Sequence[str], now: float) -> None:
        """Put traces back whose events could not be written."""
        with self._lock:
            for trace in traces:
                if (waiting := self._traces.get(trace)) is not None:
                    waiting.is_written, waiting.due = False, now + self._settle
                    heapq.heappush(self._queue, (waiting.due, trace))

    def session(self, trace: str | None) -> tuple[str | None, str | None]:
        """Return the session and customer of a trace that was written lately."""
        return self._sessions.get(trace or "", (None, None))

    def __len__(self) -> int:
        """Return the number of traces that wait for more."""
        return sum(not each.is_written for each in list(self._traces.values()))

    @property
    def oldest(self) -> float | None:
        """When the oldest trace that is not written began to arrive."""
        return min((each.arrived for each in list(self._traces.values()) if not each.is_written), default=None)

    def _read(self, trace: str, waiting: _Waiting, records: list[dict[str, Any]]) -> list[Event]:
        arrived = datetime.fromtimestamp(waiting.arrived, UTC)
        try:
            told = read_trace(FORMATS.get(waiting.format, OTEL_TRACES), trace, records)
        except Exception as error:
            # Anything may have been sent. One trace that cannot be read must not stop the others. What is wrong is
            # kept, the content is not.
            self.unreadable += 1
            _log.warning("the trace %s cannot be read: %s", trace, type(error).__name__)
            about = {"reason": error.message if isinstance(error, ProctorError) else type(error).__name__}
            return [_note(trace, waiting.source, arrived, "unreadable_trace", about)]
        known = self.session(trace)
        events = events_of_trace(trace, told, source=waiting.source, arrived=arrived, known=known)
        if told.turns:
            self._sessions[trace] = (told.session or trace, told.customer)
            while len(self._sessions) > _MAX_SESSIONS:
                self._sessions.popitem(last=False)
        self.without_turn += not events
        return events


def _is_running(records: Sequence[Mapping[str, Any]]) -> bool:
    """Return whether a run of LangSmith was posted and its end was not: its SDK sends both."""
    begun = {each["id"] for each in records if "run_type" in each}
    return not begun <= {each.get("id") for each in records if each.get("end_time") is not None}


def events_of_trace(
    trace: str,
    told: TracedTurns,
    *,
    source: str | None,
    arrived: datetime,
    known: tuple[str | None, str | None] = (None, None),
) -> list[Event]:
    """Return the events of one trace: its turns and scores. A trace without a session is a conversation by itself."""
    session = told.session or (trace if told.turns else known[0])
    customer = told.customer or known[1]
    events = [
        Event(
            kind="turn",
            id=trace if number == 1 else f"{trace}.{number}",
            time=turn.time or arrived,
            session=session,
            customer=customer,
            intent=told.intent,
            turn=turn,
            model=told.model,
            version=told.version,
            source=source,
        )
        for number, turn in enumerate(told.turns, 1)
    ]
    for score in told.scores:
        events.append(score_event(score, source=source, arrived=arrived, session=session, customer=customer))
    return events


def score_event(
    score: TracedScore,
    *,
    source: str | None,
    arrived: datetime,
    session: str | None = None,
    customer: str | None = None,
) -> Event:
    """Return a score as an event of its conversation."""
    return Event(
        kind="score",
        id=score.id,
        time=score.time or arrived,
        session=score.session or session,
        customer=score.customer or customer,
        name=score.name,
        value=score.value,
        source=source,
        metadata=score.metadata,
    )


def _note(trace: str, source: str | None, arrived: datetime, name: str, about: Mapping[str, str]) -> Event:
    return Event(
        kind="note", id=f"{trace}.{name}", time=arrived, session=trace, name=name, source=source, metadata=dict(about)
    )
