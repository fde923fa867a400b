"""Ask a model for the valid values of each input, from the prompt and its samples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from proctor.core.codec import dumps
from proctor.core.sockets import Model
from proctor.generate.build_case import input_specs
from proctor.generate.spec import InputSpec
from proctor.generate.stages.model_stage import Question, ReplyReading, ask
from proctor.generate.stages.schemas import list_of, object_of, text_of
from proctor.prompts.prompt import Prompt

__all__ = ["find_inputs", "sample_lines"]

_MOST_SAMPLES = 5
_LONGEST_SAMPLE = 1_500
_MOST_STATEMENTS = 12
_MOST_VALUES = 40


async def find_inputs(
    model: Model, prompt: Prompt, samples: Sequence[Mapping[str, Any]], *, instructions: str = ""
) -> tuple[InputSpec, ...]:
    """Ask the model for the specification of every input; declared types and values take precedence.

    Raises:
        ModelError: the model's reply has nothing usable on any input.
    """
    declared = input_specs(prompt)
    names = [spec.name for spec in declared]
    question = Question(
        stage="inputs",
        material=[("prompt under test", prompt.text), ("samples", sample_lines(samples or _own(prompt)))],
        schema=_schema(names),
        holes={"names": ", ".join(names)},
        instructions=instructions,
        items=len(names),
    )
    said = await ask(model, question, lambda data: _read(data, names))
    examples = _examples(samples or _own(prompt), names)
    return tuple(_joined(spec, said.get(spec.name, {}), examples[spec.name]) for spec in declared)


def sample_lines(samples: Sequence[Mapping[str, Any]]) -> str:
    """Return the first samples as lines of JSON, including expected answers."""
    lines = [dumps(dict(sample)).decode()[:_LONGEST_SAMPLE] for sample in samples[:_MOST_SAMPLES]]
    return "\n".join(lines)


def _own(prompt: Prompt) -> Sequence[Mapping[str, Any]]:
    return (prompt.sample,) if prompt.sample else ()


def _examples(samples: Sequence[Mapping[str, Any]], names: Sequence[str]) -> dict[str, tuple[Any, ...]]:
    return {name: tuple(sample[name] for sample in samples if name in sample) for name in names}


def _schema(names: Sequence[str]) -> Mapping[str, Any]:
    statements = {"type": "array", "items": text_of(), "maxItems": _MOST_STATEMENTS}
    values = {"type": "array", "items": text_of(), "maxItems": _MOST_VALUES}
    each = {"name": {"type": "string", "enum": list(names)}, "description": text_of()}
    item = object_of({**each, "statements": statements, "values": values})
    return list_of("inputs", item, most=2 * len(names))


def _read(data: Any, names: Sequence[str]) -> ReplyReading[dict[str, Mapping[str, Any]]]:
    said = {str(each["name"]): each for each in data.get("inputs", ()) if str(each.get("name")) in names}
    complaints = [f"nothing is said of the input {name}" for name in names if name not in said]
    complaints += [
        f"no statement says what a valid {name} is"
        for name, each in said.items()
        if not any(str(text).strip() for text in each.get("statements", ()))
    ]
    return ReplyReading(value=said or None, complaints=tuple(complaints))


def _joined(spec: InputSpec, said: Mapping[str, Any], examples: tuple[Any, ...]) -> InputSpec:
    """Complete the declared specification by the model's; declared values take precedence."""
    statements = tuple(dict.fromkeys(" ".join(str(text).split()) for text in said.get("statements", ())))
    values = tuple(dict.fromkeys(str(value) for value in said.get("values", ()) if str(value).strip()))
    return replace(
        spec,
        description=spec.description or str(said.get("description") or "").strip(),
        statements=tuple(text for text in statements if text),
        values=spec.values or (values if spec.type == "string" else ()),
        examples=examples,
    )
