"""Ask a model for tests of rules, for expanded tests, and for baseline tests."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from proctor.core.case import Case, Expectation
from proctor.core.codec import dumps
from proctor.core.generated_test import GeneratedTest, Strategy, with_metadata, without_metadata
from proctor.core.rule import Rule
from proctor.core.sockets import Model
from proctor.generate.build_case import (
    STRATEGIES,
    Brief,
    input_specs,
    inputs_of,
    make_case,
    open_inputs,
    refill,
)
from proctor.generate.spec import InputSpec, Specification
from proctor.generate.stages.inputs import sample_lines
from proctor.generate.stages.model_stage import Question, ReplyReading, ask, stage_prompt
from proctor.generate.stages.rules import labelled
from proctor.generate.stages.schemas import list_of, object_of, text_of
from proctor.generate.stages.validate_artefacts import said_of_inputs, shown_inputs
from proctor.prompts.prompt import Prompt

__all__ = ["expand_test", "write_baseline", "write_tests"]

_MOST_SHOWN = 30
_LONGEST_SHOWN = 300
_LEAST_GROWTH = 1.5
_LONGEST_INPUT = 6_000
_MOST_ITEMS = 100
_TYPES = ("string", "number", "integer", "boolean", "array", "object")
_PLACEHOLDER = re.compile(
    r"\[(?:insert|your|add|some)\b[^\]]*\]|<(?:insert|your)\b[^>]*>|\blorem ipsum\b|^\s*\.\.\.\s*$", re.IGNORECASE
)


async def write_tests(
    model: Model,
    brief: Brief,
    rules: Sequence[Rule],
    *,
    count: int,
    avoid: Sequence[Case] = (),
    strategies: Sequence[Strategy] = (),
    sample: int = 0,
) -> tuple[Case, ...]:
    """Ask the model for ``count`` tests of each rule, unlike those in ``avoid``.

    Raises:
        ModelError: the reply has no usable test.
    """
    specs = open_inputs(brief)
    names = labelled(rules)
    if not rules or count < 1 or not specs:
        return ()
    wanted = [strategy for strategy in STRATEGIES if strategy in (strategies or STRATEGIES)]
    question = Question(
        stage="tests",
        material=[
            ("prompt under test", brief.prompt.text),
            ("intent", brief.spec.intent),
            ("input specification", said_of_inputs(specs)),
            ("rules", "\n".join(_said(name, rule) for name, rule in names.items())),
            ("scenario", _scenario(brief)),
            ("samples", sample_lines(brief.samples)),
            ("already there", "\n".join(shown_inputs(case)[:_LONGEST_SHOWN] for case in avoid[-_MOST_SHOWN:])),
        ],
        schema=_tests_schema(specs, list(names), wanted, 2 * count * len(rules)),
        holes=_test_holes(brief, specs, names, count=count, strategies=wanted),
        instructions=brief.instructions.get("tests", ""),
        sample=sample,
        items=count * len(rules),
    )
    known = {case.id for case in avoid}
    return await ask(
        model, question, lambda data: _read_tests(data, brief, names, count=count, known=known, origin=model.name)
    )


async def expand_test(model: Model, brief: Brief, case: Case, *, sample: int = 0) -> Case:
    """Ask the model for a longer test of the same rules; the expectation of the short one is dropped.

    Raises:
        ModelError: the reply has no usable test.
    """
    given = inputs_of(case)
    specs = [spec for spec in open_inputs(brief) if isinstance(given.get(spec.name), str) and not spec.values]
    if not specs:
        return case
    test = GeneratedTest.of(case)
    aimed = {*test.rules, *test.inverse_rules}
    question = Question(
        stage="expand",
        material=[
            ("prompt under test", brief.prompt.text),
            ("input specification", said_of_inputs(specs)),
            ("rules the test aims at", "\n".join(f"- {rule.text}" for rule in brief.spec.rules if rule.id in aimed)),
            ("scenario", _scenario(brief)),
            ("test input", shown_inputs(case)),
        ],
        schema=object_of({"inputs": _inputs_schema(specs)}),
        holes={"names": ", ".join(spec.name for spec in specs), "example": _example(specs)},
        instructions=brief.instructions.get("expansion", ""),
        sample=sample,
    )
    longer = await ask(model, question, lambda data: _read_longer(data, specs, given))
    open_case = replace(without_metadata(case, "groundtruth", "relation"), expect=Expectation())
    return refill(brief, with_metadata(open_case, expanded_from=case.id, valid=None, validity_reason=""), longer)


async def write_baseline(
    model: Model, prompt: Prompt, *, count: int, instructions: str = "", sample: int = 0
) -> tuple[Case, ...]:
    """Ask the model for tests from the prompt alone, as a baseline for comparison.

    Raises:
        ModelError: the reply has no usable test.
    """
    specs = input_specs(prompt)
    brief = Brief(prompt=prompt, spec=Specification())
    question = Question(
        stage="baseline",
        material=[("prompt under test", prompt.text)],
        schema=list_of("tests", object_of({"inputs": _inputs_schema(specs)}), most=2 * count),
        holes={"count": str(count), "inputs": ", ".join(spec.name for spec in specs), "example": _example(specs)},
        instructions=instructions,
        sample=sample,
        items=count,
    )

    def read(data: Any) -> ReplyReading[tuple[Case, ...]]:
        found: dict[str, Case] = {}
        complaints: list[str] = []
        for said in data.get("tests", ()):
            values, wrong = _values(said.get("inputs"), specs)
            if wrong:
                complaints.append(wrong)
                continue
            case = make_case(brief, values, strategy="baseline", origin=model.name, tags=("baseline",))
            found.setdefault(case.id, case)
        if len(found) < count:
            complaints.append(f"{count} different tests were asked for; {len(found)} can be used")
        return ReplyReading(value=tuple(found.values())[:count] or None, complaints=tuple(complaints))

    return await ask(model, question, read) if count > 0 else ()


def _said(name: str, rule: Rule) -> str:
    return f"{name} (opposite): {rule.text}" if rule.polarity == "negative" else f"{name}: {rule.text}"


def _scenario(brief: Brief) -> str:
    fixed = [f"{name} is always {dumps(value).decode()}" for name, value in brief.scenario.parameters.items()]
    return "\n".join([text for text in (brief.scenario.name, brief.scenario.instructions) if text] + fixed)


def _test_holes(
    brief: Brief, specs: Sequence[InputSpec], names: Mapping[str, Rule], *, count: int, strategies: Sequence[Strategy]
) -> dict[str, str]:
    prompt = stage_prompt("tests")
    scenario = '\nAll tests are for the situation under "scenario".\n' if _scenario(brief) else ""
    return {
        "count": "one test" if count == 1 else f"{count} tests",
        "names": ", ".join(names),
        "inputs": ", ".join(spec.name for spec in specs),
        "strategies": "; ".join(prompt.fill(strategy) for strategy in strategies),
        "scenario": scenario,
        "example": _example(specs),
    }


def _example(specs: Sequence[InputSpec]) -> str:
    return "{" + ", ".join(f'"{spec.name}": ...' for spec in specs) + "}"


def _inputs_schema(specs: Sequence[InputSpec]) -> dict[str, Any]:
    """Return a schema with one property per input; simple, because small models and grammars fail on complex ones."""
    return object_of({spec.name: _value_schema(spec) for spec in specs})


def _value_schema(spec: InputSpec) -> dict[str, Any]:
    if spec.values:
        return {"enum": list(spec.values)}
    kind = spec.type if spec.type in _TYPES else "string"
    if kind == "string":
        return text_of(_LONGEST_INPUT)
    return {"type": kind, "maxItems": _MOST_ITEMS} if kind == "array" else {"type": kind}


def _tests_schema(
    specs: Sequence[InputSpec], names: Sequence[str], strategies: Sequence[str], most: int
) -> dict[str, Any]:
    item = object_of(
        {
            "rule": {"type": "string", "enum": list(names)},
            "strategy": {"type": "string", "enum": list(strategies)},
            "why": text_of(),
            "inputs": _inputs_schema(specs),
        }
    )
    return list_of("tests", item, most=most)


def _read_tests(
    data: Any, brief: Brief, names: Mapping[str, Rule], *, count: int, known: set[str], origin: str
) -> ReplyReading[tuple[Case, ...]]:
    specs = open_inputs(brief)
    found: dict[str, Case] = {}
    per_rule: Counter[str] = Counter()
    complaints: list[str] = []
    for number, said in enumerate(data.get("tests", ()), 1):
        name = str(said.get("rule"))
        values, wrong = _values(said.get("inputs"), specs)
        if name not in names:
            wrong = f"there is no rule {name}"
        if wrong:
            complaints.append(f"test {number}: {wrong}")
            continue
        strategy = said.get("strategy")
        case = make_case(
            brief,
            values,
            rules=(names[name],),
            strategy=strategy if strategy in STRATEGIES else "typical",
            origin=origin,
            reasoning=" ".join(str(said.get("why") or "").split())[:_LONGEST_SHOWN],
        )
        if case.id in found or case.id in known:
            complaints.append(f"test {number}: its inputs are there already")
        elif per_rule[name] < count:
            found[case.id] = case
            per_rule[name] += 1
    missing = [f"{name} has {per_rule[name]} of {count}" for name in names if per_rule[name] < count]
    if missing:
        complaints.append("tests are missing that can be used: " + ", ".join(missing[:20]))
    return ReplyReading(value=tuple(found.values()) or None, complaints=tuple(complaints))


def _read_longer(data: Any, specs: Sequence[InputSpec], given: Mapping[str, Any]) -> ReplyReading[Mapping[str, Any]]:
    values, wrong = _values(data.get("inputs"), specs)
    if wrong:
        return ReplyReading(complaints=(wrong,))
    before = sum(len(str(given[spec.name])) for spec in specs)
    after = sum(len(str(values[spec.name])) for spec in specs)
    if after < before * _LEAST_GROWTH:
        return ReplyReading(complaints=(f"it has {after} letters and was to be three times as long as {before}",))
    return ReplyReading(value=values)


def _values(said: Any, specs: Sequence[InputSpec]) -> tuple[dict[str, Any], str]:
    """Return the value of every input, or what is wrong with them."""
    if not isinstance(said, Mapping):
        return {}, "it has no inputs"
    values: dict[str, Any] = {}
    for spec in specs:
        value = said.get(spec.name)
        if value is None or (isinstance(value, str) and not value.strip() and "" not in spec.values):
            return {}, f"the input {spec.name} is empty"
        if spec.values and value not in spec.values:
            return {}, f"{value!r} is none of the values that {spec.name} may have"
        if isinstance(value, str) and _PLACEHOLDER.search(value):
            return {}, f"the input {spec.name} holds a placeholder"
        values[spec.name] = value
    return values, ""
