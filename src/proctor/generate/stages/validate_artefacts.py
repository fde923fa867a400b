"""Check generated artefacts: whether the prompt states a rule, and whether a test is a valid input."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from proctor.core.case import Case
from proctor.core.codec import dumps
from proctor.core.rule import Rule
from proctor.core.sockets import Model
from proctor.generate.build_case import Brief, input_specs, inputs_of
from proctor.generate.spec import InputSpec
from proctor.generate.stages.model_stage import Question, ReplyReading, ask
from proctor.generate.stages.schemas import object_of, text_of
from proctor.prompts.prompt import Prompt

__all__ = ["check_rule", "check_test", "said_of_inputs", "shown_inputs", "verdict_reader", "verdict_schema"]

_GROUNDEDNESS = {"stated": 1.0, "implied": 0.5, "absent": 0.0}
_VALIDITY: Mapping[str, bool | None] = {"valid": True, "invalid": False, "unsure": None}


async def check_rule(model: Model, prompt: Prompt, rule: Rule) -> float | None:
    """Return how far the prompt states the rule: 1 stated, 0.5 implied, 0 absent; ``None`` if unknown.

    Raises:
        ModelError: the model did not answer.
    """
    question = Question(
        stage="groundedness",
        material=[("prompt under test", prompt.text), ("rule", rule.text)],
        schema=verdict_schema(list(_GROUNDEDNESS)),
        holes={},
    )
    verdict, _ = await ask(model, question, verdict_reader(list(_GROUNDEDNESS)))
    return _GROUNDEDNESS[verdict]


async def check_test(model: Model, brief: Brief, case: Case) -> tuple[bool | None, str]:
    """Return whether the test is a valid input, and why; ``None`` if the specification does not decide it.

    Raises:
        ModelError: the model did not answer.
    """
    question = Question(
        stage="validity",
        material=[
            ("prompt under test", brief.prompt.text),
            ("input specification", said_of_inputs(input_specs(brief.prompt, brief.spec.inputs))),
            ("scenario", brief.scenario.instructions),
            ("test input", shown_inputs(case)),
        ],
        schema=verdict_schema(list(_VALIDITY)),
        holes={},
    )
    verdict, reason = await ask(model, question, verdict_reader(list(_VALIDITY)))
    return _VALIDITY[verdict], reason


def verdict_schema(verdicts: Sequence[str]) -> Mapping[str, Any]:
    """Return the verdict schema; the reason comes first, so that the verdict follows from it."""
    return object_of({"reason": text_of(), "verdict": {"type": "string", "enum": list(verdicts)}})


def verdict_reader(verdicts: Sequence[str]) -> Any:
    """Return a parser of replies with that schema: the verdict and its reason."""

    def read(data: Any) -> ReplyReading[tuple[str, str]]:
        verdict = data.get("verdict")
        if verdict not in verdicts:
            return ReplyReading(complaints=(f"the verdict is none of {', '.join(verdicts)}",))
        return ReplyReading(value=(verdict, " ".join(str(data.get("reason") or "").split())))

    return read


def said_of_inputs(specs: Sequence[InputSpec]) -> str:
    """Return the specification of inputs as text for a model."""
    lines: list[str] = []
    for spec in specs:
        lines.append(f"{spec.name} ({spec.type}){': ' + spec.description if spec.description else ''}")
        lines += [f"- {statement}" for statement in spec.statements]
        if spec.values:
            lines.append(f"- only these values: {', '.join(dumps(value).decode() for value in spec.values)}")
        bounds = {key: spec.schema[key] for key in _BOUNDS if key in spec.schema}
        lines += [f"- {key}: {value}" for key, value in bounds.items()]
    return "\n".join(lines)


def shown_inputs(case: Case) -> str:
    """Return the inputs of a case, each under its name."""
    inputs = inputs_of(case)
    return "\n\n".join(
        f"{name}:\n{value if isinstance(value, str) else dumps(value).decode()}" for name, value in inputs.items()
    )


_BOUNDS = ("minimum", "maximum", "minLength", "maxLength", "pattern", "format", "minItems", "maxItems", "default")
