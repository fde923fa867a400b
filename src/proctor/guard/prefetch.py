"""Reads what tools said while the agent still writes its answer, so that the answer need not wait for it."""

from __future__ import annotations

import logging
import os
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from functools import cache, partial
from typing import Any, Final

__all__ = ["Errand", "begin", "readers"]

_log = logging.getLogger(__name__)
MOST: Final = 64  # errands that wait; of more the oldest is dropped, and whoever needs it does it himself


class Errand:
    """Work that nobody waits for: an iterator that does a little at each step. ``cancel`` ends it at the next."""

    __slots__ = ("_over", "_work")

    def __init__(self, work: Callable[[], Iterable[None]]) -> None:
        self._work: Callable[[], Iterable[None]] | None = work
        self._over = False

    def cancel(self) -> None:
        """Do no more of it: somebody does the rest himself."""
        self._over, self._work = True, None

    def perform(self) -> None:
        """Do it once, and let others have the interpreter between the steps; what it was about is let go."""
        work, self._work = self._work, None
        try:
            for _ in work() if work is not None else ():
                if self._over:
                    return
                time.sleep(0)
        except Exception:  # noqa: S110 - the same text is read again by the gate, which then says what is wrong
            pass


class _Line:
    """Errands in their order, done one after the other on a thread that holds up no program that ends."""

    def __init__(self) -> None:
        self._waiting: deque[Errand] = deque(maxlen=MOST)
        self._news, self._lock = threading.Event(), threading.Lock()
        self._thread: threading.Thread | None = None

    def put(self, errand: Errand) -> None:
        self._waiting.append(errand)
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
    except RuntimeError:  # no thread to be had: what waits is done by whoever needs it
        return None
    return made


def begin(work: Callable[[], Iterable[None]]) -> Errand:
    """Have this done soon, on another thread; never waits."""
    errand = Errand(work)
    _line().put(errand)
    return errand


def readers(gates: Iterable[Any]) -> list[Callable[[Any], Iterator[None]]]:
    """The method ``ahead`` of each gate that has one; one that fails does not keep the others from reading."""
    return [partial(_read, gate.ahead) for gate in gates if callable(getattr(type(gate), "ahead", None))]


def _read(ahead: Callable[[Any], Iterable[None]], step: Any) -> Iterator[None]:
    try:
        yield from ahead(step)
    except Exception as error:  # the gate reads the same text again when it is asked, and then reports what is wrong
        _log.debug("a gate cannot read ahead: %s", type(error).__name__)


@cache
def _line() -> _Line:
    os.register_at_fork(after_in_child=_line.cache_clear)  # its thread stays behind in the parent
    return _Line()
