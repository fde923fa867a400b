"""Read the call settings of a prompt file: model, sampling, response schema, template language."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from proctor.core.chat import Sampling
from proctor.core.decode import decode
from proctor.core.errors import MalformedError, PromptError
from proctor.prompts.inputs import declared_outputs
from proctor.prompts.prompt import Syntax
from proctor.prompts.sample_rows import named_file, read_data

__all__ = ["model_of", "response_schema", "sampling_of", "syntax_of"]

_PARAMETERS = {
    "temperature": "temperature",
    "top_p": "top_p",
    "topP": "top_p",
    "max_tokens": "max_tokens",
    "maxTokens": "max_tokens",
    "max_completion_tokens": "max_tokens",
    "maxOutputTokens": "max_tokens",
    "stop": "stop",
    "stopSequences": "stop",
    "seed": "seed",
}
_READ_ELSEWHERE = ("response_format", "tools", "tool_choice", "stream", "allowMultipleToolCalls")
_REFERENCE = "${"  # `${env:NAME}`: values from outside the file are set in the project


def model_of(front: Mapping[str, Any]) -> str | None:
    """Return the model named by the prompt file."""
    model = front.get("model")
    if isinstance(model, str):
        names: list[Any] = [model]
    elif isinstance(model, dict):
        settings = model.get("configuration")
        names = [model.get("id")]
        if isinstance(settings, dict):
            names += [settings.get(key) for key in ("azure_deployment", "deployment", "model", "name")]
        names.append(model.get("name"))
    else:
        return None
    return next((name for name in names if isinstance(name, str) and name and _REFERENCE not in name), None)


def _parameters(front: Mapping[str, Any]) -> dict[str, Any]:
    model = front.get("model")
    inner = [model.get("parameters"), model.get("options")] if isinstance(model, dict) else []
    found: dict[str, Any] = {}
    for part in (*inner, front.get("modelParameters")):
        if isinstance(part, dict):
            more = part.get("additionalProperties")
            found.update(more if isinstance(more, dict) else {})
            found.update({key: value for key, value in part.items() if key != "additionalProperties"})
    return found


def sampling_of(front: Mapping[str, Any], file: str | None, warnings: list[str]) -> Sampling:
    """Return the sampling settings of the prompt file.

    Raises:
        PromptError: a parameter has a value of the wrong type.
    """
    raw: dict[str, Any] = {}
    for key, value in _parameters(front).items():
        if value is None:
            continue
        if isinstance(value, str) and _REFERENCE in value:
            warnings.append(f"model parameter `{key}` is `{value}`: not read, set it in the project")
        elif key in _PARAMETERS:
            name = _PARAMETERS[key]
            raw[name] = [value] if name == "stop" and isinstance(value, str) else value
        elif key not in _READ_ELSEWHERE:
            warnings.append(f"unknown model parameter `{key}`: kept, but not used")
    try:
        return decode(Sampling, raw, strict=True)
    except MalformedError as error:
        raise PromptError(error.message, file=file, field=f"model parameters: {error.field}", hint=error.hint) from None


def response_schema(
    front: Mapping[str, Any], file: str | None, warnings: list[str]
) -> tuple[str, Mapping[str, Any]] | None:
    """Return the name and the JSON schema of the answer, if the prompt requests JSON or declares outputs.

    Raises:
        PromptError: the schema is missing or is not JSON.
    """
    wanted = front.get("responseFormat", _parameters(front).get("response_format"))
    kind = wanted.get("type") if isinstance(wanted, dict) else wanted
    if kind == "json_schema":
        return _given_schema(wanted, front, file)
    if kind == "text":
        return None
    declared = declared_outputs(front, file, warnings)
    if declared is not None:
        return "answer", declared
    return ("answer", {"type": "object"}) if kind == "json_object" else None


def _given_schema(wanted: Any, front: Mapping[str, Any], file: str | None) -> tuple[str, Mapping[str, Any]]:
    schema: Any = wanted.get("json_schema") if isinstance(wanted, dict) else front.get("jsonSchema")
    name = named_file(schema)
    if name is not None:
        schema = read_data(name, prompt=file, field="jsonSchema")
    elif isinstance(schema, str):
        try:
            schema = json.loads(schema)
        except (ValueError, RecursionError) as error:
            raise PromptError(f"the schema is not JSON: {error}", file=file, field="jsonSchema") from None
    if not isinstance(schema, dict):
        hint = "add `jsonSchema:` with the schema as JSON text"
        raise PromptError("a JSON schema is asked for and there is none", file=file, field="jsonSchema", hint=hint)
    if isinstance(schema.get("schema"), dict):
        return str(schema.get("name") or "answer"), schema["schema"]
    return "answer", schema


def syntax_of(front: Mapping[str, Any], warnings: list[str]) -> Syntax:
    """Return the template language named by the file; Jinja by default."""
    given = front.get("template")
    for key in ("format", "type", "kind"):  # `template: {format: {kind: mustache}}` is the syntax of the second version
        if isinstance(given, dict) and key in given:
            given = given[key]
    if isinstance(given, dict) or given is None:
        return "jinja"
    name = str(given).lower()
    if name in ("mustache", "handlebars"):
        return "plain"
    if name not in ("jinja2", "jinja", "nunjucks"):
        warnings.append(f"template `{given}` is not known: read as Jinja")
    return "jinja"
