"""The answer keeps the rules of its prompt, each judged on its own."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from proctor.core.case import Case
from proctor.core.rule import Rule, RuleVerdict
from proctor.core.score import Evidence, Score
from proctor.core.sockets import Model, socket
from proctor.core.trajectory import Trajectory
from proctor.scorers.passages import MOST_EVIDENCE, last_expectation, no_answer, quoted, skipped
from proctor.scorers.prompt_file import prompt_file
from proctor.scorers.rule_judging import PREDICATE, by_judges, by_predicate, parsed
from proctor.text.predicates import PredicateError

__all__ = ["AIMED", "RULE", "Rules"]

_STATUS: Mapping[str, Any] = {
    "ok": {"value": 1.0, "threshold": 1.0},
    "err": {"value": 0.0, "threshold": 1.0},
    "na": {"status": "skipped"},
    "unknown": {"status": "error"},
}
RULE = "rule"  # where the words of a rule stand among what its verdict rests on
AIMED = "the test was made for it"
_TOLD = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """The answer keeps the rules: each checked by its predicate where it has one, else by judges."""

    name: ClassVar[str] = "rules"
    version: ClassVar[str] = "1"
    threshold: ClassVar[float | None] = 1.0
    primary: ClassVar[str | None] = "rules"

    rules: tuple[Rule, ...] = ()
    aliases: Mapping[str, str] = field(default_factory=dict)
    where: Literal["answer", "every"] = "answer"
    light: bool = False
    judges: tuple[Model, ...] | None = socket(optional=True)

    def __post_init__(self) -> None:
        for rule in self.rules:
            _check(rule)

    @property
    def revision(self) -> str:
        """The version with the hash of the prompt, so that verdicts by different prompts are told apart."""
        return f"{self.version}+{prompt_file('rule').hash}"

    async def score(self, case: Case, run: Trajectory) -> Score:
        """A verdict on every rule; together the weighted share of those that were kept among those that apply."""
        if (unanswered := no_answer(self, run)) is not None:
            return unanswered
        rules = self._in_force(case, run)
        if not rules:
            return skipped(self, "there is no rule to check")
        verdicts = await asyncio.gather(*(self._verdict(rule, case, run) for rule in rules))
        aimed = self._aimed(case)
        parts = tuple(
            _part(rule, each, self.revision, aimed=rule.id in aimed) for rule, each in zip(rules, verdicts, strict=True)
        )
        return self._whole(parts)

    def _in_force(self, case: Case, run: Trajectory) -> list[Rule]:
        """The scorer's rules and the case's own; what is switched off or an opposite is no duty of an answer."""
        own = [rule for expect in last_expectation(case, run) for rule in expect.rules]
        known = {rule.id: rule for rule in (*self.rules, *own) if not rule.disabled and rule.inverse_of is None}
        return [rule for rule in known.values() if rule.predicate or not self.light]

    async def _verdict(self, rule: Rule, case: Case, run: Trajectory) -> RuleVerdict:
        if not rule.predicate:
            return await by_judges(rule, case, run, self.judges or ())
        try:
            verdict = by_predicate(rule, case, run, self.where)
        except PredicateError as error:  # only a case's own rule comes here unread
            reason = f"its predicate cannot be read: {error}"
            return RuleVerdict(rule=rule.id, outcome="unknown", reason=quoted(reason, 300), producer=PREDICATE)
        if verdict.outcome == "unknown" and self.judges and not self.light:
            return await by_judges(rule, case, run, self.judges)  # the language of one word, say, a judge may know
        return verdict

    def _aimed(self, case: Case) -> set[str]:
        """The rules a test was made for; those made from its opposite or its older wording too."""
        named = case.metadata.get("rules")
        ids = [each for each in named if isinstance(each, str)] if isinstance(named, Sequence) else []
        return {self.aliases.get(each, each) for each in ids}

    def _whole(self, parts: tuple[Score, ...]) -> Score:
        by: dict[str, list[Score]] = {outcome: [p for p in parts if p.label == outcome] for outcome in _STATUS}
        costs = [part.cost for part in parts if part.cost is not None]
        told: dict[str, Any] = {
            "name": self.name,
            "version": self.revision,
            "parts": parts,
            "cost": sum(costs) if costs else None,
            "producer": "+".join(dict.fromkeys(part.producer for part in parts if part.producer)) or PREDICATE,
        }
        missed = [part for part in by["unknown"] if part.evidence[0].note]
        weight = sum(part.weight for part in (*by["ok"], *by["err"]))
        # A rule of weight 0 is shown and settles nothing.
        if missed and not any(part.weight for part in by["err"]):
            reason = f"its rule could not be judged: {_said(missed[0])}"
            return Score(**told, status="error", reason=reason)
        if not weight:
            if by["unknown"]:
                return Score(**told, status="error", reason=f"no rule could be judged: {_said(by['unknown'][0])}")
            return Score(**told, status="skipped", reason="no rule applies to this answer")
        kept = sum(part.weight for part in by["ok"])
        unknown = sum(part.weight for part in by["unknown"])
        return Score(
            **told,
            value=kept / weight,
            confidence=weight / (weight + unknown),
            reason=_reason(by),
            evidence=tuple(one for part in by["err"] for one in part.evidence[1:])[:MOST_EVIDENCE],
        )


def _check(rule: Rule) -> None:
    if not rule.text.strip():
        raise ValueError("a rule has no text")
    if not rule.weight >= 0:  # said so that NaN is refused too
        raise ValueError(f"the weight of {quoted(rule.text, 60)!r} is {rule.weight:g}; it must be 0 or more")
    if rule.predicate:
        try:
            parsed(rule.predicate)
        except PredicateError as error:
            raise ValueError(f"the predicate of {quoted(rule.text, 60)!r} cannot be read: {error}") from error


def _part(rule: Rule, verdict: RuleVerdict, version: str, *, aimed: bool) -> Score:
    """A verdict as a part of the score, resting on the words of the rule; what each of several judges said is in it."""
    words = Evidence(quote=quoted(rule.text, 500), where=RULE, note=AIMED if aimed else "")
    return Score(
        name=rule.id,
        label=verdict.outcome,
        reason=verdict.reason or verdict.outcome,
        evidence=(words, *verdict.evidence),
        parts=tuple(_voice(judge, said, version) for judge, said in verdict.extra.get("votes", {}).items()),
        producer=verdict.producer,
        version=version,
        weight=rule.weight,
        confidence=verdict.extra.get("agreement"),
        cost=verdict.extra.get("cost"),
        **_STATUS[verdict.outcome],
    )


def _voice(judge: str, outcome: str, version: str) -> Score:
    return Score(name=judge, label=outcome, producer=f"judge:{judge}", version=version, **_STATUS[outcome])


def _said(part: Score) -> str:
    return f"“{quoted(part.evidence[0].quote, 120)}”: {part.reason}"


def _reason(by: Mapping[str, Sequence[Score]]) -> str:
    """Which rules were broken, then how many could not be judged or did not apply."""
    broken = by["err"]
    judged = len(by["ok"]) + len(broken)
    said = [f"{len(broken)} of {judged} rules broken" if broken else f"all {judged} rules kept"]
    said += [_said(part) for part in broken[:_TOLD]]
    if len(broken) > _TOLD:
        said.append(f"and {len(broken) - _TOLD} more")
    said += [f"{len(by[name])} {word}" for name, word in (("unknown", "unknown"), ("na", "not applicable")) if by[name]]
    return quoted("; ".join(said), 2000)
