"""Limits on the size of a step, on how many steps may wait for the gates, and for how long."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

from proctor.core.verdict import Finding, Verdict

__all__ = [
    "MAX_STEP_CHARS",
    "OVER_CAPACITY",
    "OverCapacityError",
    "QueueLimits",
    "is_busy",
    "over_capacity",
    "too_long",
    "unread",
]

MAX_STEP_CHARS: Final = 10_000_000  # of a text with its sources; no gate reads more within any usual timeout
OVER_CAPACITY = "over_capacity"  # the kind of the finding
_HINT = "ask again later; start more processes, or raise `queue` of the guard in proctor.yaml"


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueLimits:
    """The queue before the gates: at most ``steps`` pending steps, each of which waits at most ``seconds``.

    Time in the queue does not count towards a gate's own ``timeout``.
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


def over_capacity(name: str, version: str, why: str) -> Verdict:
    """Return the verdict for a step that a gate had no time to check. It blocks regardless of ``on_failure``.

    Otherwise a flood of steps would bypass a gate that fails open.
    """
    reason = f"the guard is over capacity ({why}): {_HINT}"
    return Verdict(
        action="block",
        gate=name,
        reason=reason,
        findings=(Finding(kind=OVER_CAPACITY, detector=name, severity="high", reason=reason),),
        broken=True,
        version=version,
        busy=True,
    )


def too_long(chars: int, limit: int, lower: tuple[str, int] | None = None) -> str:
    """Return the reason why a step is too long for any gate; ``lower`` is a gate that reads less than ``limit``."""
    told = f"the text is too long: {chars:,} characters, and at most {limit:,} are read: "
    if lower is not None:
        name, most = lower
        return told + f"split it; the gate {name} reads at most {most:,}, whatever `most_chars` of the guard is"
    return told + "shorten it, or raise `most_chars` of the guard in proctor.yaml together with `timeout`"


def unread(point: str, version: str, reason: str, *, latency: float) -> Verdict:
    """Return the verdict for a step that no gate can read. It blocks regardless of ``on_failure``.

    Otherwise such a step would bypass the gates that fail open.
    """
    return Verdict(
        action="block",
        gate=point,
        reason=reason,
        findings=(Finding(kind="gate_failed", detector="guard", severity="high", reason=reason),),
        broken=True,
        latency=latency,
        version=version,
        by="guard",
    )


def is_busy(verdict: Verdict) -> bool:
    """Return whether a step was stopped only because the guard is over capacity; it may pass later."""
    return verdict.broken and verdict.action != "allow" and verdict.busy
