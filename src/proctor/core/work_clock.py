"""Tells how long a piece of work took itself, apart from how long it waited for its turn."""

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
    """The time one piece of work has spent. A deadline is held against this, not against the clock on the wall.

    Counted are the seconds for which the work holds its thread, and those for which it awaits something while that
    thread has nothing else to do. Not counted are the seconds for which other work holds the thread, and those in
    a queue (``queued``). Work that is done for several at once is counted by its share (``begin_share``).

    ``idle`` gives the total seconds for which the thread had nothing to do; without it, all awaited time counts. One
    thread works; any thread may read ``spent``.
    """

    __slots__ = ("_idle", "_mark", "_queues", "_shared", "_shares", "_since", "_worked", "owner")

    def __init__(self, idle: Callable[[], float] = monotonic, owner: Any = None) -> None:
        self.owner = owner
        self._idle = idle
        self._mark: float | None = idle()  # idle seconds up to which is counted; None: the work holds its thread
        self._since = 0.0  # when it took its thread
        self._worked = 0.0
        self._queues = 0
        # for each: its clock, the time on it when it began, and what share of it counts
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
        """The work takes its thread."""
        self._count_idle()
        self._since, self._mark = monotonic(), None

    def rest(self) -> None:
        """The work leaves its thread to others."""
        if self._mark is None:
            self._worked += monotonic() - self._since
            self._mark = self._idle()

    def excuse(self, seconds: float) -> None:
        """Do not count so many seconds for which the work holds its thread and lets others go first."""
        self._since += seconds

    @contextmanager
    def queued(self) -> Iterator[None]:
        """Do not count what is awaited inside: it waits behind the work of others."""
        self._count_idle()
        self._queues += 1
        try:
            yield
        finally:
            self._count_idle()
            self._queues -= 1

    def begin_share(self, key: object, share: float, clock: Callable[[], float] = monotonic) -> None:
        """Others begin work on behalf of this, of which a share counts; any thread may call this.

        Args:
            key: what the work is ended by.
            share: the part of its seconds that counts, from 0 to 1.
            clock: how its seconds are counted.
        """
        self._shares.setdefault(key, (clock, clock(), share))

    def end_share(self, key: object) -> None:
        """That work is over."""
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
    """Return a clock that counts the processor seconds of the calling thread, and that any thread may read.

    Computing is held against this clock: on a machine where other programs have the processors, a thread stands still
    through no fault of its own. Where the system has no such clock, it is the clock on the wall.
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
