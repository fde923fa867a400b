"""Alert rules for several servers on one state: the server that indexes decides, on the events of all of them."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Final, Protocol

from proctor.config import Config
from proctor.core.alert_record import AlertChange, RuleLimit, RuleStatus
from proctor.core.event_row import EventRow
from proctor.core.live_figures import LiveFigures
from proctor.store.alert_state import AlertState
from proctor.store.event_indexer import EventIndexer
from proctor.store.log_reader import log_files, new_rows
from proctor.wiring.alert_settings import engine_of
from proctor.wiring.monitor_state import state_url

__all__ = ["AlertLeader", "LeadingEngine", "alert_rules_of", "recent_log_rows"]

_REPLAYED: Final = 900.0  # seconds of the log that a new leader reads again; older events say nothing about now


class LeadingEngine(Protocol):
    """The alert engine, as the leader uses it."""

    seen_until: float
    leads: bool

    def observe(self, row: EventRow, arrived: float | None = None) -> None:
        """Count one event that arrived at this time."""

    def observe_all(self, rows: Sequence[EventRow]) -> None:
        """Count events that arrived just now."""

    def tick(self, now: float) -> list[AlertChange]:
        """Return what changed in the alerts."""

    def take_back(self, changes: Sequence[AlertChange]) -> None:
        """Return these changes again at the next tick."""

    def limits(self, now: float) -> list[RuleLimit]:
        """Return the smallest spike that each rule sees."""

    def status(self, now: float) -> list[RuleStatus]:
        """Return the state of each rule."""

    def figures(self) -> LiveFigures:
        """Return what has come in since the start."""

    def close(self, now: float | None = None) -> None:
        """Keep everything, and let another process decide."""


class AlertLeader:
    """The alert engine of a server that is one of several; the intake uses it as it uses an engine.

    ``observe`` does nothing: an event of any server reaches the rules when the leader has indexed it, each once. A
    server that begins to lead makes an engine from the shared state and reads the last minutes of the log again, from
    where the dead leader had kept its counts. One that leads no more drops its engine.
    """

    def __init__(
        self,
        indexer: EventIndexer,
        make_engine: Callable[[], LeadingEngine],
        *,
        recent: Callable[[float], Iterator[EventRow]],
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._indexer, self._make, self._recent, self._clock = indexer, make_engine, recent, clock
        self._lock = threading.RLock()
        self._engine: LeadingEngine | None = None
        self._replayed: set[str] = set()  # ids that were read again and are yet to be indexed
        self.seen_until = float("inf")  # what was received before is left to the index, too
        indexer.counted = self._counted

    @property
    def engine(self) -> LeadingEngine | None:
        """The engine, if this server leads."""
        return self._engine

    @property
    def leads(self) -> bool:
        """Whether this server decides for all."""
        return self._engine is not None and self._engine.leads

    def observe(self, row: EventRow, arrived: float | None = None) -> None:
        """Leave an event of this server to the index."""

    def observe_all(self, rows: Sequence[EventRow]) -> None:
        """Leave events of this server to the index."""

    def limits(self, now: float) -> list[RuleLimit]:
        """Return the smallest spike that each rule sees; nothing at a server that does not lead."""
        with self._lock:
            return self._engine.limits(now) if self._engine is not None else []

    def status(self, now: float) -> list[RuleStatus]:
        """Return the state of each rule; nothing at a server that does not lead."""
        with self._lock:
            return self._engine.status(now) if self._engine is not None else []

    def figures(self) -> LiveFigures:
        """Return what has come in since this server began to lead."""
        with self._lock:
            return self._engine.figures() if self._engine is not None else LiveFigures()

    def tick(self, now: float) -> list[AlertChange]:
        """Ask the rules if this server leads; return what changed."""
        with self._lock:
            if not self._indexer.is_indexer:
                self._step_down()
                return []
            return self._led().tick(now)

    def take_back(self, changes: Sequence[AlertChange]) -> None:
        """Return these changes again at the next tick, if this server still leads."""
        with self._lock:
            if self._engine is not None:
                self._engine.take_back(changes)

    def close(self, now: float | None = None) -> None:
        """Let another server lead."""
        with self._lock:
            self._step_down(now)

    def _counted(self, rows: Sequence[EventRow]) -> None:
        with self._lock:
            engine = self._led()
            for row in rows:
                if row.id in self._replayed:
                    self._replayed.discard(row.id)
                else:
                    engine.observe(row)

    def _led(self) -> LeadingEngine:
        """Return the engine; make it if this server has begun to lead."""
        if self._engine is None:
            engine = self._make()
            since = max(engine.seen_until, self._clock() - _REPLAYED)
            self._replayed = set()
            for row in self._recent(since):
                if row.time > since and row.id not in self._replayed:
                    self._replayed.add(row.id)
                    engine.observe(row, max(row.time, since))
            self._engine = engine
        return self._engine

    def _step_down(self, now: float | None = None) -> None:
        engine, self._engine = self._engine, None
        if engine is not None:
            engine.close(now)


def alert_rules_of(
    config: Config,
    indexer: EventIndexer,
    state: AlertState,
    *,
    clock: Callable[[], float] | None = None,
    save_every: float = 10.0,
) -> LeadingEngine | AlertLeader:
    """Return the alert rules of a project for an intake: an engine, or a leader if several servers share the state.

    Raises:
        MalformedError: something under `alerts:` or `monitor:` is wrong.
    """
    make = partial(engine_of, config, state, clock=clock, save_every=save_every)
    if state_url(config) is None:
        return make()
    return AlertLeader(indexer, make, recent=partial(recent_log_rows, indexer), clock=clock or time.time)


def recent_log_rows(indexer: EventIndexer, since: float) -> Iterator[EventRow]:
    """Yield the events of the log from a time on, of every writer. Sealed files are not read: they are older."""
    for path in log_files(indexer.folder):
        try:
            if path.stat().st_mtime < since:
                continue
            with path.open("rb") as file:
                for placed in new_rows(file, 0):
                    if placed.row is not None and placed.row.time >= since:
                        yield placed.row
        except FileNotFoundError:
            continue
