"""How much each source may send per second."""

from __future__ import annotations

import time
from collections.abc import Callable

__all__ = ["SourceRates"]


class SourceRates:
    """A budget of records per source that refills with time. A request may overdraw it; the next one then waits.

    What a request holds is known only when it was read, so it is charged afterwards.
    """

    def __init__(self, rate: float | None, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate = rate
        self._clock = clock
        self._left: dict[str, tuple[float, float]] = {}

    def wait(self, source: str) -> float:
        """Return the seconds until the source may send again; 0 if it may now."""
        if self._rate is None:
            return 0.0
        left = self._now_left(source, self._rate)
        return -left / self._rate if left < 0 else 0.0

    def charge(self, source: str, records: int) -> None:
        """Take records from the source's budget."""
        if self._rate is not None:
            self._left[source] = (self._now_left(source, self._rate) - records, self._clock())

    def _now_left(self, source: str, rate: float) -> float:
        left, since = self._left.get(source, (rate, self._clock()))
        return min(rate, left + (self._clock() - since) * rate)
