"""Generate tests from a prompt; each question is sent as soon as its inputs are known.

Intent, inputs, rules and baseline tests are requested concurrently. A few rules at a time are checked against the
prompt and get their tests, and their opposites get theirs; each test is checked, expanded and given its expected output
separately. Questions depend on answers, never on timing, so that the same answers always give the same tests.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

from proctor.core.case import Case, Expectation
from proctor.core.generated_test import PERSON, GeneratedTest, with_metadata
from proctor.core.rule import Rule
from proctor.generate.artefacts import Artefacts
from proctor.generate.build_case import Brief, input_specs, make_case
from proctor.generate.build_rules import FoundRules, check_grounds, find_all_rules
from proctor.generate.build_tests import TestMaker
from proctor.generate.collect_tests import changes, gather_tests, uncovered_rules
from proctor.generate.extract import extract_inputs, extract_intent, invert
from proctor.generate.extract.tongues import is_understood, tongue_of
from proctor.generate.generation_request import Made, Makers, Order
from proctor.generate.reuse_existing import Kept, keep
from proctor.generate.spec import InputSpec, Scenario, Specification
from proctor.generate.stages import find_inputs, find_intent, find_opposites, write_baseline
from proctor.generate.task_group import Trouble, both, together
from proctor.prompts.test_config import split_sample

__all__ = ["generate"]


async def generate(order: Order, makers: Makers, present: Artefacts, edited: Collection[str] = ()) -> Made:
    """Generate what is missing: intent, inputs, rules, opposites, tests, and what else the order requests.

    ``present`` is what exists; ``edited`` names its files whose content is a person's.

    Raises:
        ModelError: a model cannot be reached at all; single unusable answers are noted instead.
        PromptError: the prompt cannot be rendered.
    """
    upgrade = makers.writer is not None and present.provenance.get("mode") == "offline"
    return await _Making(order, makers, present, keep(order, present, edited, upgrade=upgrade)).run()


class _Making:
    """One generation in progress."""

    def __init__(self, order: Order, makers: Makers, present: Artefacts, kept: Kept) -> None:
        self.order = order
        self.makers = makers
        self.present = present
        self.kept = kept
        self.trouble = Trouble()
        self.maker = TestMaker(order=order, makers=makers, kept=kept, trouble=self.trouble, settled=self._settled)
        self.scenarios = order.scenarios or (Scenario(),)
        self._final: dict[str, Rule] = {}  # rules whose groundedness is known
        self._all_known = asyncio.Event()

    async def run(self) -> Made:
        """Make everything; intent, inputs and baseline run while the rules are found."""
        intent = asyncio.create_task(self._intent())
        inputs = asyncio.create_task(self._inputs())
        baseline = asyncio.create_task(self._baseline(inputs))
        tasks: list[asyncio.Task[Any]] = [intent, inputs, baseline]
        try:
            earlier = {rule.id: rule for rule in self.present.rules}
            found = await find_all_rules(self.order, self.makers, self.kept, earlier, self.trouble)
            (opposites, new), (stay, samples) = await both(
                self._all_groups(found, intent, inputs), self._stay_and_samples(found, intent, inputs)
            )
            artefacts = Artefacts(
                intent=await intent,
                inputs=await inputs,
                rules=self._ordered(found, opposites),
                baseline=await baseline,
            )
        except BaseException:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            raise
        return self._made(artefacts, found, stay=stay, new=[*samples, *new])

    # --- independent of rules ------------------------------------------------------------------------

    async def _intent(self) -> str:
        if self.kept.intent is not None:
            return self.kept.intent
        by_code = extract_intent(self.order.prompt)
        if self.makers.writer is None:
            return by_code
        asked = find_intent(self.makers.writer_of("intent"), self.order.prompt, instructions=self.order.words("intent"))
        return await self.trouble.spare("intent", asked, by_code)

    async def _inputs(self) -> tuple[InputSpec, ...]:
        kept = self.kept.inputs or ()
        named = {spec.name for spec in kept}
        if kept and named >= {spec.name for spec in input_specs(self.order.prompt)}:
            return kept
        return (*kept, *(spec for spec in await self._found_inputs() if spec.name not in named))

    async def _found_inputs(self) -> tuple[InputSpec, ...]:
        by_code = input_specs(self.order.prompt, extract_inputs(self.order.prompt))
        if self.makers.writer is None:
            return by_code
        words = self.order.words("inputs")
        asked = find_inputs(self.makers.writer_of("inputs"), self.order.prompt, self.order.samples, instructions=words)
        return await self.trouble.spare("inputs", asked, by_code)

    async def _baseline(self, inputs: asyncio.Task[tuple[InputSpec, ...]]) -> tuple[Case, ...]:
        if self.kept.baseline is not None:
            return self.kept.baseline
        count = self.order.effort.baseline
        if self.makers.writer is None or count < 1:
            return ()
        words = self.order.words("baseline")
        asked = write_baseline(self.makers.writer_of("baseline"), self.order.prompt, count=count, instructions=words)
        cases = await self.trouble.spare("baseline", asked, ())
        brief = Brief(prompt=self.order.prompt, spec=Specification(inputs=await inputs))
        return tuple(await together(*(self.maker.checked(brief, case) for case in cases)))

    # --- rules and their tests -----------------------------------------------------------------------

    async def _all_groups(
        self, found: FoundRules, intent: asyncio.Task[str], inputs: asyncio.Task[tuple[InputSpec, ...]]
    ) -> tuple[dict[str, tuple[Rule, ...]], list[Case]]:
        """Return the opposites by the id of their rule, and the new tests, scenario by scenario."""
        enabled = [rule for rule in found.rules if not rule.disabled]
        self._final = {rule.id: rule for rule in found.rules if rule.disabled}
        self._note_known(found)
        size = self.order.effort.rules_per_call
        groups = [enabled[at : at + size] for at in range(0, len(enabled), size)]
        done = await together(*(self._group(group, found, intent, inputs) for group in groups))
        opposites = {rule: found_for for each, _ in done for rule, found_for in each.items()}
        cases = [case for number in range(len(self.scenarios)) for _, tests in done for case in tests[number]]
        return opposites, cases

    async def _group(
        self,
        group: Sequence[Rule],
        found: FoundRules,
        intent: asyncio.Task[str],
        inputs: asyncio.Task[tuple[InputSpec, ...]],
    ) -> tuple[dict[str, tuple[Rule, ...]], list[list[Case]]]:
        if (judge := self.makers.judge) is not None:
            group = await together(*(check_grounds(judge, self.order, rule, self.trouble) for rule in group))
        self._final |= {rule.id: rule for rule in group}
        self._note_known(found)
        live = [rule for rule in group if not rule.disabled]
        spec = Specification(intent=await intent, inputs=await inputs, rules=found.rules)

        async def of_opposites() -> tuple[dict[str, tuple[Rule, ...]], list[list[Case]]]:
            opposites = await self._opposites(live, found)
            against = [each for several in opposites.values() for each in several]
            whole = replace(spec, rules=(*spec.rules, *against))
            return opposites, await self._in_all_scenarios(whole, against)

        mine, (opposites, theirs) = await both(self._in_all_scenarios(spec, live), of_opposites())
        return opposites, [[*one, *other] for one, other in zip(mine, theirs, strict=True)]

    async def _opposites(self, rules: Sequence[Rule], found: FoundRules) -> dict[str, tuple[Rule, ...]]:
        known = {rule.id: found.opposites[rule.id] for rule in rules if found.opposites.get(rule.id)}
        missing = [rule for rule in rules if rule.id not in known and rule.id not in self.kept.single]
        by_code = tuple(invert(rule, tongue_of(self.order.prompt.text)) for rule in missing)
        made: Sequence[Rule] = by_code
        if self.makers.writer is not None and missing:
            asked = find_opposites(
                self.makers.writer_of("inverse"), missing, instructions=self.order.words("opposites")
            )
            made = await self.trouble.spare("inverse", asked, by_code)
        return known | {str(rule.inverse_of): (rule,) for rule in made if rule.inverse_of}

    async def _in_all_scenarios(self, spec: Specification, rules: Sequence[Rule]) -> list[list[Case]]:
        briefs = [self._brief(spec, scenario) for scenario in self.scenarios]
        return await together(*(self.maker.tests_for(brief, rules) for brief in briefs))

    def _brief(self, spec: Specification, scenario: Scenario) -> Brief:
        return Brief(
            prompt=self.order.prompt,
            spec=spec,
            samples=self.order.samples,
            scenario=scenario,
            instructions=self.order.instructions,
        )

    # --- existing artefacts --------------------------------------------------------------------------

    async def _stay_and_samples(
        self, found: FoundRules, intent: asyncio.Task[str], inputs: asyncio.Task[tuple[InputSpec, ...]]
    ) -> tuple[list[Case], list[Case]]:
        """Return the kept tests and those from the author's samples, with their expected outputs."""
        spec = Specification(intent=await intent, inputs=await inputs, rules=found.rules)
        briefs = {scenario.name: self._brief(spec, scenario) for scenario in self.scenarios}
        plain = self._brief(spec, Scenario())

        async def stays(case: Case) -> Case:
            test = GeneratedTest.of(case)
            if test.origin == PERSON:
                return case
            return await self.maker.held_against(briefs.get(test.scenario, plain), case)

        samples = [sample for row in self.order.samples if (sample := self._sample(spec, row)) is not None]
        return (
            await together(*(stays(case) for case in self.kept.tests)),
            await together(*(self.maker.held_against(plain, case) for case in samples)),
        )

    def _sample(self, spec: Specification, row: Any) -> Case | None:
        """Return an author's sample as a test; None if an input is missing."""
        values, expected = split_sample(self.order.prompt, row)
        if not self.order.prompt.inputs:
            values = {name: row[name] for name in ("input",) if name in row}
        fitting = (each for each in self.scenarios if _agrees(values, each.parameters))
        brief = self._brief(spec, next(fitting, Scenario()))
        case = make_case(brief, values, strategy="sample", origin="sample")
        names = set(self.order.prompt.inputs)
        if (names and set(case.inputs) != names) or (not names and not values) or case.id in self.kept.gone:
            return None
        case = with_metadata(case, valid=True, validity_reason="a sample of the author's")
        return replace(case, expect=Expectation(reference=expected))

    # --- the end -------------------------------------------------------------------------------------

    def _note_known(self, found: FoundRules) -> None:
        if all(rule.id in self._final for rule in found.rules):
            self._all_known.set()

    async def _settled(self, brief: Brief) -> Brief:
        """Return the brief with the final state of every rule, after all are checked against the prompt."""
        await self._all_known.wait()
        rules = tuple(self._final.get(rule.id, rule) for rule in brief.spec.rules)
        return replace(brief, spec=replace(brief.spec, rules=rules))

    def _ordered(self, found: FoundRules, opposites: dict[str, tuple[Rule, ...]]) -> tuple[Rule, ...]:
        ordered: list[Rule] = []
        for rule in found.rules:
            ordered.append(self._final.get(rule.id, rule))
            ordered += opposites.get(rule.id) or found.opposites.get(rule.id, ())
        return tuple(ordered)

    def _unread(self, artefacts: Artefacts) -> list[str]:
        """Return what code alone could not read or make, in words."""
        notes = []
        spoken = tongue_of(self.order.prompt.text)
        name = "not recognised" if spoken == "und" else spoken
        if self.makers.writer is None and not is_understood(spoken):
            notes.append(
                f"the prompt seems to be in a language ({name}) of which code reads lists, amounts and quoted texts "
                "only; other rules are missed: use -m"
            )
        elif not artefacts.rules:
            notes.append("no rule was found: write one into rules.yaml")
        made = [case for case in artefacts.tests if GeneratedTest.of(case).origin == "extractor"]
        if self.makers.writer is None and artefacts.rules and not made:
            notes.append("no realistic inputs without a model: add samples or use -m")
        elif self.makers.writer is None and any(GeneratedTest.of(case).valid is None for case in made):
            notes.append("inputs are made of the prompt's own words: add samples, or use -m, for realistic ones")
        return notes

    def _made(self, artefacts: Artefacts, found: FoundRules, *, stay: Sequence[Case], new: Sequence[Case]) -> Made:
        enabled = {rule.id for rule in artefacts.rules if not rule.disabled}
        tests, repeats = gather_tests(self.order, stay, new, self.maker.renamed)
        artefacts = replace(artefacts, tests=tests)
        notes = self.trouble.notes()
        if found.left_out:
            notes.append(f"{found.left_out} more rules were found than --most-rules takes")
        notes += self._unread(artefacts)
        return Made(
            artefacts=artefacts,
            changes=changes(self.present, artefacts),
            invalid=self.maker.invalid,
            repeats=self.maker.repeats + repeats,
            uncovered=uncovered_rules(artefacts.rules, tests),
            only_code=tuple(rule for rule in found.only_code if rule.id in enabled),
            only_model=tuple(rule for rule in found.only_model if rule.id in enabled),
            notes=tuple(notes),
            unusable=self.trouble.by_cause(),
            nothing_usable=self.trouble.is_total,
        )


def _agrees(values: Any, parameters: Any) -> bool:
    return all(values.get(name) == value for name, value in parameters.items())
