"""The tests of all rules put together: no test twice, every rule's claim on a test kept, and what became of them."""

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
    """The tests in their order and how many repeated another one.

    A person's tests all stay. A test that repeats another is left out, and the other aims at its rules too.
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
    """The enabled rules that no test aims at."""
    aimed = {each for case in tests for each in GeneratedTest.of(case).rules}
    return tuple(rule for rule in rules if rule.polarity == "positive" and not rule.disabled and rule.id not in aimed)


def changes(before: Artefacts, after: Artefacts) -> Changes:
    """What became of the rules (by their text) and the tests (by their id)."""
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
    """The case with the other's claims: the rules it aims at, and the answer its author expects."""
    mine, other = GeneratedTest.of(case), GeneratedTest.of(repeat)
    made = with_metadata(case, rules=list(dict.fromkeys([*mine.rules, *other.rules])))
    if also := [each for each in other.made_from if each not in mine.made_from]:
        made = with_metadata(made, also=[*mine.also, *also])
    if case.expect.reference is None and other.strategy == "sample":
        return replace(made, expect=repeat.expect)
    return made


def _re_related(case: Case, renamed: Mapping[str, str]) -> Case:
    """A test that is another in other words names that one by its id, which changes when it is made longer."""
    relation = GeneratedTest.of(case).relation
    if relation is None or relation.get("of") not in renamed:
        return case
    return with_metadata(case, relation={**relation, "of": renamed[relation["of"]]})
