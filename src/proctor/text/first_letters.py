"""The letters that a match of a regex can begin with, so that most of many patterns need not be tried."""

from __future__ import annotations

from typing import Any, Final

from re import _casefix as casefix  # type: ignore[attr-defined,unused-ignore]  # isort: skip
from re import _constants as sre  # type: ignore[attr-defined,unused-ignore]  # isort: skip
from re import _parser as parser  # type: ignore[attr-defined,unused-ignore]  # isort: skip

__all__ = ["UNUSUAL_LETTERS", "first_letters"]

Node = tuple[Any, Any]
Letters = frozenset[str] | None  # None: any letter, or none at all
_REPEATS: Final = frozenset({sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT})

# Letters that a pattern without case takes for others although their lowercase forms differ, such as "ſ" and "s".
UNUSUAL_LETTERS: Final = frozenset(
    letter
    for code, others in casefix._EXTRA_CASES.items()
    for letter in map(chr, (code, *others))
    if not letter.isascii()
) | {"\u0130", "\u212a", "\u212b"}


def first_letters(pattern: str) -> Letters:
    """Return the lowercase letters with which a match can begin; None if that cannot be told or it may be empty."""
    letters, may_be_empty = _sequence(parser.parse(pattern))
    return None if may_be_empty else letters


def _sequence(nodes: Any) -> tuple[Letters, bool]:
    """Return the first letters of a sequence, and whether it may match without any."""
    found: frozenset[str] = frozenset()
    for node in nodes:
        letters, may_be_empty = _first(node)
        if letters is None:
            return None, may_be_empty
        found |= letters
        if not may_be_empty:
            return found, False
    return found, True


def _first(node: Node) -> tuple[Letters, bool]:
    kind, argument = node
    if kind is sre.LITERAL:
        return frozenset({chr(argument).lower()}), False
    if kind is sre.IN:
        return _of_class(argument), False
    if kind in _REPEATS:
        least, _, inside = argument
        letters, may_be_empty = _sequence(inside)
        return letters, may_be_empty or least == 0
    if kind is sre.SUBPATTERN:
        return _sequence(argument[3])
    if kind is sre.BRANCH:
        branches = [_sequence(branch) for branch in argument[1]]
        known = [letters for letters, _ in branches if letters is not None]
        letters = frozenset[str]().union(*known) if len(known) == len(branches) else None
        return letters, any(may_be_empty for _, may_be_empty in branches)
    if kind in (sre.ASSERT, sre.ASSERT_NOT, sre.AT):
        return frozenset(), True
    return None, False


def _of_class(members: list[Node]) -> Letters:
    found: set[str] = set()
    for kind, argument in members:
        if kind is sre.LITERAL:
            found.add(chr(argument).lower())
        elif kind is sre.RANGE:
            found |= {chr(code).lower() for code in range(argument[0], argument[1] + 1)}
        else:
            return None
    return frozenset(found)
