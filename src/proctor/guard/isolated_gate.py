"""Run a gate in a separate process, which is killed when the gate times out.

Code that holds the interpreter lock cannot be stopped by a thread or a task of the same process.
"""

from __future__ import annotations

import asyncio
import dataclasses
import io
import os
import pickle
import queue
import subprocess
import sys
import threading
import weakref
from contextlib import nullcontext, suppress
from typing import IO, Any, Final, cast

from proctor.core.verdict import Verdict
from proctor.core.work_clock import CURRENT_CLOCK, WorkClock
from proctor.guard.isolated_child import read_frame, write_frame
from proctor.guard.step import Step

__all__ = ["IsolatedGate"]

_FIELDS: Final = tuple(each.name for each in dataclasses.fields(Step))
_ALLOWED: Final = frozenset(
    {("proctor.core.verdict", "Verdict"), ("proctor.core.verdict", "Finding"), ("proctor.core.verdict", "Edit")}
)


class IsolatedGate:
    """A gate whose checks run in another process, one at a time.

    The process starts with the first check. It is killed when a check is cancelled, and restarted for the next.
    Neither the start nor the time in the queue counts towards the gate's timeout.
    """

    def __init__(self, gate: Any, *, seconds: float) -> None:
        """Prepare the gate; ``seconds`` is its timeout.

        Raises:
            ValueError: the gate cannot be pickled.
        """
        self.name, self.version, self.points = str(gate.name), str(gate.version), tuple(gate.points)
        try:
            self._data = pickle.dumps((list(sys.path), pickle.dumps(gate)))
        except Exception as error:
            raise ValueError(f"the gate cannot be sent to another process ({type(error).__name__}: {error})") from None
        self._seconds = seconds
        self._pid = 0
        self._process: _GateProcess | None = None
        self._lock = threading.Lock()

    async def check(self, step: Step) -> Verdict:
        """Check the step in the other process.

        Raises:
            RuntimeError: the gate raised, or its process ended.
        """
        fields = {name: getattr(step, name) for name in _FIELDS}
        request = _Request(pickle.dumps((self._seconds, fields)), CURRENT_CLOCK.get())
        process = self._started()
        process.requests.put(request)
        try:
            with request.clock.queued() if request.clock is not None else nullcontext():
                return await request.future
        except asyncio.CancelledError:
            process.give_up(request)
            raise

    def close(self) -> None:
        """Kill the process."""
        with self._lock:
            if self._process is not None:
                self._process.close()
                self._process = None

    def _started(self) -> _GateProcess:
        with self._lock:
            if self._process is None or self._pid != os.getpid():  # after a fork the thread belongs to the parent
                self._process, self._pid = _GateProcess(self._data), os.getpid()
                weakref.finalize(self, self._process.close)
            return self._process


class _Request:
    """One step to check, and the future of its caller."""

    def __init__(self, data: bytes, clock: WorkClock | None) -> None:
        self.data, self.clock, self.is_over = data, clock, False
        self._loop = asyncio.get_running_loop()
        self.future: asyncio.Future[Verdict] = self._loop.create_future()

    def begin(self) -> None:
        """Start the clock of the gate's work."""
        if self.clock is not None:
            self.clock.begin_share(self, 1.0)

    def end(self, answer: tuple[str, Any]) -> None:
        """Pass the answer to the caller."""
        if self.clock is not None:
            self.clock.end_share(self)
        with suppress(RuntimeError):  # the loop is closed, so there is no caller
            self._loop.call_soon_threadsafe(self._settle, answer)

    def _settle(self, answer: tuple[str, Any]) -> None:
        if self.future.done():
            return
        kind, value = answer
        if kind == "verdict":
            self.future.set_result(value)
        else:
            self.future.set_exception(RuntimeError(str(value)[:300]))


class _GateProcess:
    """The process of one gate, and the thread that communicates with it."""

    def __init__(self, data: bytes) -> None:
        self.requests: queue.SimpleQueue[_Request | None] = queue.SimpleQueue()
        self._data = data
        self._child: subprocess.Popen[bytes] | None = None
        self._current: _Request | None = None
        self._is_closed = False
        self._lock = threading.Lock()
        threading.Thread(target=self._work, name="proctor-isolated", daemon=True).start()

    def give_up(self, request: _Request) -> None:
        """Cancel this request; if it is running, kill its process."""
        with self._lock:
            request.is_over = True
            if self._current is request and self._child is not None:
                self._child.kill()

    def close(self) -> None:
        """Stop the process and the thread."""
        with self._lock:
            self._is_closed = True
            if self._child is not None:
                self._child.kill()
        self.requests.put(None)

    def _work(self) -> None:
        while (request := self.requests.get()) is not None:
            with self._lock:
                if request.is_over:
                    continue
                self._current = request
            try:
                answer = self._asked(request)
            except Exception as error:  # a broken pipe, or a process that could not be started
                answer = ("error", f"{type(error).__name__}: {error}")
            with self._lock:
                self._current = None
                self._drop_if_over(request)
            request.end(answer)
        with self._lock:
            self._drop()

    def _asked(self, request: _Request) -> tuple[str, Any]:
        child = self._running()
        request.begin()
        write_frame(cast("IO[bytes]", child.stdin), request.data)
        return self._answer(child)

    def _running(self) -> subprocess.Popen[bytes]:
        with self._lock:
            child = self._child
            if child is not None and child.poll() is None:
                return child
            self._drop()
            command = [sys.executable, "-m", "proctor.guard.isolated_child"]
            child = self._child = subprocess.Popen(  # noqa: S603 - our own interpreter and our own module
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE
            )
            if self._is_closed or (self._current is not None and self._current.is_over):
                child.kill()
        write_frame(cast("IO[bytes]", child.stdin), self._data)
        kind, said = self._answer(child)
        if kind != "ready":
            with self._lock:
                self._drop()
            raise RuntimeError(f"its process did not start: {said}")
        return child

    def _answer(self, child: subprocess.Popen[bytes]) -> tuple[str, Any]:
        data = read_frame(cast("IO[bytes]", child.stdout))
        if data is None:
            code = child.wait()
            return "error", f"its process ended with {code}"
        kind, value = _Verdicts(io.BytesIO(data)).load()
        return kind, value

    def _drop_if_over(self, request: _Request) -> None:
        if request.is_over:  # it may have been killed at any moment: the next check gets a new process
            self._drop()

    def _drop(self) -> None:
        child, self._child = self._child, None
        if child is not None:
            child.kill()
            for stream in (child.stdin, child.stdout):
                if stream is not None:
                    with suppress(OSError):
                        stream.close()
            child.wait()


class _Verdicts(pickle.Unpickler):
    """Unpickles verdicts only: a gate's answer must not run code here."""

    def find_class(self, module: str, name: str) -> Any:
        """Return the class if it is part of a verdict."""
        if (module, name) not in _ALLOWED:
            raise ValueError(f"its verdict holds {module}.{name}, which cannot be taken from another process")
        return super().find_class(module, name)
