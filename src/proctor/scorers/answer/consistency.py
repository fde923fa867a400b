"""Check whether an answer agrees with itself, with the earlier turns and with its persona."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar, Final, Literal

from proctor.core.case import Case
from proctor.core.score import Evidence, Score
from proctor.core.sockets import Embedder, Entailer, Model, socket
from proctor.core.trajectory import Trajectory
from proctor.lexicon.comparable_claims import Saying, sayings
from proctor.scorers.answer.quality_parts.contradictions import (
    MOST_PAIRS,
    Contradiction,
    Looked,
    contradictions,
    remaining,
    trust,
)
from proctor.scorers.answer.quality_parts.persona import Persona, score_persona
from proctor.scorers.answer.quality_parts.prior_turns import AnsweredTurn, exchanges
from proctor.scorers.answer.quality_parts.reference import Resolved, resolve
from proctor.scorers.answer.quality_parts.rubric_judge import by_judge
from proctor.scorers.checked_answers import MOST_EVIDENCE, no_answer, quoted, turn_label
from proctor.scorers.weighted_parts import check_weights, combined, weighed

__all__ = ["Consistency"]

WEIGHTS: Final = {"intra_turn": 0.35, "cross_turn": 0.40, "persona": 0.25}

_RUBRIC_INTRA = (
    "The answer does not contradict itself: no two things it says are such that both cannot be true. "
    "Judge only this, not whether it is right or well written. 5: no contradiction; 1: a plain contradiction."
)
_RUBRIC_CROSS = (
    "The answer agrees with everything the assistant said earlier in the conversation, and takes up what the user "
    "points at (“the second one” is the second that was listed). Judge only this. 5: it agrees in everything; "
    "1: it plainly "
    "contradicts an earlier answer or speaks of another thing than the user pointed at."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Consistency:
    """Whether the answer agrees with itself, with the earlier turns and with its persona."""

    name: ClassVar[str] = "consistency"
    version: ClassVar[str] = "1"
    threshold: ClassVar[float | None] = 0.75
    primary: ClassVar[str | None] = None

    weights: Mapping[str, float] = field(default_factory=lambda: dict(WEIGHTS))
    persona: Persona = field(default_factory=Persona)
    where: Literal["answer", "every"] = "every"
    most_pairs: int = MOST_PAIRS
    light: bool = False
    entailer: Entailer = socket()
    embedder: Embedder = socket()
    judge: Model | None = socket(optional=True)

    def __post_init__(self) -> None:
        check_weights(self.weights, WEIGHTS)
        if self.most_pairs < 0:
            raise ValueError(f"most_pairs is {self.most_pairs}; it must be 0 or more")

    async def score(self, case: Case, run: Trajectory) -> Score:
        """Compare the statements of the answers with each other, and ask a judge if one is configured."""
        if (unanswered := no_answer(self, run)) is not None:
            return unanswered
        said = exchanges(case, run)
        looked_at = said if self.where == "every" else said[-1:]
        intra, cross = await asyncio.gather(self._intra(looked_at, case, run), self._cross(looked_at, case, run))
        parts = [intra, cross, score_persona(self.persona, looked_at)]
        return combined(self.name, weighed(parts, self.weights, version=self.version), version=self.version)

    async def _intra(self, said: Sequence[AnsweredTurn], case: Case, run: Trajectory) -> Score:
        if not any(exchange.answer.strip() for exchange in said):
            return _none("intra_turn", "there is nothing in the answer to compare")
        try:
            looked = [await self._look(None, _own(exchange), exchange) for exchange in said]
        except Exception as error:  # a failing model gives a missing part, not an invented score
            return _broken("intra_turn", error)
        statements = sum(len(_own(exchange)) for exchange in said)
        note = "one statement: nothing to contradict" if statements < 2 else f"{statements} statements agree"
        exact = self._told("intra_turn", looked, None, note)
        return await self._with_judge(exact, _RUBRIC_INTRA, case, run)

    async def _cross(self, said: Sequence[AnsweredTurn], case: Case, run: Trajectory) -> Score:
        later = [exchange for exchange in said if exchange.answers_before]
        if not later or not any(exchange.answer.strip() for exchange in later):
            return _none("cross_turn", "nothing was answered before")
        try:
            looked = [await self._look(_earlier(exchange), _own(exchange), exchange) for exchange in later]
        except Exception as error:  # a failing model gives a missing part, not an invented score
            return _broken("cross_turn", error)
        pointed = [found for exchange in later if (found := resolve(exchange)) is not None]
        worst = min(pointed, key=lambda each: each.value) if pointed else None
        compared = sum(each.pairs for each in looked)
        note = f"{compared} pairs with earlier statements agree" if compared else "no statement to compare"
        exact = self._told("cross_turn", looked, worst, note)
        return await self._with_judge(exact, _RUBRIC_CROSS, case, run)

    async def _look(
        self, earlier: Sequence[tuple[int | None, Saying]] | None, later: Sequence[Saying], exchange: AnsweredTurn
    ) -> Looked:
        return await contradictions(
            earlier,
            later,
            turn=exchange.turn,
            entailer=None if self.light else self.entailer,
            embedder=None if self.light else self.embedder,
            most_pairs=self.most_pairs,
        )

    def _told(self, part: str, looked: Sequence[Looked], pointed: Resolved | None, fine: str) -> Score:
        """Build one part from the contradictions found and from references the answer resolved wrongly."""
        found = [each for one in looked for each in one.found]
        language = next((one.language for one in reversed(looked) if one.language != "none"), "none")
        value, sure = remaining(found), trust(language, network=not self.light)
        why = [f"{quoted(each.later, 80)} — {each.reason}" for each in found[:3]]
        evidence = [one for each in found for one in _shown(each)]
        if pointed is not None:
            sure = max(sure, pointed.confidence)
            if pointed.value < 1.0:
                why.insert(0, pointed.reason)
                evidence = [*pointed.evidence, *evidence]
            value = min(value, pointed.value)
            fine = f"{pointed.reason}; {fine}"
        if found and all(each.exact for each in found):
            sure = max(sure, 0.85)
        if self.light:
            fine += "; light: compared by words and numbers only"
        read = any(one.read for one in looked)
        return Score(
            name=part,
            value=value,
            confidence=sure,
            reason="; ".join(why) or fine,
            evidence=tuple(evidence[:MOST_EVIDENCE]),
            producer="rule+local model" if read else "rule",
        )

    async def _with_judge(self, exact: Score, rubric: str, case: Case, run: Trajectory) -> Score:
        """Return the judge's score, capped by the exact findings; without a judge, return the exact score."""
        if self.judge is None or self.light:
            return exact
        asked = await by_judge(
            exact.name,
            weight=exact.weight,
            rubric=rubric,
            include=("history", "input", "answer"),
            judge=self.judge,
            case=case,
            run=run,
        )
        if asked.value is None or exact.value is None:
            return asked
        certain = exact.value < asked.value and (exact.confidence or 0.0) >= 0.85
        if not certain:
            return asked
        return replace(
            asked,
            value=exact.value,
            reason=f"{exact.reason}; the judge gave {asked.value:.2f}: {asked.reason}",
            evidence=exact.evidence,
            producer="rule+judge",
        )


