"""Build cases from generated tests: inputs, id and metadata."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from proctor.core.case import Case
from proctor.core.codec import content_id
from proctor.core.generated_test import GeneratedTest, Strategy
from proctor.core.rule import Rule
from proctor.generate.spec import InputSpec, Scenario, Specification
from proctor.prompts.prompt import Prompt

__all__ = ["INPUT", "STRATEGIES", "Brief", "input_specs", "inputs_of", "make_case", "open_inputs", "refill"]

INPUT = "input"
STRATEGIES: tuple[Strategy, ...] = ("typical", "boundary", "edge", "adversarial", "metamorphic")


@dataclass(frozen=True, slots=True, kw_only=True)
class Brief:
    """The input of test generation: the prompt, its specification, samples, and one scenario."""

    prompt: Prompt
    spec: Specification
    samples: tuple[Mapping[str, Any], ...] = ()
    scenario: Scenario = field(default_factory=Scenario)
    instructions: Mapping[str, str] = field(default_factory=dict)


def input_specs(prompt: Prompt, found: Sequence[InputSpec] = ()) -> tuple[InputSpec, ...]:
    """Return the specification of every input of the prompt; one named ``input`` if it has no variables."""
    known = {spec.name: spec for spec in found}
    if not prompt.inputs:
        return (known.get(INPUT, InputSpec(name=INPUT)),)
    return tuple(known.get(name) or _declared(name, schema) for name, schema in prompt.inputs.items())


def _declared(name: str, schema: Mapping[str, Any]) -> InputSpec:
    kind = schema.get("type")
    return InputSpec(
        name=name,
        type=kind if isinstance(kind, str) else "string",
        description=str(schema.get("description") or ""),
        values=tuple(schema["enum"]) if isinstance(schema.get("enum"), (list, tuple)) else (),
        schema=schema,
    )


def open_inputs(brief: Brief) -> tuple[InputSpec, ...]:
    """Return the inputs that a test chooses: those the scenario does not fix."""
    specs = input_specs(brief.prompt, brief.spec.inputs)
    return tuple(spec for spec in specs if spec.name not in brief.scenario.parameters)


def make_case(
    brief: Brief,
    values: Mapping[str, Any],
    *,
    rules: Sequence[Rule] = (),
    strategy: Strategy = "typical",
    origin: str,
    reasoning: str = "",
    relation: Mapping[str, str] | None = None,
    tags: tuple[str, ...] = (),
) -> Case:
    """Build the case with these inputs; scenario parameters and defaults are filled in."""
    specs = input_specs(brief.prompt, brief.spec.inputs)
    given = {**brief.prompt.defaults, **values, **brief.scenario.parameters}
    inputs = {spec.name: given[spec.name] for spec in specs if spec.name in given}
    scenario = brief.scenario.name
    opposites = tuple(rule.id for rule in rules if rule.polarity == "negative")
    about = GeneratedTest(
        rules=tuple(map(_positive, rules)),
        strategy=strategy,
        polarity="negative" if opposites else "positive",
        scenario=scenario,
        origin=origin,
        inverse_rules=opposites,
        relation=relation,
        reasoning=reasoning,
    )
    case = Case(id="", tags=tags or ((scenario,) if scenario else ()), metadata=about.metadata())
    return _filled(case, inputs, brief.prompt, scenario)


def inputs_of(case: Case) -> dict[str, Any]:
    """Return the inputs of a case by name, also if its prompt has no variables."""
    return dict(case.inputs) if case.inputs or case.input is None else {INPUT: case.input}


def refill(brief: Brief, case: Case, values: Mapping[str, Any]) -> Case:
    """Return the case with other inputs, and therefore with another id."""
    return _filled(case, {**inputs_of(case), **values}, brief.prompt, brief.scenario.name)


def _filled(case: Case, inputs: Mapping[str, Any], prompt: Prompt, scenario: str) -> Case:
    name = "t-" + content_id([inputs, scenario], length=10)
    if prompt.inputs:
        return replace(case, id=name, inputs=inputs)
    return replace(case, id=name, input=str(inputs.get(INPUT, "")), inputs={})


def _positive(rule: Rule) -> str:
    """Return the id of the positive rule: for an inverse rule, the one it contradicts."""
    return rule.inverse_of if rule.polarity == "negative" and rule.inverse_of else rule.id
