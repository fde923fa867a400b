"""A thread with an event loop that runs gates, and the jobs it runs."""

from __future__ import annotations

import asyncio
import contextlib
import selectors
import threading
import time
import types
from collections.abc import Awaitable, Callable, Coroutine, Generator, Sequence
from time import monotonic
from typing import Any, Final

from proctor.core.work_clock import CURRENT_CLOCK, WorkClock
from proctor.text.chunked_regex import works_for

__all__ = ["Batch", "GateJob", "Worker"]

_STRETCH: Final = 0.002  # seconds of work after which a long job pauses while others wait
_MAX_REST_FACTOR: Final = 9  # pause as a multiple of the work: with many others waiting it gets a tenth of the time
_LONGEST_PAUSE: Final = 0.05  # seconds


class Batch:
    """The jobs of one caller, which is woken once, when all of them are done.

    ``here`` means that they run on the caller's own thread.
    """

    __slots__ = ("_here", "_left", "_lock", "_loop", "_over", "_waiter")

    def __init__(self, loop: asyncio.AbstractEventLoop, size: int, *, here: bool = False) -> None:
        self._lock, self._loop, self._left, self._here = threading.Lock(), loop, size, here
        self._over = False
        self._waiter: asyncio.Future[None] | None = None

    async def wait(self, seconds: float) -> None:
        """Wait until all are done, at most this many seconds."""
        if self._over:
            return
        # Done by hand: asyncio.wait takes three times as long to set up.
        self._waiter = self._loop.create_future()
        look = self._loop.call_later(seconds, self._rouse)
        try:
            await self._waiter
        finally:
            look.cancel()

    def end(self, job: GateJob, value: Any, error: BaseException | None) -> None:
        """Store the first answer of a job; later ones are ignored."""
        with self._lock:
            if job.done:
                return
            job.value, job.error, job.ended, job.done = value, error, monotonic(), True
            self._left -= 1
            last = self._left == 0
        if last and self._here:
            self._wake()
        elif last:
            with contextlib.suppress(RuntimeError):  # the caller's loop is closed
                self._loop.call_soon_threadsafe(self._wake)

    def _wake(self) -> None:
        self._over = True
        self._rouse()

    def _rouse(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)


class GateJob:
    """One gate check and its result; ``task`` is set if it runs on the caller's loop.

    ``timeout`` limits its seconds of work; ``clock`` is set once it has started.
    """

    __slots__ = ("ask", "batch", "breathed", "clock", "done", "ended", "error", "task", "timeout", "value", "worker")

    def __init__(self, ask: Callable[[], Awaitable[Any]], timeout: float, batch: Batch) -> None:
        self.ask, self.timeout, self.batch = ask, timeout, batch
        self.clock: WorkClock | None = None
        self.done = False
        self.breathed = 0.0
        self.value: Any = None
        self.error: BaseException | None = None
        self.ended = 0.0
        self.task: asyncio.Task[None] | None = None
        self.worker: Worker | None = None

    @property
    def spent(self) -> float:
        """Seconds of work so far."""
        return 0.0 if self.clock is None else self.clock.spent

    def end(self, value: Any = None, error: BaseException | None = None) -> None:
        """Settle the job, unless it is already settled."""
        self.batch.end(self, value, error)

    async def perform(self, worker: Worker | None) -> None:
        """Run the gate and settle the job with the result or the error."""
        clock = self.clock = WorkClock(owner=self) if worker is None else WorkClock(worker.idle, owner=self)
        CURRENT_CLOCK.set(clock)  # in the context of this task and of those that it starts
        try:
            self.end(await _stepped(self, worker, clock))
        except asyncio.CancelledError:
            if self.worker is worker:  # otherwise another worker has taken it over
                self.end(error=TimeoutError("it was cancelled"))
        except BaseException as error:  # a gate may raise anything, even SystemExit
            self.end(error=error)
        finally:
            if worker is not None:
                worker.left(self)


