"""How a provider is asked for JSON of a schema: natively where it can, in words where it cannot."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from proctor.core.chat import Message, Request
from proctor.core.codec import dumps
from proctor.models.schema_memo import Memo

__all__ = ["answer_tool", "fits_strict_mode", "is_object_schema", "plain_name", "with_instruction"]

# What OpenAI's strict mode understands. A schema with anything else is sent without it, and is checked here.
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
    """Whether a schema asks for an object, which is all that some native modes can give."""
    return schema.get("type") == "object"


def fits_strict_mode(schema: Mapping[str, Any]) -> bool:
    """Whether strict mode takes the schema: closed objects, every property required, known keywords only."""
    return is_object_schema(schema) and _FITS(schema)


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
    """Whether an object schema allows no other properties and requires all it has; true of other schemas."""
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
    """A name of the letters, digits, ``_`` and ``-`` that providers allow, at most 64 of them."""
    return re.sub(r"[^A-Za-z0-9_-]", "_", name)[:64] or "answer"


def answer_tool(request: Request) -> str:
    """The name of the tool by which the answer is given; never that of one of the caller's own."""
    name = plain_name(request.schema_name)
    return f"{name[:57]}_answer" if any(tool.name == name for tool in request.tools) else name


def with_instruction(messages: tuple[Message, ...], schema: Mapping[str, Any]) -> tuple[Message, ...]:
    """The messages with the wish for JSON of that schema put after the last thing the user said."""
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


_FITS = Memo(_strict)  # a judge asks with the same schema thousands of times
