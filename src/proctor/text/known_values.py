"""Decide whether a figure follows from known ones: equal in another unit, a sum, a product, a share, a later date."""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from functools import lru_cache
from itertools import combinations, combinations_with_replacement
from typing import Final

from proctor.text.clock_times import find_times
from proctor.text.dates import Day
from proctor.text.money import CURRENCIES
from proctor.text.number_words import find_number_words
from proctor.text.quantities import Quantity, find_quantities

__all__ = ["KnownValues"]

_MOST_AMOUNTS: Final = 12  # of one currency; sums of more explain any figure
_MOST_TERMS: Final = 6  # amounts of which three are summed
_MOST_FACTOR: Final = 1000
_MOST_SHOWN: Final = 1_000_000  # of a count in the draft: 75,000 kWh at 11.8 cents
_MOST_HOURS: Final = 24 * 14  # of a period that a record gives as a bare number
_MOST_COUNT: Final = 31  # a bare number of a source that may be a count of days or persons
_FEW_FIGURES: Final = 40
_MOST_ASKED: Final = 6  # numbers of the customer's message that are computed with
_MOST_OPERANDS: Final = 16
_LEAST_COMPUTED: Final = 100
_HOURS_A_DAY: Final = Decimal(24)
_HALF: Final = Decimal("0.5")
_ROUNDED: Final = Decimal("0.01")
_CENTS: Final = re.compile(r"\d\s?c|cent|cént|cênt|grosz|kuruş|коп", re.IGNORECASE)
_FRACTION: Final = re.compile(
    r"(?<![\d/.,])(?P<n>[1-9])/(?P<m>[2-9])(?![\d/.,]*\d)|(?<!\d)(?P<m2>[2-9])\s?(?:분의|分の|分之)\s?(?P<n2>[1-9])"
)
_READ: Final = 20_000  # characters of each text
_SHORT: Final = 4_000  # characters of a text that is cached


