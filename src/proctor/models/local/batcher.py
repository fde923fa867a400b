"""Batch the items of concurrent callers into one network call off the event loop, and cache the answers."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections import OrderedDict, deque
from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import Context
from functools import cache, partial
from threading import Lock
from time import monotonic
from typing import Generic, TypeVar, cast
from weakref import WeakKeyDictionary

from proctor.core.fork_lock import ForkLock
from proctor.core.work_clock import CURRENT_CLOCK, WorkClock, processor_clock

__all__ = ["LARGE_MOST", "MOST", "SECOND_MOST", "Batcher", "inference_executor"]

MOST = 64  # items of one batch
SECOND_MOST = 8  # … where the multilingual network reads each for a tenth of a second: others wait for their turn
LARGE_MOST = 1  # … where the large network reads each, for up to seconds
FEW = 2  # concurrent items that may share two threads, as those of one message; more are queued on one
BATCH_LETTERS = 30_000  # per batch: about a second of work, after which others get their turn
LONG_LETTERS = 4_000  # longer items have a separate queue, so that no short one waits behind them
INLINE, INLINE_LETTERS = 4, 1000  # items per call, and characters per item, that are settled on the event loop

Item = TypeVar("Item", bound=Hashable)
Answer = TypeVar("Answer")


class _Question(Generic[Answer]):
    """A pending item, and the clocks of its callers.

    Waiting for a batch does not count as their work. While the batch is computed, its time counts by the item's share:
    ``share`` is then set, and ``_seconds`` measures the CPU seconds of the computing thread.
    """

    __slots__ = ("_clocks", "_seconds", "callers", "future", "share")

    def __init__(self, future: asyncio.Future[Answer]) -> None:
        self.future, self.share = future, 0.0
        self.callers = 0  # that wait for it now
        self._clocks: list[WorkClock] = []
        self._seconds: Callable[[], float] = monotonic

    def join(self, clock: WorkClock | None) -> None:
        """Add a caller."""
        if clock is not None and not self.future.done():
            self._clocks.append(clock)
            if self.share:
                clock.begin_share(self, self.share, self._seconds)

    def begin(self, share: float, seconds: Callable[[], float]) -> None:
        """Start counting: it is computed from now on, on another thread."""
        self._seconds, self.share = seconds, share
        for clock in tuple(self._clocks):
            clock.begin_share(self, share, seconds)

    def end(self) -> None:
        """Stop counting."""
        for clock in tuple(self._clocks):
            clock.end_share(self)


class _Lane(Generic[Item]):
    """A queue of items for batches, and the task that takes them."""

    __slots__ = ("is_long", "waiting", "worker")

    def __init__(self, *, is_long: bool) -> None:
        self.is_long = is_long
        self.waiting: deque[Item] = deque()
        self.worker: asyncio.Task[None] | None = None


class _Line(Generic[Item, Answer]):
    """The pending items of one event loop."""

    def __init__(self) -> None:
        self.asked: dict[Item, _Question[Answer]] = {}  # until it is answered
        self.lanes: tuple[_Lane[Item], _Lane[Item]] = (_Lane(is_long=False), _Lane(is_long=True))


class Batcher(Generic[Item, Answer]):
    """Answers items (texts, pairs of texts) through ``compute``, which takes many at once.

    Items that arrive while a batch is computed form the next batch, without those whose callers are all gone. Equal
    items are computed once, and answers are cached: at most ``keep``, of at most ``letters`` characters in all.
    ``settle`` answers an item if little work decides it, or returns ``None``; a short item that it settles stays on
    the event loop.
    """

    def __init__(
        self,
        compute: Callable[[Sequence[Item]], Sequence[Answer]],
        *,
        most: int = MOST,
        keep: int = 4096,
        letters: int = 1_000_000,
        settle: Callable[[Item], Answer | None] | None = None,
    ) -> None:
        self._compute, self._most, self._keep, self._letters = compute, most, keep, letters
        self._settle = settle
        self._known: OrderedDict[Item, Answer] = OrderedDict()
        self._held = 0  # characters of the cached items
        self._lock = ForkLock()  # guards both: several event loops may write the cache
        self._lines: WeakKeyDictionary[asyncio.AbstractEventLoop, _Line[Item, Answer]] = WeakKeyDictionary()

    async def ask(self, items: Sequence[Item]) -> list[Answer]:
        """Return the answers, in the order of the items."""
        loop = asyncio.get_running_loop()
        line = self._lines.get(loop) or self._lines.setdefault(loop, _Line())
        found: list[Answer | _Question[Answer]] = []
        try:
            for item in items:
                answer = self._at_once(item, len(items))
                if answer is not None:
                    found.append(answer)
                    continue
                if item not in line.asked:
                    line.asked[item] = _Question(loop.create_future())
                    line.lanes[_size(item) > LONG_LETTERS].waiting.append(item)
                found.append(line.asked[item])
        finally:  # if one item fails here, others may already wait for the items before it
            for lane in line.lanes:
                if lane.waiting and (lane.worker is None or lane.worker.done()):
                    # in an empty context: it works for all callers, not for the first one
                    lane.worker = loop.create_task(self._work(line, lane), context=Context())
        questions = [each for each in found if isinstance(each, _Question)]
        if not questions:
            return cast("list[Answer]", found)
        clock = CURRENT_CLOCK.get()
        for question in questions:  # all of them are pending from now on, not one after the other
            question.join(clock)
            question.callers += 1
        try:
            with clock.queued() if clock is not None else contextlib.nullcontext():
                # cancelling one caller must not cancel the answer for the others
                return [await asyncio.shield(x.future) if isinstance(x, _Question) else x for x in found]
        finally:
            for question in questions:
                question.callers -= 1

    def known(self, item: Item) -> Answer | None:
        """Return the cached answer, if any; thread-safe."""
        return self._known.get(item)

    def _at_once(self, item: Item, company: int) -> Answer | None:
        """Return the cached answer, or that of the prefilter; many items at once would block the loop."""
        if (known := self._known.get(item)) is not None:
            with contextlib.suppress(KeyError):  # another event loop may have evicted it
                self._known.move_to_end(item)
            return known
        if self._settle is None or company > INLINE or _size(item) > INLINE_LETTERS:
            return None
        answer = self._settle(item)
        if answer is not None:
            self._remember(item, answer)
        return answer

    async def _work(self, line: _Line[Item, Answer], lane: _Lane[Item]) -> None:
        while lane.waiting:
            batch = self._next(line, lane.waiting)
            if not batch:
                return
            questions = [line.asked[item] for item in batch]
            try:
                answers = await _inference_pool().run(partial(self._computed, questions), batch, is_long=lane.is_long)
                if len(answers) != len(batch):
                    raise ValueError(f"{len(answers)} answers came for {len(batch)} items")
            except Exception as failure:
                for item in batch:
                    future = _ended(line.asked.pop(item))
                    if not future.done():
                        future.set_exception(failure)
                        future.exception()  # retrieved here, so that no warning is logged if the caller is gone
                continue
            for item, answer in zip(batch, answers, strict=True):
                self._remember(item, answer)
                future = _ended(line.asked.pop(item))
                if not future.done():
                    future.set_result(answer)

    def _computed(self, questions: Sequence[_Question[Answer]], batch: Sequence[Item]) -> Sequence[Answer]:
        """Return the results of ``compute``; its CPU time counts for the callers."""
        sizes = [max(1, _size(item)) for item in batch]
        seconds = processor_clock()
        for question, size in zip(questions, sizes, strict=True):
            question.begin(size / sum(sizes), seconds)
        try:
            return self._compute(batch)
        finally:  # here, since this thread may start the next batch before the event loop is notified
            for question in questions:
                question.end()

    def _next(self, line: _Line[Item, Answer], waiting: deque[Item]) -> list[Item]:
        """Return the next items that still have callers; the others are dropped."""
        batch: list[Item] = []
        held = 0
        while waiting and len(batch) < self._most:
            item = waiting[0]
            if not line.asked[item].callers:
                _ended(line.asked.pop(waiting.popleft())).cancel()
                continue
            held += _size(item)
            if batch and held > BATCH_LETTERS:
                break
            batch.append(waiting.popleft())
        return batch

    def _remember(self, item: Item, answer: Answer) -> None:
        size = _size(item)
        with self._lock:
            if size > self._letters or item in self._known:
                return
            self._known[item] = answer
            self._held += size
            while self._known and (len(self._known) > self._keep or self._held > self._letters):
                self._held -= _size(self._known.popitem(last=False)[0])


class _InferencePool:
    """A thread for all networks of the process, and a second one for a single message that needs two of them.

    With many items at once a second thread would only compete for cores and the interpreter. Long items have a third
    thread, so that they delay no others.
    """

    def __init__(self) -> None:
        self.first, self._second, self._long = (
            ThreadPoolExecutor(1, thread_name_prefix=f"proctor-local-{n}") for n in (1, 2, 3)
        )
        self._lock = Lock()
        self._items = {self.first: 0, self._second: 0}

    async def run(
        self, compute: Callable[[Sequence[Item]], Sequence[Answer]], batch: Sequence[Item], *, is_long: bool = False
    ) -> Sequence[Answer]:
        """Run ``compute`` on the batch, off the event loop."""
        if is_long:
            return await asyncio.get_running_loop().run_in_executor(self._long, compute, batch)
        with self._lock:
            first, second = self._items[self.first], self._items[self._second]
            pool = self._second if first and not second and first + len(batch) <= FEW else self.first
            self._items[pool] += len(batch)
        try:
            return await asyncio.get_running_loop().run_in_executor(pool, compute, batch)
        finally:
            with self._lock:
                self._items[pool] -= len(batch)


@cache
def _inference_pool() -> _InferencePool:
    os.register_at_fork(
        after_in_child=_inference_pool.cache_clear
    )  # threads do not survive a fork: a child starts its own
    return _InferencePool()


def inference_executor() -> ThreadPoolExecutor:
    """Return the executor that loads and runs the networks of the process, so that memory and cores are shared."""
    return _inference_pool().first


def _ended(question: _Question[Answer]) -> asyncio.Future[Answer]:
    question.end()
    return question.future


def _size(item: Hashable) -> int:
    if isinstance(item, tuple):
        return sum(map(_size, item))
    return len(item) if isinstance(item, str) else 1
