"""Review a prompt's tests without a model: coverage, importance, redundancy, and which to keep."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from proctor.core.case import Case
from proctor.core.codec import dumps
from proctor.core.generated_test import GeneratedTest
from proctor.core.rule import Rule
from proctor.core.test_review import TOPIC, VALID, FailureMode, TestNote
from proctor.generate.build_case import inputs_of
from proctor.generate.deduplicate import THRESHOLD
from proctor.generate.failure_modes import failure_modes
from proctor.generate.spec import Specification
from proctor.generate.topicality import condition_of, is_on_topic, meets_condition
from proctor.prompts.prompt import Prompt

__all__ = ["Findings", "Past", "keep_best", "review_tests"]

_SAME_FROM = 0.6  # share of the shorter test's trigrams from which two tests are about the same
_MET = "conditions that a test meets"
_LIKE_FROM = 0.6  # similarity from which two tests are reported as alike
# Weights of the reasons; an unknown one (no stored run) is ignored.
_WEIGHTS = {"alone": 0.35, "weight": 0.2, "failed": 0.2, "distance": 0.15, "tempts": 0.1}


@dataclass(frozen=True, slots=True, kw_only=True)
class Past:
    """Results of stored runs: in how many runs each test was, and how often it failed."""

    runs: Mapping[str, int] = field(default_factory=dict)
    failures: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """The findings of a review."""

    modes: tuple[FailureMode, ...] = ()
    notes: tuple[TestNote, ...] = ()
    parts: Mapping[str, float | None] = field(default_factory=dict)
    unknown: Mapping[str, int] = field(default_factory=dict)


def review_tests(
    spec: Specification, tests: Sequence[Case], past: Past | None = None, *, prompt: Prompt | None = None
) -> Findings:
    """Review the tests by rules alone, without a model; with the prompt also whether they are on its topic."""
    past = past or Past()
    aimed = {case.id: _aims(case, spec) for case in tests}
    covering = Counter(rule for rules in aimed.values() for rule in rules)
    nearest = _nearest(tests)
    notes = tuple(_note(case, spec, aimed, covering, nearest[case.id], past) for case in tests)
    topics = {case.id: is_on_topic(prompt, case) if prompt is not None else None for case in tests}
    # A test that is known to be off topic shows nothing of a rule.
    telling = [case for case in tests if topics[case.id] is not False]
    modes = tuple(mode for rule in spec.enabled for mode in failure_modes(rule, telling))
    parts = _parts(spec, telling, {case.id: aimed[case.id] for case in telling}, notes, modes)
    if tests:
        repeats = sum(note.likeness >= THRESHOLD for note in notes)
        parts["tests that repeat no other"] = _share(len(tests) - repeats, len(tests))
    unknown: dict[str, int] = {}
    if prompt is not None:
        parts[TOPIC], unknown[TOPIC] = _known_share(topics.values())
        parts[VALID], unknown[VALID] = _known_share([GeneratedTest.of(case).valid for case in tests])
        parts["different situations"] = _share(_situations(tests), len(tests))
        parts[_MET], unknown[_MET] = _conditions(spec, telling, aimed)
    return Findings(modes=modes, notes=notes, parts=parts, unknown={name: n for name, n in unknown.items() if n})


def _situations(tests: Sequence[Case]) -> int:
    """Return how many tests are about something else than the ones before: not the same message with an addition."""
    seen: list[frozenset[str]] = []
    for case in tests:
        _, grams = _grams(case)
        if all(len(grams & other) < _SAME_FROM * min(len(grams), len(other)) for other in seen):
            seen.append(grams)
    return len(seen)


def _known_share(found: Collection[bool | None]) -> tuple[float | None, int]:
    """Return the share of the known that are so, and how many are unknown; no share if most are."""
    known = [each for each in found if each is not None]
    open_ones = len(found) - len(known)
    return (None if open_ones > len(known) else _share(sum(known), len(known))), open_ones


def _conditions(
    spec: Specification, tests: Sequence[Case], aimed: Mapping[str, Sequence[str]]
) -> tuple[float | None, int]:
    """Return the share of conditional rules with a test known to meet the condition, and the number of the others."""
    conditional = [rule for rule in spec.enabled if condition_of(rule)]
    met = [
        rule for rule in conditional if any(rule.id in aimed[case.id] and meets_condition(rule, case) for case in tests)
    ]
    return _share(len(met), len(conditional)), len(conditional) - len(met)


def keep_best(spec: Specification, tests: Sequence[Case], notes: Iterable[TestNote], *, most: int) -> tuple[str, ...]:
    """Return the ids of the tests to keep, in order, by greedy selection of the largest gain.

    A gain is: a rule, or a rule's other polarity, that no kept test targets; an earlier failure; dissimilarity to what
    is kept. A person's own tests come first, and a test with an invalid input last.
    """
    worth = {note.test: note for note in notes}
    weights = {rule.id: max(rule.weight, 0.0) for rule in spec.enabled}
    waiting, kept = list(tests), list[Case]()
    seen: set[tuple[str, str]] = set()
    close = {case.id: 0.0 for case in tests}
    grams = {case.id: _grams(case) for case in tests}
    cells = {case.id: _cells(case, spec) for case in tests}
    while waiting and len(kept) < most:
        best = max(
            waiting, key=lambda case: _gain(case, cells[case.id], weights, seen, close[case.id], worth.get(case.id))
        )
        waiting.remove(best)
        kept.append(best)
        seen |= cells[best.id]
        for case in waiting:
            close[case.id] = max(close[case.id], _likeness(grams[case.id], grams[best.id]))
    chosen = {case.id for case in kept}
    return tuple(case.id for case in tests if case.id in chosen)


def _gain(
    case: Case,
    cells: set[tuple[str, str]],
    weights: Mapping[str, float],
    seen: set[tuple[str, str]],
    closeness: float,
    note: TestNote | None,
) -> tuple[bool, bool, float, float]:
    rules = {rule for rule, _ in seen}
    new = sum(weights.get(rule, 1.0) * (1.0 if rule not in rules else 0.4) for rule, _ in cells - seen)
    failed = (note.failures or 0) / max(note.runs or 0, 1) if note else 0.0
    test = GeneratedTest.of(case)
    gain = new + 0.5 * failed + 0.5 * (1.0 - closeness)
    return test.is_usable, test.is_by_person, gain, note.importance if note else 0.0


def _cells(case: Case, spec: Specification) -> set[tuple[str, str]]:
    side = GeneratedTest.of(case).side
    return {(rule, side) for rule in _aims(case, spec)}


def _aims(case: Case, spec: Specification) -> tuple[str, ...]:
    """Return the enabled rules a test targets."""
    known = {rule.id for rule in spec.enabled}
    return tuple(rule for rule in GeneratedTest.of(case).rules if rule in known)


def _nearest(tests: Sequence[Case]) -> dict[str, tuple[str, float]]:
    """Return the most similar test of each; intended variants of another test are not compared."""
    best = {case.id: ("", 0.0) for case in tests}
    own = [(case, _grams(case)) for case in tests if not GeneratedTest.of(case).relation]
    for at, (one, grams) in enumerate(own):
        for other, others in own[at + 1 :]:
            alike = _likeness(grams, others)
            for mine, theirs in ((one, other), (other, one)):
                if alike > best[mine.id][1]:
                    best[mine.id] = (theirs.id, alike)
    return best


_Grams = tuple[str, frozenset[str]]


def _grams(case: Case) -> _Grams:
    """Return the scenario and the trigrams of all inputs, computed once for the pairwise comparison."""
    values = sorted(inputs_of(case).items())
    said = "\n".join(value if isinstance(value, str) else dumps(value).decode() for _, value in values)
    text = f" {' '.join(said.casefold().split())} "
    return GeneratedTest.of(case).scenario, frozenset(text[at : at + 3] for at in range(max(1, len(text) - 2)))


def _likeness(one: _Grams, other: _Grams) -> float:
    """Return the similarity of two tests; the same words in another scenario are a different test."""
    if one[0] != other[0]:
        return 0.0
    shared = len(one[1] & other[1])
    return shared / (len(one[1]) + len(other[1]) - shared)


def _note(
    case: Case,
    spec: Specification,
    aimed: Mapping[str, Sequence[str]],
    covering: Counter[str],
    nearest: tuple[str, float],
    past: Past,
) -> TestNote:
    rules = {rule.id: rule for rule in spec.enabled}
    mine = [rules[rule] for rule in aimed[case.id]]
    alone = tuple(rule.id for rule in mine if covering[rule.id] == 1)
    runs, failures = past.runs.get(case.id), past.failures.get(case.id, 0)
    test = GeneratedTest.of(case)
    heaviest = max((rule.weight for rule in rules.values()), default=0.0)
    signals: dict[str, float | None] = {
        "alone": float(bool(alone)),
        "weight": max((rule.weight for rule in mine), default=0.0) / heaviest if heaviest else 0.0,
        "failed": min(1.0, failures / runs) if runs else None,
        "distance": 1.0 - nearest[1],
        "tempts": float(test.tempts),
    }
    known = {name: value for name, value in signals.items() if value is not None}
    importance = sum(_WEIGHTS[name] * value for name, value in known.items()) / sum(_WEIGHTS[name] for name in known)
    like = nearest if nearest[1] >= _LIKE_FROM else ("", nearest[1])
    return TestNote(
        test=case.id,
        importance=importance * (1.0 if test.is_usable else 0.5),
        reasons=tuple(_reasons(test, mine, alone, like, runs, failures)),
        alone=alone,
        like=like[0],
        likeness=like[1],
        failures=failures if runs else None,
        runs=runs,
    )


def _reasons(
    test: GeneratedTest,
    mine: Sequence[Rule],
    alone: Sequence[str],
    like: tuple[str, float],
    runs: int | None,
    failures: int,
) -> Iterable[str]:
    if alone:
        yield f"the only test of {len(alone)} rule{'s' * (len(alone) > 1)}"
    if not mine:
        yield "aims at no enabled rule"
    elif not alone:
        yield f"aims at {mine[0].id}" + (f" and {len(mine) - 1} more" if len(mine) > 1 else "")
    if test.tempts:
        yield "tempts the model to break its rule"
    if runs:
        yield f"failed {failures} of {runs} times"
    if like[0]:
        yield f"{like[1]:.0%} like {like[0]}"
    if not test.is_usable:
        yield "its input is not valid"


def _parts(
    spec: Specification,
    tests: Sequence[Case],
    aimed: Mapping[str, Sequence[str]],
    notes: Sequence[TestNote],
    modes: Sequence[FailureMode],
) -> dict[str, float | None]:
    covered = {rule for rules in aimed.values() for rule in rules}
    sides = {(rule, GeneratedTest.of(case).side) for case in tests for rule in aimed[case.id]}
    both = [rule for rule in spec.enabled if {(rule.id, "positive"), (rule.id, "negative")} <= sides]
    said = [valid for case in tests if (valid := GeneratedTest.of(case).valid) is not None]
    repeats = sum(note.likeness >= THRESHOLD for note in notes)
    harmful = [mode for mode in modes if mode.harm != "low"]
    return {
        "rules with a test": _share(len(covered), len(spec.enabled)),
        "rules tested from both sides": _share(len(both), len(spec.enabled)),
        "harmful ways to fail with a test": _share(sum(bool(mode.tests) for mode in harmful), len(harmful)),
        "tests that repeat no other": _share(len(tests) - repeats, len(tests)),
        VALID: _share(sum(map(bool, said)), len(said)),
    }


def _share(hits: int, total: int) -> float | None:
    return hits / total if total else None
