"""What the scripted model can tell: which mutants read to it like the prompt, and which damage breaks a predicate."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from benchmarks.damage_forms import breaking_damages
from benchmarks.obedient.model import answer
from proctor.core.case import Case
from proctor.core.codec import dumps
from proctor.core.rule import Rule
from proctor.core.share import Share
from proctor.generate.build_case import inputs_of
from proctor.generate.mutate import Mutant, follows_from
from proctor.generate.required_rules import demanded_rules
from proctor.models.fake import ReplyRule as RuleModel
from proctor.prompts.prompt import Prompt
from proctor.prompts.render import compile_prompt
from proctor.report.adequacy import Adequacy, MutantOutcome
from proctor.stats.interval import wilson
from proctor.targets.prompt import PromptTarget
from proctor.text.predicates import parse
from proctor.workflows.mutate.mutation import MutationPlan

__all__ = ["UNHEARD", "damage_noticed", "is_heard", "without_unheard"]

UNHEARD = "the scripted model still finds the rule in it, or one it follows from, and so shows no difference"
_MOST_OUTPUTS = 12


def is_heard(prompt: Prompt, mutant: Mutant, rules: Sequence[Rule]) -> bool:
    """Whether code sees that a changed rule is no longer demanded; of rules without predicate, that one changed."""
    found = demanded_rules(mutant.prompt)
    checked = [rule.predicate for rule in rules if rule.id in mutant.rules and rule.predicate]
    if not checked:
        return _wording(found) != _wording(demanded_rules(prompt))
    still = {each.predicate for each in found}
    return any(each not in still and not follows_from(each, found) for each in checked)


def without_unheard(plan: MutationPlan, found: Adequacy) -> Adequacy:
    """The finding with the mutants that the script cannot hear as not judged, and the score of the others."""
    unheard = {each.id for each in plan.mutants if not is_heard(plan.prompt, each, plan.rules)}
    mutants = tuple(_not_judged(each) if each.id in unheard else each for each in found.mutants)
    killed, survived = (sum(each.fate == fate for each in mutants) for fate in ("killed", "survived"))
    judged = killed + survived
    return replace(found, mutants=mutants, score=Share.of(killed, judged, wilson(killed, judged)))


async def damage_noticed(plan: MutationPlan, passing: Sequence[str]) -> Share:
    """How many outputs that were made to break a predicate are found to break it."""
    target = PromptTarget(name=plan.prompt.name, compiled=compile_prompt(plan.prompt), model=RuleModel(function=answer))
    outputs: dict[str, Case] = {}
    for case in plan.tests:
        if case.id in passing and len(outputs) < _MOST_OUTPUTS:
            outputs.setdefault((await target.run(case)).answer, case)
    verdicts = [
        parse(rule.predicate).check(text, inputs).ok
        for output, case in outputs.items()
        for inputs in [_inputs_as_text(case)]
        for rule in plan.rules
        if rule.predicate
        for text in breaking_damages(output, rule.predicate, inputs).values()
    ]
    hits, total = verdicts.count(False), len(verdicts) - verdicts.count(None)
    return Share.of(hits, total, wilson(hits, total))


def _not_judged(outcome: MutantOutcome) -> MutantOutcome:
    return replace(outcome, fate="not judged", reason=UNHEARD, killed_by=(), missing="")


def _inputs_as_text(case: Case) -> dict[str, str]:
    return {name: value if isinstance(value, str) else dumps(value).decode() for name, value in inputs_of(case).items()}


def _wording(rules: Sequence[Rule]) -> frozenset[tuple[str, str]]:
    return frozenset((re.sub(r"\W+", " ", rule.text).strip().lower(), rule.predicate or "") for rule in rules)
