"""Use any scorer as a gate before an answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from proctor.core.score import Evidence
from proctor.core.sockets import Scorer, socket
from proctor.core.step import Point
from proctor.core.verdict import Finding, Severity, Verdict
from proctor.guard.scorer_step import asked, findings
from proctor.guard.step import Step

__all__ = ["Scored"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """Stops an answer that a scorer rates below the threshold.

    A scoring error is a failure of the gate; an answer with nothing to score passes.
    """

    name: ClassVar[str] = "scored"
    version: ClassVar[str] = "1"
    points: ClassVar[tuple[Point, ...]] = ("output",)
    pure: ClassVar[bool] = False
    primary: ClassVar[str | None] = "scorer"

    threshold: float | None = None
    action: Literal["flag", "block", "escalate"] = "escalate"
    severity: Severity = "medium"
    scorer: Scorer = socket()

    def __post_init__(self) -> None:
        if self.threshold is not None and not 0.0 <= self.threshold <= 1.0:
            raise ValueError(f"threshold is {self.threshold:g}; it must be from 0 to 1")

    async def check(self, step: Step) -> Verdict:
        """Score the draft as the answer to the customer's last message."""
        if not step.text.strip():
            return Verdict(action="allow", gate=self.name, version=self.version, reason="the draft is empty")
        score = await asked(self.scorer, step)
        least = self.threshold if self.threshold is not None else score.threshold
        least = self.scorer.threshold if least is None else least
        told = {"scorer": self.scorer.name, "score": score.value}
        if score.value is None or least is None or score.value >= least:
            return Verdict(action="allow", gate=self.name, version=self.version, extra=told)
        reason = f"{self.scorer.name} is {score.value:.2f}, less than {least:.2f}: {score.reason[:300]}"
        low = Finding(
            kind="low_score", detector=self.name, confidence=score.confidence, severity=self.severity, reason=reason
        )
        found = findings(step, score.evidence, f"{self.name}/{self.scorer.name}", self._finding)
        action: Literal["allow", "block", "escalate"] = "allow" if self.action == "flag" else self.action
        return Verdict(
            action=action, gate=self.name, version=self.version, reason=reason, findings=(low, *found), extra=told
        )

    def _finding(self, each: Evidence) -> Finding:
        return Finding(kind="low_score", severity=self.severity, reason=(each.note or each.quote)[:300])
