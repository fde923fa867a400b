"""User-defined rate limits: calls and tokens per second, minute or hour.

Starts are spread evenly, because a burst that a token bucket accepts is refused by a sliding window. Tokens are only
known afterwards: a call reserves the mean of the calls before it, and the difference is settled with its answer.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from typing import Literal

from proctor.core.chat import Reply, Request
from proctor.core.errors import ConfigError
from proctor.core.sockets import Model

__all__ = ["Pace", "Paced", "RateQuota", "parse_rate"]

_SECONDS = {"s": 1.0, "sec": 1.0, "second": 1.0, "m": 60.0, "min": 60.0, "minute": 60.0, "h": 3600.0, "hour": 3600.0}
_TIMES = {"": 1.0, "k": 1e3, "m": 1e6}
_RATE = re.compile(
    r"(\d[\d_,]*(?:\.\d+)?)\s*([km]?)\s*(calls?|requests?|tokens?)?\s*(?:/|per)\s*([a-z]+)", re.IGNORECASE
)
_BETWEEN = re.compile(r"\s*(?:;|,\s|\band\b)\s*", re.IGNORECASE)
_HINT = "write it like 30/s, 500/min or 200k tokens/min"


@dataclass(frozen=True, slots=True, kw_only=True)
class RateQuota:
    """An amount of calls or tokens per number of seconds."""

    amount: float
    seconds: float
    unit: Literal["calls", "tokens"] = "calls"

    @property
    def each(self) -> float:
        """The seconds that one call or token takes up."""
        return self.seconds / self.amount


def parse_rate(text: str) -> tuple[RateQuota, ...]:
    """Parse rates: ``30/s``, ``500/min``, ``30/s, 200k tokens/min``.

    Raises:
        ConfigError: a part of it is not a rate above zero.
    """
    return tuple(_rate(part, text) for part in _BETWEEN.split(text.strip()))


def _rate(part: str, text: str) -> RateQuota:
    match = _RATE.fullmatch(part)
    seconds = _SECONDS.get(match[4].lower()) if match else None
    amount = float(re.sub("[_,]", "", match[1])) * _TIMES[match[2].lower()] if match else 0.0
    if match is None or seconds is None or not 0 < amount < float("inf"):
        raise ConfigError(f"{text!r} is not a rate", hint=_HINT)
    tokens = (match[3] or "").lower().startswith("token")
    return RateQuota(amount=amount, seconds=seconds, unit="tokens" if tokens else "calls")


class _Lane:
    """The schedule of one rate: when the next call may start."""

    __slots__ = ("each", "free", "known", "mean", "tokens")

    def __init__(self, rate: RateQuota) -> None:
        self.each = rate.each
        self.tokens = rate.unit == "tokens"
        self.free = float("-inf")
        self.mean = 0.0  # tokens per call, so far
        self.known = 0

    def settle(self, reserved: float, tokens: int | None) -> None:
        self.free += ((tokens or 0) - reserved) * self.each
        if tokens is not None:
            self.known += 1
            self.mean += (tokens - self.mean) / self.known


class Pace:
    """The rates shared by all calls of one quota."""

    __slots__ = ("_clock", "_lanes", "_sleep")

    def __init__(
        self,
        rates: Iterable[RateQuota],
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
    ) -> None:
        self._lanes = [_Lane(rate) for rate in rates]
        self._clock = clock
        self._sleep = sleep

    async def turn(self) -> float:
        """Wait until a call may start; return the tokens reserved for it."""
        now = self._clock()
        start, reserved = now, 0.0
        for lane in self._lanes:
            start = max(start, lane.free)
        for lane in self._lanes:  # a call that waits for one rate uses up the others when it starts, not now
            if lane.tokens:
                reserved = lane.mean
            lane.free = start + lane.each * (lane.mean if lane.tokens else 1.0)
        if start > now:
            try:
                await self._sleep(start - now)
            except BaseException:  # it never starts: its time slot stays empty, its tokens are returned
                self.settle(reserved, None)
                raise
        return reserved

    def settle(self, reserved: float, tokens: int | None) -> None:
        """Record what a call really used; ``None`` if it failed and used nothing."""
        for lane in self._lanes:
            if lane.tokens:
                lane.settle(reserved, tokens)


@dataclass(frozen=True, slots=True, kw_only=True)
class Paced:
    """Limits calls to the user's rates."""

    model: Model
    pace: Pace

    @property
    def name(self) -> str:
        """The name of the wrapped model."""
        return self.model.name

    async def complete(self, request: Request) -> Reply:
        """Return the reply to the request when its turn has come."""
        reserved = await self.pace.turn()
        tokens: int | None = None
        try:
            reply = await self.model.complete(request)
            tokens = reply.usage.input + reply.usage.output
        finally:
            self.pace.settle(reserved, tokens)
        return reply
