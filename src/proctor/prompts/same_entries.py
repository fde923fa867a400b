"""Tell which entry of a changed list is which entry of the list before, so that its comments stay with it."""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Any, Final

__all__ = ["entry_names", "is_named"]

_ID: Final = "id"


def entry_names(old: Sequence[Any], new: Sequence[Any]) -> tuple[list[Hashable], list[Hashable]]:
    """Return a name for every entry of both lists; an entry and what it became have the same.

    Equal entries are the same, and so are mappings that share an id, or else a text or another value that no other
    entry of their list has.
    """
    here, there = ([json.dumps(value, sort_keys=True) for value in values] for values in (old, new))
    names: tuple[list[Hashable], list[Hashable]] = ([*here], [*there])
    equal = {*here} & {*there}
    marks, others = _marks(old), _marks(new)
    taken: set[int] = set()
    for by_id in (True, False):
        for mark, at in marks.items():
            to = others.get(mark, -1)
            if at < 0 or to < 0 or (mark[0] == _ID) is not by_id or to in taken or names[0][at] != here[at]:
                continue
            if here[at] not in equal and there[to] not in equal:
                names[0][at] = names[1][to] = (at, to)
                taken.add(to)
    return names


def is_named(entry: Any) -> bool:
    """Whether an entry says itself which one it is: another id is another entry."""
    return isinstance(entry, Mapping) and _ID in entry


def _marks(entries: Sequence[Any]) -> dict[tuple[str, str], int]:
    """Return what may tell an entry from all others, with its place; -1 where several have it."""
    found: dict[tuple[str, str], int] = {}
    for at, entry in enumerate(entries):
        for mark in _marks_of(entry):
            found[mark] = -1 if mark in found else at
    return found


def _marks_of(entry: Any) -> Iterator[tuple[str, str]]:
    for key, value in entry.items() if isinstance(entry, Mapping) else ():
        is_word = isinstance(value, str) and value.isascii() and value.isidentifier()  # ``kind: format``
        if key == _ID or (value and isinstance(value, (str, list, Mapping)) and not is_word):
            yield str(key), json.dumps(value, sort_keys=True)
