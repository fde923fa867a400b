"""Claims of a draft that nothing bears out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final, Literal

from proctor.core.score import Evidence
from proctor.core.sockets import Scorer, socket
from proctor.core.verdict import Finding, Verdict
from proctor.guard.asking import asked, findings
from proctor.guard.step import Point, Step

__all__ = ["Grounding"]

_KINDS: Final = {
    "unsupported": "unsupported_claim",
    "contradicted": "contradicted_claim",
    "stale": "stale_claim",
    "unsourced": "unsourced_claim",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Grounding:
    """Policies, prices and terms of bookings are only told as sources and tools tell them.

    A claim in a critical section that nothing bears out stops the answer; elsewhere it is noted. ``no_sources`` is for
    critical claims of an answer that has no source at all. ``unsure`` is how much support of a network's makes a claim
    borderline: it is noted, not stopped. Its other settings are those of the scorer ``grounded``: ``critical``,
    ``known``, ``read``, ``thorough``, ``light``.
    """

    name: ClassVar[str] = "grounding"
    version: ClassVar[str] = "1"
    points: ClassVar[tuple[Point, ...]] = ("output",)
    pure: ClassVar[bool] = False
    primary: ClassVar[str | None] = "critical"

    action: Literal["flag", "block", "escalate"] = "escalate"
    no_sources: Literal["allow", "flag", "block", "escalate"] = "flag"
    unsure: float = 0.45
    grounded: Scorer = socket()

    def __post_init__(self) -> None:
        if not 0.0 <= self.unsure <= 1.0:
            raise ValueError(f"unsure is {self.unsure:g}; it must be from 0 to 1")

    async def check(self, step: Step) -> Verdict:
        """Hold each claim against the sources and the tool results of the session."""
        if not step.text.strip():
            return Verdict(action="allow", gate=self.name, version=self.version, reason="the draft is empty")
        score = await asked(self.grounded, step)
        evidence = [each for each in score.evidence if each.extra.get("state") != "supported"]
        if self.no_sources == "allow":
            evidence = [each for each in evidence if each.extra.get("state") != "unsourced"]
        found = findings(step, evidence, self.name, self._finding)
        stopped = [each for each in found if each.extra["stops"]]
        actions = {self._action(each) for each in stopped}
        action = next((each for each in ("block", "escalate") if each in actions), "allow")
        shown = stopped or found
        return Verdict(
            action=action,  # type: ignore[arg-type]
            gate=self.name,
            version=self.version,
            reason=shown[0].reason if shown else "",
            findings=found,
            extra={"borderline": not stopped and any(each.extra["borderline"] for each in found)},
        )

    def _action(self, finding: Finding) -> str:
        return self.no_sources if finding.kind == "unsourced_claim" else self.action

    def _finding(self, each: Evidence) -> Finding | None:
        state, critical = str(each.extra.get("state")), bool(each.extra.get("critical"))
        if state not in _KINDS or (state == "unsourced" and not critical):
            return None
        by_rule, value = bool(each.extra.get("by_rule", True)), float(each.extra.get("value", 0.0))
        unsure = critical and state == "unsupported" and not by_rule and value >= self.unsure
        where = f" ({', '.join(each.extra.get('sections', ()))})" if critical else ""
        return Finding(
            kind=_KINDS[state],
            confidence=0.9 if by_rule else round(1.0 - value, 3),
            severity="high" if critical else "low",
            reason=f"{each.note[:300]}{where}",
            extra={
                "stops": critical
                and not unsure
                and (self.no_sources if state == "unsourced" else self.action) != "flag",
                "borderline": unsure,
                "sections": each.extra.get("sections", ()),
                "source": each.where,
            },
        )
