"""Models that do as they are told, a clock that does not wait, and servers that count calls as real ones do."""

from __future__ import annotations

import asyncio
import random
import selectors
from collections import deque
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from proctor.core.chat import Message, Reply, Request, Usage
from proctor.core.errors import ModelError, OverloadedError, RateLimitedError

Made = TypeVar("Made")


def ask(text: str = "hello", *, sample: int = 0) -> Request:
    return Request(messages=(Message(role="user", content=text),), sample=sample)


def refusal(retry_after: float | None = None) -> RateLimitedError:
    error = RateLimitedError("slow down")
    error.retry_after = retry_after
    return error


def overload(retry_after: float | None = None) -> OverloadedError:
    error = OverloadedError("busy")
    error.retry_after = retry_after
    return error


@dataclass
class Told:
    """Answers with what it is told, in order, then with ``ok``; keeps every request."""

    answers: Iterable[Reply | Exception] = ()
    name: str = "told:model"
    asked: list[Request] = field(default_factory=list)
    gate: asyncio.Event | None = None
    running: int = 0
    most: int = 0

    def __post_init__(self) -> None:
        self._answers = iter(self.answers)

    async def complete(self, request: Request) -> Reply:
        self.asked.append(request)
        self.running += 1
        self.most = max(self.most, self.running)
        try:
            if self.gate is not None:
                await self.gate.wait()
            answer = next(self._answers, None)
        finally:
            self.running -= 1
        if isinstance(answer, Exception):
            raise answer
        return answer or Reply(text="ok", usage=Usage(input=10, output=5))


class FakeTime:
    """A clock that stands still until someone sleeps."""

    def __init__(self) -> None:
        self.now = 100.0
        self.slept: list[float] = []

    def clock(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


# --- an event loop in which waiting takes no time ---------------------------------------------------------------


class _NoWait(selectors.DefaultSelector):
    now = 0.0

    def select(self, timeout: float | None = None) -> Any:
        if timeout is None:
            raise RuntimeError("everything waits and nothing would wake it")
        self.now += max(0.0, timeout)
        return super().select(0)


class VirtualLoop(asyncio.SelectorEventLoop):
    """Time passes when everyone waits, and only then."""

    def __init__(self) -> None:
        self._no_wait = _NoWait()
        super().__init__(self._no_wait)

    def time(self) -> float:
        return self._no_wait.now


def in_virtual_time(work: Callable[[], Awaitable[Made]]) -> Made:
    """Run to the end in virtual time; tasks still waiting then are cancelled."""
    loop = VirtualLoop()

    async def main() -> Made:
        return await work()

    async def clear_up() -> None:
        left = asyncio.all_tasks() - {asyncio.current_task()}
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)

    try:
        return loop.run_until_complete(main())
    finally:
        loop.run_until_complete(clear_up())
        loop.close()


# --- how servers count ------------------------------------------------------------------------------------------

Counting = Callable[[float], bool]


def fixed_window(calls: int, seconds: float, *, phase: float = 0.0) -> Counting:
    window, used = -1, 0

    def allow(now: float) -> bool:
        nonlocal window, used
        if (current := int((now + phase) // seconds)) != window:
            window, used = current, 0
        used += 1
        return used <= calls

    return allow


def sliding_window(calls: int, seconds: float) -> Counting:
    allowed: deque[float] = deque()

    def allow(now: float) -> bool:
        while allowed and allowed[0] <= now - seconds:
            allowed.popleft()
        if len(allowed) >= calls:
            return False
        allowed.append(now)
        return True

    return allow


def token_bucket(calls: int, seconds: float, *, size: int | None = None) -> Counting:
    full = float(size or calls)
    tokens, last = full, 0.0

    def allow(now: float) -> bool:
        nonlocal tokens, last
        tokens, last = min(full, tokens + (now - last) * calls / seconds), now
        if tokens < 1:
            return False
        tokens -= 1
        return True

    return allow


@dataclass
class Server:
    """Answers after ``latency`` what ``allow`` lets through, and 429 to the rest."""

    allow: Counting
    latency: float = 0.05
    retry_after: float | None = 1.0
    refuse_late: bool = False
    seed: int = 0
    name: str = "sim:server"
    answered: int = 0
    refused: int = 0
    early: int = 0
    closed_until: float = 0.0

    def __post_init__(self) -> None:
        self._random = random.Random(self.seed)

    async def complete(self, request: Request) -> Reply:
        loop = asyncio.get_running_loop()
        if loop.time() < self.closed_until - 1e-9:
            self.early += 1
        await asyncio.sleep(self._random.uniform(0.0002, 0.004))
        if not self.allow(loop.time()):
            self.refused += 1
            if self.refuse_late:
                await asyncio.sleep(self.latency)
            self.closed_until = max(self.closed_until, loop.time() + (self.retry_after or 0.0))
            raise refusal(self.retry_after)
        await asyncio.sleep(self.latency * self._random.uniform(0.8, 1.4))
        self.answered += 1
        return Reply(text="ok", usage=Usage(input=10, output=5))


async def outcome(work: Awaitable[Reply]) -> Reply | ModelError:
    try:
        return await work
    except ModelError as error:
        return error
