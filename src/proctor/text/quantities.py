"""Find numbers with their units: 15 days, 2 weeks, 全23巻, 20 %, ¥1,200, 3月5日."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import lru_cache
from typing import Final

from proctor.text.dates import Day, find_dates
from proctor.text.money import find_money
from proctor.text.numbers import Number, find_numbers

__all__ = ["Quantity", "apart", "comparable", "find_quantities"]

_SMALL: Final = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    *("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty"),
)
_WORDS: Final = {word: value for value, word in enumerate(_SMALL)} | {
    word: 10 * tens for tens, word in enumerate(("thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"), 3)
}
# Matched in lowercase, where a leading letter is fast to find; the check of the preceding character comes after it.
_SPELLED = re.compile(
    "(?:"
    + "|".join(f"{word[0]}(?<!\\w.){word[1:]}" for word in _WORDS)
    + r")\b(?:[- ](?:one|two|three|four|five|six|seven|eight|nine)\b)?"
)
_STOPS: Final = frozenset(".!?。！？")
_WORD: Final = 1 + max(map(len, _WORDS))
_DIGIT = re.compile(r"\d")
_EASTERN = re.compile(r"[〇一二三四五六七八九十百元]")
_KANJI = {digit: value for value, digit in enumerate("〇一二三四五六七八九")}
_KANJI_NUMBER = re.compile(
    r"[〇一二三四五六七八九十百]+(?=(?:営業日|日間|日以内|週間|か月|ヶ月|カ月|ケ月|時間|年間|巻|冊|点|割|%|パーセント))"
)

# Words after a number, the unit they mean, and how many of the base unit it is.
_UNITS: Final[tuple[tuple[str, str, int], ...]] = (
    (r"(?:business|working)[ -]days?|営業日", "business day", 1),
    (r"days?|日間|日(?!曜|本)", "hour", 24),
    (r"weeks?|週間", "hour", 168),
    (r"hours?|hrs?|時間", "hour", 1),
    (r"minutes?|mins?|分(?!の|か)", "minute", 1),
    (r"months?|か月|ヶ月|カ月|ケ月|ヵ月|箇月", "month", 1),
    (r"years?|年間|年(?!\d)", "month", 12),
    (r"vol(?:ume)?s?|巻", "volume", 1),
    (r"copies|copy|冊|部(?!分)", "copy", 1),
    (r"items?|pieces?|点|個|つ(?!い|ま)", "item", 1),
    (r"chapters?|話", "chapter", 1),
    (r"pages?|ページ|頁", "page", 1),
    (r"points?|ポイント", "point", 1),
    (r"stars?", "star", 1),
    (r"kg|kilograms?|キロ", "gram", 1000),
    (r"km|kilomet(?:er|re)s?", "metre", 1000),
    (r"people|persons?|人|名", "person", 1),
    (r"times|回|度", "time", 1),
)
_UNIT = re.compile(
    r"[\s-]{0,2}(?:" + "|".join(f"({words})" for words, _, _ in _UNITS) + r")(?![A-Za-z])", re.IGNORECASE
)
_ENDING = tuple(
    (re.compile(rf"[\s-]{{0,2}}(?:{words})(?![A-Za-z])$", re.IGNORECASE), unit, size) for words, unit, size in _UNITS
)
# Volume 23 and 第23巻 name one thing; 23 volumes and 全23巻 are counts.
_ORDINAL = re.compile(
    r"(?:\b(?:vol(?:ume)?|no(?=\.)|number|chapter|step|option|episode|part)s?\.?\s?#?|#|第)\s?$", re.IGNORECASE
)
_RANGE_ON = re.compile(r"\s?(?:-|–|—|to|or)\s?(?:\d|(?:" + "|".join(_WORDS) + r")\b)", re.IGNORECASE)
_WARI = re.compile(r"\s?割")


@dataclass(frozen=True, slots=True, kw_only=True)
class Quantity:
    """A number and its unit; ``unit`` is empty if there is none. A date has a ``day`` instead."""

    value: Decimal
    unit: str
    start: int
    end: int
    quote: str
    high: Decimal | None = None
    day: Day | None = None

    def same(self, other: Quantity) -> bool:
        """Whether both are equal: value for value, ranges as a whole, dates by their shared parts."""
        if self.day is not None or other.day is not None:
            return self.day is not None and other.day is not None and self.day.agrees(other.day)
        if self.unit != other.unit and self.unit and other.unit:
            return False
        return self.value == other.value and self.high == other.high


def find_quantities(text: str) -> tuple[Quantity, ...]:
    """Return every quantity in the text, in order: dates, money, counted things, bare numbers."""
    return _remembered(text) if len(text) <= _SHORT else _found(text)


# A sentence is compared with many others; only short texts are cached, to limit memory.
_SHORT: Final = 600


@lru_cache(maxsize=4096)
def _remembered(text: str) -> tuple[Quantity, ...]:
    return _found(text)


def _found(text: str) -> tuple[Quantity, ...]:
    digits, eastern = _DIGIT.search(text) is not None, not text.isascii() and _EASTERN.search(text) is not None
    numbers = find_numbers(text) if digits else ()
    found = list(_dates(text)) if digits or eastern else []
    if digits:
        found += (*_money(text, numbers), *_counted(text, numbers))
    found += _spelled(text)
    if eastern:
        found += _kanji(text)
    taken: list[Quantity] = []
    for one in found:
        if all(one.end <= other.start or one.start >= other.end for other in taken):
            taken.append(one)
    return _with_ranges(text, sorted(taken, key=lambda each: each.start))


def apart(one: str, other: str) -> bool:
    """Whether no quantity spans two adjacent sentences, so that their quantities are those of each.

    Only a number can continue a quantity after the end of a sentence: ``vol.`` and ``May.`` before a 5.
    """
    first = other[:1]
    return one[-1:] in _STOPS and first.isascii() and first.isalpha() and not _SPELLED.match(other[:_WORD].lower())


def comparable(one: Quantity, other: Quantity) -> bool:
    """Whether two quantities are of one kind, so that different values conflict; bare numbers never are."""
    if (one.day is None) != (other.day is None):
        return False
    return one.day is not None or (one.unit == other.unit and one.unit != "")


def _dates(text: str) -> Iterator[Quantity]:
    for day in find_dates(text):
        yield Quantity(
            value=Decimal(0), unit="date", start=day.start, end=day.end, quote=text[day.start : day.end], day=day
        )


def _money(text: str, numbers: Sequence[Number]) -> Iterator[Quantity]:
    for each in find_money(text, numbers):
        yield Quantity(
            value=each.amount, unit=each.currency, start=each.start, end=each.end, quote=each.quote, high=each.high
        )


def _counted(text: str, numbers: Sequence[Number]) -> Iterator[Quantity]:
    for number in numbers:
        if number.percent:
            yield _of(text, number.value, "percent", number.start, number.end)
        elif wari := _WARI.match(text, number.end):
            yield _of(text, number.value * 10, "percent", number.start, wari.end())
        else:
            yield _measured(text, number.value, number.start, number.end)


def _spelled(text: str) -> Iterator[Quantity]:
    for match in _SPELLED.finditer(_lowered(text)):
        value = sum(_WORDS[part] for part in re.split(r"[- ]", match.group()))
        made = _measured(text, Decimal(value), match.start(), match.end())
        # "one of them" is no count, and "three to five days" is a range
        if made.unit or _RANGE_ON.match(text, match.end()):
            yield made


def _lowered(text: str) -> str:
    """Return the text in lowercase with the same offsets."""
    low = text.lower()
    if len(low) == len(text):
        return low
    return "".join([small if len(small := each.lower()) == 1 else each for each in text])


def _kanji(text: str) -> Iterator[Quantity]:
    for match in _KANJI_NUMBER.finditer(text):
        total, digit = 0, 0
        for sign in match.group():
            if sign in "十百":
                total += (digit or 1) * (10 if sign == "十" else 100)
                digit = 0
            else:
                digit = digit * 10 + _KANJI[sign]
        value = Decimal(total + digit)
        if wari := _WARI.match(text, match.end()):
            yield _of(text, value * 10, "percent", match.start(), wari.end())
        else:
            yield _measured(text, value, match.start(), match.end())


def _measured(text: str, value: Decimal, start: int, end: int) -> Quantity:
    if named := _ORDINAL.search(text, max(0, start - 12), start):
        kind = "volume number" if named.group().strip().lower().startswith(("vol", "第")) else "number"
        return _of(text, value, kind, start, end)
    if match := _UNIT.match(text, end):
        _, unit, size = _UNITS[(match.lastindex or 1) - 1]
        return _of(text, value * size, unit, start, match.end())
    return _of(text, value, "", start, end)


def _of(text: str, value: Decimal, unit: str, start: int, end: int) -> Quantity:
    return Quantity(value=value, unit=unit, start=start, end=end, quote=text[start:end])


_TO = re.compile(r"\s?(?:-|–|—|~|〜|～|to|から|or|and)\s?", re.IGNORECASE)


def _with_ranges(text: str, found: Sequence[Quantity]) -> tuple[Quantity, ...]:
    """Merge ranges such as ``3 to 5 days``; a bare number before a counted one takes its unit."""
    made: list[Quantity] = []
    for one in found:
        before = made[-1] if made else None
        if before is not None and before.unit == "" and one.unit not in ("", "date") and before.high is None:
            between = text[before.end : one.start]
            if _TO.fullmatch(between):
                low = before.value * _scale(one)
                if low <= one.value:
                    made[-1] = replace(
                        one, value=low, high=one.value, start=before.start, quote=text[before.start : one.end]
                    )
                    continue
                made[-1] = replace(before, value=low, unit=one.unit)  # "between 14 and 7 days": both are days
        made.append(one)
    return tuple(made)


def _scale(one: Quantity) -> int:
    """Return how many base units the written unit is."""
    for pattern, unit, size in _ENDING:
        if unit == one.unit and pattern.search(one.quote):
            return size
    return 1
