"""Find promises that a customer claims were made and that the agent accepts without verification."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Final

from proctor.core.case import Case
from proctor.core.chat import ToolCall
from proctor.core.errors import ProctorError
from proctor.core.score import Evidence, Score
from proctor.core.sockets import Entailer, socket
from proctor.core.tool_effect import StatedEffect, tool_effect
from proctor.core.trajectory import Trajectory
from proctor.core.transcript import TranscriptStep, failed, result_text, steps
from proctor.lexicon.promise_claims import Asserted, asserted, attributed, carried, kin, topic_of
from proctor.scorers.checked_answers import (
    MOST_EVIDENCE,
    no_conversation,
    quoted,
    scored,
    skipped,
    turn_label,
    unjudged,
    unless_broken_off,
)
from proctor.text.claims import statements

__all__ = ["Premises"]

_ENOUGH: Final = 0.8
_MOST_READ: Final = 24


@dataclass(frozen=True, slots=True, kw_only=True)
class _Carried:
    premise: Asserted
    turn: int
    quote: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Premises:
    """Earlier promises that the customer claims are verified, not accepted as fact."""

    name: ClassVar[str] = "premises"
    version: ClassVar[str] = "1"
    threshold: ClassVar[float | None] = 1.0
    primary: ClassVar[str | None] = None

    verified_by: tuple[str, ...] = ()
    tool_effects: Mapping[str, StatedEffect] = field(default_factory=dict)
    light: bool = False
    entailer: Entailer = socket(fast=True)

    async def score(self, case: Case, run: Trajectory) -> Score:
        """Find such claims in the customer's messages and where the agent relies on them unverified."""
        if (unanswered := no_conversation(self, run)) is not None:
            return unanswered
        return unless_broken_off(self, run, await self._judged(run))

    async def _judged(self, run: Trajectory) -> Score:
        made = steps(run)
        premises = [
            (place, one)
            for place, step in enumerate(made)
            if step.kind == "request"
            for one in asserted(step.text, step.turn)
        ]
        if not premises:
            return skipped(self, "the customer speaks of no earlier promise")
        found: list[_Carried] = []
        unsure: list[tuple[_Carried, str]] = []
        for place, premise in premises:
            taken, doubtful = self._followed(premise, made[:place], made[place + 1 :], run)
            found += taken
            unsure += doubtful
        try:
            found += await self._read(unsure)
        except ProctorError as error:
            return unjudged(self, f"the local model did not answer: {quoted(error.message)}")
        return self._told(premises, found)

    def _followed(
        self, premise: Asserted, before: Sequence[TranscriptStep], after: Sequence[TranscriptStep], run: Trajectory
    ) -> tuple[list[_Carried], list[tuple[_Carried, str]]]:
        """Return sentences and calls that rely on the claim before it is verified or handed over."""
        found: list[_Carried] = []
        unsure: list[tuple[_Carried, str]] = []
        looked = any(map(self._looked_up, before))
        if any(self._verifies(premise, step) for step in before) or _remembered(premise, run):
            return [], []
        for step in after:
            if self._verifies(premise, step):
                break
            looked = looked or self._looked_up(step)
            if step.call is not None:
                if not looked and self._acts_on(premise, step.call):
                    why = "the agent acts on it without having looked anything up"
                    found.append(_Carried(premise=premise, turn=step.turn, quote=step.call.name, why=why))
                continue
            if not step.is_agent_message:
                continue
            if run.turns[step.turn].escalation is not None and not found:
                break
            for sentence in statements(step.text):
                if sentence.kind in ("question", "courtesy") or attributed(sentence.text):
                    continue
                one = _Carried(premise=premise, turn=step.turn, quote=sentence.text, why="said as a fact, unverified")
                if carried(premise, sentence.text):
                    found.append(one)
                elif premise.core and not looked and not run.turns[step.turn].sources and kin(premise, sentence.text):
                    unsure.append((one, premise.core))
        return found, unsure

    def _looked_up(self, step: TranscriptStep) -> bool:
        return step.call is not None and self._reads(step.call) and not failed(step.call)

    def _reads(self, call: ToolCall) -> bool:
        return tool_effect(call.name, self.tool_effects) == "reads"

    def _acts_on(self, premise: Asserted, call: ToolCall) -> bool:
        """Whether a call changes something on the topic of the claim."""
        if self._reads(call) or failed(call):
            return False
        words = topic_of(f"{call.name.replace('_', ' ')} {' '.join(map(str, call.arguments.values()))}"[:2000])
        return bool(words & premise.topic)

    def _verifies(self, premise: Asserted, step: TranscriptStep) -> bool:
        """Whether a tool result confirms the claim: its words occur in the result of a successful call."""
        call = step.call
        if call is None or failed(call) or call.result is None:
            return False
        if call.name in self.verified_by:
            return True
        told = result_text(call)[:40_000].casefold()
        return any(deed in told for deed in premise.deeds) and bool(topic_of(told) & premise.topic)

    async def _read(self, unsure: Sequence[tuple[_Carried, str]]) -> list[_Carried]:
        few = unsure[:_MOST_READ]
        if self.light or not few:
            return []
        rows = await self.entailer.entails([(one.quote, core) for one, core in few])
        return [one for (one, _), row in zip(few, rows, strict=True) if row["entailment"] >= _ENOUGH]

    def _told(self, premises: Sequence[tuple[int, Asserted]], found: Sequence[_Carried]) -> Score:
        producer = "rule" if self.light else "rule+local model"
        if not found:
            reason = f"{len(premises)} claims of earlier promises, none taken over as fact"
            return scored(self, 1.0, reason, producer=producer, confidence=0.75)
        ordered = sorted(found, key=lambda each: each.turn)
        evidence: list[Evidence] = []
        for each in ordered:
            evidence.append(Evidence(quote=quoted(each.quote), turn=each.turn, note=each.why, check="premise"))
            evidence.append(
                Evidence(
                    quote=quoted(each.premise.sentence), turn=each.premise.turn, note="claimed here", check="premise"
                )
            )
        first = ordered[0]
        reason = (
            f"{turn_label(first.turn)}: {quoted(first.quote, 120)!r} rests on what the customer claimed in "
            f"{turn_label(first.premise.turn)} ({quoted(first.premise.sentence, 100)!r}): {first.why}"
        )
        kept = tuple(evidence[:MOST_EVIDENCE])
        return scored(self, 0.0, quoted(reason, 500), evidence=kept, producer=producer, confidence=0.8)


def _remembered(premise: Asserted, run: Trajectory) -> bool:
    """Whether the agent's memory confirms the claim."""
    told = " ".join(f"{read.key} {read.value}" for turn in run.turns for read in turn.memory).casefold()
    return any(deed in told for deed in premise.deeds) and bool(topic_of(told) & premise.topic)
