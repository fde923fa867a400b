"""Limits of a template: steps, characters, work and time. A template that exceeds one fails before doing the work.

Characters are what a template prints, wherever it prints it to. Work is what it reads and makes on the way: every call,
filter, test and operator is charged with the size of its arguments and of its result. Charges are never negative, so
nothing that a template does can refill its budget.
"""

from __future__ import annotations

import time
from collections.abc import ItemsView, Iterator, KeysView, Mapping, ValuesView
from typing import Any

from jinja2.utils import Namespace

__all__ = ["RenderBudget", "TooMuchError", "bear", "measure", "operate", "size"]

MOST_CHARACTERS = 4_000_000
MOST_WORK = 64_000_000
MOST_STEPS = 200_000
MOST_SECONDS = 2.0
ITEM = 20  # cost of a list item besides its own characters, since visiting it takes time
_MAX_PRODUCT_BITS = 4_096
_MAX_OPERAND_BITS = 65_536
_STEPS_PER_CLOCK_CHECK = 64
_FLOAT_CHARS = 25  # maximum
_OBJECT_CHARS = 64  # an object prints as its type and name

_Items = (list, tuple, set, frozenset, KeysView, ValuesView, ItemsView)


class TooMuchError(Exception):
    """A template exceeds its limits."""


class RenderBudget:
    """The remaining budget of one rendering."""

    __slots__ = ("characters", "deadline", "steps", "work")

    def __init__(self) -> None:
        self.characters = MOST_CHARACTERS
        self.work = MOST_WORK
        self.steps = MOST_STEPS
        self.deadline = time.perf_counter() + MOST_SECONDS

    def spend(self, characters: int = 0, *, work: int = 0) -> None:
        """Charge one step, the text it prints and the work it does."""
        self.characters -= max(characters, 0)
        self.work -= max(work, 0)
        self.steps -= 1
        if self.characters < 0:
            raise TooMuchError(f"the template makes more than {MOST_CHARACTERS:,} characters")
        if self.work < 0:
            raise TooMuchError(f"the template reads and makes more than {MOST_WORK:,} characters on the way")
        if self.steps < 0:
            raise TooMuchError(f"the template takes more than {MOST_STEPS:,} steps")
        if not self.steps % _STEPS_PER_CLOCK_CHECK and time.perf_counter() > self.deadline:
            raise TooMuchError(f"the template takes more than {MOST_SECONDS:g} seconds")

    def each(self, items: Iterator[Any]) -> Iterator[Any]:
        """Yield the items of an iterator, charging each one."""
        for item in items:
            self.spend(work=ITEM + measure(item))
            yield item

    def paid(self, value: Any) -> Any:
        """Charge a new value; an iterator is charged as it is consumed."""
        if isinstance(value, Iterator):
            return self.each(value)
        self.spend(work=measure(value))
        return value


def measure(value: Any) -> int:
    """Return about how many characters a value prints as; nested values count each time they print.

    Raises:
        TooMuchError: it is more than a template may make. This is detected without walking all of it.
    """
    if isinstance(value, str):
        return len(value)
    total = 0
    waiting: list[Any] = [value]
    while waiting:
        item = waiting.pop()
        total += ITEM
        if isinstance(item, str):
            total += len(item)
        elif isinstance(item, Mapping):
            bear(total + len(item) * 2 * ITEM)
            waiting.extend(item.keys())
            waiting.extend(item.values())
        elif isinstance(item, _Items):
            bear(total + len(item) * ITEM)
            waiting.extend(item)
        elif isinstance(item, Namespace):
            waiting.append(item._Namespace__attrs)
        else:
            total += _plain(item)
        bear(total + len(waiting) * ITEM)
    return total


def _plain(item: Any) -> int:
    if isinstance(item, bool) or item is None:
        return 5
    if isinstance(item, int):
        return item.bit_length() // 3 + 2
    if isinstance(item, float):
        return _FLOAT_CHARS
    if isinstance(item, (bytes, bytearray)):
        return 4 * len(item)
    return _OBJECT_CHARS


def size(value: Any) -> int:
    """Return roughly how much memory a value takes, without the contents of its items."""
    if isinstance(value, (str, bytes)):
        return len(value)
    if isinstance(value, (list, tuple, range, Mapping, *_Items)):
        return ITEM * len(value)
    return 0


def bear(characters: int) -> None:
    """Check that a template may make a value of this size.

    Raises:
        TooMuchError: it is larger.
    """
    if characters > MOST_CHARACTERS:
        raise TooMuchError(f"the template makes a value of more than {MOST_CHARACTERS:,} characters or items")


def operate(operator: str, left: Any, right: Any) -> None:
    """Check that an operation on numbers, texts or lists has a result of acceptable size.

    Raises:
        TooMuchError: it does not.
    """
    if isinstance(left, int) and isinstance(right, int):
        bits = left.bit_length() * max(right, 0) if operator == "**" else left.bit_length() + right.bit_length()
        if bits > (_MAX_PRODUCT_BITS if operator in ("**", "*") else _MAX_OPERAND_BITS):
            raise TooMuchError(f"the template makes a number of more than {_MAX_PRODUCT_BITS:,} bits")
    elif operator == "*":
        bear(max(size(left) * _times(right), size(right) * _times(left)))
    elif operator == "+":
        bear(size(left) + size(right))


def _times(value: Any) -> int:
    return max(value, 0) if isinstance(value, int) else 0
