"""Find whether a customer's message has the verb of a tool's own name: "merge it" for the tool pr.merge."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from proctor.lexicon.open_requests import open_requests
from proctor.lexicon.requested_acts import is_denied, unaccented, verb_of_tool, without_quotations

__all__ = ["asks_by_name", "denies_by_name"]

_MAX_CHARS: Final = 4_000


@lru_cache(maxsize=4096)
def asks_by_name(tool: str, message: str) -> bool:
    """Return whether a message asks for an act with the verb of the tool; a question does not."""
    if not _has_verb(tool, message):
        return False
    own = unaccented(open_requests(message))
    return any(not is_denied(own, start, end) for start, end in _places(own, tool))


@lru_cache(maxsize=4096)
def denies_by_name(tool: str, message: str) -> bool:
    """Return whether a message has the verb of the tool, and only denied: "don't unlock the gate"."""
    if not _has_verb(tool, message):
        return False
    own = unaccented(without_quotations(message[:_MAX_CHARS]))
    found = list(_places(own, tool))
    return bool(found) and all(is_denied(own, start, end) for start, end in found)


def _has_verb(tool: str, message: str) -> bool:
    verb = verb_of_tool(tool)
    return bool(verb) and verb in unaccented(message.lower())


def _places(text: str, tool: str) -> Iterator[tuple[int, int]]:
    if verb := verb_of_tool(tool):
        yield from (hit.span() for hit in re.finditer(rf"(?<![^\W_]){re.escape(verb)}(?![^\W_])", text, re.IGNORECASE))
