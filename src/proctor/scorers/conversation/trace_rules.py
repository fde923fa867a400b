"""The agent keeps the rules of its prompt over the whole conversation, each judged on its own."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from proctor.core.case import Case
from proctor.core.chat import Message, Request
from proctor.core.rule import Rule, RuleVerdict
from proctor.core.score import Evidence, Score
from proctor.core.sockets import Model, socket
from proctor.core.trajectory import Trajectory
from proctor.scorers.conversation.steps import View, parse_rule, view_of
from proctor.scorers.conversation.transcript import transcript
from proctor.scorers.material import fence
from proctor.scorers.passages import MOST_EVIDENCE, quoted, skipped, unjudged
from proctor.scorers.prompt_file import prompt_file
from proctor.scorers.rule_judging import PREDICATE, VERDICT, Outcome, by_judges
from proctor.text.predicates import PredicateError

__all__ = ["TraceRules", "check_rule", "judged_by"]

_STATUS: Mapping[str, Any] = {
    "ok": {"value": 1.0, "threshold": 1.0},
    "err": {"value": 0.0, "threshold": 1.0},
    "na": {"status": "skipped"},
    "unknown": {"status": "error"},
}
_RULE = "rule"  # where the words of a rule stand among what its verdict rests on
_STEPS = 5  # steps shown of one rule that was broken more often
_TOLD = 5
_TURN = re.compile(r"\bturn (\d{1,4})\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceRules:
    """The agent keeps its rules in every step: each checked by its predicate where it has one, else by judges."""

    name: ClassVar[str] = "trace_rules"
    version: ClassVar[str] = "1"
    threshold: ClassVar[float | None] = 1.0
    primary: ClassVar[str | None] = "rules"

    rules: tuple[Rule, ...] = ()
    writes: tuple[str, ...] = ()
    reads: tuple[str, ...] = ()
    light: bool = False
    judges: tuple[Model, ...] | None = socket(optional=True)

    def __post_init__(self) -> None:
        for rule in self.rules:
            check_rule(rule)
        if both := set(self.writes) & set(self.reads):
            raise ValueError(f"{min(both)!r} is among `writes` and among `reads`; it is one of the two")

    @property
    def revision(self) -> str:
        """The version with the hash of the judges' prompt, so that verdicts by different prompts are told apart."""
        return f"{self.version}+{prompt_file('trace_rule').hash}"

    async def score(self, case: Case, run: Trajectory) -> Score:
        """A verdict on every rule; together the weighted share of those that were kept among those that apply."""
        if not run.turns:
            if run.error is not None:
                return unjudged(self, f"the target did not answer: {quoted(run.error)}", raw=run.raw)
            return skipped(self, "there is no conversation to check")
        rules = self.in_force(case)
        if not rules:
            return skipped(self, "there is no rule to check")
        verdicts = await self.verdicts(rules, case, run)
        return self._whole(tuple(_part(rule, each, self.revision) for rule, each in zip(rules, verdicts, strict=True)))

    def in_force(self, case: Case) -> list[Rule]:
        """The scorer's rules and the case's own, less what is switched off and what is an opposite."""
        every = (*self.rules, *case.expect.rules)
        known = {rule.id: rule for rule in every if not rule.disabled and rule.inverse_of is None}
        return [rule for rule in known.values() if rule.predicate or not self.light]

    async def verdicts(self, rules: Sequence[Rule], case: Case, run: Trajectory) -> list[RuleVerdict]:
        """A verdict on each rule, in their order."""
        view = view_of(run, writes=self.writes, reads=self.reads)
        return await asyncio.gather(*(self._verdict(rule, case, run, view) for rule in rules))

    async def _verdict(self, rule: Rule, case: Case, run: Trajectory, view: View) -> RuleVerdict:
        if not rule.predicate:
            judges = self.judges or ()
            return _placed(await by_judges(rule, case, run, judges, _request(rule, view) if judges else None))
        try:
            return _by_steps(rule, view)
        except PredicateError as error:  # only a case's own rule comes here unread
            reason = f"its predicate cannot be read: {error}"
            return RuleVerdict(rule=rule.id, outcome="unknown", reason=quoted(reason, 300), producer=PREDICATE)

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
        weight = sum(part.weight for part in (*by["ok"], *by["err"]))
        if not weight:
            if by["unknown"]:
                return Score(**told, status="error", reason=f"no rule could be judged: {_said(by['unknown'][0])}")
            return Score(**told, status="skipped", reason="no rule applies to this conversation")
        unknown = sum(part.weight for part in by["unknown"])
        return Score(
            **told,
            value=sum(part.weight for part in by["ok"]) / weight,
            confidence=weight / (weight + unknown),
            reason=_reason(by),
            evidence=tuple(one for part in by["err"] for one in part.evidence[1:])[:MOST_EVIDENCE],
        )


