"""Measure how long a piece of work took, without the time it waited for its turn."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from time import monotonic
from typing import Any, Final

__all__ = ["CURRENT_CLOCK", "WorkClock", "processor_clock"]


class WorkClock:
    """The time one piece of work has spent. Deadlines use this instead of wall-clock time.

    It counts the seconds for which the work holds its thread, and those for which it awaits something while that
    thread is idle. It does not count the seconds for which other work holds the thread, nor those in a queue
    (``queued``). Work done for several callers at once is counted by its share (``begin_share``).

    ``idle`` returns the total idle seconds of the thread; without it, all awaited time counts. One thread works; any
    thread may read ``spent``.
    """

    __slots__ = ("_idle", "_mark", "_queues", "_shared", "_shares", "_since", "_worked", "owner")

    def __init__(self, idle: Callable[[], float] = monotonic, owner: Any = None) -> None:
        self.owner = owner
        self._idle = idle
        self._mark: float | None = idle()  # idle seconds counted so far; None: the work holds its thread
        self._since = 0.0  # when it took its thread
        self._worked = 0.0
        self._queues = 0
        # for each: its clock, its start time, and the share that counts
        self._shares: dict[object, tuple[Callable[[], float], float, float]] = {}
        self._shared = 0.0

    @property
    def spent(self) -> float:
        """Seconds of work so far."""
        mark, worked = self._mark, self._worked + self._shared
        worked += sum(max(0.0, clock() - begun) * share for clock, begun, share in list(self._shares.values()))
        if mark is None:
            return worked + monotonic() - self._since
        return worked if self._queues else worked + self._idle() - mark

    def hold(self) -> None:
        """Mark that the work holds its thread."""
        self._count_idle()
        self._since, self._mark = monotonic(), None

    def rest(self) -> None:
        """Mark that the work released its thread."""
        if self._mark is None:
            self._worked += monotonic() - self._since
            self._mark = self._idle()

    def excuse(self, seconds: float) -> None:
        """Do not count so many seconds for which the work held its thread while letting others go first."""
        self._since += seconds

    @contextmanager
    def queued(self) -> Iterator[None]:
        """Do not count time awaited inside the block: it is time in a queue."""
        self._count_idle()
        self._queues += 1
        try:
            yield
        finally:
            self._count_idle()
            self._queues -= 1

    def begin_share(self, key: object, share: float, clock: Callable[[], float] = monotonic) -> None:
        """Start counting a share of work done by others for this; thread-safe.

        Args:
            key: identifies the work in ``end_share``.
            share: the part of its seconds that counts, from 0 to 1.
            clock: how its seconds are counted.
        """
        self._shares.setdefault(key, (clock, clock(), share))

    def end_share(self, key: object) -> None:
        """Stop counting that work."""
        if (begun := self._shares.pop(key, None)) is not None:
            clock, since, share = begun
            self._shared += max(0.0, clock() - since) * share

    def _count_idle(self) -> None:
        if self._mark is not None:
            now = self._idle()
            if not self._queues:
                self._worked += now - self._mark
            self._mark = now


CURRENT_CLOCK: Final[ContextVar[WorkClock | None]] = ContextVar("proctor_work_clock", default=None)


def processor_clock() -> Callable[[], float]:
    """Return a clock of the calling thread's CPU seconds that any thread may read.

    Computation is measured by this clock: on a busy machine, a thread may be suspended through no fault of its own.
    If the system has no such clock, it is wall-clock time.
    """
    clock_id = getattr(time, "pthread_getcpuclockid", None)
    if clock_id is None:
        return monotonic
    return partial(_processor_seconds, clock_id(threading.get_ident()))


def _processor_seconds(clock_id: int) -> float:
    try:
        return time.clock_gettime(clock_id)
    except OSError:  # the thread has ended
        return 0.0
