"""Combine the tests of all rules: without duplicates, with merged targets, and with a summary of changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from proctor.core.case import Case
from proctor.core.generated_test import PERSON, GeneratedTest, with_metadata
from proctor.core.rule import Rule
from proctor.generate.artefacts import Artefacts
from proctor.generate.deduplicate import without_duplicates
from proctor.generate.generation_request import Changes, Order
from proctor.generate.select_tests import choose

__all__ = ["changes", "gather_tests", "uncovered_rules"]


def gather_tests(
    order: Order, stay: Sequence[Case], new: Sequence[Case], renamed: Mapping[str, str]
) -> tuple[tuple[Case, ...], int]:
    """Return the tests in order and the number of duplicates.

    A person's tests are all kept. A duplicate is left out, and its rules are added to the other test.
    """
    persons = [case for case in stay if GeneratedTest.of(case).origin == PERSON]
    others = [case for case in stay if GeneratedTest.of(case).origin != PERSON]
    unique, repeats = without_duplicates([*others, *new], kept=persons)
    by_id = {case.id: case for case in (*persons, *unique)}
    for repeat in repeats:
        by_id[repeat.of] = _joined(by_id[repeat.of], repeat.case)
    there = {case.id for case in persons}
    chosen = choose([by_id[case.id] for case in unique], most=_room(order, persons), seed=order.seed)
    taken = {case.id: _re_related(case, renamed) for case in chosen} | {case.id: by_id[case.id] for case in persons}
    in_order = [case.id for case in stay] + [case.id for case in chosen if case.id not in there]
    return tuple(taken[each] for each in dict.fromkeys(in_order) if each in taken), len(repeats)


def uncovered_rules(rules: Sequence[Rule], tests: Sequence[Case]) -> tuple[Rule, ...]:
    """Return the enabled rules that no test targets."""
    aimed = {each for case in tests for each in GeneratedTest.of(case).rules}
    return tuple(rule for rule in rules if rule.polarity == "positive" and not rule.disabled and rule.id not in aimed)


def changes(before: Artefacts, after: Artefacts) -> Changes:
    """Return the changes of rules (by text) and tests (by id)."""
    old = {rule.id: rule.text for rule in before.rules if rule.polarity == "positive"}
    new = {rule.id: rule.text for rule in after.rules if rule.polarity == "positive"}
    had, has = {case.id for case in before.tests}, {case.id for case in after.tests}
    return Changes(
        rules_added=tuple(text for each, text in new.items() if each not in old),
        rules_kept=tuple(text for each, text in new.items() if each in old),
        rules_dropped=tuple(text for each, text in old.items() if each not in new),
        tests_added=tuple(case.id for case in after.tests if case.id not in had),
        tests_kept=tuple(case.id for case in after.tests if case.id in had),
        tests_dropped=tuple(case.id for case in before.tests if case.id not in has),
    )


def _room(order: Order, persons: Sequence[Case]) -> int | None:
    return None if order.most_tests is None else max(0, order.most_tests - len(persons))


def _joined(case: Case, repeat: Case) -> Case:
    """Merge a duplicate into the case: the rules it targets, and the answer its author expects."""
    mine, other = GeneratedTest.of(case), GeneratedTest.of(repeat)
    made = with_metadata(case, rules=list(dict.fromkeys([*mine.rules, *other.rules])))
    if also := [each for each in other.made_from if each not in mine.made_from]:
        made = with_metadata(made, also=[*mine.also, *also])
    if case.expect.reference is None and other.strategy == "sample":
        return replace(made, expect=repeat.expect)
    return made


def _re_related(case: Case, renamed: Mapping[str, str]) -> Case:
    """Update the id in the relation of a variant, which changes when the related test is expanded."""
    relation = GeneratedTest.of(case).relation
    if relation is None or relation.get("of") not in renamed:
        return case
    return with_metadata(case, relation={**relation, "of": renamed[relation["of"]]})
