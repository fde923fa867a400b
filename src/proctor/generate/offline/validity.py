"""Check whether a test matches the declared inputs."""

from __future__ import annotations

from typing import Any

from proctor.core.case import Case
from proctor.core.generated_test import GeneratedTest
from proctor.generate.build_case import Brief, input_specs, inputs_of
from proctor.generate.offline.input_shapes import is_http, shape_of
from proctor.generate.offline.topic import takes_any_text
from proctor.generate.offline.values import fits, is_text
from proctor.generate.spec import InputSpec

__all__ = ["offline_validity"]


def offline_validity(brief: Brief, case: Case) -> tuple[bool | None, str]:
    """Check that every input is present, not empty, and matches its declared type, values and format; with the reason.

    An input that code made for a prompt with a domain of its own is neither valid nor invalid: None.

    Statements about an input in words are not checked.
    """
    inputs = inputs_of(case)
    for spec in input_specs(brief.prompt, brief.spec.inputs):
        if spec.name not in inputs:
            return False, f"the input {spec.name} is missing"
        if wrong := _wrong_with(brief, spec, inputs[spec.name]):
            return False, f"{spec.name}: {wrong}"
    made = GeneratedTest.of(case)
    if made.origin == "extractor" and _is_implied(brief):
        return None, "made of the prompt's own words; whether a user would send it is not known"
    return True, "fits the declared types, values and shape"


def _is_implied(brief: Brief) -> bool:
    """Whether the texts are those of a domain that code does not know."""
    texts = [spec for spec in input_specs(brief.prompt, brief.spec.inputs) if is_text(spec)]
    return any(not takes_any_text(brief.prompt, spec) for spec in texts)


def _wrong_with(brief: Brief, spec: InputSpec, value: Any) -> str:
    if spec.name in brief.scenario.parameters:
        return "" if value == brief.scenario.parameters[spec.name] else "it is not what the scenario fixes"
    if wrong := fits(spec, value):
        return wrong
    if not isinstance(value, str) or spec.values:
        return ""
    examples = [sample[spec.name] for sample in (*brief.samples, brief.prompt.sample) if spec.name in sample]
    examples += spec.examples
    if not value.strip() and value not in examples:
        return "it is empty"
    if examples and all(is_http(example) for example in examples) and not is_http(value):
        return "it is no HTTP method with an address, as the samples are"
    shape = shape_of(examples)
    return shape.wrong_with(value) if shape is not None else ""
