"""Values in a predicate: numeric bounds, regexes with bounded time, and texts."""

from __future__ import annotations

import json
import math
import re
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final

from proctor.text.numbers import find_numbers
from proctor.text.patterns import most_steps
from proctor.text.user_patterns import Hit, UserPattern, linear_pattern

__all__ = ["Bound", "FromInput", "OpenError", "Pattern", "written"]

# Work limit of a pattern in Python's engine, which holds the interpreter: some tenths of a second. RE2 reads longer
# texts. A pattern that RE2 does not support is rejected if a short answer may exceed the limit, and is not run on
# longer texts.
MOST_STEPS: Final = 25_000_000
SHORT_ANSWER: Final = 500
LONG_ANSWER: Final = 1_000_000
LONGEST_LISTED: Final = 200_000  # characters of a text in which RE2 finds all matches, which is slower than the first
_LONGEST_NUMBER: Final = 200
_TOO_LONG: Final = (
    "the regular expression could run for too long: bound its repeats, as in {0,40}, or write it without look-around "
    "and back-references"
)
_TOO_LONG_GROUPS: Final = (
    "the regular expression could run for too long, and its group can be read by no faster engine: bound its repeats, "
    "as in {0,40}, or write (?:…) for the group"
)

_ESCAPED = re.compile(r"\\.|[\n\r]", re.DOTALL)
_PLAINLY: Final = {"\\/": "/", "\n": "\\n", "\\\n": "\\n", "\r": "\\r", "\\\r": "\\r"}
_SLASH = re.compile(r"\\.|/", re.DOTALL)
_SHOWN: Final = {"<=": "at most", ">=": "at least", "<": "fewer than", ">": "more than", "=": "exactly", "!=": "not"}


class OpenError(Exception):
    """A predicate cannot be decided, with the reason."""


