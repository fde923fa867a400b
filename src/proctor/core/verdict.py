"""What a gate decided about one step, and what it found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

__all__ = ["ACTION_RANK", "STOPS", "Action", "Finding", "Severity", "Verdict"]

Action = Literal["allow", "redact", "block", "escalate"]
STOPS: Final[frozenset[Action]] = frozenset(("block", "escalate"))  # the actions after which a step does not go on
# of two verdicts on one step, the one with the higher rank decides
ACTION_RANK: Final[Mapping[Action, int]] = {"allow": 0, "redact": 1, "escalate": 2, "block": 3}
Severity = Literal["low", "medium", "high", "critical"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing a detector found; ``start`` and ``end`` point into the original text."""

    kind: str
    detector: str = ""
    text: str = ""
    start: int | None = None
    end: int | None = None
    confidence: float | None = None
    severity: Severity | None = None
    reason: str = ""
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """A gate's decision.

    ``text`` is what may go on when the action is ``redact``. ``broken`` marks a decision that was
    taken because the gate itself failed or ran out of time.
    """

    action: Action
    gate: str = ""
    reason: str = ""
    findings: tuple[Finding, ...] = ()
    text: str | None = None
    broken: bool = False
    latency: float | None = None
    version: str = ""
    extra: Mapping[str, Any] = field(default_factory=dict)
