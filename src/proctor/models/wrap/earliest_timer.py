"""A timer for the earliest of several deadlines: setting a later one changes nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

__all__ = ["EarliestTimer"]


class EarliestTimer:
    """Calls ``ring`` once, after the shortest of the delays set since the last call."""

    __slots__ = ("_ring", "_timer")

    def __init__(self, ring: Callable[[], None]) -> None:
        self._ring = ring
        self._timer: asyncio.TimerHandle | None = None

    def set(self, delay: float) -> None:
        """Schedule the call in so many seconds, unless it is due earlier; the callee then sets the timer again."""
        loop = asyncio.get_running_loop()
        if self._timer is not None:
            if self._timer.when() <= loop.time() + delay:
                return
            self._timer.cancel()
        self._timer = loop.call_later(delay, self._call)

    def _call(self) -> None:
        self._timer = None
        self._ring()