@dataclass(frozen=True, slots=True)
class KnownValues:
    """Figures of the sources, the tool results, the customer and the draft itself.

    ``stated`` are figures that may be repeated; ``factors`` are numbers to multiply or divide with, such as the number
    of days or persons in the draft.
    """

    stated: tuple[Quantity, ...]
    factors: frozenset[Decimal]
    fractions: frozenset[Decimal] = frozenset()
    asked: frozenset[Decimal] = frozenset()  # numbers of the customer, which the agent may compute with
    shown: frozenset[Decimal] = frozenset()  # counts that the draft names, so that the reader can follow a calculation

    @classmethod
    def of(cls, told: Iterable[str], heard: Iterable[str] = (), said: str = "") -> KnownValues:
        """Read the texts the agent saw, what the customer wrote, and the draft, which gives factors only."""
        told, heard = [text[:_READ] for text in told], [text[:_READ] for text in heard]
        stated = tuple(one for text in (*told, *heard) for one in _read(text))
        factors = {value for text in (*heard, said[:_READ]) for value in _counts(text)}
        counts = {one.value for one in stated if not one.unit and one.value == one.value.to_integral_value()}
        factors |= {each for each in counts if each <= _MOST_COUNT} if len(stated) <= _FEW_FIGURES else set()
        fractions = frozenset(each for text in (*told, *heard, said[:_READ]) for each in _fractions(text))
        asked = frozenset(sorted({value for text in heard[-2:] for value in _numbers_of(text)})[:_MOST_ASKED])
        shown = frozenset(each for each in _counts(said[:_READ]) if 1 < each <= _MOST_SHOWN)
        return cls(stated, frozenset(each for each in factors if 1 < each <= _MOST_FACTOR), fractions, asked, shown)

    def explains(self, one: Quantity, beside: Sequence[Quantity] = ()) -> bool:
        """Whether a figure is stated or can be computed; ``beside`` are explained figures of the same draft."""
        if one.unit == "clock":
            return self._is_time(one)
        if one.unit == "weekday":
            return any(each.unit == "weekday" and each.value == one.value for each in self.stated)
        return self._follows(one, beside) or self._is_computed(one, beside)

    def _follows(self, one: Quantity, beside: Sequence[Quantity]) -> bool:
        """Whether a figure is stated, or follows from others of its kind."""
        if any(_same(one, each) for each in self.stated):
            return True
        if one.high is not None:  # a range: each of its ends
            return all(any(_value_in(end, one, each) for each in self.stated) for end in (one.value, one.high))
        if one.day is not None:
            return self._follows_in_time(one)
        if one.unit in CURRENCIES:
            return self._is_amount(one, beside)
        if one.unit == "percent":
            return self._is_share(one)
        return self._is_period(one)

    def _is_computed(self, one: Quantity, beside: Sequence[Quantity]) -> bool:
        """Whether a figure is the result of a short calculation with a number of the customer.

        27 of 32 lessons are 84.4 %; 150 ml for each 10 m³ are 600 ml for 40 m³. In floats: this is tried last, with
        hundreds of combinations. They hit any small round figure by chance; it must be a rate times two counts.
        """
        if not self.asked or one.high is not None or one.day is not None or len(self.stated) > _FEW_FIGURES:
            return False
        if one.value_written < _LEAST_COMPUTED and one.value_written == one.value_written.to_integral_value():
            rates = [each.value for each in self.stated if each.unit == one.unit]
            counts = [first * second for first, second in combinations(self.asked, 2)]
            return any(rate * count == one.value for rate in rates for count in counts)
        known = {value for each in (*self.stated, *beside) for value in (each.value, each.value_written)} | self.asked
        others = [float(each) for each in sorted(known - {one.value, one.value_written, Decimal(0)})[:_MOST_OPERANDS]]
        wanted = [float(one.value), float(one.value_written)]
        places = one.value_written.as_tuple().exponent
        rounding = 0.5 * 10.0**places if isinstance(places, int) and places < 0 else 0.0
        near = [(each, rounding + abs(each) * 1e-9) for each in wanted]
        return any(
            abs(result - value) <= most
            for mine in map(float, self.asked)
            for result in _results(mine, others)
            for value, most in near
        )

    def _is_share(self, one: Quantity) -> bool:
        """Whether a percentage is the rest or the sum of known ones, a fraction of a record, or a part of a whole."""
        shares = [each.value for each in self.stated if each.unit == "percent"]
        if any(100 - each == one.value for each in shares) or any(
            first + second == one.value for first, second in combinations_with_replacement(shares[:8], 2)
        ):
            return True
        bare = {each.value for each in self.stated if not each.unit and each.high is None}
        if one.value / 100 in bare:  # a record's rate of 0.074 is 7.4 %
            return True
        places = one.value.as_tuple().exponent
        step = Decimal(1).scaleb(places if isinstance(places, int) else 0)
        named = sorted(bare & self.shown)[-_MOST_AMOUNTS:]  # the draft names the part, and a count that the record has
        wholes = {*named, sum(bare)} if len(bare) <= _MOST_AMOUNTS else set(named)
        return any(
            abs(100 * part / whole - one.value) <= step / 2 for part in named for whole in wholes if part < whole
        )

    def _is_period(self, one: Quantity) -> bool:
        """Whether a period lies between two known dates, or is a product or a sum of known ones."""
        if one.unit == "hour" and one.size == _HOURS_A_DAY and self._is_time_between(one):
            return True
        spans = [each for each in self.stated if each.unit == one.unit and each.high is None]
        alike = [each.value for each in spans]
        if any(each * factor == one.value for each in alike for factor in self.factors) or any(
            first + second == one.value for first, second in combinations(alike[:_MOST_AMOUNTS], 2) if first != second
        ):
            return True
        asked = [each.value for each in spans if each.value_written in self.asked]  # "five days late", 20 days ago
        return any(abs(mine - other) == one.value for mine in asked for other in alike)

    def _is_time(self, one: Quantity) -> bool:
        """Whether a time of day is known, or a known one earlier or later by a known duration."""
        wanted = {each % 1440 for each in (one.value, one.high) if each is not None}
        clocks = {
            end % 1440
            for each in self.stated
            if each.unit == "clock"
            for end in (each.value, each.high)
            if end is not None
        }
        minutes = {
            (each.value * (60 if each.unit == "hour" else 1))
            for each in self.stated
            if each.unit in ("hour", "minute") and each.high is None
        }
        minutes |= {each.value for each in self.stated if not each.unit and 0 < each.value <= 180}
        return bool(wanted & clocks) or any(
            (clock + sign * shift) % 1440 in wanted for clock in clocks for shift in minutes for sign in (1, -1)
        )

    def _is_amount(self, one: Quantity, beside: Sequence[Quantity]) -> bool:
        """Whether an amount is computed from known ones: sums of amounts, times a count, less a percentage."""
        amounts = {each.value for each in (*self.stated, *beside) if each.unit == one.unit}
        # An amount of a record has no currency beside it; a number without a point is more likely a count or an id.
        bare = [each for each in self.stated if not each.unit and (each.value % 1 or "." in each.quote)]
        amounts |= {abs(each.value) for each in bare}  # -18.42 is a credit
        amounts |= {
            end for each in self.stated if each.high is not None and each.unit == one.unit for end in (each.high,)
        }
        amounts |= {each.value for each in self.stated if each.unit in CURRENCIES and _CENTS.search(each.quote)}
        prices = sorted({each.value for each in (*self.stated, *beside) if each.unit == one.unit}, key=abs)
        if len(prices) > _MOST_AMOUNTS:
            return _is_sum(one.value, prices)
        amounts = set(sorted(amounts)[:40])
        percents = (*self.stated, *(each for each in beside if each.unit == "percent" and self._follows(each, ())))
        shares = {each.value / 100 for each in percents if each.unit == "percent"} | self.fractions
        scaled = {amount * factor for amount in amounts for factor in self.factors} | amounts
        parts = scaled | {each * rate for each in scaled for share in shares for rate in (share, 1 - share, 1 + share)}
        parts |= {result for amount in amounts for count in self.shown for result in (amount * count, amount / count)}
        # A whole number of a record may be a price, if it is multiplied by a count that a message names.
        whole = {each.value for each in self.stated if not each.unit and each.high is None and each.value % 1 == 0}
        if len(whole) <= _MOST_AMOUNTS:
            parts |= {each * count for each in whole for count in self.shown | self.asked}
            parts |= {each * share for each in whole for share in shares}
            parts |= {each * rate for each in whole for rate in prices if rate % 1}  # 0.42 € for each of 250 m²
        halves = {amount * _HALF for amount in scaled}
        if any(abs(each - one.value) < _ROUNDED for each in parts | halves):
            return True
        # The customer names amounts without a currency too: "and one more for 10".
        if any(abs(first + second - one.value) < _ROUNDED for first in prices for second in (*parts, *self.factors)):
            return True
        if any(abs(abs(first - second) - one.value) < _ROUNDED for first in prices for second in (*prices, *scaled)):
            return True
        if len(prices) <= _MOST_TERMS and any(  # several things, each for as many nights or persons
            abs((first + second) * factor - one.value) < _ROUNDED
            for first, second in combinations(prices, 2)
            for factor in self.factors
        ):
            return True
        return len(prices) <= _MOST_TERMS and any(
            abs(first + second + third - one.value) < _ROUNDED
            for first, second in combinations(prices, 2)  # the same price twice needs a known count of two
            for third in scaled
            if third not in (first, second)
        )

    def _is_time_between(self, one: Quantity) -> bool:
        """Whether a number of days is the time between two known dates, counted with or without the last day."""
        days = {each.day for each in self.stated if each.day is not None and each.day.month and each.day.day}
        if len(days) > _MOST_AMOUNTS:
            return False
        wanted = one.value / _HOURS_A_DAY
        return any(
            0 <= abs(wanted - abs((first - second).days)) <= 1
            for first, second in combinations(sorted(_dates(days)), 2)
        )

    def _follows_in_time(self, one: Quantity) -> bool:
        """Whether a date follows from a known one: later or earlier by a known duration, or a day of a month near it.

        A month is enough where no day is given. "The 20th of the month" names a day, and rules often end with a month.
        """
        wanted = one.day
        if wanted is None:
            return False
        spans = [_span(each) for each in self.stated if each.unit in ("hour", "month") and each.high is None]
        bare = (
            {int(each.value) for each in self.stated if _is_count(each)} if len(self.stated) <= _FEW_FIGURES else set()
        )
        spans += [("hour", hours) for each in bare for hours in (each, 24 * each) if hours <= _MOST_HOURS]
        for each in self.stated:
            day = each.day
            if day is None or day.month is None:
                continue
            start = _date(day.year or wanted.year or 2024, day.month, day.day or 1)
            if start is None:
                continue
            if _is_day_of_a_month_near(wanted, start, bare):
                return True
            for span in spans[:40]:
                for sign in (1, -1):
                    end = _moved(start, span, sign)
                    if end is not None and any(_is_on(end + timedelta(days=shift), wanted) for shift in (-1, 0, 1)):
                        return True
        return False


