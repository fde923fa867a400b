"""Request JSON of a schema from a provider: natively if supported, otherwise by an instruction."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from proctor.core.chat import Message, Request
from proctor.core.codec import dumps
from proctor.models.schema_memo import Memo
from proctor.text.prune_json import without_lengths

__all__ = ["answer_tool", "fits_strict_mode", "is_object_schema", "plain_name", "strict_schema", "with_instruction"]

# The keywords of OpenAI's strict mode. A schema with any other is sent without it and validated here.
_STRICT_KEYWORDS = frozenset(
    (
        "type",
        "properties",
        "required",
        "additionalProperties",
        "items",
        "enum",
        "const",
        "anyOf",
        "$ref",
        "$defs",
        "definitions",
        "title",
        "description",
        "pattern",
        "format",
        "minimum",
        "maximum",
        "exclusiveMinimum",
        "exclusiveMaximum",
        "multipleOf",
        "minItems",
        "maxItems",
    )
)


def is_object_schema(schema: Mapping[str, Any]) -> bool:
    """Return whether a schema requires an object, the only type that some native modes support."""
    return schema.get("type") == "object"


def fits_strict_mode(schema: Mapping[str, Any]) -> bool:
    """Return whether strict mode accepts the schema: closed objects, every property required, known keywords only."""
    return is_object_schema(schema) and _FITS(schema)


def strict_schema(schema: Mapping[str, Any], *, keep_lengths: bool) -> tuple[Mapping[str, Any], bool]:
    """Return the schema to send and whether strict mode is requested.

    Limits on the length of texts are no part of strict mode: a server that insists gets the schema without them.
    """
    if fits_strict_mode(schema):
        return schema, True
    loose: Mapping[str, Any] = _WITHOUT_LENGTHS(schema)
    if not fits_strict_mode(loose):
        return schema, False
    return (schema if keep_lengths else loose), True


def _strict(schema: Any) -> bool:
    if not isinstance(schema, Mapping) or not set(schema) <= _STRICT_KEYWORDS:
        return False
    if "$ref" in schema and not str(schema["$ref"]).startswith("#"):
        return False
    properties = schema.get("properties", {})
    if not isinstance(properties, Mapping) or not _closed(schema, properties):
        return False
    definitions = [schema.get(name, {}) for name in ("$defs", "definitions")]
    options = schema.get("anyOf", [])
    if not isinstance(options, list) or not all(isinstance(each, Mapping) for each in definitions):
        return False
    inner = [*properties.values(), *options, *(each for defined in definitions for each in defined.values())]
    if "items" in schema:
        inner.append(schema["items"])
    return all(map(_strict, inner))


def _closed(schema: Mapping[str, Any], properties: Mapping[str, Any]) -> bool:
    """Return whether an object schema requires all its properties and allows no others; true for other schemas."""
    kind = schema.get("type")
    if kind != "object" and not (isinstance(kind, list) and "object" in kind) and not properties:
        return True
    required = schema.get("required", [])
    return (
        schema.get("additionalProperties") is False
        and isinstance(required, list)
        and set(map(str, required)) == set(properties)
    )


def plain_name(name: str) -> str:
    """Replace characters other than letters, digits, ``_`` and ``-``, and truncate to 64."""
    return re.sub(r"[^A-Za-z0-9_-]", "_", name)[:64] or "answer"


def answer_tool(request: Request) -> str:
    """Return the name of the tool that takes the answer; never that of one of the caller's tools."""
    name = plain_name(request.schema_name)
    return f"{name[:57]}_answer" if any(tool.name == name for tool in request.tools) else name


def with_instruction(messages: tuple[Message, ...], schema: Mapping[str, Any]) -> tuple[Message, ...]:
    """Add the instruction to answer in JSON of that schema to the last user message."""
    wish = (
        "Answer with JSON only: no text before or after it, no code fence. "
        f"It must be valid against this JSON schema:\n{dumps(schema).decode()}"
    )
    for index in range(len(messages) - 1, -1, -1):
        if messages[index].role == "user":
            asked = messages[index].content
            asking = replace(messages[index], content=f"{asked}\n\n{wish}" if asked else wish)
            return (*messages[:index], asking, *messages[index + 1 :])
    return (*messages, Message(role="user", content=wish))


_WITHOUT_LENGTHS = Memo(without_lengths)
_FITS = Memo(_strict)  # a judge uses the same schema thousands of times
