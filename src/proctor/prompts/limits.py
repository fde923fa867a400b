"""What a template may use: steps, characters, work and time. A template that needs more fails before it does the work.

Characters are what a template prints, wherever it prints it to. Work is what it reads and makes on the way: every call,
filter, test and operator is charged with the size of what it is given and of what it returns. Charges are never
negative, so nothing that a template does can refill its budget.
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
ITEM = 20  # what an item of a list costs beside its own characters: looking at it takes time
_MOST_BITS = 4_096
_MOST_BITS_KEPT = 65_536
_CLOCK_EVERY = 64
_NUMBER = 25  # characters of a float at most
_OBJECT = 64  # an object that prints as its type and name

_Items = (list, tuple, set, frozenset, KeysView, ValuesView, ItemsView)


class TooMuchError(Exception):
    """A template would use more than it may."""


class RenderBudget:
    """What is left to one rendering."""

    __slots__ = ("characters", "deadline", "steps", "work")

    def __init__(self) -> None:
        self.characters = MOST_CHARACTERS
        self.work = MOST_WORK
        self.steps = MOST_STEPS
        self.deadline = time.perf_counter() + MOST_SECONDS

    def spend(self, characters: int = 0, *, work: int = 0) -> None:
        """Pay for one step, the text it prints and the work it does."""
        self.characters -= max(characters, 0)
        self.work -= max(work, 0)
        self.steps -= 1
        if self.characters < 0:
            raise TooMuchError(f"the template makes more than {MOST_CHARACTERS:,} characters")
        if self.work < 0:
            raise TooMuchError(f"the template reads and makes more than {MOST_WORK:,} characters on the way")
        if self.steps < 0:
            raise TooMuchError(f"the template takes more than {MOST_STEPS:,} steps")
        if not self.steps % _CLOCK_EVERY and time.perf_counter() > self.deadline:
            raise TooMuchError(f"the template takes more than {MOST_SECONDS:g} seconds")

    def each(self, items: Iterator[Any]) -> Iterator[Any]:
        """The items of something that makes them one by one, each paid for as it is made."""
        for item in items:
            self.spend(work=ITEM + measure(item))
            yield item

    def paid(self, value: Any) -> Any:
        """A value that was just made, paid for; what is still to be made is paid for as it is."""
        if isinstance(value, Iterator):
            return self.each(value)
        self.spend(work=measure(value))
        return value


def measure(value: Any) -> int:
    """About how many characters a value prints as; values inside one another are counted each time they print.

    Raises:
        TooMuchError: it is more than a template may make. This is found without walking the whole of it.
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
        return _NUMBER
    if isinstance(item, (bytes, bytearray)):
        return 4 * len(item)
    return _OBJECT


def size(value: Any) -> int:
    """How much of memory a value is, roughly, without what its items hold."""
    if isinstance(value, (str, bytes)):
        return len(value)
    if isinstance(value, (list, tuple, range, Mapping, *_Items)):
        return ITEM * len(value)
    return 0


def bear(characters: int) -> None:
    """Let a size pass that a template may make.

    Raises:
        TooMuchError: it is more.
    """
    if characters > MOST_CHARACTERS:
        raise TooMuchError(f"the template makes a value of more than {MOST_CHARACTERS:,} characters or items")


def operate(operator: str, left: Any, right: Any) -> None:
    """Let an operation on numbers, texts or lists pass when its result is of bearable size.

    Raises:
        TooMuchError: it is not.
    """
    if isinstance(left, int) and isinstance(right, int):
        bits = left.bit_length() * max(right, 0) if operator == "**" else left.bit_length() + right.bit_length()
        if bits > (_MOST_BITS if operator in ("**", "*") else _MOST_BITS_KEPT):
            raise TooMuchError(f"the template makes a number of more than {_MOST_BITS:,} bits")
    elif operator == "*":
        bear(max(size(left) * _times(right), size(right) * _times(left)))
    elif operator == "+":
        bear(size(left) + size(right))


def _times(value: Any) -> int:
    return max(value, 0) if isinstance(value, int) else 0
