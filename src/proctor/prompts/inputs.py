"""Read the declarations of a prompt file: a JSON schema for each input, and one for the answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from proctor.core.errors import PromptError
from proctor.prompts.sample_rows import named_file, read_data

__all__ = ["declared_inputs", "declared_outputs"]

_TYPES: dict[type, str] = {
    str: "string",
    bool: "boolean",
    int: "integer",
    float: "number",
    list: "array",
    dict: "object",
}
_OTHER_NAMES = {
    "str": "string",
    "text": "string",
    "int": "integer",
    "float": "number",
    "double": "number",
    "bool": "boolean",
    "list": "array",
    "dict": "object",
    "map": "object",
}
_TYPE_NAMES = (*_TYPES.values(), *_OTHER_NAMES)
_SCHEMA_KEYS = (
    "type kind default description title required nullable enum enumValues const format pattern minimum maximum "
    "minLength maxLength items properties anyOf oneOf allOf $ref example examples sample"
)
_THREAD = "thread"


def declared_inputs(front: Mapping[str, Any], file: str | None, warnings: list[str]) -> dict[str, dict[str, Any]]:
    """Return a JSON schema for each declared input, in file order; a plain value is the default of its own type.

    Raises:
        PromptError: ``inputs`` is neither a mapping, nor a list of inputs, nor a file with one of them.
    """
    field = "inputs" if front.get("inputs") is not None else "inputSchema"
    given = _declared(front.get(field), file, field)
    return {name: _input(name, value, warnings) for name, value in given.items()}


def declared_outputs(front: Mapping[str, Any], file: str | None, warnings: list[str]) -> dict[str, Any] | None:
    """Return the JSON schema of an answer whose parts the file declares.

    Raises:
        PromptError: ``outputs`` is neither a mapping, nor a list of outputs, nor a file with one of them.
    """
    field = "outputs" if front.get("outputs") is not None else "outputSchema"
    given = front.get(field)
    if isinstance(given, dict) and given.get("type") == "object" and isinstance(given.get("properties"), dict):
        return given  # already a JSON schema
    parts = _declared(given, file, field)
    if not parts:
        return None
    schemas = {name: _input(name, value, warnings) for name, value in parts.items()}
    for schema in schemas.values():
        schema.pop("default", None)
        schema.pop("required", None)
    return {"type": "object", "properties": schemas, "required": list(schemas), "additionalProperties": False}


def _declared(given: Any, file: str | None, field: str) -> dict[str, Any]:
    """Return names and their declarations, in any notation."""
    name = named_file(given)
    if name is not None:
        given = read_data(name, prompt=file, field=field)
    if isinstance(given, dict) and isinstance(given.get("properties"), (dict, list)):
        schema_itself = field.endswith("Schema") or given.get("type") == "object"
        given = given["properties"] if schema_itself else given
    if given is None:
        return {}
    if isinstance(given, list):
        pairs = [_named(item) for item in given]
        if all(pair is not None for pair in pairs):
            given = dict(pair for pair in pairs if pair is not None)
    if not isinstance(given, dict):
        hint = f"write `{field}:` and under it `name: {{type: string}}`"
        raise PromptError(f"expected a mapping of {field}", file=file, field=field, hint=hint)
    return given


def _named(item: Any) -> tuple[str, Any] | None:
    if isinstance(item, str):
        return item, None
    if isinstance(item, dict) and isinstance(item.get("name"), str):
        rest = {key: value for key, value in item.items() if key != "name"}
        return item["name"], rest or None
    return None


def _input(name: str, value: Any, warnings: list[str]) -> dict[str, Any]:
    if isinstance(value, dict) and (not value or value.keys() & set(_SCHEMA_KEYS.split())):
        return _schema(name, value, warnings)
    if value is None:
        return {"type": "string"}
    if isinstance(value, str) and value in _TYPE_NAMES:  # `city: string` names a type, not a default
        return {"type": _OTHER_NAMES.get(value, value)}
    return {"type": _TYPES[type(value)], "default": value}


def _schema(name: str, value: Mapping[str, Any], warnings: list[str]) -> dict[str, Any]:
    """Build a JSON schema from either version of Prompty: ``kind``, ``enumValues``, ``sample``, ``example``."""
    made = {key: part for key, part in value.items() if key not in ("kind", "enumValues", "sample", "example")}
    kind = value.get("type", value.get("kind"))
    if kind is None:
        default = value.get("default")
        kind = _TYPES[type(default)] if default is not None else "string"
    made["type"] = _type(name, kind, warnings)
    if kind == _THREAD:
        made["default"] = ""
    if isinstance(value.get("enumValues"), list):
        made["enum"] = value["enumValues"]
    examples = [value[key] for key in ("sample", "example") if value.get(key) is not None]
    if examples:
        made["examples"] = [*examples, *(value["examples"] if isinstance(value.get("examples"), list) else [])]
    return {"type": made.pop("type"), **made}


def _type(name: str, kind: Any, warnings: list[str]) -> str:
    if isinstance(kind, list):  # `[string, "null"]`
        kind = next((each for each in kind if isinstance(each, str) and each != "null"), "string")
    if kind == _THREAD:
        warnings.append(f"input `{name}` is a thread: it is left empty, and the `history` of a case is sent instead")
        return "string"
    if isinstance(kind, str) and kind.lower() in _TYPE_NAMES:
        return _OTHER_NAMES.get(kind.lower(), kind.lower())
    warnings.append(f"input `{name}` has a type that is not known, `{kind}`: taken as string")
    return "string"
