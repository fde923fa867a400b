"""Simple JSON schemas for stages: small models and grammars fail on complex ones."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["list_of", "object_of"]


def object_of(properties: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema of an object with exactly these properties."""
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


def list_of(name: str, item: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema of an object whose only property is a list of such items."""
    return object_of({name: {"type": "array", "items": item}})
