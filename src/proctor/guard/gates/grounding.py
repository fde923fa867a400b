"""Find claims of a draft that no source supports."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Final

from proctor.core.fast_dataclass import fast_constructor
from proctor.core.score import Evidence, Score
from proctor.core.sockets import Scorer, socket
from proctor.core.step import Point
from proctor.core.verdict import Finding, Verdict
from proctor.guard.gibberish import illegible
from proctor.guard.scorer_step import Choice, asked, findings, run_of, strongest, unread
from proctor.guard.step import Step

__all__ = ["Grounding"]

_KINDS: Final = {
    "unsupported": "unsupported_claim",
    "in doubt": "doubtful_claim",
    "contradicted": "contradicted_claim",
    "other value": "contradicted_claim",
    "stale": "stale_claim",
    "unsourced": "unsourced_claim",
    "unread": "unread",
}
_made: Final = fast_constructor(Verdict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Grounding:
    """Checks claims about policies, prices and bookings against sources and tool results.

    A critical claim that a source contradicts, and any claim for which a source has another value, stops the answer.
    ``unsupported`` is for critical claims that no source confirms or denies, ``no_sources`` for those of an answer that
    has no source at all, ``long`` for answers that are read only in part, or not at all because they are no language.
    The other settings are those of the scorer ``grounded``: ``critical``, ``known``, ``read``, ``doubt``, ``thorough``,
    ``light``.
    """

    name: ClassVar[str] = "grounding"
    version: ClassVar[str] = "1"
    points: ClassVar[tuple[Point, ...]] = ("output",)
    pure: ClassVar[bool] = False
    primary: ClassVar[str | None] = "critical"

    action: Choice = "escalate"
    unsupported: Choice = "flag"
    no_sources: Choice = "flag"
    long: Choice = "escalate"
    grounded: Scorer = socket()

    async def check(self, step: Step) -> Verdict:
        """Check each claim against the sources and the tool results of the session."""
        if not step.text.strip():
            return Verdict(action="allow", gate=self.name, version=self.version, reason="the draft is empty")
        if (noise := illegible(step, self, self.long)) is not None:
            return noise
        score = await asked(self.grounded, step)
        found = (
            *findings(step, score.evidence, self.name, lambda each: self._finding(each, score)),
            *unread(step, self.name),
        )
        choices = {each: self._choice(each) for each in map(_key, found)}
        stopped = [each for each in found if choices[_key(each)] in ("block", "escalate")]
        shown = stopped or list(found)
        return _made(
            action=strongest(choices.values()),
            gate=self.name,
            version=self.version,
            reason=shown[0].reason if shown else "",
            findings=found,
            borderline=not stopped and any(each.kind == "doubtful_claim" for each in found),
        )

    def ahead(self, step: Step) -> Iterator[None]:
        """Read the tool results of the session before the draft arrives, a little at each step."""
        if (read := getattr(self.grounded, "ahead", None)) is not None:
            yield from read(run_of(step)[1])

    def _choice(self, key: tuple[str, str | None]) -> Choice:
        """Return what to do about a finding, by its kind and severity."""
        kind, severity = key
        if kind == "unread":
            return self.long
        if severity != "high":
            return "flag"
        by_kind = {"unsourced_claim": self.no_sources, "unsupported_claim": self.unsupported}
        return by_kind.get(kind, self.action)

    def _finding(self, each: Evidence, score: Score) -> Finding | None:
        state, _, sections = (each.where or "").partition(": ")
        if state not in _KINDS or (state == "unsourced" and not sections):
            return None
        return Finding(
            kind=_KINDS[state],
            confidence=score.confidence,
            severity="high"
            if state == "other value"
            else "low"
            if not sections
            else "medium"
            if state in ("in doubt", "unread")
            else "high",
            reason=f"{state}: {each.note[:300]}" + (f" [{sections}]" if sections else ""),
            extra={"sections": tuple(sections.split(", ")) if sections else ()},
        )


def _key(finding: Finding) -> tuple[str, str | None]:
    return finding.kind, finding.severity
