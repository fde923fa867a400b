"""Collects what callers wait for into one call of a network, off the event loop, and remembers answers."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from typing import Generic, TypeVar
from weakref import WeakKeyDictionary

__all__ = ["Batcher"]

Item = TypeVar("Item", bound=Hashable)
Answer = TypeVar("Answer")


class _Line(Generic[Item, Answer]):
    """What waits on one event loop."""

    def __init__(self) -> None:
        self.waiting: OrderedDict[Item, asyncio.Future[Answer]] = OrderedDict()
        self.worker: asyncio.Task[None] | None = None


class Batcher(Generic[Item, Answer]):
    """Answers items through ``compute``, which takes many at once.

    Items that arrive while a batch is computed form the next batch. Equal items are computed once, and the last
    ``keep`` answers are remembered.
    """

    def __init__(
        self, compute: Callable[[Sequence[Item]], Sequence[Answer]], *, most: int = 64, keep: int = 4096
    ) -> None:
        self._compute, self._most, self._keep = compute, most, keep
        self._known: OrderedDict[Item, Answer] = OrderedDict()
        self._lines: WeakKeyDictionary[asyncio.AbstractEventLoop, _Line[Item, Answer]] = WeakKeyDictionary()

    async def ask(self, items: Sequence[Item]) -> list[Answer]:
        """The answers, in the order of the items."""
        loop = asyncio.get_running_loop()
        line = self._lines.setdefault(loop, _Line())
        found: list[Answer | asyncio.Future[Answer]] = []
        for item in items:
            if item in self._known:
                self._known.move_to_end(item)
                found.append(self._known[item])
            else:
                found.append(line.waiting.setdefault(item, loop.create_future()))
        if line.waiting and (line.worker is None or line.worker.done()):
            line.worker = loop.create_task(self._work(line))
        # a caller that gives up must not take the answer from the others who wait for it
        return [await asyncio.shield(x) if isinstance(x, asyncio.Future) else x for x in found]

    async def _work(self, line: _Line[Item, Answer]) -> None:
        while line.waiting:
            batch = [line.waiting.popitem(last=False) for _ in range(min(self._most, len(line.waiting)))]
            try:
                answers = await asyncio.to_thread(self._compute, [item for item, _ in batch])
            except Exception as failure:
                for _, future in batch:
                    if not future.done():
                        future.set_exception(failure)
                        future.exception()  # read here, so that nobody is warned when the caller has gone
                continue
            for (item, future), answer in zip(batch, answers, strict=True):
                self._remember(item, answer)
                if not future.done():
                    future.set_result(answer)

    def _remember(self, item: Item, answer: Answer) -> None:
        self._known[item] = answer
        while len(self._known) > self._keep:
            self._known.popitem(last=False)
