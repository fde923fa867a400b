"""Adaptive concurrency: as many concurrent calls as the endpoint accepts, started no faster than it allows.

Effect of an answer on the limiter:

- Success raises the limit by one after about as many successes as the limit.
- 429 halves it, once per episode: refusals of calls that started before the cut belong to that cut. The wait
  that the server requests pauses all new calls; then calls start at the learnt rate (``learned_rate``).
- 5xx stops growth for a while and cuts nothing: a server's overload is no evidence of our share of it.

Models of one endpoint and key belong to one ``Quota``. While they share a limit, it decides when the next call starts.
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
from proctor.models.wrap.learned_rate import LearnedRate
from proctor.models.wrap.quota import Quota

__all__ = ["Limited", "Limiter"]

_MAX_HISTORY = 256  # entries: enough to plot a long run, small enough for every run record
_CALM_SECONDS = 5.0  # without growth after a 5xx
_DEFAULT_PAUSE_SECONDS = 0.25  # if a 429 has none; doubles while nothing gets through
_MAX_DEFAULT_PAUSE_SECONDS = 8.0
_HEADROOM = 1.5  # concurrent calls over what the rate needs, for calls slower than the mean
_GREW = "grew"


@dataclass(frozen=True, slots=True, kw_only=True)
class Limited:
    """Limits calls to what the endpoint accepts."""

    model: Model
    limiter: Limiter

    @property
    def name(self) -> str:
        """The name of the wrapped model."""
        return self.model.name

    async def complete(self, request: Request) -> Reply:
        """Return the reply to the request once a slot is free."""
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

    It belongs to one event loop. ``quota`` joins it with the other models of the same endpoint and key. If a server
    requests a longer wait than ``patience`` seconds, the 429 is raised at once.
    ``history`` holds (seconds since the limiter was made, limit, reason), oldest first and bounded.
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
        self._rhythm = LearnedRate()
        self._paused_until: float | None = None
        self._unsaid = _DEFAULT_PAUSE_SECONDS
        self._cut_at: float | None = None
        self._before_cut = self.limit
        self._proven = True  # whether a call that started since the last cut was answered
        self._grown = 0  # such answers since the limit last changed
        self._calm_until = float("-inf")
        self._latency: float | None = None  # moving average of the last calls

    @property
    def rate(self) -> float | None:
        """Calls a second learnt from refusals, for all models that share the limit; ``None`` without a refusal."""
        now = self._clock()
        return self.quota.rate(now) if self.quota.is_shared else self._rhythm.rate(now)

    @property
    def waiting(self) -> int:
        """How many calls wait for a slot."""
        return len(self._waiting)

    # --- start of a call ----------------------------------------------------------------------------------------

    def try_enter(self) -> float | None:
        """Take a slot if one is free and no call waits for it; return the start time, else ``None``."""
        if self._waiting or self.in_flight >= self.limit or (self.quota.is_shared and self.quota.is_waiting):
            return None
        now = self._clock()
        return None if self._delay(now) > 0 else self._start(now)

    async def enter(self) -> float:
        """Wait for a slot, first come first served; return the start time."""
        turn: asyncio.Future[float] = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        self.admit()  # sets the timer if only time is in the way
        try:
            return await turn
        except asyncio.CancelledError:
            if turn.cancelled():
                with contextlib.suppress(ValueError):
                    self._waiting.remove(turn)
            elif turn.exception() is None:
                self.left()  # the slot was granted at the same moment: pass it on
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
        """Return whether a call waits and a slot is free."""
        return bool(self._waiting) and self.in_flight < self.limit

    def take_turn(self, now: float) -> None:
        """Start the call that has waited longest."""
        turn = self._waiting.popleft()
        if not turn.done():  # otherwise cancelled, and its task has not run yet
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
        """Refuse the waiting calls, since the server requested a pause longer than ``patience``."""
        while self._waiting:
            turn = self._waiting.popleft()
            if not turn.done():
                error = RateLimitedError(f"the server asked for a pause of another {delay:.0f} s")
                error.retry_after = delay
                turn.set_exception(error)

    # --- end of a call ------------------------------------------------------------------------------------------

    def left(self) -> None:
        """Record the end of a call that is no evidence of the endpoint's limits."""
        self.in_flight -= 1
        if self._waiting:
            self.admit()

    def succeeded(self, started: float) -> None:
        """Record an answered call."""
        took = self._clock() - started
        self._latency = took if self._latency is None else 0.9 * self._latency + 0.1 * took
        if self._cut_at is not None and started >= self._cut_at:
            self._proven = True
            self._unsaid = _DEFAULT_PAUSE_SECONDS
        if self.limit < self.ceiling and self._proven:
            self._grow(started + took)
        self.quota.succeeded(self, started)
        self.left()

    def overloaded(self) -> None:
        """Record a 5xx: no growth for a while."""
        self._calm_until = self._clock() + _CALM_SECONDS
        self.left()

    def refused(self, started: float, retry_after: float | None) -> None:
        """Record a 429, with the wait that the server requested, if any."""
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
        else:  # nothing got through since the last cut: the same episode continues, and only the pause grows
            self._unsaid = min(2 * self._unsaid, _MAX_DEFAULT_PAUSE_SECONDS)
        self._cut_at = now
        self._proven = False
        self._grown = 0
        self._note(now, f"429, paused for {pause:.3g} s")

    def pause_is_over(self, now: float, rate: float | None, *, too_fast: bool) -> None:
        """End the pause of all models that share the limit; ``rate`` is their common rate."""
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
            # The rate was too high rather than the concurrency: allow what the rate keeps in flight (Little's law).
            # Before the first answer, a call is known to take at least as long as the pause.
            latency = paused if self._latency is None else self._latency
            self.limit = max(self.limit, min(self._before_cut, int(_HEADROOM * rate * latency) + 1))
        self._note(now, f"resumed at {rate:.3g} calls/s")

    def _note(self, now: float, why: str) -> None:
        if why == _GREW and self.history[-1][2] == _GREW:
            self.history.pop()  # merge consecutive growth into one entry
        self.history.append((round(now - self._made, 3), self.limit, why))
        if len(self.history) > _MAX_HISTORY:
            del self.history[1]
