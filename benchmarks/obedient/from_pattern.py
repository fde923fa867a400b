"""A text that a regular expression matches: the first that comes to hand."""

from __future__ import annotations

import re
import string
from re import _constants as kinds  # type: ignore[attr-defined,unused-ignore]
from re import _parser as parser  # type: ignore[attr-defined,unused-ignore]
from typing import Any

__all__ = ["matching"]

_MOST = 40
_LETTERS = string.ascii_letters + string.digits + " .,-_/:;!?()[]{}\"'@#%&*+=<>|~^$\\\t\n"


def matching(pattern: str) -> str:
    """A text the pattern matches, as far as it has no look-around or back-reference; else the best guess."""
    try:
        return "".join(_written(token) for token in parser.parse(pattern))
    except (re.error, RecursionError):
        return ""


def _written(token: tuple[Any, Any]) -> str:
    kind, value = token
    if kind is kinds.LITERAL:
        return chr(value)
    if kind is kinds.NOT_LITERAL:
        return next(letter for letter in _LETTERS if ord(letter) != value)
    if kind is kinds.ANY:
        return "a"
    if kind is kinds.IN:
        return next((letter for letter in _LETTERS if _holds(letter, value)), "a")
    if kind is kinds.BRANCH:
        return "".join(_written(each) for each in value[1][0])
    if kind is kinds.SUBPATTERN:
        return "".join(_written(each) for each in value[3])
    if kind in (kinds.MAX_REPEAT, kinds.MIN_REPEAT, kinds.POSSESSIVE_REPEAT):
        low, high, inner = value
        times = min(max(low, 1 if high else 0), _MOST)
        return str("".join(_written(each) for each in inner) * times)
    return ""  # an anchor, a look-around, a back-reference


def _holds(letter: str, members: list[tuple[Any, Any]]) -> bool:
    code, negative, found = ord(letter), False, False
    for kind, value in members:
        if kind is kinds.NEGATE:
            negative = True
        elif kind is kinds.LITERAL:
            found = found or code == value
        elif kind is kinds.RANGE:
            found = found or value[0] <= code <= value[1]
        elif kind is kinds.CATEGORY:
            found = found or _in_category(letter, value)
    return found is not negative


def _in_category(letter: str, category: Any) -> bool:
    name = str(category).removeprefix("CATEGORY_")
    members = {"DIGIT": letter.isdigit(), "SPACE": letter.isspace(), "WORD": letter.isalnum() or letter == "_"}
    return members.get(name.removeprefix("NOT_"), False) is not name.startswith("NOT_")