def _own(exchange: AnsweredTurn) -> list[Saying]:
    return sayings(exchange.answer, about=exchange.asked)


def _earlier(exchange: AnsweredTurn) -> list[tuple[int | None, Saying]]:
    """Return every statement of every earlier answer, with the question it answered as its topic."""
    found: list[tuple[int | None, Saying]] = []
    asked = ""
    for line in exchange.before:
        if line.role == "user":
            asked = line.text
        elif line.role != "tool" and line.text.strip():
            found += [(line.turn, saying) for saying in sayings(line.text, about=asked)]
    return found


def _shown(each: Contradiction) -> tuple[Evidence, Evidence]:
    before = "earlier" if each.earlier_turn != each.turn else "also said"
    where = "the history" if each.earlier_turn is None else turn_label(each.earlier_turn)
    return (
        Evidence(quote=quoted(each.later), turn=each.turn, note=f"{each.reason} ({each.strength:.2f})"),
        Evidence(quote=quoted(each.earlier), turn=each.earlier_turn, note=f"{before}, in {where}"),
    )


def _none(part: str, why: str) -> Score:
    return Score(name=part, status="skipped", reason=why)


def _broken(part: str, error: Exception) -> Score:
    reason = f"the statements could not be compared: {type(error).__name__}: {error}"
    return Score(name=part, status="error", reason=quoted(reason, 300), producer="local model")
