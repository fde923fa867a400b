"""Positions in a text: the line of an offset, the line of a value in JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

__all__ = ["line_at", "line_in_json"]

_SPACE = re.compile(r"[ \t\r\n]*")


def line_at(text: str, offset: int) -> int:
    """Return the line of the character at ``offset``, from 1."""
    return text.count("\n", 0, offset) + 1


def line_in_json(text: str, path: Sequence[str | int]) -> int | None:
    """Return the line of the value at ``path``, or of the deepest existing part of the path.

    ``None`` if the text is not JSON up to there.
    """
    try:
        at = _skip(text, 0)
        for step in path:
            found = _key(text, at, step) if isinstance(step, str) else _item(text, at, step)
            if found is None:
                break
            at = found
    except (ValueError, IndexError, RecursionError):
        return None
    return line_at(text, at)


def _skip(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at


def _after(text: str, at: int) -> int:
    """Return the offset after the value that begins at ``at``."""
    return json.JSONDecoder().raw_decode(text, at)[1]


def _key(text: str, at: int, wanted: str) -> int | None:
    if text[at] != "{":
        return None
    at = _skip(text, at + 1)
    while text[at] != "}":
        key, at = json.JSONDecoder().raw_decode(text, at)
        at = _skip(text, _skip(text, at) + 1)  # skip the colon
        if key == wanted:
            return at
        at = _skip(text, _after(text, at))
        if text[at] == ",":
            at = _skip(text, at + 1)
    return None


def _item(text: str, at: int, index: int) -> int | None:
    if text[at] != "[":
        return None
    at = _skip(text, at + 1)
    while text[at] != "]":
        if index == 0:
            return at
        index -= 1
        at = _skip(text, _after(text, at))
        if text[at] == ",":
            at = _skip(text, at + 1)
    return None
