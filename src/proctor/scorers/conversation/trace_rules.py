"""Check that the agent follows its prompt's rules over the whole conversation, each judged separately."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar

from proctor.core.case import Case
from proctor.core.chat import Message, Request
from proctor.core.rule import Rule, RuleVerdict
from proctor.core.score import Evidence, Score
from proctor.core.sockets import Model, socket
from proctor.core.tool_effect import StatedEffect
from proctor.core.trajectory import Trajectory
from proctor.scorers.checked_answers import quoted, skipped, unjudged
from proctor.scorers.conversation.steps import StepsView, parse_rule, view_of
from proctor.scorers.conversation.transcript import transcript
from proctor.scorers.judge_material import fence
from proctor.scorers.judge_rule import PREDICATE, VERDICT, by_judges, outcome_of
from proctor.scorers.prompt_file import prompt_file
from proctor.scorers.score_rules import check_rule, part_of, to_check, unread, whole_of
from proctor.text.predicates import PredicateError

__all__ = ["TraceRules", "judged_by"]

_STEPS = 5  # maximum steps shown of one broken rule
_TURN = re.compile(r"\bturn (\d{1,4})\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceRules:
    """The agent follows its rules in every step: each is checked by its predicate if it has one, else by judges."""

    name: ClassVar[str] = "trace_rules"
    version: ClassVar[str] = "1"
    threshold: ClassVar[float | None] = 1.0
    primary: ClassVar[str | None] = "rules"

    rules: tuple[Rule, ...] = ()
    writes: tuple[str, ...] = ()
    reads: tuple[str, ...] = ()
    tool_effects: Mapping[str, StatedEffect] = field(default_factory=dict)
    light: bool = False
    judges: tuple[Model, ...] | None = socket(optional=True)

    def __post_init__(self) -> None:
        for rule in self.rules:
            check_rule(rule, parse_rule)
        if both := set(self.writes) & set(self.reads):
            raise ValueError(f"{min(both)!r} is among `writes` and among `reads`; it is one of the two")

    @property
    def revision(self) -> str:
        """Return the version with the hash of the judges' prompt, so that verdicts of other prompts differ in it."""
        return f"{self.version}+{prompt_file('trace_rule').hash}"

    async def score(self, case: Case, run: Trajectory) -> Score:
        """Judge every rule; the score is the weighted share of rules followed among those that apply."""
        if not run.turns:
            if run.error is not None:
                return unjudged(self, f"the target did not answer: {quoted(run.error)}", raw=run.raw)
            return skipped(self, "there is no conversation to check")
        rules = self.in_force(case)
        if not rules:
            return skipped(self, "there is no rule to check")
        verdicts = await self.verdicts(rules, case, run)
        parts = tuple(part_of(rule, each, self.revision) for rule, each in zip(rules, verdicts, strict=True))
        return whole_of(self.name, self.revision, parts, about="conversation")

    def in_force(self, case: Case) -> list[Rule]:
        """Return the rules of the scorer and the case, without disabled and inverse rules."""
        return to_check((*self.rules, *case.expect.rules), light=self.light)

    async def verdicts(self, rules: Sequence[Rule], case: Case, run: Trajectory) -> list[RuleVerdict]:
        """Return a verdict on each rule, in order."""
        view = view_of(run, writes=self.writes, reads=self.reads, tool_effects=self.tool_effects)
        return await asyncio.gather(*(self._verdict(rule, case, run, view) for rule in rules))

    async def _verdict(self, rule: Rule, case: Case, run: Trajectory, view: StepsView) -> RuleVerdict:
        if not rule.predicate:
            judges = self.judges or ()
            return _placed(await by_judges(rule, case, run, judges, _request(rule, view) if judges else None))
        try:
            return _by_steps(rule, view)
        except PredicateError as error:  # only a case's own rule is not validated earlier
            return unread(rule, error)


def judged_by(rule: Rule) -> str:
    """Return what decides a rule: its predicate in canonical form, or a judge."""
    return parse_rule(rule.predicate).text if rule.predicate else "judge"


def _by_steps(rule: Rule, view: StepsView) -> RuleVerdict:
    found = parse_rule(rule.predicate or "").check(view)
    outcome = outcome_of(rule, found.ok, known=found.known)
    steps = found.steps[:_STEPS] if outcome == "err" else ()
    evidence = tuple(
        Evidence(quote=step.said, turn=step.turn, where=f"step {step.index + 1}", note=quoted(found.reason))
        for step in steps
    )
    reason = quoted(found.reason, 300)
    return RuleVerdict(rule=rule.id, outcome=outcome, reason=reason, evidence=evidence, producer=PREDICATE)


def _request(rule: Rule, view: StepsView) -> Request:
    """Build the judge's request: the rule and the whole transcript, fenced."""
    prompt = prompt_file("trace_rule")
    material, code = fence([("rule", rule.text), ("transcript", transcript(view))])
    polarity = prompt.fill("must" if rule.polarity == "positive" else "must not")
    messages = (
        Message(role="system", content=prompt.fill("system")),
        Message(role="user", content=prompt.fill("user", material=material, code=code, polarity=polarity)),
    )
    return Request(messages=messages, schema=VERDICT, schema_name="verdict")


def _placed(verdict: RuleVerdict) -> RuleVerdict:
    """Add the turn that a judge's verdict names."""
    found = _TURN.search(verdict.reason) if verdict.outcome == "err" else None
    if found is None:
        return verdict
    evidence = (Evidence(turn=int(found.group(1)) - 1, note=verdict.reason),)
    return replace(verdict, evidence=evidence)
