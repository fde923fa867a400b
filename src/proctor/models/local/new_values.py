"""Find the values with a digit in what an agent says or calls that nothing before gave.

Values are compared as they are read, not as they are written: `1.200,50` is `1,200.5`, `AB 12-3` is `ab123`, `07:05`
holds 7 and 5. A value that the agent was given only in parts counts as given.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import Final

from proctor.text.number_words import find_number_words
from proctor.text.numbers import find_numbers

__all__ = ["GivenValues"]

MOST_READ: Final = 6_000  # characters of one text
MOST_NEW: Final = 6  # values told of one act
LONGEST_CODE: Final = 24  # characters of one value as it is told

# Letters and digits, joined by marks inside. Scripts without blanks have no such runs: of them only digits count.
_PART: Final = r"[^\W_\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]"
_RUN = re.compile(rf"(?<!{_PART})(?<!{_PART}[-_/]){_PART}(?:{_PART}|[-_.,:/](?={_PART}))*")
_DIGITS = re.compile(r"\d+")
_APART = re.compile(r"[\W_]+")


class GivenValues:
    """The values that a conversation has given so far."""

    def __init__(self) -> None:
        self._codes: set[str] = set()
        self._runs: set[str] = set()
        self._numbers: set[str] = set()
        self._joined = ""

    def add(self, text: str) -> None:
        """Take every value of a text as given."""
        folded = _folded(text)
        for code, runs in _values(folded):
            self._codes.add(code)
            self._runs.update(runs)
        self._numbers.update(_read(folded))
        self._joined += "\n" + _APART.sub("", folded)

    def new_in(self, text: str) -> list[str]:
        """Return the values of a text that were not given, each once, as they are written."""
        folded = _folded(text)
        found: dict[str, None] = {}
        for value in _written(folded):
            if not self._is_given(value):
                found.setdefault(value[:LONGEST_CODE])
        return list(found)[:MOST_NEW]

    def _is_given(self, value: str) -> bool:
        code, runs = _code(value), {_bare(run) for run in _DIGITS.findall(value)}
        if code in self._codes or runs <= self._runs:
            return True
        numbers = set(_read(value))
        if numbers and numbers <= self._numbers:
            return True
        return len(code) > 3 and code in self._joined  # an id that was written with blanks between its parts


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text[:MOST_READ]).casefold()


def _values(folded: str) -> Iterator[tuple[str, set[str]]]:
    for value in _written(folded):
        yield _code(value), {_bare(run) for run in _DIGITS.findall(value)}


def _written(folded: str) -> Iterator[str]:
    for match in _RUN.finditer(folded):
        if _DIGITS.search(match.group()):
            yield match.group()


def _code(value: str) -> str:
    return _APART.sub("", value)


def _bare(run: str) -> str:
    return str(int(run)) if len(run) < MOST_READ and run.isdecimal() else run


def _read(folded: str) -> Iterator[str]:
    """Return each number of a text, also those in words, in one form."""
    for number in find_numbers(folded):
        yield format(abs(number.value).normalize(), "f")
    for spelled in find_number_words(folded):
        yield format(abs(spelled.value).normalize(), "f")
