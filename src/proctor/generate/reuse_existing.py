"""Decide what existing artefacts to keep: after an edit of the prompt, only dependent parts are regenerated."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from proctor.core.case import Case
from proctor.core.codec import content_id, dumps, loads
from proctor.core.generated_test import PERSON, GeneratedTest, with_metadata, without_metadata
from proctor.core.rule import Rule, Span
from proctor.generate.artefacts import INPUTS, INTENT, Artefacts
from proctor.generate.generation_request import Order
from proctor.generate.spec import InputSpec

__all__ = ["Kept", "case_digest", "keep", "made_from", "with_flags"]

_AIMS = ("rules", "inverse_rules")


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """What need not be generated again. ``None`` and missing parts have to be generated.

    ``rules`` holds both polarities. ``rules_stale`` means that the prompt may have further rules. ``gone`` are ids of
    rules and tests that a person removed: they are not generated again; nor are the opposites of ``single``.
    """

    intent: str | None = None
    inputs: tuple[InputSpec, ...] | None = None
    rules: tuple[Rule, ...] = ()
    rules_stale: bool = True
    tests: tuple[Case, ...] = ()
    baseline: tuple[Case, ...] | None = None
    gone: frozenset[str] = frozenset()
    single: frozenset[str] = frozenset()


def made_from(order: Order) -> dict[str, str]:
    """Return a hash of the sources of each artefact."""
    prompt = order.prompt
    inputs = [dict(schema) for schema in prompt.inputs.values()] + list(prompt.inputs)
    parts: dict[str, list[Any]] = {
        "intent": [prompt.text, prompt.name, prompt.description, order.words("intent")],
        "inputs": [prompt.text, inputs, [dict(sample) for sample in order.samples], order.words("inputs")],
        "rules": [prompt.text, order.words("rules"), *(rule.id for rule in order.own_rules)],
        "baseline": [prompt.text, inputs, order.words("baseline")],
        "groundtruth": [prompt.hash],
    }
    return {name: content_id(part) for name, part in parts.items()}


def keep(order: Order, present: Artefacts, edited: Collection[str], *, upgrade: bool = False) -> Kept:
    """Return what to keep. ``upgrade`` replaces code's work by a model's.

    ``edited`` are the files whose content is a person's.
    """
    before = present.provenance.get("made_from")
    known = before if isinstance(before, Mapping) else {}
    now = made_from(order)
    fresh = replace(order, start="intent") if upgrade and order.start is None else order

    def stale(stage: Any, file: str = "") -> bool:
        if file in edited:
            return False
        return fresh.regenerates(stage) or (bool(known) and known.get(stage) != now[stage])

    rules_stale = not present.rules or stale("rules")
    rules = _rules(fresh, present, rules_stale)
    gone = _gone(order, present)
    tests = _tests(fresh, present, rules, truth_stale=stale("groundtruth"))
    baseline_stale = not present.baseline or stale("baseline")
    return Kept(
        intent=None if not present.intent or stale("intent", INTENT) else present.intent,
        inputs=None if not present.inputs or stale("inputs", INPUTS) else present.inputs,
        rules=rules,
        rules_stale=rules_stale,
        tests=tests,
        baseline=None if baseline_stale else present.baseline,
        gone=gone,
        single=_single(present, gone),
    )


def case_digest(case: Case) -> str:
    """Return a hash to detect a person's edits; without the targeted rules, because those are renamed."""
    data: dict[str, Any] = loads(dumps(case))
    data["metadata"] = {key: value for key, value in data.get("metadata", {}).items() if key not in _AIMS}
    return content_id(data, length=12)


def with_flags(rule: Rule, earlier: Mapping[str, Rule]) -> Rule:
    """Return the rule with a person's settings of the same id: weight, locked, disabled, priority, confirmed."""
    same = earlier.get(rule.id)
    if same is None:
        return rule
    confirmed = same.tentative is False and same.predicate == rule.predicate
    return replace(
        rule,
        weight=same.weight,
        locked=same.locked,
        disabled=same.disabled,
        priority=same.priority or rule.priority,
        tentative=False if confirmed else rule.tentative,
    )


