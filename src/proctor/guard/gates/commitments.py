"""Stop promises beyond the agent's authority."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final

from proctor.core.fast_dataclass import fast_constructor
from proctor.core.score import Evidence
from proctor.core.sockets import Scorer, socket
from proctor.core.step import Point
from proctor.core.verdict import Finding, Verdict
from proctor.guard.gibberish import illegible
from proctor.guard.scorer_step import Choice, asked, findings, strongest, unread
from proctor.guard.step import Step

__all__ = ["CommitmentsGate"]
_made: Final = fast_constructor(Verdict)


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitmentsGate:
    """Stops promises that the agent may not grant, and confirmations that no tool call supports.

    Its other settings are those of the scorer of the same name: ``registry``, ``granted``, ``confirmations``,
    ``tools_recorded``, ``light``. ``long`` is for answers that are read only in part, or not at all because they are
    no language.
    """

    name: ClassVar[str] = "commitments"
    version: ClassVar[str] = "1"
    points: ClassVar[tuple[Point, ...]] = ("output",)
    pure: ClassVar[bool] = False
    primary: ClassVar[str | None] = "registry"

    action: Choice = "escalate"
    unbacked: Choice = "escalate"
    long: Choice = "escalate"
    commitments: Scorer = socket()

    async def check(self, step: Step) -> Verdict:
        """Check the draft against the registry, and its confirmations against this session's tool calls."""
        if not step.text.strip():
            return Verdict(action="allow", gate=self.name, version=self.version, reason="the draft is empty")
        if (noise := illegible(step, self, self.long)) is not None:
            return noise
        score = await asked(self.commitments, step)
        # Earlier turns were already sent; only the draft can still be stopped.
        last = max((each.turn or 0 for each in score.evidence), default=0)
        said = [each for each in score.evidence if (each.turn or 0) == last]
        found = (
            *findings(step, said, self.name, lambda each: _finding(each, score.confidence)),
            *unread(step, self.name),
        )
        chosen = {"commitment": self.action, "unbacked_confirmation": self.unbacked, "unread": self.long}
        return _made(
            action=strongest(chosen[each.kind] for each in found),
            gate=self.name,
            version=self.version,
            reason=found[0].reason if found else "",
            findings=found,
            borderline=bool(found) and (score.confidence or 0.0) < 0.8,
        )


def _finding(each: Evidence, confidence: float | None) -> Finding:
    if each.where == "unread":
        return Finding(kind="unread", confidence=1.0, severity="medium", reason=f"not all was read: {each.note[:200]}")
    confirms = each.where == "confirmation"
    what = "says that something is done which no tool did" if confirms else "promises what the agent may not grant"
    return Finding(
        kind="unbacked_confirmation" if confirms else "commitment",
        confidence=confidence,
        severity="critical" if confirms else "high",
        reason=f"the draft {what}: {each.note[:200]}",
    )
