"""Tells how long a piece of work took itself, apart from how long it waited for its turn."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from time import monotonic
from typing import Any, Final

__all__ = ["CURRENT_CLOCK", "WorkClock"]


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
        self._shares: dict[object, tuple[float, float]] = {}  # when each began, and what share of it counts
        self._shared = 0.0

    @property
    def spent(self) -> float:
        """Seconds of work so far."""
        mark, worked = self._mark, self._worked + self._shared
        now = monotonic()
        worked += sum((now - begun) * share for begun, share in list(self._shares.values()))
        if mark is None:
            return worked + now - self._since
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

    def begin_share(self, key: object, share: float) -> None:
        """Others begin work on behalf of this, of which a share counts; any thread may say so."""
        self._shares.setdefault(key, (monotonic(), share))

    def end_share(self, key: object) -> None:
        """That work is over."""
        if (begun := self._shares.pop(key, None)) is not None:
            self._shared += (monotonic() - begun[0]) * begun[1]

    def _count_idle(self) -> None:
        if self._mark is not None:
            now = self._idle()
            if not self._queues:
                self._worked += now - self._mark
            self._mark = now


CURRENT_CLOCK: Final[ContextVar[WorkClock | None]] = ContextVar("proctor_work_clock", default=None)