def _read(text: str) -> tuple[Quantity, ...]:
    """Return the figures of a text; the numbers within a time of day are none of their own."""
    return _remembered(text) if len(text) <= _SHORT else _figures(text)


@lru_cache(maxsize=512)  # the same policies are retrieved repeatedly
def _remembered(text: str) -> tuple[Quantity, ...]:
    return _figures(text)


def _figures(text: str) -> tuple[Quantity, ...]:
    times = find_times(text)
    inside = [(each.start, each.end) for each in times]
    rest = (
        one for one in find_quantities(text) if one.unit or not any(start <= one.start < end for start, end in inside)
    )
    return (*times, *rest)


def _same(one: Quantity, other: Quantity) -> bool:
    if one.same(other):
        return True
    if not other.unit and other.day is None and one.day is None:  # a field of a record: "frame years: 10"
        return one.value_written == other.value and one.high == other.high
    if one.unit in CURRENCIES and other.unit in CURRENCIES and one.value == other.value:
        return _CENTS.search(one.quote) is not None or _CENTS.search(other.quote) is not None
    if one.high is None and other.high is not None and one.unit == other.unit:
        return one.value in (other.value, other.high)  # an end of a range
    return False


def _value_in(end: Decimal, one: Quantity, other: Quantity) -> bool:
    if other.unit == one.unit:
        return end in (other.value, other.high)
    return not other.unit and end / one.size == other.value


