"""The limit that several models of one endpoint and key may share.

Some providers count calls per model, others per key. No answer reports which, so it is learnt: if two models are
refused within one window, they share a limit, and from then on their calls start at one common rate, in turn. If one
model is refused while another repeatedly gets through, each has its own limit.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Protocol

from proctor.models.wrap.earliest_timer import EarliestTimer
from proctor.models.wrap.learned_rate import LearnedRate

__all__ = ["Member", "Quota"]

_MIN_WINDOW_SECONDS = 1.0  # the shortest assumed window of a limit
_PASSES_TO_SPLIT = 5  # successes beside a refused model before the limits count as separate


class Member(Protocol):
    """The limiter of one model, as seen by its quota."""

    patience: float

    def wants_turn(self) -> bool:
        """Return whether a call waits and a slot is free."""
        ...

    def take_turn(self, now: float) -> None:
        """Start the call that has waited longest."""
        ...

    def turn_away(self, delay: float) -> None:
        """Refuse the waiting calls, since the server requested a pause longer than ``patience``."""
        ...

    def pause_is_over(self, now: float, rate: float | None, *, too_fast: bool) -> None:
        """End the common pause; ``rate`` is the rate of all members together."""
        ...

    def admit(self) -> None:
        """Start the calls that may start by the member's own limit."""
        ...


class Quota:
    """The models of one endpoint and key: whether they share a limit, and their common rate if they do."""

    __slots__ = (
        "_alarm",
        "_clock",
        "_joint",
        "_last",
        "_members",
        "_needed",
        "_passes",
        "_paused_until",
        "_refused",
        "_rhythm",
        "is_shared",
    )

    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        self.is_shared = False
        self._clock = clock
        self._joint = 0  # joint refusals of two members in one window since the limits last counted as separate
        self._needed = 1  # how many of those make the limit shared; raised each time that proves wrong
        self._members: list[Member] = []
        self._last = 0  # the member that started a call last
        self._rhythm = LearnedRate()
        self._paused_until: float | None = None
        self._refused: dict[Member, tuple[float, float]] = {}  # the start of the last refused call, the pause's end
        self._passes: dict[Member, int] = {}  # calls that got through while another member was refused
        self._alarm = EarliestTimer(self._ring)

    def join(self, member: Member) -> None:
        """Add the limiter of one more model."""
        self._members.append(member)

    @property
    def is_waiting(self) -> bool:
        """Whether a call of any member waits for its turn."""
        return any(member.wants_turn() for member in self._members)

    def rate(self, now: float) -> float | None:
        """Return the calls a second of all members together; ``None`` before the first refusal."""
        return self._rhythm.rate(now)

    def delay(self, now: float) -> float:
        """Return the seconds until the next call of any member may start; zero or less if it may start now."""
        if self._paused_until is not None:
            if now < self._paused_until:
                return self._paused_until - now
            self._paused_until = None
            too_fast = self._rhythm.resume(now)
            rate = self._rhythm.rate(now)
            for member in self._members:
                member.pause_is_over(now, rate, too_fast=too_fast)
        return self._rhythm.wait(now)

    def started(self, now: float) -> None:
        """Record the start of a call of any member."""
        self._rhythm.started(now)

    def succeeded(self, member: Member, started: float) -> None:
        """Record an answered call; next to a model refused at the same time, it is evidence of separate limits."""
        if any(other is not member and at < started <= until for other, (at, until) in self._refused.items()):
            self._passes[member] = self._passes.get(member, 0) + 1
            if self.is_shared and self._passes[member] >= _PASSES_TO_SPLIT:
                self._split()

    def refused(self, member: Member, started: float, pause: float, now: float, *, told: bool, busy: bool) -> None:
        """Record a 429; another model refused in the same window means that they share a limit."""
        self._rhythm.refused(started, pause, told=told, busy=busy)
        window = max(pause, _MIN_WINDOW_SECONDS)
        together = any(other is not member and abs(started - at) <= window for other, (at, _) in self._refused.items())
        self._refused[member] = (started, now if self.is_shared else now + pause)
        self._passes[member] = 0
        self._joint += together
        if not self.is_shared and self._joint >= self._needed:
            self.is_shared = True
            self._passes.clear()
        self._paused_until = max(self._paused_until or now, now + pause)

    def admit(self) -> None:
        """Start the calls that may start, round-robin over the members."""
        while (place := self._next()) is not None:
            member, now = self._members[place], self._clock()
            delay = self.delay(now)
            if delay > member.patience:
                member.turn_away(delay)
            elif delay > 0:
                return self._alarm.set(delay)
            else:
                self._last = place
                member.take_turn(now)
        return None

    def _split(self) -> None:
        self.is_shared = False
        self._joint = 0
        self._needed *= 4
        for member in self._members:
            member.admit()

    def _next(self) -> int | None:
        count = len(self._members)
        places = ((self._last + 1 + step) % count for step in range(count))
        return next((place for place in places if self._members[place].wants_turn()), None)

    def _ring(self) -> None:
        if self.is_shared:
            self.admit()
