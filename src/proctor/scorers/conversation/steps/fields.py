"""Values in a call's arguments or result, by name, and conditions on them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from proctor.core.argument_paths import ABSENT, EMPTY, UNREADABLE, field_path, values_at
from proctor.text.numbers import find_numbers
from proctor.text.predicates.values import Bound, OpenError, Pattern

__all__ = ["ValueCondition", "bounded", "given", "matched", "named", "values_of"]

_LONGEST_NUMBER = 60
_MOST_DEEP = 12
_MARKS = (ABSENT, EMPTY, UNREADABLE)


@dataclass(frozen=True, slots=True)
class ValueCondition:
    """A condition on a value: its text and its check."""

    text: str
    holds: Callable[[Any], bool] = field(compare=False, repr=False)


def given() -> ValueCondition:
    """Return the condition that a value is present and not empty."""
    return ValueCondition("", lambda value: value not in (None, "", [], {}))


def bounded(bound: Bound) -> ValueCondition:
    """Return the condition that a value is a number within a bound."""

    def holds(value: Any) -> bool:
        number = _number(value)
        return number is not None and bound.holds(number)

    return ValueCondition(bound.text, holds)


def named(texts: tuple[str, ...], text: str, *, other: bool = False) -> ValueCondition:
    """Return the condition that a value is one of these texts, ignoring case; with ``other``, none of them."""
    wanted = {_plain(each) for each in texts}
    return ValueCondition(text, lambda value: value is not None and (_plain(value) in wanted) is not other)


def matched(pattern: Pattern) -> ValueCondition:
    """Return the condition that a text contains a match of the pattern."""

    def holds(value: Any) -> bool:
        said = str(value)
        try:
            return value is not None and pattern.search(said) is not None
        except OpenError:
            return False

    return ValueCondition(f"matches {pattern.text}", holds)


def values_of(data: Any, name: str) -> list[Any]:
    """Return the values under a name: at the top or at the end of a dotted path, otherwise anywhere inside.

    Every interpretation counts: the key ``order.amount``, and ``amount`` inside ``order``, in each entry of a list.
    """
    if isinstance(data, Mapping):
        found = [each for each in values_at(data, field_path(name)) if not any(each is mark for mark in _MARKS)]
        if found:
            return found
        if name in data:
            return _spread(data[name])
    return [each for value in _inside(data, name, 0) for each in _spread(value)]


def _spread(value: Any) -> list[Any]:
    return list(value) if isinstance(value, (list, tuple)) and value else [value]


def _inside(data: Any, name: str, depth: int) -> Iterator[Any]:
    if depth > _MOST_DEEP:
        return
    if isinstance(data, Mapping):
        if name in data:
            yield data[name]
        for value in data.values():
            yield from _inside(value, name, depth + 1)
    elif isinstance(data, (list, tuple)):
        for value in data:
            yield from _inside(value, name, depth + 1)


def _plain(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return " ".join(str(value).split()).casefold()


def _number(value: Any) -> float | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, (int, float)):
        return float(value)
    if isinstance(value, str) and len(value) <= _LONGEST_NUMBER:
        found = find_numbers(value)
        return float(found[0].value) if len(found) == 1 else None
    return None
