"""Find rules of a policy that match nothing in the run, so that typing errors are reported."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from proctor.release.compare import Comparison
from proctor.release.floors import DEFAULT
from proctor.release.measures import ALL, PASS_RATE, QUALITY
from proctor.release.policy import Policy
from proctor.release.reason import Reason, place_of
from proctor.release.trend import points

__all__ = ["idle_rules"]


def idle_rules(
    comparison: Comparison, policy: Policy, elsewhere: Collection[str] = ()
) -> tuple[list[Reason], list[Reason]]:
    """Return the rules that match nothing, and those for intents of another suite.

    ``elsewhere`` are intents that this run need not have: those of other suites of the project, and those that the run
    excluded.
    """
    now = {(point.intent, point.dimension) for point in points(comparison.current)}
    uncompared = _uncompared(comparison)
    intents = {ALL, *comparison.current.intents, *comparison.baseline.intents}
    unmet: list[Reason] = []
    other: list[Reason] = []
    for where, intent, name in dict.fromkeys(_asked(policy)):
        answered = now - uncompared if where == "zero_tolerance" else now
        if _answered(intent, name, answered, _named(policy, where)):
            continue
        if (intent, name) in uncompared:
            lacks = f"the baseline has no value of {name} to compare with"
        elif intent == DEFAULT or intent in intents:
            lacks = f"no case of this run has a value of {name}"
        else:
            lacks = f"no case of this run has the intent {intent}"
        message = f"gate.yaml has a rule that nothing answers to: {where}, {place_of(intent)} {name}; {lacks}"
        reason = Reason(kind="rule", message=message, intent=intent)
        (other if intent in elsewhere and intent not in intents else unmet).append(reason)
    unmet += [
        Reason(kind="rule", message=f"gate.yaml has a rule that nothing answers to: {where} for {name}; no case has it")
        for where, name in _unknown_names(comparison, policy)
    ]
    return unmet, other


def _asked(policy: Policy) -> Iterator[tuple[str, str, str]]:
    for intent, floors in policy.floors.items():
        for name in floors:
            yield "floors", intent, name
    for intent, names in policy.zero_tolerance.items():
        for name in names:
            yield "zero_tolerance", intent, name


def _uncompared(comparison: Comparison) -> set[tuple[str, str]]:
    """Return figures without any value in the baseline, so that no drop can be detected in them."""
    before = {case.case: case for case in comparison.baseline.cases}
    both: set[tuple[str, str]] = set()
    only_now: set[tuple[str, str]] = set()
    for case in comparison.current.cases:
        if (old := before.get(case.case)) is None:
            continue
        for name in (*case.dimensions, *case.parts):
            if case.figure(name) is not None:
                places = {(ALL, name), (case.intent, name)}
                (only_now if old.figure(name) is None else both).update(places)
    return only_now - both


def _named(policy: Policy, where: str) -> Collection[str]:
    return (policy.floors if where == "floors" else policy.zero_tolerance).keys()


def _answered(intent: str, name: str, now: Collection[tuple[str, str]], named: Collection[str]) -> bool:
    if intent != DEFAULT:
        return (intent, name) in now
    # The default may be unused if every intent has its own rules; its figure must exist all the same.
    others = {each for each, _ in now} - {ALL, *named}
    return any((each, name) in now for each in others or {ALL})


def _unknown_names(comparison: Comparison, policy: Policy) -> Iterator[tuple[str, str]]:
    """Yield figures and checks that a setting names and the run does not have."""
    cases = (*comparison.current.cases, *comparison.baseline.cases)
    figures = {QUALITY, PASS_RATE, *(name for case in cases for name in case.dimensions)}
    checks = {name for case in cases for name in case.checks}
    for where, setting, known in (
        ("largest_drop", policy.largest_drop, figures),
        ("newly_failing", policy.newly_failing, checks),
    ):
        if isinstance(setting, Mapping):
            yield from ((where, name) for name in setting if name != DEFAULT and name not in known)
