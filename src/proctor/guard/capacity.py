"""How many steps may wait for the gates, and for how long."""

from __future__ import annotations

import math
from dataclasses import dataclass

__all__ = ["OverCapacityError", "QueueLimits"]


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueLimits:
    """The queue before the gates: at most ``steps`` unanswered ones, each of which waits at most ``seconds``.

    Time in the queue is apart from a gate's own ``timeout``.
    """

    steps: int = 2_000
    seconds: float = 30.0

    def __post_init__(self) -> None:
        if self.steps < 1:
            raise ValueError(f"steps must be 1 or more, not {self.steps}")
        if not (math.isfinite(self.seconds) and self.seconds > 0):
            raise ValueError(f"seconds must be more than 0, not {self.seconds:g}")


class OverCapacityError(Exception):
    """The queue is full, or a step waited in it for too long."""
