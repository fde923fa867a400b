"""Find numbers with their units: 15 days, 2 weeks, 全23巻, 20 %, ¥1,200, 3月5日."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import lru_cache
from itertools import pairwise
from typing import Final

from proctor.core.fast_dataclass import fast_constructor
from proctor.text.dates import Day, find_dates, may_continue_date
from proctor.text.hundredths import ends_amount, joins_amount
from proctor.text.money import CURRENCIES, currency_after, find_money
from proctor.text.number_words import SpelledNumber, find_number_words
from proctor.text.numbers import Number, find_numbers
from proctor.text.taken_spans import TakenSpans
from proctor.text.units import find_unit

__all__ = ["Quantity", "apart", "comparable", "find_quantities", "without_quantities"]

_STOPS: Final = frozenset(".!?。！？")
_DIGIT = re.compile(r"\d")
_EASTERN = re.compile(r"[〇一二三四五六七八九十百元]")
_KANJI = {digit: value for value, digit in enumerate("〇一二三四五六七八九")} | {"两": 2, "兩": 2, "零": 0}
_KANJI_POWERS = {"十": 10, "百": 100, "千": 1000, "万": 10_000}
_KANJI_NUMBER = re.compile(r"[〇零一二两兩三四五六七八九十百千万]+")
_KANJI_DAY = re.compile(r"日(?!間|以内|内)")  # 十日 is mostly a day of the month
_KOREAN_NUMBER = re.compile(r"(?<![가-힣])[일이삼사오육칠팔구십백천만]+")
_SINO_KOREAN = {digit: value for value, digit in enumerate("일이삼사오육칠팔구", 1)}
_SINO_POWERS = {"십": 10, "백": 100, "천": 1000, "만": 10_000}
# Arabic writes two of a unit as one word.
_ARABIC_PAIR = re.compile(r"(?<!\w)(?:[بلفوك]|لل)?(?:(يوم)|(أسبوع)|(شهر)|(ساعت)|(سنت|عام)|(دقيقت))(?:ين|ان)(?!\w)")
_ARABIC_UNITS: Final = (("hour", 24), ("hour", 168), ("month", 1), ("hour", 1), ("month", 12), ("minute", 1))
_THOUSANDS = re.compile(r"(?<![\d.,])\d{1,3}(?:\.\d{3})+(?![\d.,]?\d)")
# Volume 23 and 第23巻 name one thing; 23 volumes and 全23巻 are counts.
_ORDINAL = re.compile(
    r"(?:\b(?:vol(?:ume)?|no(?=\.)|number|chapter|step|option|episode|part)s?\.?\s?#?|#|第)\s?$", re.IGNORECASE
)
_LONGEST_ORDINAL: Final = 12  # characters
_ORDINAL_ENDS: Final = frozenset("lerpntsLERPNTSſ.#第")  # its last characters
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
    size: Decimal = Decimal(1)  # of the unit as it is written, in base units

    def same(self, other: Quantity) -> bool:
        """Whether both are equal: value for value, ranges as a whole, dates by their shared parts."""
        if self.day is not None or other.day is not None:
            return self.day is not None and other.day is not None and self.day.agrees(other.day)
        if {self.unit, other.unit} == {"hour", "minute"}:
            one, two = self if self.unit == "hour" else other, self if self.unit == "minute" else other
            return one.value * 60 == two.value and (one.high or 0) * 60 == (two.high or 0)
        if self.unit != other.unit and self.unit and other.unit:
            return False
        return self.value == other.value and self.high == other.high

    @property
    def is_article(self) -> bool:
        """Whether its number is an article or one, as in "un año": often no exact figure."""
        return self.value_written == 1 and _DIGIT.search(self.quote) is None

    @property
    def value_written(self) -> Decimal:
        """The number as it is written: 2 in "2 weeks"."""
        return self.value / self.size


_quantity: Final = fast_constructor(Quantity)


def find_quantities(text: str) -> tuple[Quantity, ...]:
    """Return every quantity in the text, in order: dates, money, counted things, bare numbers."""
    if len(text) <= _SHORT:
        return _remembered(text)
    return _remembered_whole(text) if len(text) <= _LONG else _found(text)


# A sentence is compared with many others, and a passage is read for several checks. Long texts are not cached, to limit
# memory.
_SHORT: Final = 600
_LONG: Final = 4_000


@lru_cache(maxsize=4096)
def _remembered(text: str) -> tuple[Quantity, ...]:
    return _found(text)


@lru_cache(maxsize=128)
def _remembered_whole(text: str) -> tuple[Quantity, ...]:
    return _found(text)


def _found(text: str) -> tuple[Quantity, ...]:
    if len(text) <= _LONG and (borders := _borders(text)):  # other checks read the sentences one by one
        return tuple(
            _moved(one, start)
            for start, end in pairwise((0, *borders, len(text)))
            for one in find_quantities(text[start:end].rstrip())
        )
    ascii_only = text.isascii()
    digits, eastern = _DIGIT.search(text) is not None, not ascii_only and _EASTERN.search(text) is not None
    numbers = find_numbers(text) if digits else ()
    found = list(_dates(text)) if digits or eastern else []
    if digits:
        found += (*_money(text, numbers), *_counted(text, numbers))
    found += _spelled(text)
    if eastern:
        found += _kanji(text)
    if not ascii_only:
        found += (*_arabic_pairs(text), *_sino_korean(text))
    if not found:
        return ()
    taken, chosen = TakenSpans(text), list[Quantity]()
    for one in found:
        if not taken.overlaps(one.start, one.end):
            taken.add(one.start, one.end)
            chosen.append(one)
    return _with_ranges(text, sorted(chosen, key=lambda each: each.start))


_BORDER: Final = re.compile(r"[A-Za-z0-9)][.!?]\s(?=[A-Za-z])")
_NOT_LATIN: Final = re.compile("[^\x00-\u024f\u2000-\u206f€]")  # other scripts write quantities in signs


def _borders(text: str) -> list[int]:
    """Return where sentences of a Latin text begin that no quantity of an earlier one reaches into."""
    found: list[int] = []
    if _BORDER.search(text) is None or _NOT_LATIN.search(text) is not None:
        return found
    for border in _BORDER.finditer(text):
        at = border.end()
        if text[at - 3].isdigit():
            is_apart = not may_continue_date(text[at : at + 3])
        else:
            is_apart = _ORDINAL.search(text, max(0, at - _LONGEST_ORDINAL), at) is None  # "No. five"
        if is_apart:
            found.append(at)
    return found


def _moved(one: Quantity, by: int) -> Quantity:
    """Return a quantity of a sentence as one of the text in which the sentence begins there."""
    if not by:
        return one
    return _quantity(
        value=one.value,
        unit=one.unit,
        start=one.start + by,
        end=one.end + by,
        quote=one.quote,
        high=one.high,
        day=None if one.day is None else one.day.moved(by),
        size=one.size,
    )


def apart(one: str, other: str) -> bool:
    """Whether no quantity spans two adjacent sentences, so that their quantities are those of each.

    Only a number can continue a quantity after the end of a sentence: ``vol.`` and ``May.`` before a 5.
    """
    first = other[:1]
    if one[-1:] not in _STOPS or not first.isascii() or not first.isalpha():
        return False
    return not _is_number_word(other.split(" ", 1)[0])


@lru_cache(maxsize=4096)  # sentences begin with the same few words
def _is_number_word(word: str) -> bool:
    return next(find_number_words(word), None) is not None


def comparable(one: Quantity, other: Quantity) -> bool:
    """Whether two quantities are of one kind, so that different values conflict; bare numbers never are."""
    if (one.day is None) != (other.day is None):
        return False
    return one.day is not None or (one.unit == other.unit and one.unit != "")


def _dates(text: str) -> Iterator[Quantity]:
    for day in find_dates(text):
        yield _quantity(
            value=Decimal(0), unit="date", start=day.start, end=day.end, quote=text[day.start : day.end], day=day
        )


def _money(text: str, numbers: Sequence[Number]) -> Iterator[Quantity]:
    for each in find_money(text, numbers):
        # A price has no three decimals: 1.500 € is fifteen hundred.
        scale = 1000 if each.amount < 1000 and _THOUSANDS.search(each.quote) else 1
        value, high = each.amount * scale, None if each.high is None else each.high * scale
        yield _quantity(value=value, unit=each.currency, start=each.start, end=each.end, quote=each.quote, high=high)


def _counted(text: str, numbers: Sequence[Number]) -> Iterator[Quantity]:
    ascii_only = text.isascii()
    for number in numbers:
        if number.percent:
            yield _of(text, number.value, "percent", number.start, number.end)
        elif not ascii_only and (wari := _WARI.match(text, number.end)):
            yield _of(text, number.value * 10, "percent", number.start, wari.end())
        else:
            yield _measured(text, number.value, number.start, number.end)


def _spelled(text: str) -> Iterator[Quantity]:
    found = list(find_number_words(text))
    for place, one in enumerate(found):
        made = _measured(text, one.value, one.start, one.end, one.languages)
        if rest := next((each for each in found[place + 1 : place + 2] if _is_hundredths(text, made, each)), None):
            total = made.value + rest.value.scaleb(-2)
            made = replace(made, value=total, end=rest.end, quote=text[made.start : rest.end])
        # "one of them" is no count, and "three to five days" is a range
        if made.unit or any(_TO.fullmatch(text[one.end : each.start]) for each in found[place + 1 : place + 2]):
            yield made


def _kanji(text: str) -> Iterator[Quantity]:
    for match in _KANJI_NUMBER.finditer(text):
        value = _composed(match.group(), _KANJI, _KANJI_POWERS)
        if wari := _WARI.match(text, match.end()):
            yield _of(text, value * 10, "percent", match.start(), wari.end())
        elif not _KANJI_DAY.match(text, match.end()):
            made = _measured(text, value, match.start(), match.end(), _CHINESE_SIGNS)
            if made.unit:
                yield made


def _sino_korean(text: str) -> Iterator[Quantity]:
    for match in _KOREAN_NUMBER.finditer(text):
        value = _composed(match.group(), _SINO_KOREAN, _SINO_POWERS)
        made = _measured(text, value, match.start(), match.end(), _KOREAN)
        if made.unit:
            yield made


def _arabic_pairs(text: str) -> Iterator[Quantity]:
    for match in _ARABIC_PAIR.finditer(text):
        unit, size = _ARABIC_UNITS[(match.lastindex or 1) - 1]
        yield _of(text, Decimal(2 * size), unit, match.start(), match.end(), Decimal(size))


def _composed(written: str, digits: Mapping[str, int], powers: Mapping[str, int]) -> Decimal:
    """Return the value of a number in signs: 二百五十, 삼십."""
    total, part, digit = 0, 0, 0  # of the ten thousands, of what follows them, of the next power
    for sign in written:
        if sign not in powers:
            digit = digit * 10 + digits[sign]
        elif powers[sign] == _TEN_THOUSAND:
            total += (part + digit or 1) * _TEN_THOUSAND
            part = digit = 0
        else:
            part += (digit or 1) * powers[sign]
            digit = 0
    return Decimal(total + part + digit)


_TEN_THOUSAND: Final = 10_000
_CHINESE_SIGNS: Final = frozenset({"ja", "zh"})
_KOREAN: Final = frozenset({"ko"})


def _measured(text: str, value: Decimal, start: int, end: int, languages: frozenset[str] | None = None) -> Quantity:
    first = max(0, start - _LONGEST_ORDINAL)
    if text[first:start].rstrip()[-1:] in _ORDINAL_ENDS and (named := _ORDINAL.search(text, first, start)):
        kind = "volume number" if named.group().strip().lower().startswith(("vol", "第")) else "number"
        return _of(text, value, kind, start, end)
    unit = find_unit(text, end, languages)
    if unit is not None and "\n" not in text[end : unit.end]:  # the next line of a record is no unit
        return _of(text, value * unit.size, unit.base, start, unit.end, unit.size)
    if languages is not None and (money := currency_after(text, end)) is not None:
        currency, last, cents = money
        return _of(text, value.scaleb(-2) if cents else value, currency, start, last)
    return _of(text, value, "", start, end)


def _of(text: str, value: Decimal, unit: str, start: int, end: int, size: Decimal = Decimal(1)) -> Quantity:
    return _quantity(value=value, unit=unit, start=start, end=end, quote=text[start:end], size=size)


_TO = re.compile(  # small letters only: the A of 10 A is a unit
    r"\s?(?:-|–|—|~|〜|～|から|到|至|에서|से)\s?"
    r"|\s(?:to|or|and|bis|oder|und|tot|à|a|y|o|e|ou|et|al|ai|do|lub|i|до|или|и|ila|ile|veya|إلى|أو)\s",
)


_CONTINUED_UNITS: Final = frozenset({"", "hour", *CURRENCIES})  # of a quantity to which the next one may belong


def _with_ranges(text: str, found: Sequence[Quantity]) -> tuple[Quantity, ...]:
    """Merge ranges such as ``3 to 5 days``; a bare number before a counted one takes its unit."""
    made: list[Quantity] = []
    for one in found:
        before = made[-1] if made else None
        if before is None or before.unit not in _CONTINUED_UNITS:
            made.append(one)
            continue
        if _is_rest_of_hour(text, before, one):
            total = before.value * 60 + one.value
            made[-1] = replace(one, value=total, unit="minute", start=before.start, quote=text[before.start : one.end])
            continue
        if _is_rest_of_amount(text, before, one):
            total = before.value + one.value
            made[-1] = replace(before, value=total, end=one.end, quote=text[before.start : one.end])
            continue
        if _is_grouped(text, before, one):
            made[-1] = _grouped(text, before, one)
            while len(made) > 1 and _is_grouped(text, made[-2], made[-1]):  # 2 140 000 ₽
                made[-2:] = [_grouped(text, made[-2], made[-1])]
            continue
        if before.unit == "" and one.unit not in ("", "date") and before.high is None:
            between = text[before.end : one.start]
            if _TO.fullmatch(between):
                low = before.value * one.size
                if low <= one.value:
                    made[-1] = replace(
                        one, value=low, high=one.value, start=before.start, quote=text[before.start : one.end]
                    )
                    continue
                if one.unit not in CURRENCIES:  # "between 14 and 7 days": both are days; "a 2023 at 7 €" is a year
                    made[-1] = replace(before, value=low, unit=one.unit, size=one.size)
        made.append(one)
    return tuple(made)


def _is_rest_of_hour(text: str, hours: Quantity, rest: Quantity) -> bool:
    """Whether a number continues hours: the 25 of "1 h 25", the minutes of "2 hours 30 minutes"."""
    if hours.unit != "hour" or hours.size != 1 or hours.high is not None or not 0 < rest.value < 60:
        return False
    between = text[hours.end : rest.start]
    return rest.unit in ("", "minute") and (between.strip() == "" and len(between) <= 1) and rest.high is None


def _is_rest_of_amount(text: str, whole: Quantity, rest: Quantity) -> bool:
    """Whether hundredths continue an amount: "418 рублей 20 копеек", "3 euros and 20 cents"."""
    return rest.unit in CURRENCIES and 0 < rest.value < 1 and _lacks_hundredths(text, whole, rest.start)


def _is_hundredths(text: str, whole: Quantity, rest: SpelledNumber) -> bool:
    """Whether a number in words tells the hundredths of an amount: "sixteen euros fifty", "dezesseis reais e vinte"."""
    return 0 < rest.value < 100 and _lacks_hundredths(text, whole, rest.start) and ends_amount(text, rest.end)


def _lacks_hundredths(text: str, whole: Quantity, start: int) -> bool:
    is_whole = whole.unit in CURRENCIES and whole.high is None and whole.value == whole.value.to_integral_value()
    return is_whole and joins_amount(text, whole.end, start)


_GROUP: Final = re.compile(r"\d{3}(?![\d.,]\d)")
_GROUPS: Final = re.compile(r"\d{3}(?: \d{3})*")


def _is_grouped(text: str, before: Quantity, one: Quantity) -> bool:
    """Whether a blank groups thousands: "10 000 ₽". Only a unit after the number shows that it is one number."""
    return (
        before.unit == ""
        and one.unit not in ("", "date")
        and before.value == before.value.to_integral_value()
        and (0 < before.value < 1000 or before.quote == "000")  # 1 000 000 ₽
        and text[before.end : one.start] == " "
        and _GROUP.match(one.quote) is not None
    )


def _grouped(text: str, before: Quantity, one: Quantity) -> Quantity:
    """Return the number that both make: 10 and "000 ₽", 2 and "140 000 ₽"."""
    groups = _GROUPS.match(one.quote)
    scale = 1000 ** (len(groups.group().split()) if groups else 1)
    return replace(one, value=before.value * scale + one.value, start=before.start, quote=text[before.start : one.end])


def without_quantities(text: str, quantities: Sequence[Quantity]) -> str:
    """Return the text without its quantities: the unit in ``15 days`` is not a separate word."""
    out, at = [], 0
    for each in quantities:
        if each.unit:
            out.append(text[at : each.start])
            at = each.end
    return " ".join([*out, text[at:]])