def _is_sum(value: Decimal, prices: Sequence[Decimal]) -> bool:
    """Whether an amount is the sum or difference of two of many amounts, or the total of all."""
    known = set(prices)
    return any(value - each in known or value + each in known for each in prices) or sum(prices) == value


def _counts(text: str) -> Iterable[Decimal]:
    """Yield the numbers that may count something: all but amounts of money."""
    yield from (one.value_written for one in find_quantities(text) if one.unit not in CURRENCIES and one.day is None)
    yield from (each.value for each in find_number_words(text))


def _results(mine: float, others: Sequence[float]) -> Iterable[float]:
    """Yield what comes out of a number with one or two others: sum, difference, product, ratio, share of a whole."""
    for other in others:
        yield from (mine + other, abs(mine - other), mine * other, mine * other / 100)
        yield from (mine / other, mine / other * 100, other / mine * 100, (other - mine) / other * 100)
        for third in others:
            yield from (mine * other * third, mine * other / third)


def _numbers_of(text: str) -> Iterable[Decimal]:
    """Yield the numbers of a message, also prices and hours of the day; a date is none."""
    yield from (one.value_written for one in find_quantities(text) if one.day is None and one.value_written > 1)
    yield from (each.value for each in find_number_words(text) if each.value > 1)
    yield from (one.value / 60 for one in find_times(text) if one.unit == "clock" and one.value)


def _fractions(text: str) -> Iterable[Decimal]:
    """Yield the parts of a whole that a text names in figures: 2/3, 3분의 2, 三分の二 in digits."""
    for match in _FRACTION.finditer(text) if "/" in text or not text.isascii() else ():
        part, whole = (match["n"], match["m"]) if match["n"] else (match["n2"], match["m2"])
        if int(part) < int(whole):
            yield Decimal(part) / Decimal(whole)


def _dates(days: Iterable[Day]) -> set[date]:
    """Return the dates; one without a year has that of the others."""
    days = list(days)
    years = {each.year for each in days if each.year} or {2024}
    found = {
        _date(year, each.month or 1, each.day or 1) for each in days for year in ((each.year,) if each.year else years)
    }
    return {each for each in found if each is not None}


def _date(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _span(one: Quantity) -> tuple[str, Decimal | int]:
    return one.unit, one.value


def _is_count(one: Quantity) -> bool:
    return (
        not one.unit
        and one.high is None
        and one.value == one.value.to_integral_value()
        and 0 < one.value <= _MOST_HOURS
    )


def _is_day_of_a_month_near(wanted: Day, known: date, days: Iterable[int]) -> bool:
    """Whether it is one of these days, or the last, in the month of a known date, the one before or the one after."""
    if wanted.day is None or wanted.month is None or (wanted.month - known.month + 1) % 12 > 2:
        return False
    return wanted.day in days or wanted.day == monthrange(wanted.year or known.year, wanted.month)[1]


def _moved(start: date, span: tuple[str, Decimal | int], sign: int) -> date | None:
    unit, value = span
    try:
        if unit == "hour":
            return start + sign * timedelta(hours=float(value))
        months = start.year * 12 + start.month - 1 + sign * int(value)
        return date(months // 12, months % 12 + 1, min(start.day, 28))
    except (ValueError, OverflowError):
        return None


def _is_on(day: date, wanted: Day) -> bool:
    return wanted.year in (None, day.year) and wanted.month in (None, day.month) and wanted.day in (None, day.day)
