"""Collects what callers wait for into one call of a network, off the event loop, and remembers answers."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections import OrderedDict, deque
from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from threading import Lock
from typing import Generic, TypeVar
from weakref import WeakKeyDictionary

from proctor.core.forks import ForkLock

__all__ = ["Batcher", "crew"]

FEW = 2  # items at work at once that may share two threads: those of one message; more wait in line for one
BATCH_LETTERS = 30_000  # of one batch: about a second of work, after which others have their turn
INLINE, INLINE_LETTERS = 4, 1000  # items of one call, and letters of an item, that are settled on the event loop

Item = TypeVar("Item", bound=Hashable)
Answer = TypeVar("Answer")


class _Line(Generic[Item, Answer]):
    """What waits on one event loop."""

    def __init__(self) -> None:
        self.asked: dict[Item, asyncio.Future[Answer]] = {}  # until it is answered
        self.waiting: deque[Item] = deque()  # not yet taken into a batch
        self.worker: asyncio.Task[None] | None = None


class Batcher(Generic[Item, Answer]):
    """Answers items (texts, pairs of texts) through ``compute``, which takes many at once.

    Items that arrive while a batch is computed form the next batch. Equal items are computed once, and the last
    answers are remembered: at most ``keep``, and those of at most ``letters`` letters in all. ``settle`` answers an
    item where little work decides it, or says ``None``; a short item that it settles goes to no other thread.
    """

    def __init__(
        self,
        compute: Callable[[Sequence[Item]], Sequence[Answer]],
        *,
        most: int = 64,
        keep: int = 4096,
        letters: int = 1_000_000,
        settle: Callable[[Item], Answer | None] | None = None,
    ) -> None:
        self._compute, self._most, self._keep, self._letters = compute, most, keep, letters
        self._settle = settle
        self._known: OrderedDict[Item, Answer] = OrderedDict()
        self._held = 0  # letters of what is remembered
        self._lock = ForkLock()  # around both: several event loops may remember at once
        self._lines: WeakKeyDictionary[asyncio.AbstractEventLoop, _Line[Item, Answer]] = WeakKeyDictionary()

    async def ask(self, items: Sequence[Item]) -> list[Answer]:
        """The answers, in the order of the items."""
        loop = asyncio.get_running_loop()
        line = self._lines.setdefault(loop, _Line())
        found: list[Answer | asyncio.Future[Answer]] = []
        try:
            for item in items:
                answer = self._at_once(item, len(items))
                if answer is not None:
                    found.append(answer)
                    continue
                if item not in line.asked:
                    line.asked[item] = loop.create_future()
                    line.waiting.append(item)
                found.append(line.asked[item])
        finally:  # where one item cannot be settled, others may wait already for those before it
            if line.waiting and (line.worker is None or line.worker.done()):
                line.worker = loop.create_task(self._work(line))
        # a caller that gives up must not take the answer from the others who wait for it
        return [await asyncio.shield(x) if isinstance(x, asyncio.Future) else x for x in found]

    def known(self, item: Item) -> Answer | None:
        """The answer that is remembered, if one is; any thread may ask."""
        return self._known.get(item)

    def _at_once(self, item: Item, company: int) -> Answer | None:
        """The answer that is known, or that the first stage gives; many items at once would hold up the loop."""
        if (known := self._known.get(item)) is not None:
            with contextlib.suppress(KeyError):  # another event loop may have forgotten it since
                self._known.move_to_end(item)
            return known
        if self._settle is None or company > INLINE or _size(item) > INLINE_LETTERS:
            return None
        answer = self._settle(item)
        if answer is not None:
            self._remember(item, answer)
        return answer

    async def _work(self, line: _Line[Item, Answer]) -> None:
        while line.waiting:
            batch = self._next(line.waiting)
            try:
                answers = await _crew().run(self._compute, batch)
                if len(answers) != len(batch):
                    raise ValueError(f"{len(answers)} answers came for {len(batch)} items")
            except Exception as failure:
                for item in batch:
                    future = line.asked.pop(item)
                    if not future.done():
                        future.set_exception(failure)
                        future.exception()  # read here, so that nobody is warned when the caller has gone
                continue
            for item, answer in zip(batch, answers, strict=True):
                self._remember(item, answer)
                future = line.asked.pop(item)
                if not future.done():
                    future.set_result(answer)

    def _next(self, waiting: deque[Item]) -> list[Item]:
        batch = [waiting.popleft()]
        held = _size(batch[0])
        while waiting and len(batch) < self._most and (held := held + _size(waiting[0])) <= BATCH_LETTERS:
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


class _Crew:
    """A thread for all networks of the process, and a second one for a message that is alone and needs two of them.

    With many at once a second would only take cores and the interpreter from those who wait for neither.
    """

    def __init__(self) -> None:
        self.first, self._second = (ThreadPoolExecutor(1, thread_name_prefix=f"proctor-local-{n}") for n in (1, 2))
        self._lock = Lock()
        self._items = {self.first: 0, self._second: 0}

    async def run(
        self, compute: Callable[[Sequence[Item]], Sequence[Answer]], batch: Sequence[Item]
    ) -> Sequence[Answer]:
        """What ``compute`` says to the batch, off the event loop."""
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
def _crew() -> _Crew:
    os.register_at_fork(after_in_child=_crew.cache_clear)  # threads stay behind in the parent: a child hires its own
    return _Crew()


def crew() -> ThreadPoolExecutor:
    """Where networks of the process run and are loaded: one place, so that memory and cores are shared in turn."""
    return _crew().first


def _size(item: Hashable) -> int:
    if isinstance(item, tuple):
        return sum(map(_size, item))
    return len(item) if isinstance(item, str) else 1
