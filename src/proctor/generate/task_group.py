"""Run coroutines concurrently: the first failure cancels all and is raised."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Coroutine, Mapping
from typing import Any, TypeVar

from proctor.core.errors import RejectedError, ReplyError
from proctor.generate.stages.reply_cause import cause_of

__all__ = ["Trouble", "both", "together"]

_WRITING = frozenset({"intent", "inputs", "rules", "inverse", "tests", "baseline"})

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
    """Questions without a usable answer, counted by stage and cause; they do not stop the generation.

    A model that cannot be reached, rejects the key or has spent its budget raises an error; the answers so far are
    cached for the next run.
    """

    def __init__(self) -> None:
        self.causes: dict[str, Counter[str]] = {}
        self.answered: Counter[str] = Counter()

    async def spare(self, stage: str, work: Awaitable[T], otherwise: T) -> T:
        """Return the result of the work, or the fallback."""
        try:
            done = await work
        except (ReplyError, RejectedError) as error:
            self.note(stage, error)
            return otherwise
        self.answered[stage] += 1
        return done

    def note(self, stage: str, error: ReplyError | RejectedError) -> None:
        """Count a question of the stage that has no usable answer, by its cause."""
        self.causes.setdefault(stage, Counter())[cause_of(error)] += 1

    @property
    def is_total(self) -> bool:
        """Whether the model that writes was asked and gave nothing usable at any stage."""
        return bool(self.causes.keys() & _WRITING) and not self.answered.keys() & _WRITING

    def by_cause(self) -> dict[str, dict[str, int]]:
        """Return the number of questions without a usable answer by stage and cause, in a fixed order."""
        return {stage: dict(sorted(counts.items())) for stage, counts in sorted(self.causes.items())}

    def notes(self) -> list[str]:
        """Return one line per stage with problems, independent of their order."""
        return [
            f"{stage}: {sum(counts.values())} question{'s' if sum(counts.values()) > 1 else ''} "
            f"without a usable answer: {_listed(counts)}"
            for stage, counts in self.by_cause().items()
        ]


def _listed(counts: Mapping[str, int]) -> str:
    if len(counts) == 1:
        return next(iter(counts))
    return ", ".join(f"{cause} ({count})" for cause, count in counts.items())
