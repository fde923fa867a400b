"""Check whether the customer's task was done: actual changes and statements against the expected ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar, Final

from proctor.core.case import Case
from proctor.core.chat import ToolCall
from proctor.core.score import Evidence, Score
from proctor.core.sockets import Entailer, socket
from proctor.core.tool_effect import StatedEffect, tool_effect
from proctor.core.trajectory import Trajectory
from proctor.core.transcript import TranscriptStep, failed, steps
from proctor.scorers.checked_answers import MOST_EVIDENCE, no_conversation, quoted, scored, skipped, unjudged
from proctor.scorers.conversation.effects import Effect, effect, net
from proctor.scorers.conversation.solved import Solved
from proctor.scorers.conversation.statements import said_in
from proctor.scorers.match_calls import shown

__all__ = ["Completion"]

_SENTENCE: Final = 5  # minimum words for a statement that may be paraphrased
_ENTAILED: Final = 0.7


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion:
    """The task was done: the right changes and no others, and every required statement."""

    name: ClassVar[str] = "completion"
    version: ClassVar[str] = "1"
    threshold: ClassVar[float | None] = 1.0
    primary: ClassVar[str | None] = None

    reading: tuple[str, ...] = ()
    read_only: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    tool_effects: Mapping[str, StatedEffect] = field(default_factory=dict)
    hand_off: bool = False
    others: bool = False
    complete: bool = False
    estimate: bool = True
    light: bool = False
    entailer: Entailer | None = socket(optional=True)

    async def score(self, case: Case, run: Trajectory) -> Score:
        """Compare the effects of the calls with the gold effects; without gold, return a labelled estimate."""
        if (unanswered := no_conversation(self, run)) is not None:
            return unanswered
        try:
            if not (self.complete or has_gold(case)):
                return await self._estimated(case, run)
            told = steps(run)
            handed = self._handed_off(case, run, told)
            changes = self._changes(case.expect.tool_calls, told, others=self.others or _others(case))
            sayings = await self._sayings(case.expect.facts, told)
        except RecursionError:
            return unjudged(self, "the arguments are nested too deeply to be compared")
        every = (changes, sayings, handed)
        parts = [part for part in every if part.status == "ok"]
        worst = [part for part in parts if not part.value]
        reason = "; ".join(part.reason for part in (worst or parts))
        evidence = tuple(one for part in (worst or parts) for one in part.evidence)[:MOST_EVIDENCE]
        if sayings.status == "error" and not worst:
            return unjudged(self, sayings.reason, parts=every)
        value = 0.0 if worst else 1.0
        return scored(self, value, quoted(reason, 400), evidence=evidence, parts=every, confidence=0.95)

    async def _estimated(self, case: Case, run: Trajectory) -> Score:
        if not self.estimate:
            return skipped(self, "nothing is known of what should have been done or said")
        guess = await Solved(tool_effects=self.tool_effects).score(case, run)
        if guess.value is None:
            return replace(guess, name=self.name, version=self.version)
        # An estimate neither passes nor fails: the figure is reported without a score.
        return skipped(
            self,
            f"an estimate, without gold: {guess.reason}",
            measured=guess.value,
            unit="probability",
            label=guess.label,
            confidence=guess.confidence,
            evidence=guess.evidence,
            producer=guess.producer,
            raw=guess.raw,
        )

    def _reads(self, name: str) -> bool:
        if name in self.writes or name in self.read_only:
            return name not in self.writes
        effect = tool_effect(name, self.tool_effects, self.reading)
        return effect == "reads" or (effect == "hands_off" and not self.hand_off)

    def _hands_off(self, call: ToolCall) -> bool:
        return tool_effect(call.name, self.tool_effects) == "hands_off"

    def _changes(self, gold: Sequence[ToolCall], told: Sequence[TranscriptStep], *, others: bool) -> Score:
        made = [s for s in told if s.call is not None and not self._reads(s.call.name)]
        worked = [step for step in made if step.call is not None and not failed(step.call)]
        places = {self._effect(step.call): step for step in worked if step.call is not None}
        done = net(self._effect(step.call) for step in worked if step.call is not None)
        refused = self._refused(made)
        wanted = net(self._effect(call) for call in gold if not self._reads(call.name))
        # A gold change that was refused before any other change of the same target was impossible.
        missing = [one for one in wanted if not _met(one, done) and one not in refused]
        extra = [] if others else [one for one in done if not any(each.met_by(one) for each in wanted)]
        evidence = [Evidence(note=f"not done: {_told(one)}") for one in missing]
        evidence += [
            Evidence(quote=_quote(places[one]), turn=places[one].turn, note="done, and should not have been")
            for one in extra
        ]
        reason = "; ".join(each.note + (f": {each.quote}" if each.quote else "") for each in evidence[:3])
        fine = (
            f"all {len(wanted)} changes were made and no others"
            if wanted
            else "nothing was to be changed and nothing was"
        )
        return Score(
            name="changes",
            version=self.version,
            value=0.0 if evidence else 1.0,
            reason=quoted(reason or fine, 300),
            evidence=tuple(evidence[:MOST_EVIDENCE]),
        )

    def _effect(self, call: ToolCall) -> Effect:
        compare = call.extra.get("compare_args")
        return effect(call, compare=compare if isinstance(compare, (list, tuple)) else None, ignore=self.ignore)

    def _handed_off(self, case: Case, run: Trajectory, told: Sequence[TranscriptStep]) -> Score:
        wanted = self._wants_hand_off(case)
        if wanted is None:
            return Score(name="hand-off", version=self.version, status="skipped", reason="either way is right")
        by_call = [s.turn for s in told if s.call is not None and self._hands_off(s.call) and not failed(s.call)]
        places = by_call + [index for index, turn in enumerate(run.turns) if turn.escalation is not None]
        what = "handed off to a person" if places else "not handed off to a person"
        evidence = tuple(Evidence(turn=place, note="handed off") for place in sorted(set(places))[:1])
        right = bool(places) == wanted
        reason = what if right else f"{what}, and should {'have been' if wanted else 'not have been'}"
        return Score(name="hand-off", version=self.version, value=float(right), reason=reason, evidence=evidence)

    def _wants_hand_off(self, case: Case) -> bool | None:
        if case.expect.escalation is not None:
            return case.expect.escalation
        gold = any(map(self._hands_off, case.expect.tool_calls))
        return True if gold and "ACTION" in _basis(case) else None

    def _refused(self, made: Sequence[TranscriptStep]) -> set[Effect]:
        touched: set[str] = set()
        refused = set()
        for step in made:
            if step.call is None:
                continue
            one = self._effect(step.call)
            if not failed(step.call):
                touched.add(one.target)
            elif one.target not in touched:
                refused.add(one)
        return refused

    async def _sayings(self, wanted: Sequence[str], told: Sequence[TranscriptStep]) -> Score:
        if not wanted:
            return Score(name="statements", version=self.version, status="skipped", reason="nothing had to be said")
        spoken = [step for step in told if step.is_agent_message]
        places = said_in(wanted, [step.text for step in spoken])
        evidence, missing, producer = [], [], "rule"
        for statement, place in zip(wanted, places, strict=True):
            step = spoken[place] if place is not None else None
            if step is None and self._in_other_words(statement):
                producer = "rule+local model"
                try:
                    step = await self._entailed(statement, spoken)
                except Exception as error:  # a failing model leaves the statement unjudged
                    reason = quoted(f"could not be read: {type(error).__name__}: {error}", 300)
                    return Score(name="statements", version=self.version, status="error", reason=reason)
            if step is None:
                missing.append(statement)
                evidence.append(Evidence(note=f"not said: {quoted(statement)}"))
            else:
                evidence.append(
                    Evidence(quote=quoted(step.text), turn=step.turn, note=f"said: {quoted(statement, 80)}")
                )
        reason = "not said: " + ", ".join(quoted(each, 60) for each in missing[:5])
        return Score(
            name="statements",
            version=self.version,
            value=0.0 if missing else 1.0,
            reason=reason if missing else f"all {len(wanted)} statements were made",
            evidence=tuple(sorted(evidence, key=lambda each: each.turn is not None)[:MOST_EVIDENCE]),
            producer=producer,
        )

    def _in_other_words(self, statement: str) -> bool:
        return self.entailer is not None and not self.light and len(statement.split()) >= _SENTENCE

    async def _entailed(self, statement: str, spoken: Sequence[TranscriptStep]) -> TranscriptStep | None:
        if self.entailer is None or not spoken:
            return None
        found = await self.entailer.entails([(step.text, statement) for step in spoken])
        best, step = max(zip(found, spoken, strict=True), key=lambda each: each[0]["entailment"])
        return step if best["entailment"] >= _ENTAILED else None


def has_gold(case: Case) -> bool:
    """Whether the expected actions or statements are known; an empty list counts if marked complete."""
    return bool(case.expect.tool_calls or case.expect.facts or case.expect.extra.get("complete"))


def _basis(case: Case) -> tuple[str, ...]:
    """Return the reward basis of a tau2-bench task, if given."""
    basis = case.expect.extra.get("reward_basis")
    return tuple(str(each) for each in basis) if isinstance(basis, (list, tuple)) else ()


def _others(case: Case) -> bool:
    """Whether extra changes are allowed: only if the reward does not depend on the whole state."""
    return bool(_basis(case)) and "DB" not in _basis(case)


def _met(one: Effect, done: Sequence[Effect]) -> bool:
    return any(one.met_by(other) for other in done)


def _told(one: Effect) -> str:
    return quoted(f"{one.tool}({one.arguments[1:-1]})")


def _quote(step: TranscriptStep) -> str:
    return quoted(shown(step.call)) if step.call is not None else ""
