"""Reduce a JSON value to what its schema names, and a schema to what every server can enforce."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["prune", "without_lengths"]

_LENGTHS = ("maxLength", "minLength")
_MAPS = ("properties", "$defs", "definitions", "patternProperties")


def prune(value: Any, schema: Any) -> Any:
    """Return the value without keys that a closed object does not name and without items beyond ``maxItems``.

    Types, enumerations and everything else are left to the validation.
    """
    if not isinstance(schema, Mapping):
        return value
    if isinstance(value, Mapping):
        known = schema.get("properties")
        known = known if isinstance(known, Mapping) else {}
        is_closed = schema.get("additionalProperties") is False and "patternProperties" not in schema
        return {key: prune(each, known.get(key)) for key, each in value.items() if key in known or not is_closed}
    if isinstance(value, list):
        most = schema.get("maxItems")
        return [prune(each, schema.get("items")) for each in value[: most if isinstance(most, int) else None]]
    return value


def without_lengths(schema: Any) -> Any:
    """Return the schema without limits on the length of texts, which not every server enforces."""
    if isinstance(schema, list):
        return [without_lengths(each) for each in schema]
    if not isinstance(schema, Mapping):
        return schema
    made: dict[str, Any] = {}
    for key, value in schema.items():
        if key in _MAPS and isinstance(value, Mapping):  # its keys are names of the user's, not keywords
            made[key] = {name: without_lengths(each) for name, each in value.items()}
        elif key in ("enum", "const", "default", "examples"):
            made[key] = value
        elif key not in _LENGTHS:
            made[key] = without_lengths(value)
    return made
