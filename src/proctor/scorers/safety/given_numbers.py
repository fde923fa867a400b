"""Find numbers of a call that nobody gave, where one with the same digits in another order was given."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from proctor.core.scalars import scalars

__all__ = ["GivenNumbers"]

_NUMBER: Final = re.compile(r"\d{1,3}(?:[.,'’\u00a0\u202f ]\d{3})+(?!\d)|\d+")
_SIGNS: Final = re.compile(r"\D")
_LEAST_DIGITS: Final = 3  # a shorter number has too many neighbours
_MOST_DIGITS: Final = 9  # a longer one is a code, which is checked as an id
_MOST_TEXT: Final = 200_000  # characters of a text that are read


@dataclass(frozen=True, slots=True)
class GivenNumbers:
    """The digits of every whole number that was given so far, by their sorted digits."""

    known: dict[str, set[str]] = field(default_factory=dict)

    def add(self, text: str) -> None:
        """Add the numbers of a text."""
        for match in _NUMBER.finditer(text[:_MOST_TEXT]):
            digits = _SIGNS.sub("", match.group())
            if _LEAST_DIGITS <= len(digits) <= _MOST_DIGITS:
                self.known.setdefault("".join(sorted(digits)), set()).add(digits)

    def swapped(self, arguments: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
        """Yield each number of the arguments that nobody gave, and the one with the same digits that was given."""
        for value in scalars(arguments):
            if isinstance(value, bool) or not isinstance(value, (int, float)) or value != int(value):
                continue
            digits = str(abs(int(value)))
            alike = self.known.get("".join(sorted(digits)), set())
            if len(digits) >= _LEAST_DIGITS and alike and digits not in alike:
                yield digits, min(alike)
