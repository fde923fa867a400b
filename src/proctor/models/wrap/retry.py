"""Retry calls whose failure may be temporary.

A dropped connection, a timeout and a 5xx are retried a few times. A 429 is retried until the user's patience ends,
never earlier than the server requests, and does not count as an attempt.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace

from proctor.core.chat import Reply, Request
from proctor.core.errors import ModelError, OverloadedError, RateLimitedError, TimedOutError, UnreachableError
from proctor.core.sockets import Model

__all__ = ["Retrying"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Retrying:
    """Retries a call after a temporary failure.

    ``attempts`` is the total for a lost connection, a timeout or a 5xx, with waits that double from ``base``
    to ``cap`` seconds, each drawn uniformly from zero to that. ``patience`` is for how many seconds after its
    first 429 a call may still be retried.
    """

    model: Model
    attempts: int = 6
    base: float = 0.25
    cap: float = 20.0
    patience: float = 600.0
    random: random.Random = field(default_factory=lambda: random.Random(0), repr=False)  # noqa: S311 - no secret
    sleep: Callable[[float], Awaitable[object]] = field(default=asyncio.sleep, repr=False)
    clock: Callable[[], float] = field(default=time.monotonic, repr=False)

    @property
    def name(self) -> str:
        """The name of the wrapped model."""
        return self.model.name

    async def complete(self, request: Request) -> Reply:
        """Return the reply to the request, retrying if useful."""
        try:
            return await self.model.complete(request)
        except (RateLimitedError, OverloadedError, TimedOutError, UnreachableError) as error:
            first = error
        return await self._again(request, first, self.clock())

    async def _again(self, request: Request, error: ModelError, began: float) -> Reply:
        tries, failures, refusals = 1, 0, 0
        refused_at: float | None = None
        while True:
            if isinstance(error, RateLimitedError):
                refusals += 1
                refused_at = self.clock() if refused_at is None else refused_at
                wait = self._wait(refusals, error.retry_after)
                hopeless = self.clock() + wait - refused_at > self.patience
            else:
                failures += 1
                wait = self._wait(failures, error.retry_after if isinstance(error, OverloadedError) else None)
                hopeless = failures >= self.attempts or wait > self.patience
            if hopeless:
                raise _gave_up(error, tries, self.clock() - began, wait) from error
            await self.sleep(wait)
            tries += 1
            try:
                reply = await self.model.complete(request)
            except (RateLimitedError, OverloadedError, TimedOutError, UnreachableError) as again:
                error = again
            else:
                return replace(reply, attempts=tries)

    def _wait(self, failures: int, asked: float | None) -> float:
        """Return the seconds to wait: what the server requests, else a random share of a doubling wait."""
        if asked is not None:
            return max(0.0, asked)
        return self.random.uniform(0.0, min(self.cap, self.base * 2.0 ** min(failures - 1, 60)))


def _gave_up(error: ModelError, tries: int, seconds: float, wait: float) -> ModelError:
    """Return the same error, with how often and how long it was tried."""
    often = "tried once" if tries == 1 else f"tried {tries} times in {seconds:.1f} s"
    asked = f", and the server asks to wait {wait:.0f} s more" if getattr(error, "retry_after", None) else ""
    told = type(error)(
        f"{error.message} ({often}{asked})", file=error.file, line=error.line, field=error.field, hint=error.hint
    )
    vars(told).update({key: value for key, value in vars(error).items() if key != "message"}, attempts=tries)
    return told
