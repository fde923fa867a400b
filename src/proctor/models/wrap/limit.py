"""Adaptive concurrency: as many calls at once as the endpoint takes, started no faster than it lets through.

What a limiter does with an answer:

- Success lets the limit grow by one after about as many successes as the limit.
- 429 halves it, once per episode: refusals of calls that started before the cut belong to that cut. The wait
  the server asks for pauses every new call; afterwards calls start at the pace that got through (``rhythm``).
- 5xx stops growth for a while and cuts nothing: an overloaded server says nothing about our share of it.

Models of one endpoint and key belong to one ``Quota``. While they share a limit, it says when the next call may start.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from proctor.core.chat import Reply, Request
from proctor.core.errors import OverloadedError, RateLimitedError
from proctor.core.sockets import Model
from proctor.models.wrap.earliest_timer import EarliestTimer
from proctor.models.wrap.learned_rate import Rhythm
from proctor.models.wrap.quota import Quota

__all__ = ["Limited", "Limiter"]

_HISTORY = 256  # entries kept: enough to draw a long run, small enough for every run record
_CALM = 5.0  # seconds without growth after a 5xx
_UNSAID = 0.25  # seconds of pause when a 429 names none; doubles while nothing gets through
_UNSAID_CAP = 8.0
_HEADROOM = 1.5  # calls at once over what the pace needs, for calls slower than the mean
_GREW = "grew"


@dataclass(frozen=True, slots=True, kw_only=True)
class Limited:
    """Holds calls back to what the endpoint takes."""

    model: Model
    limiter: Limiter

    @property
    def name(self) -> str:
        """The name of the model inside."""
        return self.model.name

    async def complete(self, request: Request) -> Reply:
        """Answer the request once there is room for it."""
        limiter = self.limiter
        started = limiter.try_enter()
        if started is None:
            started = await limiter.enter()
        try:
            reply = await self.model.complete(request)
        except RateLimitedError as error:
            limiter.refused(started, error.retry_after)
            raise
        except OverloadedError:
            limiter.overloaded()
            raise
        except BaseException:
            limiter.left()
            raise
        limiter.succeeded(started)
        return reply


class Limiter:
    """The calls of one model: how many may run at once, and how fast they may start.

    It belongs to one event loop. ``quota`` joins it with the other models of the same endpoint and key. A server that
    asks for a longer wait than ``patience`` seconds is told on as a 429 at once: nobody waits for tomorrow's quota.
    ``history`` holds (seconds since the limiter was made, limit, why), oldest first and bounded.
    """

    __slots__ = (
        "_alarm",
        "_before_cut",
        "_calm_until",
        "_clock",
        "_cut_at",
        "_grown",
        "_latency",
        "_made",
        "_paused_until",
        "_proven",
        "_rhythm",
        "_unsaid",
        "_waiting",
        "ceiling",
        "floor",
        "history",
        "in_flight",
        "limit",
        "name",
        "patience",
        "quota",
    )

    def __init__(
        self,
        name: str,
        start: int,
        ceiling: int | None = None,
        floor: int = 1,
        *,
        patience: float = 600.0,
        clock: Callable[[], float] = time.monotonic,
        quota: Quota | None = None,
    ) -> None:
        self.name = name
        self.quota = quota or Quota(clock=clock)
        self.quota.join(self)
        self.ceiling = max(1, start if ceiling is None else ceiling)
        self.floor = max(1, min(floor, self.ceiling))
        self.limit = max(self.floor, min(start, self.ceiling))
        self.patience = patience
        self.in_flight = 0
        self.history: list[tuple[float, int, str]] = [(0.0, self.limit, "start")]
        self._clock = clock
        self._made = clock()
        self._waiting: deque[asyncio.Future[float]] = deque()
        self._alarm = EarliestTimer(self.admit)
        self._rhythm = Rhythm()
        self._paused_until: float | None = None
        self._unsaid = _UNSAID
        self._cut_at: float | None = None
        self._before_cut = self.limit
        self._proven = True  # whether a call that started since the last cut was answered
        self._grown = 0  # such answers since the limit last changed
        self._calm_until = float("-inf")
        self._latency: float | None = None  # of the last calls, the newest counting most

    @property
    def rate(self) -> float | None:
        """Calls a second learnt from refusals, for all models that share the limit; ``None`` without a refusal."""
        now = self._clock()
        return self.quota.rate(now) if self.quota.is_shared else self._rhythm.rate(now)

    @property
    def waiting(self) -> int:
        """Calls that wait for room."""
        return len(self._waiting)

    # --- coming in ----------------------------------------------------------------------------------------------

    def try_enter(self) -> float | None:
        """Take a slot if one is free now and nobody waits for it: the time of the start, else ``None``."""
        if self._waiting or self.in_flight >= self.limit or (self.quota.is_shared and self.quota.is_waiting):
            return None
        now = self._clock()
        return None if self._delay(now) > 0 else self._start(now)

    async def enter(self) -> float:
        """Wait for a slot, first come first served; returns the time of the start."""
        turn: asyncio.Future[float] = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        self.admit()  # sets the alarm when nothing but time stands in the way
        try:
            return await turn
        except asyncio.CancelledError:
            if turn.cancelled():
                with contextlib.suppress(ValueError):
                    self._waiting.remove(turn)
            elif turn.exception() is None:
                self.left()  # the slot was given in the same moment: hand it on
            raise

    def _delay(self, now: float) -> float:
        if self.quota.is_shared:
            return self.quota.delay(now)
        if self._paused_until is not None:
            if now < self._paused_until:
                return self._paused_until - now
            self._resume(now)
        return self._rhythm.wait(now)

    def _start(self, now: float) -> float:
        self.in_flight += 1
        self._rhythm.started(now)
        self.quota.started(now)
        return now

    def wants_turn(self) -> bool:
        """Whether a call waits and there is room for it."""
        return bool(self._waiting) and self.in_flight < self.limit

    def take_turn(self, now: float) -> None:
        """Start the call that has waited longest."""
        turn = self._waiting.popleft()
        if not turn.done():  # else cancelled, and its task has not run yet
            turn.set_result(self._start(now))

    def admit(self) -> None:
        """Start the calls that may start."""
        if self.quota.is_shared:
            return self.quota.admit()
        while self._waiting and self.in_flight < self.limit:
            now = self._clock()
            if (delay := self._delay(now)) > self.patience:
                return self.turn_away(delay)
            if delay > 0:
                return self._alarm.set(delay)
            self.take_turn(now)
        return None

    def turn_away(self, delay: float) -> None:
        """Refuse the calls that wait: the server asked for a longer pause than anybody waits for."""
        while self._waiting:
            turn = self._waiting.popleft()
            if not turn.done():
                error = RateLimitedError(f"the server asked for a pause of another {delay:.0f} s")
                error.retry_after = delay
                turn.set_exception(error)

    # --- going out ----------------------------------------------------------------------------------------------

    def left(self) -> None:
        """A call ended without telling anything about the endpoint's limits."""
        self.in_flight -= 1
        if self._waiting:
            self.admit()

    def succeeded(self, started: float) -> None:
        """A call was answered."""
        took = self._clock() - started
        self._latency = took if self._latency is None else 0.9 * self._latency + 0.1 * took
        if self._cut_at is not None and started >= self._cut_at:
            self._proven = True
            self._unsaid = _UNSAID
        if self.limit < self.ceiling and self._proven:
            self._grow(started + took)
        self.quota.succeeded(self, started)
        self.left()

    def overloaded(self) -> None:
        """A call met a 5xx: no growth for a while."""
        self._calm_until = self._clock() + _CALM
        self.left()

    def refused(self, started: float, retry_after: float | None) -> None:
        """A call met a 429, with the wait the server asked for, if it did."""
        now = self._clock()
        pause = self._unsaid if retry_after is None else max(0.0, retry_after)
        busy = bool(self._waiting) or 2 * self.in_flight >= self.limit
        self._rhythm.refused(started, pause, told=retry_after is not None, busy=busy)
        self.quota.refused(self, started, pause, now, told=retry_after is not None, busy=busy)
        self._paused_until = max(self._paused_until or now, now + pause)
        if self._cut_at is None or started >= self._cut_at:
            self._cut(now, pause)
        self.left()

    # --- learning -----------------------------------------------------------------------------------------------

    def _grow(self, now: float) -> None:
        self._grown += 1
        if self._grown >= self.limit and now >= self._calm_until:
            self._grown = 0
            self.limit += 1
            self._note(now, _GREW)

    def _cut(self, now: float, pause: float) -> None:
        if self._proven:
            self._before_cut = self.limit
            self.limit = max(self.floor, self.limit // 2)
        else:  # nothing got through since the last cut: the same episode goes on, and only the pause grows
            self._unsaid = min(2 * self._unsaid, _UNSAID_CAP)
        self._cut_at = now
        self._proven = False
        self._grown = 0
        self._note(now, f"429, paused for {pause:.3g} s")

    def pause_is_over(self, now: float, rate: float | None, *, too_fast: bool) -> None:
        """The pause of all models that share the limit has ended; ``rate`` is their common pace."""
        paused = (self._paused_until or now) - (self._cut_at or now)
        self._paused_until = None
        self._rhythm.resume(now)
        self._make_room(now, rate, paused, too_fast=too_fast)

    def _resume(self, now: float) -> None:
        paused = (self._paused_until or now) - (self._cut_at or now)
        self._paused_until = None
        too_fast = self._rhythm.resume(now)
        self._make_room(now, self._rhythm.rate(now), paused, too_fast=too_fast)

    def _make_room(self, now: float, rate: float | None, paused: float, *, too_fast: bool) -> None:
        if rate is None:
            return
        if too_fast:
            # Calls were too fast rather than too many: leave room for those the pace keeps in flight (Little's law).
            # While nothing was answered yet, a call is known to take as long as the pause at least.
            latency = paused if self._latency is None else self._latency
            self.limit = max(self.limit, min(self._before_cut, int(_HEADROOM * rate * latency) + 1))
        self._note(now, f"resumed at {rate:.3g} calls/s")

    def _note(self, now: float, why: str) -> None:
        if why == _GREW and self.history[-1][2] == _GREW:
            self.history.pop()  # a climb is one line, from the entry before it to where it got
        self.history.append((round(now - self._made, 3), self.limit, why))
        if len(self.history) > _HISTORY:
            del self.history[1]
