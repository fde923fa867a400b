"""Check that the answer follows the rules of its prompt, each judged separately."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Literal

from proctor.core.case import Case
from proctor.core.generated_test import GeneratedTest
from proctor.core.rule import Rule, RuleVerdict
from proctor.core.score import Score
from proctor.core.sockets import Model, socket
from proctor.core.trajectory import Trajectory
from proctor.scorers.checked_answers import last_expectation, no_answer, skipped
from proctor.scorers.judge_rule import by_judges, by_predicate, parsed
from proctor.scorers.prompt_file import prompt_file
from proctor.scorers.score_rules import by_outcome, check_rule, part_of, said_of, to_check, unread, whole_of
from proctor.text.predicates import PredicateError

__all__ = ["AIMED", "Rules"]

AIMED = "the test was made for it"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """The answer follows the rules: each is checked by its predicate if it has one, otherwise by judges."""

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
            check_rule(rule, parsed)

    @property
    def revision(self) -> str:
        """Return the version with the hash of the prompt, so that verdicts from different prompts differ in it."""
        return f"{self.version}+{prompt_file('rule').hash}"

    async def score(self, case: Case, run: Trajectory) -> Score:
        """Judge every rule; the score is the weighted share of rules followed among those that apply."""
        if (unanswered := no_answer(self, run)) is not None:
            return unanswered
        rules = self._in_force(case, run)
        if not rules:
            return skipped(self, "there is no rule to check")
        verdicts = await asyncio.gather(*(self._verdict(rule, case, run) for rule in rules))
        aimed = self._aimed(case)
        parts = tuple(
            part_of(rule, each, self.revision, note=AIMED if rule.id in aimed else "")
            for rule, each in zip(rules, verdicts, strict=True)
        )
        missed = _missed(parts, whole=not aimed & {rule.id for rule in rules})
        return whole_of(self.name, self.revision, parts, about="answer", missed=missed)

    def _in_force(self, case: Case, run: Trajectory) -> list[Rule]:
        """Return the rules of the scorer and the case, without disabled and inverse rules."""
        own = [rule for expect in last_expectation(case, run) for rule in expect.rules]
        return to_check((*self.rules, *own), light=self.light)

    async def _verdict(self, rule: Rule, case: Case, run: Trajectory) -> RuleVerdict:
        if not rule.predicate:
            return await by_judges(rule, case, run, self.judges or ())
        try:
            verdict = by_predicate(rule, case, run, self.where)
        except PredicateError as error:  # only a case's own rule is not validated earlier
            return unread(rule, error)
        if verdict.outcome == "unknown" and self.judges and not self.light:
            return await by_judges(rule, case, run, self.judges)  # a judge may decide what a predicate cannot
        return verdict

    def _aimed(self, case: Case) -> set[str]:
        """Return the rules a test was generated for, including those from its inverse or older wording."""
        return {self.aliases.get(each, each) for each in GeneratedTest.of(case).rules}


def _missed(parts: Sequence[Score], *, whole: bool) -> str:
    """Return why a test cannot pass although no rule is broken: what it is about is unknown.

    A test that was made for no rule of these is about the ``whole`` of them.
    """
    unknown = by_outcome(parts)["unknown"]
    if whole:
        lost = [part for part in unknown if part.weight]
        return f"{len(lost)} of {len(parts)} rules are unknown: {said_of(lost[0])}" if lost else ""
    lost = [part for part in unknown if part.evidence[0].note]
    return f"its rule could not be judged: {said_of(lost[0])}" if lost else ""
