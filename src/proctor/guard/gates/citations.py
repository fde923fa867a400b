"""Stop drafts that cite sources that do not exist or do not support the sentence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from proctor.core.sockets import Scorer, socket
from proctor.core.step import Point
from proctor.core.verdict import Finding, Verdict
from proctor.guard.scorer_step import Choice, asked, findings, strongest
from proctor.guard.step import Step

__all__ = ["CitationsGate"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CitationsGate:
    """Checks that every source the answer cites was retrieved and supports its sentence.

    ``unsupported`` is for a cited source that neither confirms nor denies its sentence; by default it is only recorded,
    because the networks are often wrong about a paraphrase. Its other settings are those of the scorer of the same
    name: ``supported_from``, ``required``, ``light``.
    """

    name: ClassVar[str] = "citations"
    version: ClassVar[str] = "1"
    points: ClassVar[tuple[Point, ...]] = ("output",)
    pure: ClassVar[bool] = False
    primary: ClassVar[str | None] = None

    action: Choice = "escalate"
    unsupported: Choice = "flag"
    citations: Scorer = socket()

    async def check(self, step: Step) -> Verdict:
        """Find each citation of the draft among the session's sources, and check its sentence against them."""
        if not step.text.strip():
            return Verdict(action="allow", gate=self.name, version=self.version, reason="the draft is empty")
        score = await asked(self.citations, step)
        if score.value is None or score.value >= 1.0:
            return Verdict(action="allow", gate=self.name, version=self.version)
        found = findings(
            step,
            score.evidence,
            self.name,
            lambda each: Finding(
                kind="bad_citation",
                confidence=score.confidence,
                severity="medium",
                reason=each.note[:300],
                extra={"cited": each.where, **each.extra},
            ),
        )
        unsupported = [each.extra.get("unsupported") is True for each in found] or [False]
        return Verdict(
            action=strongest(self.unsupported if each else self.action for each in unsupported),
            gate=self.name,
            version=self.version,
            reason=found[0].reason if found else score.reason,
            findings=found,
            borderline=(score.confidence or 0.0) < 0.8,
        )
