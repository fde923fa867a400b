"""The outcomes of mutants under a prompt's tests, and of damaged outputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from proctor.core.case import Case
from proctor.core.generated_test import GeneratedTest
from proctor.core.rule import Rule
from proctor.generate.damage import DAMAGES, damage_output
from proctor.generate.mutate import Mutant
from proctor.generate.select_tests import choose
from proctor.prompts.prompt import Prompt
from proctor.report.adequacy import DamageOutcome, Fate, Killing, MutantOutcome
from proctor.workflows.mutate.mutant_runs import Examiner, Tried, Verdicts

__all__ = ["JUDGED_DAMAGES", "damaged", "mutant_outcome"]

_BATCH = 4  # tests of one mutant that run concurrently
_DAMAGED = 12  # outputs to damage; with judges each costs calls
_DAMAGED_JUDGED = 3
JUDGED_DAMAGES = _DAMAGED_JUDGED * len(DAMAGES)  # maximum number of damaged outputs sent to judges


async def mutant_outcome(
    original: Prompt,
    mutant: Mutant,
    examiner: Examiner,
    passing: Sequence[Case],
    base: Mapping[str, tuple[Tried, ...]],
    *,
    every_test: bool = False,
) -> MutantOutcome:
    """Run the passing tests on a mutant until one fails; tests aimed at its rules come first.

    ``base`` has the answers under the original. ``every_test`` runs all tests, to count how many fail.
    """
    tried: dict[str, tuple[Tried, ...]] = {}
    killings: list[Killing] = []
    order = sorted(passing, key=lambda case: not _aims(case, mutant.rules))
    batch = max(len(order), 1) if every_test else _BATCH
    for at in range(0, len(order), batch):
        part = order[at : at + batch]
        found = await examiner.round(mutant.prompt, part)
        tried.update(found)
        killings += [killing for case in part for killing in _killings(case, found[case.id])]
        if killings or any(each.out_of_budget for runs in found.values() for each in runs):
            break
    fate: Fate = "killed"
    reason = ""
    if not killings:
        changed = [rule for rule in examiner.rules if rule.id in mutant.rules]
        doubts = (
            _doubt(changed, before.verdicts, after.verdicts)
            for name, runs in tried.items()
            for before, after in zip(base[name], runs, strict=True)
        )
        fate, reason = _unkilled(mutant, tried, next(filter(None, doubts), ""))
    missing = _missing_test(examiner.rules, mutant, passing) if fate == "survived" else ""
    told: dict[str, Any] = {"killed_by": tuple(killings), "tests": len(tried), "reason": reason, "missing": missing}
    return _outcome(original, mutant, fate, **told)


def _outcome(original: Prompt, mutant: Mutant, fate: Fate, **told: Any) -> MutantOutcome:
    return MutantOutcome(
        id=mutant.id,
        operator=mutant.operator,
        rules=mutant.rules,
        fate=fate,
        diff=mutant.diff(original),
        before=mutant.before,
        after=mutant.after,
        **told,
    )


def _killings(case: Case, runs: Sequence[Tried]) -> list[Killing]:
    for number, tried in enumerate(runs):
        broken = [(rule, reason) for rule, (outcome, reason) in tried.verdicts.items() if outcome == "err"]
        if broken:
            return [Killing(test=case.id, rule=rule, reason=reason, sample=number) for rule, reason in broken]
    return []


def _doubt(rules: Sequence[Rule], before: Verdicts, after: Verdicts) -> str:
    """Return the reason of the first tentative predicate that was kept before and is in doubt after the change."""
    for rule in rules:
        if rule.tentative and rule.id in before and before[rule.id][0] == "ok":
            outcome, reason = after.get(rule.id, ("", ""))
            if outcome == "unknown":
                return reason
    return ""


def _unkilled(mutant: Mutant, tried: Mapping[str, tuple[Tried, ...]], doubt: str) -> tuple[Fate, str]:
    """Return survived, or not judged if a changed rule is in doubt or no test gave a verdict on any."""
    runs = [each for several in tried.values() for each in several]
    if spent := [each.error for each in runs if each.out_of_budget]:
        return "not run", spent[0]
    if not runs:
        return "not judged", "no test passes under the prompt as it is"
    if all(each.error for each in runs):
        return "not judged", f"the model gave no answer: {runs[0].error}"
    if doubt:
        return "not judged", doubt
    said = [each.verdicts[rule] for each in runs for rule in mutant.rules if rule in each.verdicts]
    if any(outcome in ("ok", "na") for outcome, _ in said):
        return "survived", ""
    return "not judged", said[0][1] if said else "its rule could not be judged"


def _missing_test(rules: Sequence[Rule], mutant: Mutant, passing: Sequence[Case]) -> str:
    """Return the kind of test that would have killed a surviving mutant."""
    rule = next((each for each in rules if each.id in mutant.rules), None)
    said = f"“{rule.text}”" if rule else "the rule"
    if not any(_aims(case, mutant.rules) for case in passing):
        return f"no passing test aims at {said}: add one whose answer shows whether it is kept"
    return {
        "drop": f"the model keeps {said} without being told: add a test whose input tempts it to break it",
        "negate": f"the model does the same when told the opposite of {said}: add a test where the two differ",
        "weaken": f"the answers stay within the old bound of {said}: add a test whose input pushes past it",
        "swap": f"the answers keep the old form of {said}: add a test where the form decides",
    }[mutant.operator]


def _aims(case: Case, rules: Sequence[str]) -> bool:
    aimed = GeneratedTest.of(case).rules
    return any(rule in aimed for rule in rules)


async def damaged(
    examiner: Examiner, passing: Sequence[Case], base: Mapping[str, tuple[Tried, ...]]
) -> tuple[DamageOutcome, ...]:
    """Damage different passed outputs in every way and judge them again."""
    outputs: dict[str, Case] = {}
    for case in choose(passing, most=_DAMAGED * 2):
        outputs.setdefault(base[case.id][0].output, case)
    found: list[DamageOutcome] = []
    for number, (output, case) in enumerate(list(outputs.items())[:_DAMAGED]):
        judged = bool(examiner.judges) and number < _DAMAGED_JUDGED
        rules = [rule for rule in examiner.rules if rule.predicate or judged]
        for name, text in damage_output(output).items():
            verdicts = await examiner.verdicts(case, text, rules)
            rule, noticed, reason = _noticed(verdicts, _doubt(rules, base[case.id][0].verdicts, verdicts))
            found.append(
                DamageOutcome(test=case.id, damage=name, rule=rule, noticed=noticed, reason=reason, output=text)
            )
    return tuple(found)


def _noticed(verdicts: Verdicts, doubt: str) -> tuple[str, bool | None, str]:
    """Return the first broken rule, whether there is one (``None``: in doubt or not judged), and the reason."""
    for rule, (outcome, reason) in verdicts.items():
        if outcome == "err":
            return rule, True, reason
    if doubt:
        return "", None, doubt
    kept = [reason for outcome, reason in verdicts.values() if outcome in ("ok", "na")]
    if kept:
        return "", False, kept[0]
    return "", None, next((reason for _, reason in verdicts.values()), "no rule could be judged")
