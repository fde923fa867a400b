"""Run coroutines concurrently: the first failure cancels all and is raised."""

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
    """Return the results in order; if one fails, the others are cancelled before its error is raised."""
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(each) for each in work]
    except BaseExceptionGroup as failed:
        raise failed.exceptions[0] from None  # callers expect the error, not a group
    return [task.result() for task in tasks]


async def both(one: Coroutine[Any, Any, T], other: Coroutine[Any, Any, Other]) -> tuple[T, Other]:
    """Run two coroutines of different types concurrently."""
    work: list[Coroutine[Any, Any, Any]] = [one, other]
    first, second = await together(*work)
    return first, second


class Trouble:
    """Questions without a usable answer, counted by stage; they do not stop the generation.

    A model that cannot be reached, rejects the key or has spent its budget raises an error; the answers so far are
    cached for the next run.
    """

    def __init__(self) -> None:
        self.stages: Counter[str] = Counter()
        self.messages: dict[str, str] = {}

    async def spare(self, stage: str, work: Awaitable[T], otherwise: T) -> T:
        """Return the result of the work, or the fallback."""
        try:
            return await work
        except (ReplyError, RejectedError) as error:
            self.stages[stage] += 1
            self.messages.setdefault(stage, error.message)
            return otherwise

    def notes(self) -> list[str]:
        """Return one line per stage with problems, independent of their order."""
        return [
            f"{stage}: {count} question{'s' if count > 1 else ''} without a usable answer"
            for stage, count in sorted(self.stages.items())
        ]
