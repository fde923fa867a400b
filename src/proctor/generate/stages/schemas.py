"""Simple JSON schemas for stages: small models and grammars fail on complex ones.

Every text and every list has a limit, so that a model that repeats itself is cut by the server's own grammar.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["list_of", "object_of", "text_of"]

_SENTENCE_CHARS = 600
_MOST_ITEMS = 60


def text_of(most: int = _SENTENCE_CHARS) -> dict[str, Any]:
    """Return the schema of a text of at most this many characters."""
    return {"type": "string", "maxLength": most}


def object_of(properties: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema of an object with exactly these properties."""
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


def list_of(name: str, item: Mapping[str, Any], *, most: int = _MOST_ITEMS) -> dict[str, Any]:
    """Return the schema of an object whose only property is a list of at most so many such items."""
    return object_of({name: {"type": "array", "items": item, "maxItems": most}})
