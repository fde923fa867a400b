"""Process tool results in the background while the agent writes, so that checking its answer is faster."""

from __future__ import annotations

import logging
import os
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from functools import cache, partial
from typing import Any, Final

__all__ = ["PrefetchJob", "begin", "readers"]

_log = logging.getLogger(__name__)
MOST: Final = 64  # queue limit; when full, the oldest job is dropped and the caller computes the result itself


class PrefetchJob:
    """A background job: an iterator that does a little work at each step. ``cancel`` ends it at the next step."""

    __slots__ = ("_over", "_work")

    def __init__(self, work: Callable[[], Iterable[None]]) -> None:
        self._work: Callable[[], Iterable[None]] | None = work
        self._over = False

    def cancel(self) -> None:
        """Stop the job; the caller does the rest itself."""
        self._over, self._work = True, None

    def perform(self) -> None:
        """Run the job once and yield the interpreter between the steps; its references are released."""
        work, self._work = self._work, None
        try:
            for _ in work() if work is not None else ():
                if self._over:
                    return
                time.sleep(0)
        except Exception:  # noqa: S110 - the gate reads the same text again and reports the error
            pass


class _Line:
    """A queue of background jobs, run in order on one daemon thread."""

    def __init__(self) -> None:
        self._waiting: deque[PrefetchJob] = deque(maxlen=MOST)
        self._news, self._lock = threading.Event(), threading.Lock()
        self._thread: threading.Thread | None = None

    def put(self, job: PrefetchJob) -> None:
        self._waiting.append(job)
        self._news.set()
        if self._thread is None:
            with self._lock:
                if self._thread is None:
                    self._thread = _started(self._work)

    def _work(self) -> None:
        while self._news.wait():
            self._news.clear()
            while self._waiting:
                self._waiting.popleft().perform()


def _started(work: Callable[[], None]) -> threading.Thread | None:
    made = threading.Thread(target=work, name="proctor-ahead", daemon=True)
    try:
        made.start()
    except RuntimeError:  # no thread available: the callers do the work themselves
        return None
    return made


def begin(work: Callable[[], Iterable[None]]) -> PrefetchJob:
    """Queue the work for the background thread without blocking."""
    job = PrefetchJob(work)
    _line().put(job)
    return job


def readers(gates: Iterable[Any]) -> list[Callable[[Any], Iterator[None]]]:
    """Return the ``ahead`` method of each gate that has one; a failing one does not stop the others."""
    return [partial(_read, gate.ahead) for gate in gates if callable(getattr(type(gate), "ahead", None))]


def _read(ahead: Callable[[Any], Iterable[None]], step: Any) -> Iterator[None]:
    try:
        yield from ahead(step)
    except Exception as error:  # the gate reads the same text again when it is checked, and then reports the error
        _log.debug("a gate cannot read ahead: %s", type(error).__name__)


@cache
def _line() -> _Line:
    os.register_at_fork(after_in_child=_line.cache_clear)  # the thread does not survive a fork
    return _Line()
