"""Run gates and answer for each within its timeout, even if it blocks. A long wait in the queue is over capacity."""

from __future__ import annotations

import asyncio
import math
import threading
import weakref
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial
from time import monotonic
from typing import Any, Final

from proctor.core.fast_dataclass import fast_constructor
from proctor.guard.capacity import OverCapacityError, QueueLimits
from proctor.guard.worker import Batch, GateJob, Worker

__all__ = ["Answer", "Deadline", "GateTask"]

_POLL_SECONDS: Final = 0.1  # how often a waiting caller checks on the thread
_MAX_HELD_SECONDS: Final = 0.2  # how long one gate may hold the thread without a pause
_MAX_SILENT_SECONDS: Final = 1.0  # without a sign of life from the thread; many gates at once may take a while
_LATE_SECONDS: Final = 0.05  # a check that comes later than this shows a busy machine and proves nothing
_MIN_WAIT_SECONDS: Final = 0.001
_JOIN_SECONDS: Final = 0.5  # how long to wait for a thread to end


@dataclass(frozen=True, slots=True, kw_only=True)
class GateTask:
    """One gate to run: ``ask`` starts it, ``timeout`` is its working time in seconds once it has started."""

    ask: Callable[[], Awaitable[Any]]
    timeout: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The result of a task: its value or its error, and the seconds it took."""

    value: Any = None
    error: BaseException | None = None
    seconds: float = 0.0


_answer: Final = fast_constructor(Answer)


class Deadline:
    """Runs several gates concurrently on a separate thread, so that a blocking gate holds up no caller.

    A thread that is held by one task, or gives no sign of life, is abandoned, and a new one takes over the remaining
    work. Once ``most_stuck`` threads are abandoned, no further one is started and new tasks are refused until one of
    them returns. ``inline`` runs the gates on the caller's own loop, which saves some hundredths of a millisecond but
    gives no protection against a gate that blocks its thread.

    The timeout of a task counts only while it works (``WorkClock``). ``limits`` bound the queue before that: when the
    queue is full, or a task waits too long in it, its error is an ``OverCapacityError``. A ``patient`` one has no such
    limits: its callers bound how many steps there are at once, and how long each may take.
    """

    def __init__(
        self,
        *,
        most_stuck: int = 4,
        inline: bool = False,
        patient: bool = False,
        limits: QueueLimits | None = None,
    ) -> None:
        self.inline, self._most_stuck, self._patient = inline, most_stuck, patient
        self.limits = limits or QueueLimits()
        self._waiting = self._busy = 0
        self._is_aside = False
        self._crowd: Callable[[], int] | None = None  # how many short steps wait, for the thread of long ones
        self._beside: Deadline | None = None  # for long steps, so that short ones do not wait behind them
        self._lock = threading.Lock()
        self._workers: list[Worker] = []  # the last takes new work, the others are abandoned
        self._started = 0
        weakref.finalize(self, _end, self._workers)

    @property
    def stuck(self) -> int:
        """How many threads are abandoned and have not returned."""
        return self._left + (self._beside.stuck if self._beside else 0)

    @property
    def _left(self) -> int:
        return sum(worker.alive for worker in self._workers[:-1])

    @property
    def replaced(self) -> int:
        """How many threads were replaced so far."""
        return max(0, self._started - 1) + (self._beside.replaced if self._beside else 0)

    @property
    def waiting(self) -> int:
        """How many calls of ``answers`` are pending."""
        return self._waiting + (self._beside.waiting if self._beside else 0)

    @property
    def busy(self) -> int:
        """How many calls were refused so far, fully or partly, because the queue was full or too slow."""
        return self._busy + (self._beside.busy if self._beside else 0)

    async def answers(
        self, tasks: Sequence[GateTask], *, begun: float | None = None, long: bool = False
    ) -> list[Answer]:
        """Return one answer per task, in order; ``begun`` is when their step arrived.

        ``long`` tasks run on a separate thread, so that no other task waits behind them. While many others wait, that
        thread works only a tenth of the time.
        """
        if not tasks:
            return []
        begun = monotonic() if begun is None else begun
        if long and not self.inline:
            return await self._aside().answers(tasks, begun=begun)
        loop = asyncio.get_running_loop()
        batch = Batch(loop, len(tasks), here=self.inline)
        jobs = [GateJob(task.ask, task.timeout, batch) for task in tasks]
        with self._lock:
            is_full = not self._patient and self._waiting >= self.limits.steps
            self._waiting += 1
        try:
            if is_full:
                _refuse(jobs, f"{self.limits.steps:,} steps wait already")
            else:
                self._begin(jobs, loop)
                await self._wait(jobs, batch, begun)
        finally:
            with self._lock:
                self._waiting -= 1
                self._busy += any(isinstance(job.error, OverCapacityError) for job in jobs)
            _cancel(jobs)
        return [_answer(value=job.value, error=job.error, seconds=job.ended - begun) for job in jobs]

    def close(self) -> None:
        """Stop the threads that can be stopped; a stuck one ends with the program."""
        with self._lock:
            _end(self._workers)
            for worker in self._workers:
                worker.join(_JOIN_SECONDS)
            self._workers.clear()
        if self._beside is not None:
            self._beside.close()

    def _aside(self) -> Deadline:
        with self._lock:
            if self._beside is None:
                self._beside = Deadline(most_stuck=self._most_stuck, patient=self._patient)
                self._beside._is_aside = True
                self._beside._crowd = partial(_count_waiting, weakref.ref(self))
            self._beside.limits = self.limits
            return self._beside

    def _begin(self, jobs: Sequence[GateJob], loop: asyncio.AbstractEventLoop) -> None:
        if self.inline:
            for job in jobs:
                job.task = loop.create_task(job.perform(None))
            return
        with self._lock:
            worker = self._fit(max(job.timeout for job in jobs))
            if worker is not None:
                worker.give(jobs)
                return
        for job in jobs:
            job.end(error=self._held_up())

    def _held_up(self) -> RuntimeError:
        return RuntimeError(f"{self._left + 1} threads are held up by gates that do not come back")

    async def _wait(self, jobs: Sequence[GateJob], batch: Batch, begun: float) -> None:
        """Wait until every job is done, timed out or too long in the queue; check regularly on the thread."""
        lag = 0.0  # how late the checks came: no thread had its share of the machine meanwhile
        while left := [job for job in jobs if not job.done]:
            now, limit = monotonic(), math.inf if self._patient else self.limits.seconds
            pause = _POLL_SECONDS
            for job in left:
                spent = job.spent
                waited = now - begun - spent
                if spent - lag >= job.timeout:
                    job.end(error=TimeoutError("no answer in time"))
                elif waited >= limit:
                    _refuse([job], f"it waited for more than {limit:g} s")
                pause = min(pause, job.timeout + lag - spent, limit - waited)
            if all(job.done for job in left):
                continue
            pause = max(pause, _MIN_WAIT_SECONDS)
            await batch.wait(pause)
            late = monotonic() - now - pause
            lag += max(0.0, late)
            for worker in {job.worker for job in left if not job.done and job.worker is not None}:
                worker.ping()
                # Long texts take time; further threads would only compete for the interpreter lock.
                held = worker.breathless if self._is_aside else worker.held
                if late < _LATE_SECONDS and (held > _MAX_HELD_SECONDS or worker.silent > _MAX_SILENT_SECONDS):
                    self._look_after(worker, left)

    def _look_after(self, worker: Worker, jobs: Sequence[GateJob]) -> None:
        """Have another thread take over. If none can, fail the jobs that have not started and are out of time."""
        with self._lock:
            another = self._relieve(worker)
        if another is worker:
            silent = max(worker.held, worker.silent)
            for job in jobs:
                if job.worker is worker and job.clock is None and silent > job.timeout:
                    job.end(error=self._held_up())

    def _fit(self, seconds: float) -> Worker | None:
        """Return the thread for new work; None if all are stuck and this one has been silent for ``seconds``."""
        last = self._workers[-1] if self._workers else None
        if last is None or not last.alive:
            return self._relieve(last)
        return last if self._left < self._most_stuck or last.silent < seconds else None

    def _relieve(self, worker: Worker | None) -> Worker | None:
        """Replace a silent or dead thread, unless too many are already abandoned."""
        self._workers[:-1] = [each for each in self._workers[:-1] if each.alive]
        last = self._workers[-1] if self._workers else None
        if worker is not last or (last is not None and last.alive and self._left >= self._most_stuck):
            return last
        self._started += 1
        fresh = Worker(self._started, crowd=self._crowd)
        if last is not None and not last.alive:  # left over from a fork: its jobs belong to the parent
            self._workers.clear()
        self._workers.append(fresh)
        if last is not None and last.alive and (rest := last.leave()):
            fresh.give(rest)
        return fresh


def _count_waiting(deadline: weakref.ref[Deadline]) -> int:
    """Return how many steps wait. The weak reference lets the deadline be collected, which ends its threads."""
    made = deadline()
    return 0 if made is None else made._waiting


def _refuse(jobs: Sequence[GateJob], why: str) -> None:
    for job in jobs:
        job.end(error=OverCapacityError(why))


def _cancel(jobs: Sequence[GateJob]) -> None:
    """Cancel the jobs that are still running."""
    for job in jobs:
        job.end(error=TimeoutError("nobody waits for it"))  # the worker sees this and stops
        if job.worker is not None:
            if job in job.worker.jobs:
                job.worker.cancel(job)
        elif job.task is not None and not job.task.done():
            job.task.cancel()


def _end(workers: Sequence[Worker]) -> None:
    for worker in workers:
        worker.end()