def check_rule(rule: Rule) -> None:
    """See that a rule can be used.

    Raises:
        ValueError: it has no text, a negative weight, or a predicate that cannot be read.
    """
    if not rule.text.strip():
        raise ValueError("a rule has no text")
    if not rule.weight >= 0:  # said so that NaN is refused too
        raise ValueError(f"the weight of {quoted(rule.text, 60)!r} is {rule.weight:g}; it must be 0 or more")
    if rule.predicate:
        try:
            parse_rule(rule.predicate)
        except PredicateError as error:
            raise ValueError(f"the predicate of {quoted(rule.text, 60)!r} cannot be read: {error}") from error


def judged_by(rule: Rule) -> str:
    """What decides on a rule: its predicate in canonical form, or a judge."""
    return parse_rule(rule.predicate).text if rule.predicate else "judge"


def _by_steps(rule: Rule, view: View) -> RuleVerdict:
    found = parse_rule(rule.predicate or "").check(view)
    ok = found.ok if rule.polarity == "positive" or found.ok is None else not found.ok
    outcome: Outcome = ("na" if found.known else "unknown") if ok is None else "ok" if ok else "err"
    steps = found.steps[:_STEPS] if outcome == "err" else ()
    evidence = tuple(
        Evidence(quote=step.said, turn=step.turn, where=f"step {step.index + 1}", note=quoted(found.reason))
        for step in steps
    )
    reason = quoted(found.reason, 300)
    return RuleVerdict(rule=rule.id, outcome=outcome, reason=reason, evidence=evidence, producer=PREDICATE)


def _request(rule: Rule, view: View) -> Request:
    """What a judge is asked: the rule and the whole transcript, fenced."""
    prompt = prompt_file("trace_rule")
    material, code = fence([("rule", rule.text), ("transcript", transcript(view))])
    polarity = prompt.fill("must" if rule.polarity == "positive" else "must not")
    messages = (
        Message(role="system", content=prompt.fill("system")),
        Message(role="user", content=prompt.fill("user", material=material, code=code, polarity=polarity)),
    )
    return Request(messages=messages, schema=VERDICT, schema_name="verdict")


def _placed(verdict: RuleVerdict) -> RuleVerdict:
    """A judge's verdict with the turn it names."""
    found = _TURN.search(verdict.reason) if verdict.outcome == "err" else None
    if found is None:
        return verdict
    evidence = (Evidence(turn=int(found.group(1)) - 1, note=verdict.reason),)
    return RuleVerdict(
        rule=verdict.rule,
        outcome=verdict.outcome,
        reason=verdict.reason,
        evidence=evidence,
        producer=verdict.producer,
        extra=verdict.extra,
    )


def _part(rule: Rule, verdict: RuleVerdict, version: str) -> Score:
    """A verdict as a part of the score, resting on the words of the rule and the steps that broke it."""
    return Score(
        name=rule.id,
        label=verdict.outcome,
        reason=verdict.reason or verdict.outcome,
        evidence=(Evidence(quote=quoted(rule.text, 500), where=_RULE), *verdict.evidence),
        parts=tuple(
            Score(name=judge, label=said, producer=f"judge:{judge}", version=version, **_STATUS[said])
            for judge, said in verdict.extra.get("votes", {}).items()
        ),
        producer=verdict.producer,
        version=version,
        weight=rule.weight,
        confidence=verdict.extra.get("agreement"),
        cost=verdict.extra.get("cost"),
        **_STATUS[verdict.outcome],
    )


def _said(part: Score) -> str:
    return f"“{quoted(part.evidence[0].quote, 120)}”: {part.reason}"


def _reason(by: Mapping[str, Sequence[Score]]) -> str:
    """Which rules were broken and where, then how many could not be judged or did not apply."""
    broken = by["err"]
    judged = len(by["ok"]) + len(broken)
    said = [f"{len(broken)} of {judged} rules broken" if broken else f"all {judged} rules kept"]
    said += [_said(part) for part in broken[:_TOLD]]
    if len(broken) > _TOLD:
        said.append(f"and {len(broken) - _TOLD} more")
    said += [f"{len(by[name])} {word}" for name, word in (("unknown", "unknown"), ("na", "not applicable")) if by[name]]
    return quoted("; ".join(said), 2000)
