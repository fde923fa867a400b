"""What a prompt file says about itself: front matter of .prompty and .md, the head of .prompt.yml."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from proctor.core.chat import Sampling
from proctor.core.decoding import closest, decode
from proctor.core.errors import MalformedError, PromptError

__all__ = ["declared_inputs", "model_of", "response_schema", "sampling_of", "unknown_keys"]

_KNOWN = (
    "name description version authors tags model modelParameters responseFormat jsonSchema inputs outputs sample "
    "scenarios testSamples testData evaluators instructions template base imported messages files"
)
_PARAMETERS = {
    "temperature": "temperature",
    "top_p": "top_p",
    "topP": "top_p",
    "max_tokens": "max_tokens",
    "maxTokens": "max_tokens",
    "max_completion_tokens": "max_tokens",
    "stop": "stop",
    "seed": "seed",
}
_TYPES: dict[type, str] = {
    str: "string",
    bool: "boolean",
    int: "integer",
    float: "number",
    list: "array",
    dict: "object",
}
_TYPE_NAMES = tuple(_TYPES.values())


def unknown_keys(front: Mapping[str, Any]) -> list[str]:
    """A warning for each key that means nothing to us; the key itself stays in the front matter."""
    known = _KNOWN.split()
    warnings = []
    for key in front:
        if key not in known:
            guess = closest(key, known)
            warnings.append(
                f"unknown key `{key}`" + (f": did you mean `{guess}`?" if guess else ": kept, but not used")
            )
    return warnings


def declared_inputs(front: Mapping[str, Any], file: str | None) -> dict[str, dict[str, Any]]:
    """A JSON schema for each declared input; a plain value is the default of its own type.

    Raises:
        PromptError: ``inputs`` is neither a mapping nor a list of named inputs.
    """
    given = front.get("inputs")
    if given is None:
        return {}
    if isinstance(given, list) and all(isinstance(item, dict) and isinstance(item.get("name"), str) for item in given):
        given = {item["name"]: {key: value for key, value in item.items() if key != "name"} for item in given}
    if not isinstance(given, dict):
        mend = "write `inputs:` and under it `name: {type: string}`"
        raise PromptError("expected a mapping of inputs", file=file, field="inputs", mend=mend)
    return {name: _input(value) for name, value in given.items()}


def _input(value: Any) -> dict[str, Any]:
    if isinstance(value, dict) and ("type" in value or "default" in value or "description" in value):
        return {"type": "string", **value}
    if value is None:
        return {"type": "string"}
    if isinstance(value, str) and value in _TYPE_NAMES:  # `city: string` names a type; nobody means the word
        return {"type": value}
    return {"type": _TYPES[type(value)], "default": value}


def model_of(front: Mapping[str, Any]) -> str | None:
    """The model the author had in mind."""
    model = front.get("model")
    if isinstance(model, str):
        return model
    settings = model.get("configuration") if isinstance(model, dict) else None
    if not isinstance(settings, dict):
        return None
    names = (settings.get(key) for key in ("azure_deployment", "deployment", "model", "name"))
    return next((name for name in names if isinstance(name, str)), None)


def _parameters(front: Mapping[str, Any]) -> dict[str, Any]:
    model = front.get("model")
    inner = model.get("parameters") if isinstance(model, dict) else None
    found: dict[str, Any] = {}
    for part in (inner, front.get("modelParameters")):
        if isinstance(part, dict):
            found.update(part)
    return found


def sampling_of(front: Mapping[str, Any], file: str | None, warnings: list[str]) -> Sampling:
    """How the author wants the answer drawn.

    Raises:
        PromptError: a parameter has a value of the wrong kind.
    """
    raw: dict[str, Any] = {}
    for key, value in _parameters(front).items():
        if key in _PARAMETERS:
            raw[_PARAMETERS[key]] = [value] if key == "stop" and isinstance(value, str) else value
        elif key not in ("response_format", "tools"):
            warnings.append(f"unknown model parameter `{key}`: kept, but not used")
    try:
        return decode(Sampling, raw, strict=True)
    except MalformedError as error:
        raise PromptError(error.message, file=file, field=f"model parameters: {error.field}", mend=error.mend) from None


def response_schema(front: Mapping[str, Any], file: str | None) -> tuple[str, Mapping[str, Any]] | None:
    """The name and the JSON schema of the answer, where the prompt asks for JSON.

    Raises:
        PromptError: the schema is missing or is not JSON.
    """
    wanted = front.get("responseFormat", _parameters(front).get("response_format"))
    kind = wanted.get("type") if isinstance(wanted, dict) else wanted
    if kind == "json_object":
        return "answer", {"type": "object"}
    if kind != "json_schema":
        return None
    schema: Any = wanted.get("json_schema") if isinstance(wanted, dict) else front.get("jsonSchema")
    if isinstance(schema, str):
        try:
            schema = json.loads(schema)
        except ValueError as error:
            raise PromptError(f"the schema is not JSON: {error}", file=file, field="jsonSchema") from None
    if not isinstance(schema, dict):
        mend = "add `jsonSchema:` with the schema as JSON text"
        raise PromptError("a JSON schema is asked for and there is none", file=file, field="jsonSchema", mend=mend)
    if isinstance(schema.get("schema"), dict):
        return str(schema.get("name") or "answer"), schema["schema"]
    return "answer", schema
