"""How often somebody may try something: a number of tries in a period, for each name or address."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from typing import Final

__all__ = ["AttemptLimit"]

_MAX_PLACES: Final = 10_000  # names and addresses that are remembered; the oldest are forgotten first


class AttemptLimit:
    """Counts tries. One is counted before it is made, so that many at once are not more than allowed."""

    def __init__(self, most: int, period: float, *, clock: Callable[[], float] = time.monotonic) -> None:
        self.most = most
        self.period = period
        self._clock = clock
        self._made: dict[str, deque[float]] = {}

    def take(self, *places: str) -> bool:
        """Count a try for each place, and return whether it is allowed; if not, nothing is counted."""
        now = self._clock()
        if any(len(self._recent(place, now)) >= self.most for place in places):
            return False
        for place in places:
            made = self._made.pop(place, None) or deque()
            made.append(now)
            self._made[place] = made  # the newest last
        while len(self._made) > _MAX_PLACES:
            self._made.pop(next(iter(self._made)))
        return True

    def give_back(self, *places: str) -> None:
        """Take the last try back: it was none."""
        for place in places:
            if made := self._made.get(place):
                made.pop()

    def _recent(self, place: str, now: float) -> deque[float]:
        made = self._made.get(place)
        if made is None:
            return deque()
        while made and made[0] <= now - self.period:
            made.popleft()
        return made