@types.coroutine
def _stepped(job: GateJob, worker: Worker | None, clock: WorkClock) -> Generator[Any, Any, Any]:
    """Run the job's coroutine and track when it holds the thread."""
    held: Any = None
    thrown: BaseException | None = None
    steps: Any = None
    while True:
        clock.hold()
        if worker is not None:
            worker.hold(job)
            works_for(
                job, worker.give_way
            )  # only while it holds the thread: a task that it starts also works for others
        try:
            if steps is None:
                steps = job.ask().__await__()
            waits = steps.send(held) if thrown is None else steps.throw(thrown)
        except StopIteration as ended:
            return ended.value
        finally:
            clock.rest()
            if worker is not None:
                worker.rest()
                works_for(None)
        held = thrown = None
        try:
            held = yield waits
        except BaseException as error:
            thrown = error


@types.coroutine
def _counted(work: Coroutine[Any, Any, Any], worker: Worker) -> Generator[Any, Any, Any]:
    """Run a task that a job started, counting its work as the job's."""
    clock = CURRENT_CLOCK.get()
    held: Any = None
    thrown: BaseException | None = None
    while True:
        if clock is not None:
            clock.hold()
            worker.hold(clock.owner)
        try:
            waits = work.send(held) if thrown is None else work.throw(thrown)
        except StopIteration as ended:
            return ended.value
        finally:
            if clock is not None:
                clock.rest()
                worker.rest()
        held = thrown = None
        try:
            held = yield waits
        except BaseException as error:
            thrown = error


async def _task(work: Coroutine[Any, Any, Any], worker: Worker) -> Any:
    return await _counted(work, worker)


class _IdleSelector(selectors.DefaultSelector):
    """Measures how long its event loop is idle."""

    def __init__(self) -> None:
        super().__init__()
        self._state: tuple[float, float | None] = (0.0, None)  # total, start of the current period

    @property
    def idle(self) -> float:
        """Idle seconds so far; safe to read from any thread."""
        so_far, since = self._state
        return so_far if since is None else so_far + monotonic() - since

    def select(self, timeout: float | None = None) -> Any:
        """Wait for events."""
        so_far, begun = self._state[0], monotonic()
        self._state = (so_far, begun)
        try:
            return super().select(timeout)
        finally:
            self._state = (so_far + monotonic() - begun, None)