@dataclass(frozen=True, slots=True)
class FromInput:
    """A number that an input provides."""

    name: str

    def __str__(self) -> str:
        return f"input {written(self.name)}"

    def read(self, inputs: Mapping[str, str]) -> float:
        """Return the number.

        Raises:
            OpenError: there is no such input, or it is not a single number.
        """
        if self.name not in inputs:
            raise OpenError(f"there is no input called {self.name!r}")
        found = find_numbers(inputs[self.name][:_LONGEST_NUMBER])
        if len(found) != 1:
            raise OpenError(f"the input {self.name!r} is not one number")
        return float(found[0].value)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bound:
    """A comparison with a number: ``<= 80``, ``between 3 and 5`` (both included), ``<= input "most"``."""

    sign: str
    low: int | float | FromInput
    high: int | float | FromInput = math.inf

    def given(self, inputs: Mapping[str, str]) -> Bound:
        """Return the bound with numbers from the inputs filled in.

        Raises:
            OpenError: an input provides none.
        """
        if not isinstance(self.low, FromInput) and not isinstance(self.high, FromInput):
            return self
        low, high = (_number(side.read(inputs)) if isinstance(side, FromInput) else side for side in self.sides)
        return Bound(sign=self.sign, low=low, high=high)

    @property
    def sides(self) -> tuple[int | float | FromInput, int | float | FromInput]:
        """Both numbers."""
        return self.low, self.high

    def holds(self, value: float) -> bool:
        """Whether the number satisfies the bound."""
        low, high = self.sides
        if isinstance(low, FromInput) or isinstance(high, FromInput):
            raise OpenError("the inputs are not known")
        match self.sign:
            case "<=":
                return value <= low
            case ">=":
                return value >= low
            case "<":
                return value < low
            case ">":
                return value > low
            case "=":
                return value == low
            case "!=":
                return value != low
            case _:
                return low <= value <= high

    @property
    def text(self) -> str:
        """As it is written in a predicate."""
        return f"between {self.low} and {self.high}" if self.sign == "between" else f"{self.sign} {self.low}"

    @property
    def said(self) -> str:
        """As it appears in a reason."""
        return self.text if self.sign == "between" else f"{_SHOWN[self.sign]} {self.low}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Pattern:
    """A regex whose work on a text is known before it runs."""

    body: str
    flags: str
    compiled: re.Pattern[str] = field(compare=False, repr=False)
    longest: int = field(compare=False, repr=False)  # maximum text length for a search
    longest_whole: int = field(compare=False, repr=False)  # maximum text length for a full match
    linear: UserPattern | None = field(compare=False, repr=False)  # for longer texts

    @classmethod
    @lru_cache(maxsize=1024)
    def read(cls, body: str, flags: str) -> Pattern:
        """Compile the pattern.

        Raises:
            ValueError: it is not a regex, or could run for too long.
        """
        if unknown := set(flags) - set("ims"):
            raise ValueError(f"a regular expression has no flag {min(unknown)!r} here, only i, m and s")
        body = _ESCAPED.sub(lambda found: _PLAINLY.get(found[0], found[0]), body)
        flags = "".join(sorted(set(flags)))
        try:
            # A bracket in a set may change its meaning in a later Python; here it is literal.
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                re.compile(body)
                compiled = re.compile(f"(?{flags}:{body})" if flags else body)
                searched, whole = (_longest(compiled.pattern, anywhere=anywhere) for anywhere in (True, False))
                linear = linear_pattern(compiled.pattern) if min(searched, whole) < LONG_ANSWER else None
        except re.error as error:
            raise ValueError(f"not a regular expression: {error.msg}") from None
        except (RecursionError, OverflowError):
            raise ValueError("the regular expression is nested too deeply or counts too far") from None
        if whole < SHORT_ANSWER and linear is None:
            raise ValueError(_TOO_LONG)
        return cls(body=body, flags=flags, compiled=compiled, longest=searched, longest_whole=whole, linear=linear)

    @property
    def text(self) -> str:
        """As it is written in a predicate."""
        return f"/{_SLASH.sub(_escaped, self.body)}/{self.flags}"

    def searching(self, *, groups: bool = False) -> Pattern:
        """Return the pattern if it can search; with ``groups``, if it can read groups, which needs Python's engine.

        Raises:
            ValueError: that could take too long, even in a short text.
        """
        by_groups = groups and self.compiled.groups > 0
        if self.longest < SHORT_ANSWER and (by_groups or self.linear is None):
            raise ValueError(_TOO_LONG_GROUPS if by_groups and self.linear is not None else _TOO_LONG)
        return self

    def search(self, text: str) -> Hit | None:
        """Return the first match.

        Raises:
            OpenError: the text is too long for the pattern.
        """
        linear = self._engine(text, self.longest, LONG_ANSWER)
        return self.compiled.search(text) if linear is None else linear.search_whole(text)

    def fullmatch(self, text: str) -> bool:
        """Whether the whole text matches.

        Raises:
            OpenError: the text is too long for the pattern.
        """
        linear = self._engine(text, self.longest_whole, LONG_ANSWER)
        return self.compiled.fullmatch(text) is not None if linear is None else linear.fullmatch(text)

    def finditer(self, text: str) -> Iterator[Hit]:
        """Iterate over the matches in order.

        Raises:
            OpenError: the text is too long for the pattern.
        """
        linear = self._engine(text, self.longest, LONGEST_LISTED)
        return self.compiled.finditer(text) if linear is None else linear.finditer(text)

    def parts(self, text: str) -> list[str]:
        """Return the first group of each match, or the whole match if there are no groups.

        Raises:
            OpenError: the text is too long for the pattern.
        """
        if not self.compiled.groups:
            return [hit.group() for hit in self.finditer(text)]
        if len(text) > self.longest:
            raise self._too_long(text)
        return [hit.group(1) or "" for hit in self.compiled.finditer(text)]

    def _engine(self, text: str, most: int, most_linear: int) -> UserPattern | None:
        """Return the RE2 pattern if the text is too long for Python's engine; otherwise None."""
        if len(text) <= most:
            return None
        if self.linear is None or len(text) > most_linear:
            raise self._too_long(text)
        return self.linear

    def _too_long(self, text: str) -> OpenError:
        return OpenError(f"{len(text):,} characters are too many for {self.text}")


def _longest(pattern: str, *, anywhere: bool) -> int:
    """Return the longest text on which the pattern stays within its step limit."""
    low, high = 0, LONG_ANSWER
    if most_steps(pattern, low + 1, anywhere=anywhere) > MOST_STEPS:
        return 0
    while low < high:
        middle = (low + high + 1) // 2
        few = most_steps(pattern, middle, anywhere=anywhere) <= MOST_STEPS
        low, high = (middle, high) if few else (low, middle - 1)
    return low


def _number(value: float) -> int | float:
    return int(value) if value.is_integer() else value


def _escaped(found: re.Match[str]) -> str:
    return "\\/" if found.group() == "/" else found.group()


def written(value: Any) -> str:
    """Return a slot's value as written in a predicate."""
    if isinstance(value, str):
        escaped = value.replace("\\", "\\\\").replace('"', '\\"')
        return '"' + escaped.replace("\n", "\\n").replace("\r", "\\r").replace("\t", "\\t") + '"'
    if isinstance(value, Bound | Pattern):
        return value.text
    if isinstance(value, tuple):
        return ", ".join(written(each) for each in value)
    return json.dumps(value, ensure_ascii=False)
