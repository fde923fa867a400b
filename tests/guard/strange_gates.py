"""Gates that do what gates must not: raise, hang, answer nonsense. Real ones, for the tests of the chain."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar

from proctor.core.verdict import Edit, Finding, Verdict
from proctor.guard.step import Step

__all__ = ["Answers", "Blocks", "Busy", "Cuts", "Leaves", "Raises", "Sleeps", "Stray"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answers:
    """Answers whatever it was given, at once or after a while."""

    name: ClassVar[str] = "answers"
    version: ClassVar[str] = "7"

    answer: Any = field(default_factory=lambda: Verdict(action="allow"))
    after: float = 0.0
    asked: list[Step] = field(default_factory=list)

    async def check(self, step: Step) -> Any:
        self.asked.append(step)
        if self.after:
            await asyncio.sleep(self.after)
        return self.answer


@dataclass(frozen=True, slots=True, kw_only=True)
class Cuts:
    """Puts something else in the place of a word."""

    name: ClassVar[str] = "cuts"
    version: ClassVar[str] = "1"

    word: str
    instead: str = "[…]"
    with_edits: bool = True

    async def check(self, step: Step) -> Verdict:
        at = step.text.find(self.word)
        if at < 0:
            return Verdict(action="allow")
        edit = Edit(start=at, end=at + len(self.word), text=self.instead)
        found = Finding(kind="word", detector=self.name, text=self.word, start=edit.start, end=edit.end)
        text = step.text.replace(self.word, self.instead, 1)
        edits = (edit,) if self.with_edits else None
        return Verdict(action="redact", reason=f"{self.word} cut", findings=(found,), text=text, edits=edits)


@dataclass(frozen=True, slots=True, kw_only=True)
class Raises:
    """Raises, whatever it is asked."""

    name: ClassVar[str] = "raises"
    version: ClassVar[str] = "1"

    error: BaseException = field(default_factory=lambda: RuntimeError("out of order"))

    async def check(self, step: Step) -> Verdict:
        raise self.error


@dataclass(frozen=True, slots=True, kw_only=True)
class Sleeps:
    """Never answers, and lets others go on meanwhile."""

    name: ClassVar[str] = "sleeps"
    version: ClassVar[str] = "1"

    stubborn: bool = False

    async def check(self, step: Step) -> Verdict:
        while True:
            try:
                await asyncio.sleep(60)
            except asyncio.CancelledError:
                if not self.stubborn:
                    raise


@dataclass(frozen=True, slots=True, kw_only=True)
class Blocks:
    """Holds its thread until it is let go."""

    name: ClassVar[str] = "blocks"
    version: ClassVar[str] = "1"

    until: Callable[[], bool]
    word: str = ""

    async def check(self, step: Step) -> Verdict:
        while self.word in step.text and not self.until():
            time.sleep(0.005)  # noqa: ASYNC251 - this is the point
        return Verdict(action="allow")


@dataclass(frozen=True, slots=True, kw_only=True)
class Busy:
    """Holds its thread with plain work, from a task of its own."""

    name: ClassVar[str] = "busy"
    version: ClassVar[str] = "1"

    until: Callable[[], bool]

    async def check(self, step: Step) -> Verdict:
        async def work() -> None:
            while not self.until():
                sum(range(1000))

        await asyncio.gather(work())
        return Verdict(action="allow")


@dataclass(frozen=True, slots=True, kw_only=True)
class Stray:
    """Leaves a task behind that ends the program, if anybody lets it."""

    name: ClassVar[str] = "stray"
    version: ClassVar[str] = "1"

    async def check(self, step: Step) -> Verdict:
        async def end() -> None:
            raise SystemExit(3)

        self.tasks.append(asyncio.ensure_future(end()))
        await asyncio.sleep(0)
        return Verdict(action="allow")

    tasks: list[asyncio.Future[None]] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaves:
    """Is no coroutine at all."""

    name: ClassVar[str] = "leaves"
    version: ClassVar[str] = "1"

    def check(self, step: Step) -> Verdict:
        return Verdict(action="allow")
