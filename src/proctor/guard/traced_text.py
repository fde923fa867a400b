"""A text of a session in the forms in which a value may be found in it."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from datetime import date
from decimal import Decimal, InvalidOperation
from functools import cached_property
from typing import Final

from proctor.guard.call_values import CallValue, plain_text
from proctor.guard.encoded_values import coded_values
from proctor.text.dates import find_dates
from proctor.text.numbers import find_numbers
from proctor.text.split import sentences as split_sentences

__all__ = ["JoinedText", "TracedText", "assembled", "squeeze", "value_forms"]

_MAX_CHARS: Final = 8_000
_MIN_SQUEEZED: Final = 6
_MIN_PART: Final = 3
_MAX_SPAN: Final = 120  # characters over which the parts of a spelt-out address may be spread
_MIN_DIGITS_OF_PHONE: Final = 8
_SIGNS: Final = {code: None for code in range(128) if not chr(code).isalnum()}
_PARTS: Final = re.compile(r"[^\W_]+")
_NOT_WORD: Final = re.compile(r"[\W_]+")
_DATE: Final = re.compile(r"([0-9]{4})-([0-9]{1,2})-([0-9]{1,2})")
_GROUP_SIGNS: Final = " .,'’\u00a0\u202f"
_LEAST_GROUPED: Final = 1_000
_MOST_GROUPED: Final = 10**12
_CLOCK: Final = re.compile(r"([0-9]{1,2}):([0-9]{2})")

_Date = tuple[int | None, int | None, int | None]


class TracedText:
    """One text: a message, the free text of a result, an answer. Each form is made when it is first needed."""

    def __init__(self, text: str) -> None:
        self.written = text[:_MAX_CHARS]
        self.plain = plain_text(self.written)

    def holds(self, value: CallValue) -> bool:
        """Return whether the value occurs: as written, in another format, or spelt out in parts."""
        if self.has(value.text):
            return True
        if value.kind == "number":
            number = _number(value.text)
            return number is not None and (number in self.numbers or self._in_groups(number))
        if value.kind == "time":
            return self._holds_time(value.text)
        if value.kind in ("name", "text"):
            return value.kind == "name" and self._in_squeezed(value)
        if value.kind in ("address", "link"):
            return self._spelt_out(value)
        return self._in_squeezed(value)

    def has(self, part: str) -> bool:
        """Return whether a text occurs as whole words: 13 does not occur in 2013."""
        return self._find(part, 0) >= 0

    def _find(self, part: str, start: int) -> int:
        at = self.plain.find(part, start)
        while at >= 0:
            end = at + len(part)
            if not (_joins(self.plain[at - 1 : at], part[0]) or _joins(self.plain[end : end + 1], part[-1])):
                return at
            at = self.plain.find(part, at + 1)
        return -1

    def passage(self, value: CallValue, *, around: int = 1) -> str:
        """Return the sentence that holds a value, with its neighbours; empty if no single sentence does."""
        parts = self.sentences
        for place, part in enumerate(parts):
            if part.holds(value):
                return " ".join(each.written for each in parts[max(0, place - around) : place + around + 1])
        return ""

    @cached_property
    def sentences(self) -> tuple[TracedText, ...]:
        """The sentences of the text."""
        return tuple(TracedText(each) for each in split_sentences(self.written) if each.strip())

    @cached_property
    def squeezed(self) -> str:
        """The letters and digits alone."""
        return squeeze(self.plain)

    @cached_property
    def numbers(self) -> frozenset[Decimal]:
        """Every number in the text."""
        return frozenset(reading for each in find_numbers(self.plain) for reading in (each.value, *each.readings))

    @cached_property
    def days(self) -> frozenset[_Date]:
        """Every date in the text that has a day: year, month and day, as far as they are given."""
        return frozenset((each.year, each.month, each.day) for each in find_dates(self.plain) if each.day is not None)

    @cached_property
    def decoded(self) -> TracedText | None:
        """What encodings in the text hide: base64, hexadecimal, percent and HTML codes; None if there are none."""
        hidden = [each.text for each in coded_values(self.written)]  # base64 needs the capital letters
        unescaped = html.unescape(self.plain) if "&" in self.plain else self.plain
        hidden += [unescaped] if unescaped != self.plain else []
        return TracedText("\n".join(hidden)) if hidden else None

    def _in_squeezed(self, value: CallValue) -> bool:
        return any(len(form) >= _MIN_SQUEEZED and form in self.squeezed for form in value_forms(value))

    def _spelt_out(self, value: CallValue) -> bool:
        """Return whether the parts of an address or link follow each other: zhou at jinhe dot example."""
        start = end = -1
        for part in _PARTS.findall(value.text):
            at = self._find(part, end + 1)
            if at < 0:
                return False
            start, end = (at if start < 0 else start), at + len(part) - 1
        return start >= 0 and end - start <= _MAX_SPAN

    def has_parts(self, value: CallValue) -> bool:
        """Return whether every part of an address or link occurs, anywhere."""
        parts = _PARTS.findall(value.text)
        return len(parts) > 1 and all(map(self.has, parts))

    def _in_groups(self, number: Decimal) -> bool:
        """Return whether a large whole number is written in groups of three digits: 1 270."""
        if number != number.to_integral_value() or not _LEAST_GROUPED <= number < _MOST_GROUPED:
            return False
        groups = f"{int(number):,}".split(",")
        return any(self.has(sign.join(groups)) for sign in _GROUP_SIGNS)

    def _holds_time(self, text: str) -> bool:
        """Return whether the date of a value occurs, or its time of day if it has no date.

        A month may be written in a language that is not read: then the day and the time of day must stand together.
        """
        hit = _DATE.search(text)
        clock = _CLOCK.search(text[hit.end() :] if hit else text)
        times = (clock.group(), clock.group().lstrip("0")) if clock else ()
        if hit is None:
            return any(map(self.has, times))
        wanted = _day(hit)
        if wanted is None:
            return False
        year, month, day = wanted
        if not self.days.isdisjoint((wanted, (None, month, day), (year, None, day))):
            return True
        return any(self._near(str(day), each) for each in times)

    def _near(self, day: str, clock: str) -> bool:
        at = self.plain.find(clock)
        return at >= 0 and re.search(rf"(?<![0-9:.]){day}(?![0-9:])", self.plain[max(0, at - 30) : at]) is not None


class JoinedText(TracedText):
    """Several texts that are searched together. What was found in ``base``, the texts before, is not made again."""

    def __init__(self, parts: Sequence[TracedText], base: JoinedText | None = None) -> None:
        self._new = tuple(parts)
        self._base = dict(base.__dict__) if base is not None else {}
        for name in ("_base", "_new"):  # of what came before, only what it found is kept
            self._base.pop(name, None)
        self.parts: tuple[TracedText, ...] = (*self._base.get("parts", ()), *parts)
        self.plain = "\n\n".join((self._base.get("plain", ""), *(part.plain for part in parts)))

    @cached_property
    def written(self) -> str:  # type: ignore[override]
        """The texts as they were written."""
        return "\n\n".join(part.written for part in self.parts)

    @cached_property
    def squeezed(self) -> str:
        """The letters and digits alone, a line for each text."""
        known = self._base.get("squeezed")
        return "\n".join(([] if known is None else [known]) + [part.squeezed for part in self._since(known)])

    @cached_property
    def numbers(self) -> frozenset[Decimal]:
        """Every number in the texts."""
        known = self._base.get("numbers")
        return (known or frozenset()).union(*(part.numbers for part in self._since(known)))

    @cached_property
    def days(self) -> frozenset[_Date]:
        """Every date in the texts."""
        known = self._base.get("days")
        return (known or frozenset()).union(*(part.days for part in self._since(known)))

    @cached_property
    def decoded(self) -> TracedText | None:
        """What encodings in the texts hide."""
        hidden = [part.decoded for part in self.parts if part.decoded is not None]
        return JoinedText(hidden) if hidden else None

    def _since(self, known: object) -> tuple[TracedText, ...]:
        """Return the texts that a form must still be made of."""
        return self.parts if known is None else self._new


def squeeze(plain: str) -> str:
    """Return the letters and digits of a text."""
    return plain.translate(_SIGNS) if plain.isascii() else _NOT_WORD.sub("", plain)


def value_forms(value: CallValue) -> tuple[str, ...]:
    """Return the letters and digits of a value; a phone number also without its country."""
    whole = squeeze(value.text)
    if value.kind == "account" and value.text.startswith(("+", "00")) and len(whole) > _MIN_DIGITS_OF_PHONE + 2:
        return (whole, whole[2:], whole[3:])
    return (whole,)


def assembled(value: str, squeezed: str, *, shortest: int = _MIN_PART) -> bool:
    """Return whether a value can be put together from parts of a text, each of some characters."""
    at = 0
    while at < len(value):
        end = at + shortest
        if end > len(value) or value[at:end] not in squeezed:
            return False
        while end < len(value) and value[at : end + 1] in squeezed:
            end += 1
        at = end
    return True


def _joins(beside: str, edge: str) -> bool:
    """Return whether a character belongs to the same word as the edge of a value; scripts without spaces never do."""
    return bool(beside) and beside.isalnum() and edge.isalnum() and beside < "\u0e00" and edge < "\u0e00"


def _number(text: str) -> Decimal | None:
    try:
        return Decimal(text.replace(",", "").replace(" ", ""))
    except InvalidOperation:
        found = find_numbers(text)
        return found[0].value if len(found) == 1 else None


def _day(hit: re.Match[str]) -> _Date | None:
    try:
        found = date(int(hit[1]), int(hit[2]), int(hit[3]))
    except ValueError:
        return None
    return found.year, found.month, found.day
