"""What a template may use up: steps, characters, time. A template that wants more fails at once.

Every operation that can make much out of little is bounded before it is done: repetition, powers, padding,
replacing, joining, printing lists that hold each other. What remains is paid for step by step.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

__all__ = [
    "Budget",
    "TooMuchError",
    "bounded_join",
    "bounded_replace",
    "check_format",
    "check_width",
    "measure",
    "operate",
]

MOST_CHARACTERS = 4_000_000
MOST_STEPS = 200_000
MOST_SECONDS = 2.0
_MOST_BITS = 4_096
_CLOCK_EVERY = 64
_WIDEST = 10_000


class TooMuchError(Exception):
    """A template would use up more than it may."""


class Budget:
    """What is left to one rendering."""

    __slots__ = ("characters", "deadline", "steps")

    def __init__(self) -> None:
        self.characters = MOST_CHARACTERS
        self.steps = MOST_STEPS
        self.deadline = time.perf_counter() + MOST_SECONDS

    def spend(self, characters: int) -> None:
        """Pay for one step and the text it makes."""
        self.characters -= characters
        self.steps -= 1
        if self.characters < 0:
            raise TooMuchError(f"the template makes more than {MOST_CHARACTERS:,} characters")
        if self.steps < 0:
            raise TooMuchError(f"the template takes more than {MOST_STEPS:,} steps")
        if not self.steps % _CLOCK_EVERY and time.perf_counter() > self.deadline:
            raise TooMuchError(f"the template takes more than {MOST_SECONDS:g} seconds")


def measure(value: Any) -> int:
    """About how many characters a value prints as; values inside one another are counted each time they print."""
    if isinstance(value, str):
        return len(value)
    if not isinstance(value, (list, tuple, dict, set, frozenset, Mapping)):
        return 8
    total = 0
    waiting: list[Any] = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            total += len(item) + 2
        elif isinstance(item, Mapping):
            total += 2
            waiting.extend(item.keys())
            waiting.extend(item.values())
        elif isinstance(item, (list, tuple, set, frozenset)):
            total += 2
            waiting.extend(item)
        else:
            total += 8
        if total + len(waiting) > MOST_CHARACTERS:
            raise TooMuchError(f"the template prints a value of more than {MOST_CHARACTERS:,} characters")
    return total


def operate(operator: str, left: Any, right: Any) -> None:
    """Let an operation pass when its result is of bearable size."""
    if operator == "%" and isinstance(left, str):
        check_format(left)
    elif isinstance(left, int) and isinstance(right, int):
        bits = left.bit_length() * max(right, 0) if operator == "**" else left.bit_length() + right.bit_length()
        if operator in ("**", "*") and bits > _MOST_BITS:
            raise TooMuchError(f"the template makes a number of more than {_MOST_BITS:,} bits")
    elif operator == "*":
        _bear(max(_length(left) * _times(right), _length(right) * _times(left)))
    elif operator == "+":
        _bear(_length(left) + _length(right))


def _length(value: Any) -> int:
    return len(value) if isinstance(value, (str, list, tuple)) else 0


def _times(value: Any) -> int:
    return max(value, 0) if isinstance(value, int) else 0


def _bear(size: int) -> None:
    if size > MOST_CHARACTERS:
        raise TooMuchError(f"the template makes a value of more than {MOST_CHARACTERS:,} characters or items")


def check_format(text: str) -> None:
    """Refuse a format text that asks for padding without measure."""
    digits = 0
    for character in text:
        digits = digits + 1 if character.isdigit() else 0
        if digits >= len(str(_WIDEST)):
            raise TooMuchError(f"the template pads a value to more than {_WIDEST - 1:,} characters")
    if "*" in text or "{" in text.partition(":")[2]:
        raise TooMuchError("the template pads a value to a width that is computed")


def check_width(*widths: Any) -> None:
    """Refuse a width, an indentation or a count without measure."""
    if any(isinstance(width, int) and width > _WIDEST for width in widths):
        raise TooMuchError(f"the template asks for a width of more than {_WIDEST:,}")


def bounded_replace(text: str, old: str, new: str) -> None:
    """Let a replacement pass when its result is of bearable size."""
    _bear(len(text) + (text.count(old) if old else len(text) + 1) * len(new))


def bounded_join(separator: str, items: Any) -> None:
    """Let a join pass when its result is of bearable size."""
    _bear(measure(items) + len(separator) * (len(items) if hasattr(items, "__len__") else 0))
