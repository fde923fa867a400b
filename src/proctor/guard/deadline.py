"""Asks gates and answers for each within its time, whatever it does."""

from __future__ import annotations

import asyncio
import threading
import weakref
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from time import monotonic
from typing import Any, Final

from proctor.guard.swift import swift
from proctor.guard.worker import Batch, Job, Worker

__all__ = ["Answer", "Deadline", "Task"]

_LOOK_EVERY: Final = 0.1  # seconds between two looks of a caller that waits
_PATIENCE: Final = 0.2  # seconds that one gate may hold the thread without a pause
_SILENCE: Final = 1.0  # seconds without a sign of life, whoever holds it; many gates at once may take some
_LATE: Final = 0.05  # seconds; a look that comes later than this shows a busy machine, and proves nothing
_GOODBYE: Final = 0.5  # seconds that a thread has to end


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One gate to be asked: ``ask`` begins it, ``timeout`` is how many seconds it has."""

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
    """

    def __init__(self, *, most_stuck: int = 4, inline: bool = False) -> None:
        self.inline, self._most_stuck = inline, most_stuck
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

    async def answers(self, tasks: Sequence[Task], *, begun: float | None = None, long: bool = False) -> list[Answer]:
        """One answer for each task, in their order; the time of all counts from ``begun``.

        ``long`` tasks have a thread for themselves, another where one keeps it too long: no other task waits behind
        them.
        """
        if not tasks:
            return []
        begun = monotonic() if begun is None else begun
        if long and not self.inline:
            return await self._aside().answers(tasks, begun=begun)
        loop = asyncio.get_running_loop()
        batch = Batch(loop, len(tasks), here=self.inline)
        jobs = [Job(task.ask, begun + task.timeout, batch) for task in tasks]
        try:
            self._begin(jobs, loop)
            await self._wait(jobs, batch)
        finally:
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
            return self._beside

    def _begin(self, jobs: Sequence[Job], loop: asyncio.AbstractEventLoop) -> None:
        if self.inline:
            for job in jobs:
                job.task = loop.create_task(job.perform(None))
            return
        with self._lock:
            worker = self._fit(max(job.due for job in jobs) - monotonic())
            if worker is not None:
                worker.give(jobs)
                return
        for job in jobs:
            job.end(error=RuntimeError(f"{self._left + 1} threads are held up by gates that do not come back"))

    async def _wait(self, jobs: Sequence[Job], batch: Batch) -> None:
        """Until every job is done or out of time; now and then with a look whether anybody is still at work."""
        while left := [job for job in jobs if not job.done]:
            now = monotonic()
            if over := [job for job in left if job.due <= now]:
                for job in over:
                    job.end(error=TimeoutError("no answer in time"))
                continue
            pause = min(min(job.due for job in left) - now, _LOOK_EVERY)
            await batch.wait(pause)
            late = monotonic() - now - pause
            for worker in {job.worker for job in left if not job.done and job.worker is not None}:
                worker.ping()
                if late < _LATE and (worker.held > _PATIENCE or worker.silent > _SILENCE):
                    with self._lock:
                        self._relieve(worker)

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
        fresh = Worker(self._started)
        if last is not None and not last.alive:  # left behind by a fork: what it held is the parent's
            self._workers.clear()
        self._workers.append(fresh)
        if last is not None and last.alive and (rest := last.leave()):
            fresh.give(rest)
        return fresh


def _cancel(jobs: Sequence[Job]) -> None:
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
