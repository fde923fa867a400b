"""A timer of which only the earliest call counts: asking for a later one while it is set changes nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

__all__ = ["EarliestTimer"]


class EarliestTimer:
    """Calls ``ring`` once, after the shortest of the delays asked for since the last call."""

    __slots__ = ("_ring", "_timer")

    def __init__(self, ring: Callable[[], None]) -> None:
        self._ring = ring
        self._timer: asyncio.TimerHandle | None = None

    def set(self, delay: float) -> None:
        """Call in so many seconds, unless it is set for earlier: whoever is called then asks again."""
        loop = asyncio.get_running_loop()
        if self._timer is not None:
            if self._timer.when() <= loop.time() + delay:
                return
            self._timer.cancel()
        self._timer = loop.call_later(delay, self._call)

    def _call(self) -> None:
        self._timer = None
        self._ring()
