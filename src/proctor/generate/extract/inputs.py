"""Extract the inputs of a prompt: its variables, and what it says about them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from proctor.generate.extract.requests import about_input, plain
from proctor.generate.extract.statements import statements_of
from proctor.generate.spec import InputSpec
from proctor.prompts.prompt import Prompt

__all__ = ["extract_inputs"]

_INTRODUCES: Final = re.compile(r"\{\{|[:：]\s*$|^\W*(?:here|below)\b|^[\w ]{1,30}:", re.IGNORECASE)
_LABELLED: Final = (
    "(?m)^[ \\t>*-]{{0,8}}(?P<label>[^\\n:：{{}}]{{2,60}}?)"
    "[*_]{{0,3}}\\s{{0,4}}[:：]\\s{{0,8}}[\"'`<]*\\{{\\{{\\s*{name}\\s*[|}}]"
)


def extract_inputs(prompt: Prompt) -> tuple[InputSpec, ...]:
    """Return one specification per input; a prompt without variables has one, named ``input``."""
    said = tuple(
        dict.fromkeys(plain(each.text) for each in statements_of(prompt) if not each.code and _tells(each.text))
    )
    declared: Mapping[str, Mapping[str, Any]] = prompt.inputs or {"input": {"type": "string"}}
    return tuple(_input(name, schema, prompt, said) for name, schema in declared.items())


def _tells(text: str) -> bool:
    """Whether a sentence describes the input; a line that only introduces it does not."""
    return about_input(text) and not _INTRODUCES.search(text)


def _input(name: str, schema: Mapping[str, Any], prompt: Prompt, said: tuple[str, ...]) -> InputSpec:
    label = re.search(_LABELLED.format(name=re.escape(name)), prompt.text)
    described = str(schema.get("description") or "")
    if not described and label:
        described = plain(re.split(r"[.!?]\s", label.group("label"))[-1])
    examples = [source[name] for source in (prompt.sample, prompt.defaults) if name in source]
    values = schema.get("enum")
    return InputSpec(
        name=name,
        type=str(schema.get("type") or "string"),
        description=described,
        statements=_about(name, said, alone=len(prompt.inputs) <= 1),
        values=tuple(values) if isinstance(values, list) else (),
        examples=tuple(each for number, each in enumerate(examples) if each not in examples[:number]),
        schema=dict(schema),
    )


def _about(name: str, said: tuple[str, ...], *, alone: bool) -> tuple[str, ...]:
    """Return the statements about an input; with several inputs, those that name this one."""
    if alone:
        return said
    words = [word for word in re.split(r"[\W_]+", name.lower()) if len(word) > 2]
    return tuple(each for each in said if any(word in each.lower() for word in words))