def _rules(order: Order, present: Artefacts, stale: bool) -> tuple[Rule, ...]:
    stay: list[Rule] = []
    parents: dict[str, Rule] = {}
    written = _links(present)
    for rule in present.rules:
        if rule.polarity == "positive" and _stays(rule, order, stale):
            found = replace(rule, source=_moved(rule.source, order.prompt.text))
            parents[rule.id] = found
            stay.append(found)
        elif rule.inverse_of in parents:
            own = rule.origin == PERSON or rule.locked
            if own or (
                not _is_of_older_wording(rule, written)
                and (parents[rule.inverse_of].locked or not order.regenerates("inverse"))
            ):
                stay.append(replace(rule, source=_moved(rule.source, order.prompt.text)))
    return tuple(stay)


def _is_of_older_wording(opposite: Rule, written: Mapping[str, Any]) -> bool:
    """Whether an opposite stands as it was written, but for another wording of its rule.

    ``written`` maps the ids of opposites that were written to those of their rules; an id holds both texts.
    """
    was = {rule for each, rule in written.items() if rule and replace(opposite, inverse_of=rule).id == each}
    return bool(was) and opposite.inverse_of not in was


def _stays(rule: Rule, order: Order, stale: bool) -> bool:
    if rule.locked or rule.origin == PERSON:
        return True
    if order.regenerates("rules"):
        return False
    return not stale or (rule.source is not None and bool(rule.source.quote) and rule.source.quote in order.prompt.text)


def _moved(span: Span | None, text: str) -> Span | None:
    """Return where the quote is now: the occurrence nearest to its old position."""
    if span is None or not span.quote or text[span.start : span.end] == span.quote:
        return span
    places = []
    at = text.find(span.quote)
    while at >= 0:
        places.append(at)
        at = text.find(span.quote, at + 1)
    if not places:
        return span
    start = min(places, key=lambda place: abs(place - span.start))
    return Span(start=start, end=start + len(span.quote), quote=span.quote)


def _gone(order: Order, present: Artefacts) -> frozenset[str]:
    """Return the ids a person removed from the files, now or earlier, except for stages that are regenerated."""
    provenance = present.provenance
    there = {rule.id for rule in present.rules} | {case.id for case in (*present.tests, *present.baseline)}
    written = {*provenance.get("rules", {}), *provenance.get("cases", {})}
    gone = (written - there) | (set(provenance.get("removed", ())) - there)
    if order.regenerates("rules"):
        gone = {each for each in gone if not each.startswith("r-")}
    if order.regenerates("tests"):
        gone = {each for each in gone if each.startswith("r-")}
    return frozenset(gone)


def _single(present: Artefacts, gone: Collection[str]) -> frozenset[str]:
    """Return the rules whose opposite a person has removed."""
    links = _links(present)
    return frozenset(str(links[each]) for each in gone if links.get(each))


def _links(present: Artefacts) -> Mapping[str, Any]:
    """Return the ids of the rules that were written, with the rule that each is the opposite of."""
    written = present.provenance.get("rules")
    return written if isinstance(written, Mapping) else {}


def _tests(order: Order, present: Artefacts, rules: Sequence[Rule], *, truth_stale: bool) -> tuple[Case, ...]:
    written = present.provenance.get("cases")
    digests = written if isinstance(written, Mapping) else {}
    enabled = {rule.id for rule in rules if rule.polarity == "positive" and not rule.disabled}
    scenarios = {scenario.name for scenario in order.scenarios} | ({""} if not order.scenarios else set())
    stay = []
    for case in present.tests:
        if GeneratedTest.of(case).is_by_person or (digests and digests.get(case.id) != case_digest(case)):
            stay.append(_persons(case))
        elif not order.regenerates("tests") and _still_fits(case, order, enabled, scenarios):
            redo = truth_stale or order.regenerates("groundtruth")
            stay.append(_without_truth(case) if redo else case)
    return tuple(stay)


def _persons(case: Case) -> Case:
    return with_metadata(case, origin=PERSON)


def _still_fits(case: Case, order: Order, enabled: Collection[str], scenarios: Collection[str]) -> bool:
    names = set(order.prompt.inputs)
    fits = set(case.inputs) == names if names else case.input is not None
    test = GeneratedTest.of(case)
    return fits and any(each in enabled for each in test.rules) and test.scenario in scenarios


def _without_truth(case: Case) -> Case:
    """Remove a reference that was made from another wording of the prompt."""
    if GeneratedTest.of(case).groundtruth is None:
        return case
    return replace(without_metadata(case, "groundtruth"), expect=replace(case.expect, reference=None))
