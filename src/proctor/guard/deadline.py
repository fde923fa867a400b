"""Asks gates and answers for each within its time, whatever it does. What waits too long is over capacity."""

from __future__ import annotations

import asyncio
import threading
import weakref
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial
from time import monotonic
from typing import Any, Final

from proctor.guard.capacity import OverCapacityError, QueueLimits
from proctor.guard.fast_dataclass import swift
from proctor.guard.worker import Batch, GateJob, Worker

__all__ = ["Answer", "Deadline", "GateTask"]

_LOOK_EVERY: Final = 0.1  # seconds between two looks of a caller that waits
_PATIENCE: Final = 0.2  # seconds that one gate may hold the thread without a pause
_SILENCE: Final = 1.0  # seconds without a sign of life, whoever holds it; many gates at once may take some
_LATE: Final = 0.05  # seconds; a look that comes later than this shows a busy machine, and proves nothing
_SHORTEST: Final = 0.001  # seconds of a wait
_GOODBYE: Final = 0.5  # seconds that a thread has to end


@dataclass(frozen=True, slots=True, kw_only=True)
class GateTask:
    """One gate to be asked: ``ask`` begins it, ``timeout`` is how many seconds of work it has once it has begun."""

    ask: Callable[[], Awaitable[Any]]
    timeout: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What came of a task: its value, or why there is none; and after how many seconds."""

    value: Any = None
    error: BaseException | None = None
    seconds: float = 0.0


_answer: Final = swift(Answer)


class Deadline:
    """Asks several at once, on a thread of its own, so that one that blocks its thread holds nobody up.

    A thread that one task holds, or that gives no sign of life, is left to itself, and a new one takes over with what
    can still be done. With ``most_stuck`` threads left to themselves no further one is started: what comes then is
    refused at once until one of them comes back. ``inline`` asks on the caller's own loop instead, which spares some
    hundredths of a millisecond and does not help against a gate that blocks its thread.

    The time of a task counts only while it works (``WorkClock``). ``limits`` bound the queue before that: when it is
    full, or a task waits for longer than that, its error is an ``OverCapacityError``.
    """

    def __init__(self, *, most_stuck: int = 4, inline: bool = False, limits: QueueLimits | None = None) -> None:
        self.inline, self._most_stuck = inline, most_stuck
        self.limits = limits or QueueLimits()
        self._waiting = self._busy = 0
        self._is_aside = False
        self._crowd: Callable[[], int] | None = None  # how many short steps wait, for the thread of long ones
        self._beside: Deadline | None = None  # for what takes long, so that what does not need not wait behind it
        self._lock = threading.Lock()
        self._workers: list[Worker] = []  # the last takes new work, the others are left to themselves
        self._started = 0
        weakref.finalize(self, _end, self._workers)

    @property
    def stuck(self) -> int:
        """How many threads are left to themselves and have not come back."""
        return self._left + (self._beside.stuck if self._beside else 0)

    @property
    def _left(self) -> int:
        return sum(worker.alive for worker in self._workers[:-1])

    @property
    def replaced(self) -> int:
        """How many threads had to be replaced so far."""
        return max(0, self._started - 1) + (self._beside.replaced if self._beside else 0)

    @property
    def waiting(self) -> int:
        """How many calls of ``answers`` are not answered yet."""
        return self._waiting + (self._beside.waiting if self._beside else 0)

    @property
    def busy(self) -> int:
        """How many calls were refused so far, in whole or in part, because the queue was full or too slow."""
        return self._busy + (self._beside.busy if self._beside else 0)

    async def answers(
        self, tasks: Sequence[GateTask], *, begun: float | None = None, long: bool = False
    ) -> list[Answer]:
        """One answer for each task, in their order; ``begun`` is when their step arrived.

        ``long`` tasks have a thread for themselves, another where one keeps it too long: no other task waits behind
        them. While many others wait, that thread works for a tenth of the time only.
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
            is_full = self._waiting >= self.limits.steps
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
        """Stop the threads that can be stopped; one that is stuck ends with the program."""
        with self._lock:
            _end(self._workers)
            for worker in self._workers:
                worker.join(_GOODBYE)
            self._workers.clear()
        if self._beside is not None:
            self._beside.close()

    def _aside(self) -> Deadline:
        with self._lock:
            if self._beside is None:
                self._beside = Deadline(most_stuck=self._most_stuck)
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
        """Until every job is done, out of time or too long in the queue; now and then a look whether work goes on."""
        lag = 0.0  # by how much the looks came late: no thread had its share of the machine meanwhile
        while left := [job for job in jobs if not job.done]:
            now, limit = monotonic(), self.limits.seconds
            pause = _LOOK_EVERY
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
            pause = max(pause, _SHORTEST)
            await batch.wait(pause)
            late = monotonic() - now - pause
            lag += max(0.0, late)
            for worker in {job.worker for job in left if not job.done and job.worker is not None}:
                worker.ping()
                # Long texts take their time: threads beside each other would only take the interpreter from the rest.
                held = worker.breathless if self._is_aside else worker.held
                if late < _LATE and (held > _PATIENCE or worker.silent > _SILENCE):
                    self._look_after(worker, left)

    def _look_after(self, worker: Worker, jobs: Sequence[GateJob]) -> None:
        """Have another thread take over. Where there is none, a job that has not begun is answered for in its time."""
        with self._lock:
            another = self._relieve(worker)
        if another is worker:
            silent = max(worker.held, worker.silent)
            for job in jobs:
                if job.worker is worker and job.clock is None and silent > job.timeout:
                    job.end(error=self._held_up())

    def _fit(self, seconds: float) -> Worker | None:
        """The thread that takes new work: none when all are stuck, and this one for as long as there is time."""
        last = self._workers[-1] if self._workers else None
        if last is None or not last.alive:
            return self._relieve(last)
        return last if self._left < self._most_stuck or last.silent < seconds else None

    def _relieve(self, worker: Worker | None) -> Worker | None:
        """Let another thread take over from one that is silent or gone, unless too many are left to themselves."""
        self._workers[:-1] = [each for each in self._workers[:-1] if each.alive]
        last = self._workers[-1] if self._workers else None
        if worker is not last or (last is not None and last.alive and self._left >= self._most_stuck):
            return last
        self._started += 1
        fresh = Worker(self._started, crowd=self._crowd)
        if last is not None and not last.alive:  # left behind by a fork: what it held is the parent's
            self._workers.clear()
        self._workers.append(fresh)
        if last is not None and last.alive and (rest := last.leave()):
            fresh.give(rest)
        return fresh


def _count_waiting(deadline: weakref.ref[Deadline]) -> int:
    """How many steps wait; a thread must not keep the deadline alive, which ends it when nobody has it any more."""
    made = deadline()
    return 0 if made is None else made._waiting


def _refuse(jobs: Sequence[GateJob], why: str) -> None:
    for job in jobs:
        job.end(error=OverCapacityError(why))


def _cancel(jobs: Sequence[GateJob]) -> None:
    """Nobody waits for what is still going on."""
    for job in jobs:
        job.end(error=TimeoutError("nobody waits for it"))  # what works on it sees that, and stops
        if job.worker is not None:
            if job in job.worker.jobs:
                job.worker.cancel(job)
        elif job.task is not None and not job.task.done():
            job.task.cancel()


def _end(workers: Sequence[Worker]) -> None:
    for worker in workers:
        worker.end()
