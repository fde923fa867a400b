"""Requests that wait to be written: read and committed in batches on one thread, acknowledged when on disk."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

from proctor.core.errors import ProctorError
from proctor.core.event import Event
from proctor.core.event_row import EventRow
from proctor.store.event_log import Appended
from proctor.store.span_journal import WaitingSpan
from proctor.workflows.monitor.intake import Intake

__all__ = ["CommitQueue", "QueueFullError", "RequestBatch"]

_MAX_COMMIT_BYTES: Final = 8_000_000  # what one write collects; more would make the first of them wait
_log = logging.getLogger(__name__)


class QueueFullError(Exception):
    """More waits to be written than is allowed; the sender should wait and send again."""


@dataclass(slots=True)
class RequestBatch:
    """What one request holds: rows, events to mask, and spans to write, and what its answer tells."""

    rows: list[EventRow] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    spans: list[WaitingSpan] = field(default_factory=list)
    rejected: int = 0
    ignored: int = 0
    duplicates: int = 0  # of the accepted events: those that the log had already
    why: str = ""
    problems: list[dict[str, Any]] = field(default_factory=list)

    @property
    def records(self) -> int:
        """How many records the request holds, good or bad."""
        return self.accepted + self.rejected + self.ignored

    @property
    def accepted(self) -> int:
        """How many records are written."""
        return len(self.rows) + len(self.events) + len(self.spans)


@dataclass(slots=True)
class _Job:
    read: Callable[[], RequestBatch]
    size: int
    loop: asyncio.AbstractEventLoop
    done: asyncio.Future[RequestBatch]
    batch: RequestBatch | None = None


class CommitQueue:
    """Reads requests and writes what they hold, several of them with one write to the disk."""

    def __init__(self, intake: Intake, *, max_bytes: int) -> None:
        self._intake = intake
        self._max_bytes = max_bytes
        self._jobs: deque[_Job] = deque()
        self._waiting = 0
        self._wake = threading.Condition()
        self._stopped = False
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Start the thread."""
        self._thread = threading.Thread(target=self._run, name="ingest-commit", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Write what waits, then end the thread."""
        with self._wake:
            self._stopped = True
            self._wake.notify()
        if self._thread is not None:
            self._thread.join()

    @property
    def waiting_bytes(self) -> int:
        """How much waits to be written."""
        return self._waiting

    async def put(self, read: Callable[[], RequestBatch], size: int) -> RequestBatch:
        """Have a request read and its content written; return when it is on disk.

        Raises:
            QueueFullError: too much waits.
            StoreError: the disk failed.
            ValueError: ``read`` raised it: the request is invalid.
        """
        loop = asyncio.get_running_loop()
        job = _Job(read, size, loop, loop.create_future())
        with self._wake:
            if self._stopped or (self._jobs and self._waiting + size > self._max_bytes):
                raise QueueFullError
            self._jobs.append(job)
            self._waiting += size
            self._wake.notify()
        return await job.done

    def _run(self) -> None:
        while True:
            with self._wake:
                while not self._jobs:
                    if self._stopped:
                        return
                    self._wake.wait()
                taken, size = [], 0
                while self._jobs and size < _MAX_COMMIT_BYTES:
                    job = self._jobs.popleft()
                    size += job.size
                    taken.append(job)
            try:
                self._commit(taken)
            finally:
                with self._wake:
                    self._waiting -= size

    def _commit(self, jobs: list[_Job]) -> None:
        good: list[_Job] = []
        for job in jobs:
            try:
                job.batch = job.read()
                good.append(job)
            except (ValueError, ProctorError) as error:  # of one request, which gets it as its answer
                _tell(job, error)
            except Exception as error:  # a form that no reader expects is the sender's, too
                _log.warning("a request cannot be read: %s", type(error).__name__)
                _tell(job, ValueError("has an unexpected form"))
        try:
            spans = [span for job in good if job.batch for span in job.batch.spans]
            rows = [row for job in good if job.batch for row in job.batch.rows]
            events = [event for job in good if job.batch for event in job.batch.events]
            if spans:
                self._intake.add_spans(spans)
            if events:
                rows += self._intake.rows(events)
            if rows:
                made = self._intake.add_rows(rows)
                if made.duplicates:
                    _count_duplicates([job.batch for job in good if job.batch], made)
        except Exception as error:  # nothing is acknowledged
            for job in good:
                _tell(job, error)
            return
        for job in good:
            _tell(job, None)


def _count_duplicates(batches: list[RequestBatch], made: Appended) -> None:
    """Tell each request how many of its events the log had already, or came in another request of the same write."""
    new = {row.id for row in made.new}
    written = [(batch, row.id) for batch in batches for row in batch.rows]
    written += [(batch, event.id or "") for batch in batches for event in batch.events]
    for owner, key in written:
        if key in new:
            new.remove(key)
        else:
            owner.duplicates += 1


def _tell(job: _Job, error: Exception | None) -> None:
    def tell() -> None:
        if job.done.cancelled():  # the client has gone
            return
        if error is not None:
            job.done.set_exception(error)
        elif job.batch is not None:
            job.done.set_result(job.batch)

    with contextlib.suppress(RuntimeError):  # the loop was closed
        job.loop.call_soon_threadsafe(tell)
