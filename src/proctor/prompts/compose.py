"""Write a prompt as a new .prompty file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from proctor.core.errors import PromptError
from proctor.prompts.load import parse_prompt
from proctor.prompts.prompt import Prompt
from proctor.prompts.render import variables_in
from proctor.prompts.sections import ROLES
from proctor.text.yaml_dump import to_yaml

__all__ = ["prompty_of", "prompty_text"]

_PARAMETERS = ("temperature", "top_p", "max_tokens", "seed")
_MOVED = ("messages", "model", "modelParameters", "testData", "name", "description", "inputs", "inputSchema")


def prompty_of(prompt: Prompt) -> str:
    """Return the prompt as a .prompty file: the same messages, inputs, model, samples, and all other keys of its file.

    Raises:
        PromptError: a message contains a line that a .prompty file would read as the start of another message.
    """
    front: dict[str, Any] = {"name": prompt.name}
    if prompt.description:
        front["description"] = prompt.description
    if model := _model(prompt):
        front["model"] = model
    if prompt.inputs:
        front["inputs"] = {name: dict(schema) for name, schema in prompt.inputs.items()}
    front |= {key: value for key, value in prompt.front.items() if key not in _MOVED}
    rows = prompt.front.get("testData")
    if isinstance(rows, list) and rows:
        front["testSamples"] = [*(front.get("testSamples") or []), *rows]
    if _needs_mustache(prompt):
        front["template"] = "mustache"
    text = prompty_text(front, [(message.role, message.text) for message in prompt.messages])
    said = [(message.role, message.text.strip()) for message in prompt.messages]
    if [(message.role, message.text) for message in parse_prompt(text).messages] != said:
        heads = ", ".join(f"`{role}:`" for role in ROLES)
        hint = f"a line that is only one of {heads} begins a message: write it another way"
        raise PromptError("a message cannot be told from its neighbours", file=prompt.path, field="messages", hint=hint)
    return text


def prompty_text(front: Mapping[str, Any], messages: list[tuple[str, str]]) -> str:
    """Return front matter and messages in the format of a file."""
    parts = [f"{role}:\n{text.strip()}\n" for role, text in messages]
    return f"---\n{to_yaml(front)}---\n" + "\n".join(parts)


def _model(prompt: Prompt) -> dict[str, Any] | str | None:
    given = prompt.front.get("model")
    if isinstance(given, dict):
        return given
    wishes: dict[str, Any] = {name: getattr(prompt.sampling, name) for name in _PARAMETERS}
    wishes["stop"] = list(prompt.sampling.stop) or None
    parameters = {name: value for name, value in wishes.items() if value is not None}
    if not parameters:
        return prompt.model
    return {**({"id": prompt.model} if prompt.model else {}), "parameters": parameters}


def _needs_mustache(prompt: Prompt) -> bool:
    """Return whether Jinja would interpret more than ``{{name}}`` in a plain text."""
    if prompt.syntax != "plain":
        return False
    for message in prompt.messages:
        if "{%" in message.text or "{#" in message.text:
            return True
        plain = variables_in(message.text, "plain")
        if message.text.count("{{") != sum(_count(message.text, name) for name in plain):
            return True
        if not all(name.isidentifier() for name in plain):
            return True
    return False


def _count(text: str, name: str) -> int:
    """Return how often a name occurs in double braces."""
    return sum(part.partition("}}")[0].strip() == name for part in text.split("{{")[1:])
