"""Stop drafts that cite sources that do not exist or do not support the sentence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from proctor.core.sockets import Scorer, socket
from proctor.core.step import Point
from proctor.core.verdict import Edit, Finding, Verdict
from proctor.guard.edits import apply
from proctor.guard.scorer_step import Choice, asked, findings, strongest
from proctor.guard.step import Step

__all__ = ["CitationsGate"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CitationsGate:
    """Checks that every source the answer cites was retrieved and supports its sentence.

    ``unsupported`` is for a cited source that neither confirms nor denies its sentence; by default it is only recorded,
    because the networks are often wrong about a paraphrase. With ``correct``, a citation of the wrong source is changed
    to the source that states the sentence, if rules find exactly one. Its other settings are those of the scorer of the
    same name: ``supported_from``, ``required``, ``light``.
    """

    name: ClassVar[str] = "citations"
    version: ClassVar[str] = "1"
    points: ClassVar[tuple[Point, ...]] = ("output",)
    pure: ClassVar[bool] = False
    primary: ClassVar[str | None] = None

    action: Choice = "escalate"
    unsupported: Choice = "flag"
    correct: bool = True
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
        corrected = {
            place: edit for place, each in enumerate(found) if (edit := self._edit(step.text, each)) is not None
        }
        wrong = [each for place, each in enumerate(found) if place not in corrected]
        choices = [self.unsupported if each.extra.get("unsupported") is True else self.action for each in wrong]
        action = strongest(choices if found else [self.action])
        made = Verdict(
            action=action,
            gate=self.name,
            version=self.version,
            reason=(wrong or found)[0].reason if found else score.reason,
            findings=found,
            borderline=(score.confidence or 0.0) < 0.8,
        )
        if action != "allow" or not corrected:
            return made
        edits = tuple(corrected.values())
        return replace(made, action="redact", text=apply(step.text, edits), edits=edits)

    def _edit(self, text: str, finding: Finding) -> Edit | None:
        """Return the edit that cites the right source; None if the finding names none."""
        fixed: Mapping[str, Any] | None = finding.extra.get("corrected")
        if not self.correct or fixed is None:
            return None
        start, end = fixed["start"], fixed["start"] + len(fixed["written"])
        if text[start:end] != fixed["written"]:
            return None
        return Edit(start=start, end=end, text=fixed["instead"])
