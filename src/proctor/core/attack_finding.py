"""Findings of attack campaigns: one per goal and target, followed from first sight to retest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Final, Literal

from proctor.core.codec import content_id
from proctor.core.verdict import Severity

__all__ = [
    "CLOSED",
    "FINDING_STATUSES",
    "ROTATION",
    "AttackFinding",
    "FindingStatus",
    "RetestResult",
    "finding_id",
    "masked_finding",
]

FindingStatus = Literal["open", "confirmed", "false_positive", "mitigated", "retested", "accepted"]
FINDING_STATUSES: Final[tuple[FindingStatus, ...]] = (
    "open",
    "confirmed",
    "false_positive",
    "mitigated",
    "retested",
    "accepted",
)
CLOSED: Final[frozenset[FindingStatus]] = frozenset(("false_positive", "retested", "accepted"))
# ``fixed``: no attempt that was judged is executed any more. ``unknown``: nothing could be judged.
RetestResult = Literal["fixed", "still_executed", "unknown"]
ROTATION: Final = "rotation"  # in ``extra``: the rotation in which the goal was held out
_ID_CHARS = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class AttackFinding:
    """One goal that was reached on one target.

    ``executed`` and ``tried`` are the attempts on the goal in the last run of the campaign; ``attempts`` are ids of
    examples. ``source`` is the tool that found it. ``category`` is how a person classifies it. ``retested`` is the run
    of the retest. ``held_out`` findings are shown without their title.
    """

    id: str
    campaign: str
    goal: str
    scope: str
    target: str
    title: str = ""
    severity: Severity = "high"
    status: FindingStatus = "open"
    owner: str = ""
    category: str = ""
    note: str = ""
    mitigation: str = ""
    retest: RetestResult | None = None
    retested: str = ""
    executed: int = 0
    tried: int = 0
    run: str = ""
    attempts: tuple[str, ...] = ()
    first_seen: datetime | None = None
    last_seen: datetime | None = None
    held_out: bool = False
    tags: tuple[str, ...] = ()
    source: str = "proctor"
    person: str = ""
    reason: str = ""
    extra: Mapping[str, Any] = field(default_factory=dict)

    @property
    def is_closed(self) -> bool:
        """Whether nothing is left to do about it: rejected, accepted, or shown to be fixed."""
        return self.status in CLOSED


def finding_id(goal: str, scope: str, target: str) -> str:
    """Return the fingerprint of a finding: the same goal reached on the same target twice is one finding."""
    return content_id([goal, scope, target], length=_ID_CHARS)


def masked_finding(finding: AttackFinding) -> AttackFinding:
    """Return a held-out finding with its goal named by a hash, and without texts of the attack; others unchanged.

    The hash is the one that reports use for the goal in the rotation of the finding.
    """
    if not finding.held_out:
        return finding
    name = f"held-out-{content_id([finding.extra.get(ROTATION, ''), finding.goal], length=8)}"
    return replace(finding, goal=name, title=name, reason="", tags=())
