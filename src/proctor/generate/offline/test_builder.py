"""Build tests for rules by code: from declared types, samples, a text bank, boundary values and temptations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from proctor.core.case import Case, Expectation
from proctor.core.codec import content_id
from proctor.core.generated_test import GeneratedTest, Strategy, with_metadata
from proctor.core.rule import Rule
from proctor.generate.build_case import Brief, inputs_of, make_case, open_inputs
from proctor.generate.deduplicate import SeenTests
from proctor.generate.offline.input_slots import InputPlan, plan_inputs
from proctor.generate.offline.prompt_inputs import trigger_texts
from proctor.generate.offline.strategies import Recipe, recipes
from proctor.generate.offline.validity import offline_validity
from proctor.generate.offline.variants import KINDS, vary

__all__ = ["ORIGIN", "offline_tests"]

ORIGIN = "extractor"
_MOST_ATTEMPTS = 60
_ANSWERS = ("output", "expected", "answer", "response", "expected_output", "groundtruth")
# Strategies of a rule in order; the further ones rotate from rule to rule, so that all strategies occur.
_FOR_A_RULE: tuple[Strategy, ...] = ("typical", "boundary")
_FOR_AN_OPPOSITE: tuple[Strategy, ...] = ("adversarial", "boundary", "adversarial")
_FURTHER: tuple[Strategy, ...] = ("edge", "metamorphic", "adversarial", "typical", "boundary", "edge", "metamorphic")


def offline_tests(
    brief: Brief, rules: Sequence[Rule], *, count: int, avoid: Sequence[Case] = (), seed: int = 0
) -> tuple[Case, ...]:
    """Return ``count`` dissimilar tests for each rule, also unlike those in ``avoid``; the seed determines them."""
    if count < 1 or not open_inputs(brief):
        return ()
    bench = _Bench(
        inputs=plan_inputs(brief, seed=seed),
        seen=SeenTests(avoid),
        seed=seed,
        samples=dict(enumerate(brief.samples)),
        numbers=_numbered(brief.spec.rules),
        positive=_numbered([rule for rule in brief.spec.rules if rule.polarity == "positive"]),
    )
    for rule in rules:
        bench.make(rule, count)
    return tuple(bench.made)


def _numbered(rules: Sequence[Rule]) -> dict[str, int]:
    """Return the index of each rule by its id, which is a hash and costs time."""
    found: dict[str, int] = {}
    for number, rule in enumerate(rules):
        found.setdefault(rule.id, number)
    return found


@dataclass(slots=True, kw_only=True)
class _Bench:
    """The tests made so far, and the unused samples."""

    inputs: InputPlan
    seen: SeenTests
    seed: int
    samples: dict[int, Mapping[str, Any]]
    numbers: Mapping[str, int]
    positive: Mapping[str, int]
    made: list[Case] = field(default_factory=list)

    def make(self, rule: Rule, count: int) -> None:
        """Make the requested number of tests for one rule, or as many as possible."""
        brief = self.inputs.brief
        # Rules are handled in several calls, so the start in the bank depends on the rule's index among all.
        number = self.numbers.get(rule.id, -1)
        number = number if number >= 0 else int(content_id(rule.id, length=6), 16) % 997
        start = int(content_id([self.seed, brief.scenario.name], length=4), 16) % 3 + number
        wanted = len(self.made) + count
        own = len(self.made)
        for attempt, strategy in enumerate(_order(rule, number, self._triggers(rule, count))):
            if len(self.made) >= wanted or attempt >= _MOST_ATTEMPTS:
                return
            case = self._one(rule, strategy, start + attempt * max(1, len(brief.spec.rules)), own)
            if case is not None:
                self._keep(case)

    def _triggers(self, rule: Rule, count: int) -> int:
        """Return how many of the tests are messages that meet the rule's condition."""
        carrier = self.inputs.carrier
        if carrier is None or not self.inputs.own or rule.polarity == "negative":
            return 1
        return max(1, min(len(trigger_texts(self.inputs.brief, carrier.spec, rule)), count))

    def _one(self, rule: Rule, strategy: Strategy, number: int, own: int) -> Case | None:
        if strategy == "typical" and (sample := self._sample_for(rule)) is not None:
            return self._sample(rule, sample)
        if self.inputs.carrier is None:
            return self._of_values(rule, strategy, number)
        if strategy == "metamorphic":
            return self._variant(rule, number, own)
        turn = sum(GeneratedTest.of(case).strategy == strategy for case in self.made[own:])
        for recipe in recipes(self.inputs, rule, strategy, number, turn):
            case = self._case(rule, recipe, number)
            if self._new(case):
                return case
        return None

    def _sample_for(self, rule: Rule) -> Mapping[str, Any] | None:
        """Return the sample of this rule: each sample goes to one rule and is used once."""
        return self.samples.pop(self.positive.get(rule.id, -1), None)

    def _case(self, rule: Rule, recipe: Recipe, number: int) -> Case:
        values = self.inputs.fill(recipe.text, number)
        return make_case(
            self.inputs.brief, values, rules=(rule,), strategy=recipe.strategy, origin=ORIGIN, reasoning=recipe.why
        )

    def _sample(self, rule: Rule, sample: Mapping[str, Any]) -> Case | None:
        names = {spec.name for spec in open_inputs(self.inputs.brief)}
        values = {name: value for name, value in sample.items() if name in names}
        fixed = self.inputs.brief.scenario.parameters
        if any(sample.get(name, value) != value for name, value in fixed.items()):
            return None  # the sample belongs to another scenario
        case = make_case(
            self.inputs.brief,
            {**self.inputs.fill(None, 0), **values},
            rules=(rule,),
            strategy="sample",
            origin="sample",
            reasoning="a sample of the prompt's author",
        )
        answer = next((sample[key] for key in _ANSWERS if isinstance(sample.get(key), str) and key not in names), None)
        return replace(case, expect=Expectation(reference=answer)) if answer is not None else case

    def _of_values(self, rule: Rule, strategy: Strategy, number: int) -> Case | None:
        for turn in range(self.inputs.turns()):
            values = {
                place.spec.name: place.values[(number + turn) // _stride(self.inputs, at) % len(place.values)]
                for at, place in enumerate(self.inputs.places)
                if place.values
            }
            if not values:
                return None
            kind: Strategy = "boundary" if strategy == "boundary" else "typical"
            case = make_case(
                self.inputs.brief, values, rules=(rule,), strategy=kind, origin=ORIGIN, reasoning="declared values"
            )
            if self._new(case):
                return case
        return None

    def _variant(self, rule: Rule, number: int, own: int) -> Case | None:
        """Return a variant of an earlier test of the same rule."""
        kinds = list(KINDS)
        carrier = self.inputs.carrier
        assert carrier is not None
        plain = ("typical", "sample", "boundary")
        sources = [case for case in self.made[own:] if GeneratedTest.of(case).strategy in plain]
        for source in sources:
            for turn in range(len(kinds)):
                kind = kinds[(number + turn) % len(kinds)]
                text = str(inputs_of(source).get(carrier.spec.name, ""))
                if carrier.shape is not None:
                    text = carrier.shape.split(text)[0]
                changed = vary(text, kind, self.seed + number)
                if changed == text:
                    continue
                values = {**inputs_of(source), **self._again(changed, number, source)}
                case = make_case(
                    self.inputs.brief,
                    values,
                    rules=(rule,),
                    strategy="metamorphic",
                    origin=ORIGIN,
                    relation={"of": source.id, "kind": kind},
                    reasoning=f"the same again, with a change of {kind}: the answer should be as good",
                )
                if self._new(case):
                    return case
        return None

    def _again(self, text: str, number: int, source: Case) -> dict[str, Any]:
        """Return the inputs for a varied text; dependent values are kept if they still occur in it."""
        values = self.inputs.fill(text, number)
        kept = inputs_of(source)
        for place in self.inputs.places:
            name = place.spec.name
            if place is self.inputs.carrier:
                shape = place.shape
                if shape is not None:
                    tails = shape.split(str(kept[name]))[1:]
                    same = shape.separator.join([shape.split(values[name])[0], *tails])
                    values[name] = values[name] if shape.wrong_with(same) else same
            elif not place.inside or str(kept.get(name, "")) in text:
                values[name] = kept.get(name, values.get(name))
        return values

    def _new(self, case: Case) -> bool:
        return offline_validity(self.inputs.brief, case)[0] is not False and self.seen.repeated(case) is None

    def _keep(self, case: Case) -> None:
        if self.seen.repeated(case) is not None:
            return
        ok, why = offline_validity(self.inputs.brief, case)
        self.seen.add(case)
        self.made.append(with_metadata(case, valid=ok, validity_reason=why))


def _order(rule: Rule, number: int, triggers: int = 1) -> Iterator[Strategy]:
    more: tuple[Strategy, ...] = tuple(_FOR_A_RULE[0] for _ in range(triggers - 1))
    first = _FOR_AN_OPPOSITE if rule.polarity == "negative" else (*more, *_FOR_A_RULE)
    yield from first
    turn = number
    while True:
        yield _FURTHER[turn % len(_FURTHER)]
        turn += 1


def _stride(inputs: InputPlan, at: int) -> int:
    stride = 1
    for place in inputs.places[:at]:
        stride *= max(1, len(place.values))
    return stride
