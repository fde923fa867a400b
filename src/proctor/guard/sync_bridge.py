"""Run coroutines for synchronous code, on a thread with an event loop."""

from __future__ import annotations

import asyncio
import threading
import weakref
from collections.abc import Coroutine
from typing import Any, TypeVar

__all__ = ["SyncBridge"]

Result = TypeVar("Result")


class SyncBridge:
    """Runs coroutines for synchronous code, from any thread. Its own thread starts on first use."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loops: list[asyncio.AbstractEventLoop] = []
        self._thread: threading.Thread | None = None
        weakref.finalize(self, _stop, self._loops)

    def run(self, work: Coroutine[Any, Any, Result]) -> Result:
        """Run the coroutine and return its result.

        Raises:
            RuntimeError: called on the bridge's own thread, which would deadlock.
        """
        if threading.current_thread() is self._thread:
            work.close()
            raise RuntimeError("this runs on the guard's own thread already: use the async form here, with await")
        waiting = asyncio.run_coroutine_threadsafe(work, self._open())
        try:
            return waiting.result()
        except BaseException:
            waiting.cancel()  # Ctrl-C ends only the wait: cancel the work too
            raise

    def close(self) -> None:
        """Stop the thread; a later ``run`` starts another."""
        with self._lock:
            _stop(self._loops)
            thread, self._thread = self._thread, None
            self._loops.clear()
        if thread is not None and thread is not threading.current_thread():
            thread.join(1.0)

    def _open(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._thread is None or not self._thread.is_alive():  # never started, or lost in a fork
                loop = asyncio.new_event_loop()
                self._loops[:] = [loop]
                self._thread = threading.Thread(target=_live, args=(loop,), name="proctor-guard-door", daemon=True)
                self._thread.start()
            return self._loops[0]


def _live(loop: asyncio.AbstractEventLoop) -> None:
    try:
        loop.run_forever()
        for task in asyncio.all_tasks(loop):
            task.cancel()
        loop.run_until_complete(asyncio.sleep(0))
    finally:
        loop.close()


def _stop(loops: list[asyncio.AbstractEventLoop]) -> None:
    for loop in loops:
        if not loop.is_closed():
            loop.call_soon_threadsafe(loop.stop)
