"""Several pieces of work at once: the first failure ends them all, and is what is raised."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Coroutine
from typing import Any, TypeVar

from proctor.core.errors import RejectedError, ReplyError

__all__ = ["Trouble", "both", "together"]

T = TypeVar("T")
Other = TypeVar("Other")


async def together(*work: Coroutine[Any, Any, T]) -> list[T]:
    """The results in the order of the work; when one fails, the others are ended before its error is raised."""
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(each) for each in work]
    except BaseExceptionGroup as failed:
        raise failed.exceptions[0] from None  # callers know errors, not groups of them
    return [task.result() for task in tasks]


async def both(one: Coroutine[Any, Any, T], other: Coroutine[Any, Any, Other]) -> tuple[T, Other]:
    """Two pieces of work of different kinds at once."""
    work: list[Coroutine[Any, Any, Any]] = [one, other]
    first, second = await together(*work)
    return first, second


class Trouble:
    """Single questions that no usable answer came to: counted by stage, and no reason to give up the rest.

    A model that cannot be reached, refuses the key or has spent its budget is another matter: that error is raised, and
    what was answered until then is kept for the next time.
    """

    def __init__(self) -> None:
        self.stages: Counter[str] = Counter()
        self.messages: dict[str, str] = {}

    async def spare(self, stage: str, work: Awaitable[T], otherwise: T) -> T:
        """The result of the work, or what stands in for it."""
        try:
            return await work
        except (ReplyError, RejectedError) as error:
            self.stages[stage] += 1
            self.messages.setdefault(stage, error.message)
            return otherwise

    def notes(self) -> list[str]:
        """One line for each stage that had trouble; the same for the same troubles, in whatever order they came."""
        return [
            f"{stage}: {count} question{'s' if count > 1 else ''} without a usable answer"
            for stage, count in sorted(self.stages.items())
        ]
