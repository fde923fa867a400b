"""Find requests for a person that the agent passes over as if nobody had asked."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Final

from proctor.core.case import Case
from proctor.core.score import Evidence, Score
from proctor.core.tool_effect import StatedEffect, tool_effect
from proctor.core.trajectory import Trajectory, Turn
from proctor.core.verdict import STOPS
from proctor.lexicon.customer_signs import asks_for_person
from proctor.lexicon.match import matcher
from proctor.scorers.checked_answers import (
    MOST_EVIDENCE,
    no_conversation,
    quoted,
    scored,
    skipped,
    turn_label,
    unless_broken_off,
)
from proctor.text.claims import statements

__all__ = ["PersonRequests"]

# Places and means at which customers act themselves; they are an offer only outside of a question.
_PLACES: Final = re.compile(
    r"\b(?:desk|phone|department|store|schalter|telefon|comptoir|guichet|téléphone|mostrador|teléfono|sportello|"
    r"telefono"
    r"|balcão|telefone|balie|telefoon|okienk\w+)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonRequests:
    """A request for a person is answered: by a hand-over, an offer, or a word on why there is none."""

    name: ClassVar[str] = "person_requests"
    version: ClassVar[str] = "1"
    threshold: ClassVar[float | None] = 1.0
    primary: ClassVar[str | None] = None

    tool_effects: Mapping[str, StatedEffect] = field(default_factory=dict)

    async def score(self, case: Case, run: Trajectory) -> Score:
        """Find the turns in which the customer asks for a person and the agent does not respond to it."""
        if (unanswered := no_conversation(self, run)) is not None:
            return unanswered
        return unless_broken_off(self, run, self._judged(run))

    def _judged(self, run: Trajectory) -> Score:
        asked = [index for index, turn in enumerate(run.turns) if asks_for_person(turn.asked) is not None]
        if not asked:
            return skipped(self, "the customer asks for no person")
        ignored = [index for index in asked if self._is_ignored(index, asked, run.turns)]
        if not ignored:
            return scored(self, 1.0, f"{len(asked)} requests for a person, each answered", confidence=0.8)
        evidence = tuple(
            Evidence(
                quote=quoted(run.turns[index].asked),
                turn=index,
                where="customer",
                note="asked for a person",
                check="ignored",
            )
            for index in ignored[:MOST_EVIDENCE]
        )
        first = run.turns[ignored[0]]
        reason = (
            f"{turn_label(ignored[0])}: the customer asks for a person ({quoted(first.asked, 120)!r}) and the agent "
            f"goes on without a word on it: {quoted(first.answer, 160)!r}"
        )
        return scored(self, 0.0, quoted(reason, 500), evidence=evidence, confidence=0.85)

    def _is_ignored(self, index: int, asked: Sequence[int], turns: Sequence[Turn]) -> bool:
        """Whether nothing in a turn responds to its request, and no later turn hands over without a new request."""
        turn = turns[index]
        if not turn.answer.strip() or self._responds(turn):
            return False
        following = turns[index + 1] if index + 1 < len(turns) else None
        return following is None or index + 1 in asked or not following.answer.strip() or not self._responds(following)

    def _responds(self, turn: Turn) -> bool:
        if turn.escalation is not None or turn.error or any(verdict.action in STOPS for verdict in turn.verdicts):
            return True
        speaks = matcher("offers_person")
        for call in turn.tool_calls:
            if tool_effect(call.name, self.tool_effects) == "hands_off" or speaks.has(call.name.replace("_", " ")):
                return True
        return any(
            speaks.has(each.text)
            for message in turn.messages
            if message.role == "assistant"
            for each in statements(message.content, most=40)
            if each.kind != "question" or not _asks_for_facts(each.text)
        )


def _asks_for_facts(question: str) -> bool:
    """Whether a question asks what happened and only mentions a place or a phone: "did you cancel at the desk?"."""
    return not matcher("offers_person").has(_PLACES.sub(" ", question))
