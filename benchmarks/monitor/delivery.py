"""Deliver events as a network does: some late, some twice, the order of the rest kept."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator
from random import Random

from proctor.core.event import Event

__all__ = ["delivered"]


def delivered(
    events: Iterable[Event],
    *,
    late: float = 0.01,
    late_seconds: float = 120.0,
    twice: float = 0.01,
    seed: int = 1,
) -> Iterator[tuple[float, Event]]:
    """Yield each event with the time at which it arrives, in seconds since the epoch, by that time.

    ``late`` is the share that arrives up to ``late_seconds`` after it happened, ``twice`` the share that is sent again
    within that time, with the same id.
    """
    rng = Random(f"delivery/{seed}")
    waiting: list[tuple[float, int, Event]] = []
    number = 0
    for event in events:
        time = event.time.timestamp()
        while waiting and waiting[0][0] <= time:
            at, _, ready = heapq.heappop(waiting)
            yield at, ready
        delay = rng.random() * late_seconds if rng.random() < late else 0.0
        arrives = [time + delay]
        if rng.random() < twice:
            arrives.append(time + delay + rng.random() * late_seconds)
        for each in arrives:
            number += 1
            heapq.heappush(waiting, (each, number, event))
    while waiting:
        at, _, ready = heapq.heappop(waiting)
        yield at, ready