class Worker:
    """A daemon thread with its own event loop. ``busy`` is the job that holds the thread now, and since when.

    ``crowd`` returns how many others wait elsewhere: the more there are, the more long work here pauses, so that they
    get the interpreter.
    """

    def __init__(self, number: int, *, crowd: Callable[[], int] | None = None) -> None:
        self._crowd = crowd
        self._paused = 0.0  # when the last pause ended
        self._selector = _IdleSelector()
        self.loop = asyncio.SelectorEventLoop(self._selector)
        self.loop.set_task_factory(self._started)
        self.loop.set_exception_handler(lambda loop, context: None)  # ignore errors in a gate's stray tasks
        self.busy: tuple[GateJob, float] | None = None
        self.jobs: dict[GateJob, asyncio.Task[None] | None] = {}  # with its task, once started
        self._asked: float | None = None
        self._moved = 0.0  # when a job last took or released the thread
        self._leaving = self._over = False
        self._thread = threading.Thread(target=self._live, name=f"proctor-guard-{number}", daemon=True)
        self._thread.start()

    @property
    def alive(self) -> bool:
        """Whether the thread is running."""
        return self._thread.is_alive()

    @property
    def silent(self) -> float:
        """Seconds since a sign of life was requested; switching between jobs counts as one."""
        asked, busy = self._asked, self.busy
        moved = self._moved if busy is None else max(self._moved, busy[0].breathed)
        return 0.0 if asked is None else monotonic() - max(asked, moved)

    @property
    def held(self) -> float:
        """Seconds for which one job has held the thread without a pause."""
        busy = self.busy
        return 0.0 if busy is None else monotonic() - busy[1]

    @property
    def breathless(self) -> float:
        """The same, but a break between two pieces of work counts as a pause."""
        busy = self.busy
        return 0.0 if busy is None else monotonic() - max(busy[1], busy[0].breathed)

    def idle(self) -> float:
        """Return how many seconds the thread was idle so far."""
        return self._selector.idle

    def hold(self, job: GateJob) -> None:
        """Mark the thread as held by a job."""
        self._moved = monotonic()
        self.busy = (job, self._moved)

    def rest(self) -> None:
        """Mark the thread as free."""
        self.busy, self._moved = None, monotonic()

    def give_way(self) -> None:
        """Pause between two pieces of a job while short steps wait; the pause does not count as the job's work."""
        busy, now = self.busy, monotonic()
        if self._crowd is None or busy is None:
            return
        worked = now - max(busy[1], self._paused)
        if worked < _STRETCH or not (crowd := self._crowd()):
            return
        pause, clock = min(min(crowd, _MAX_REST_FACTOR) * worked, _LONGEST_PAUSE), busy[0].clock
        if clock is not None:
            clock.excuse(pause)  # before the pause, so that it is not counted as work meanwhile
        time.sleep(pause)
        self._paused = monotonic()
        if clock is not None:
            clock.excuse(self._paused - now - pause)

    def give(self, jobs: Sequence[GateJob]) -> None:
        """Queue jobs; taking them counts as a sign of life."""
        for job in jobs:
            job.worker, self.jobs[job] = self, None
        self._asked = self._asked or monotonic()
        self.loop.call_soon_threadsafe(self._take, jobs)

    def ping(self) -> None:
        """Request a sign of life, unless a request is pending."""
        if self._asked is None:
            self._asked = monotonic()
            self._tell(self._heard)

    def cancel(self, job: GateJob) -> None:
        """Cancel a job that timed out."""
        self._tell(lambda: self._stop(job))

    def leave(self) -> list[GateJob]:
        """Accept no further work; the thread ends after its current jobs.

        Returns:
            The jobs that another worker can do: all but the one that holds the thread. If none is known to hold it,
            only those that have not started.
        """
        holds, self._leaving = self.busy, True
        busy = None if holds is None else holds[0]
        self._tell(self._settle)
        held = list(self.jobs.items())
        return [job for job, task in held if not job.done and job is not busy and (busy is not None or task is None)]

    def end(self) -> None:
        """Stop as soon as the thread is free."""
        self._over = True
        self._tell(self.loop.stop)

    def join(self, seconds: float) -> None:
        """Wait for the thread to end, at most this many seconds."""
        if threading.current_thread() is not self._thread:
            self._thread.join(seconds)

    def left(self, job: GateJob) -> None:
        """Remove a finished job."""
        self.jobs.pop(job, None)
        if self._leaving and not self.jobs:
            self.end()

    def _take(self, jobs: Sequence[GateJob]) -> None:
        self._asked = None
        for job in jobs:
            if job.done or job.worker is not self:
                self.left(job)
            else:
                self.jobs[job] = asyncio.Task(job.perform(self), loop=self.loop)

    def _started(self, loop: asyncio.AbstractEventLoop, work: Any, **settings: Any) -> asyncio.Task[Any]:
        """Create tasks for the loop: tasks that a job starts count as its own work."""
        return asyncio.Task(_task(work, self) if asyncio.iscoroutine(work) else work, loop=loop, **settings)

    def _heard(self) -> None:
        self._asked = None

    def _stop(self, job: GateJob) -> None:
        self._asked = None
        if (task := self.jobs.get(job)) is not None:
            task.cancel()

    def _settle(self) -> None:
        self._asked = None
        for job, task in list(self.jobs.items()):
            if task is None:
                del self.jobs[job]
            elif job.done or job.worker is not self:
                task.cancel()
        if not self.jobs:
            self.end()

    def _tell(self, what: Callable[[], Any]) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed: the thread has ended
            self.loop.call_soon_threadsafe(what)

    def _live(self) -> None:
        try:
            while not self._over:
                with contextlib.suppress(BaseException):  # a stray task that raises SystemExit must not end the thread
                    self.loop.run_forever()
        finally:
            with contextlib.suppress(BaseException):
                for task in asyncio.all_tasks(self.loop):
                    task.cancel()
                self.loop.run_until_complete(asyncio.sleep(0))
            self.loop.close()
