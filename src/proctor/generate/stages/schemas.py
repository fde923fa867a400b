"""The plain JSON schemas that stages ask for: small models and grammars stumble over more."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["list_of", "object_of"]


def object_of(properties: Mapping[str, Any]) -> dict[str, Any]:
    """An object that has these properties, all of them and no others."""
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


def list_of(name: str, item: Mapping[str, Any]) -> dict[str, Any]:
    """An object whose one property is a list of such items."""
    return object_of({name: {"type": "array", "items": item}})
