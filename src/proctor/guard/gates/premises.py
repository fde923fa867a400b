"""Mark promises that a customer claims were made as unverified, so that the agent does not rely on them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Final, Literal

from proctor.core.fast_dataclass import fast_constructor
from proctor.core.step import Point
from proctor.core.verdict import Edit, Finding, Verdict
from proctor.guard.edits import apply
from proctor.guard.ledger import standing
from proctor.guard.session_memory import Memory
from proctor.guard.step import Step
from proctor.guard.step_readings import quote
from proctor.lexicon.promise_claims import asserted, carried
from proctor.text.claims import statements

__all__ = ["PremisesGate"]

_NOTE: Final = " [unverified claim: nothing on record confirms this]"
_made: Final = fast_constructor(Verdict)


@dataclass(frozen=True, slots=True, kw_only=True)
class PremisesGate:
    """Marks claims of an earlier promise as unverified until a tool result confirms them."""

    name: ClassVar[str] = "premises"
    version: ClassVar[str] = "1"
    points: ClassVar[tuple[Point, ...]] = ("input",)
    pure: ClassVar[bool] = True
    primary: ClassVar[str | None] = "action"

    action: Literal["mark", "escalate"] = "mark"
    note: str = _NOTE

    def __post_init__(self) -> None:
        if not self.note.strip():
            raise ValueError("note is empty; the agent would not see that the claim is unverified")

    async def check(self, step: Step) -> Verdict:
        """Find claims of promises in the message, and sentences that build on one of an earlier turn."""
        plain = step.normalised.plain
        found: list[Finding] = []
        edits: list[Edit] = []
        at = 0
        for sentence, turn in _unverified(plain, step.memory):
            start, end = _place(plain, sentence, at)
            at = end
            first, last = step.normalised.span(start, end) if end > start else (len(step.text), len(step.text))
            found.append(self._finding(sentence, first, last, turn))
            edits.append(Edit(start=last, end=last, text=self.note))
        if not found:
            return _made(action="allow", gate=self.name, version=self.version)
        return Verdict(
            action="redact" if self.action == "mark" else "escalate",
            gate=self.name,
            reason=found[0].reason,
            findings=tuple(found),
            text=apply(step.text, edits) if self.action == "mark" else None,
            version=self.version,
            edits=tuple(edits) if self.action == "mark" else None,
        )

    def _finding(self, sentence: str, start: int, end: int, turn: int | None) -> Finding:
        reason = "the customer says that something was promised, and nothing on record confirms it"
        if turn is not None:
            reason = f"the customer builds on a promise claimed in turn {turn + 1}, which nothing on record confirms"
        return Finding(
            kind="claimed_promise",
            detector=self.name,
            text=quote(sentence),
            start=start,
            end=end,
            confidence=0.8,
            severity="medium",
            reason=reason,
            extra={} if turn is None else {"claimed_in_turn": turn},
        )


def _unverified(text: str, memory: Memory) -> Iterator[tuple[str, int | None]]:
    """Yield sentences that claim a promise, and those that assume an earlier claim, with its turn."""
    claims = {claim.sentence for claim in standing(asserted(text, memory.turns), memory.calls)}
    earlier = standing(memory.claims, memory.calls)
    if not claims and not earlier:
        return
    for statement in statements(text):
        if statement.text in claims:
            yield statement.text, None
            continue
        built_on = next((claim for claim in earlier if carried(claim, statement.text)), None)
        if built_on is not None:
            yield statement.text, built_on.turn


def _place(text: str, sentence: str, at: int) -> tuple[int, int]:
    """Return the span of a sentence; an empty span if marks inside it were removed."""
    start = text.find(sentence, at)
    if start < 0:
        start = text.find(sentence)
    return (start, start + len(sentence)) if start >= 0 else (0, 0)
