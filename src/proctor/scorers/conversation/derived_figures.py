"""Decide whether a figure follows from others: a total, a multiple, the next day, another name of a period."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from typing import Final

from proctor.scorers.conversation.known_texts import AgentMessage
from proctor.text.dates import Day
from proctor.text.known_values import KnownValues
from proctor.text.money import CURRENCIES
from proctor.text.quantities import Quantity

__all__ = ["PERIODS", "RECORD_FIELD", "follows"]

PERIODS: Final = frozenset({"hour", "business day", "month", "percent"})
RECORD_FIELD: Final = re.compile(r"(?:^|[\n.] ?)([^\W\d][\w ]{0,40}): \$?(\d{1,9}(?:\.\d{1,4})?)(?![\d-])")
_MOST_SUMMED: Final = 14
_MOST_SAID: Final = 8
_MOST_TIMES: Final = 4
_DAY: Final = Decimal(24)


def follows(
    one: Quantity,
    known: KnownValues,
    beside: Sequence[Quantity],
    message: AgentMessage,
    spoken: Sequence[Quantity] = (),
) -> bool:
    """Whether a figure follows from a known date or period, or is the total of known amounts.

    ``beside`` are the figures of its sentence, ``spoken`` those before it in its message that are explained.
    """
    if one.unit in CURRENCIES:
        amounts = [each.value for each in spoken if each.unit == one.unit]
        return one.value == 0 or _is_total(one.value, message) or _adds_up(one.value, amounts)
    if one.unit in PERIODS - {"percent"} and (_is_multiple(one, known, beside) or _is_rounded(one, known)):
        return True
    days = [each.day for each in (*known.stated, *beside) if each.day is not None]
    if one.day is not None:  # "today is the 19th, so tomorrow is the 20th"
        return any(
            each is not one and each.day is not None and known.explains(each) and _is_next(each.day, one.day)
            for each in beside
        )
    if one.unit == "hour" and one.size == _DAY:  # "21日", "16일": a day of a known month
        ends = {one.value_written, one.high / _DAY if one.high is not None else one.value_written}
        return ends <= {Decimal(each.day) for each in days if each.day}
    if one.unit == "hour" and one.size == 1:  # "13.22 uur", "10 h": a time of day
        return all(any(_is_clock(end, each) for each in known.stated) for end in (one.value, one.high or one.value))
    return False


def _is_multiple(one: Quantity, known: KnownValues, beside: Sequence[Quantity]) -> bool:
    """Whether a period is a few times a known one of the same sentence: four weeks, renewable once, so eight weeks."""
    return any(
        each is not one
        and each.unit == one.unit
        and each.value
        and each.end <= one.start
        and one.value / each.value in range(2, _MOST_TIMES + 1)
        and known.explains(each)
        for each in beside
    )


def _is_rounded(one: Quantity, known: KnownValues) -> bool:
    """Whether a period in months is a known one in days, at 28 to 31 days a month: 90 days are about three months."""
    days = {
        end / _DAY
        for each in known.stated
        if each.unit == "hour" and each.size >= _DAY
        for end in (each.value, each.high)
        if end is not None
    }
    months = {
        end for each in known.stated if each.unit == "month" for end in (each.value, each.high) if end is not None
    }
    if one.unit == "month":
        return any(one.value * 28 <= each <= one.value * 31 for each in days)
    if one.unit == "hour" and one.size >= _DAY:
        return any(each * 28 <= one.value / _DAY <= each * 31 for each in months)
    return False


def _is_clock(hours: Decimal, other: Quantity) -> bool:
    minutes = int(hours) * 60 + (hours % 1) * 100
    return other.unit == "clock" and minutes in (other.value, other.high)


def _is_total(value: Decimal, message: AgentMessage) -> bool:
    """Whether an amount is the sum of some values of one field, such as the prices of several orders."""
    fields: dict[str, list[Decimal]] = {}
    for each in message.told:
        for name, written in RECORD_FIELD.findall(each.text) if each.data else ():
            fields.setdefault(name.lower(), []).append(Decimal(written))
    return any(len(values) > 1 and _is_sum(value, values) for values in fields.values())


def _adds_up(value: Decimal, amounts: Sequence[Decimal]) -> bool:
    """Whether an amount is the total of the last ones said before it, or, in hundredths, of some of them."""
    total = Decimal(0)
    for number, each in enumerate(reversed(amounts), start=1):
        total += each
        if number > 1 and total == value:
            return True
    return value % 1 != 0 and _is_sum(value, amounts[-_MOST_SAID:])


def _is_sum(value: Decimal, values: Sequence[Decimal]) -> bool:
    sums = {Decimal(0)}
    for each in [each for each in values if 0 < each < value][:_MOST_SUMMED]:
        sums |= {total + each for total in sums if total + each <= value}
    return value in sums


def _is_next(one: Day, other: Day) -> bool:
    """Whether two whole dates are a day apart."""
    if not (one.year and one.month and one.day and other.year and other.month and other.day):
        return False
    try:
        return abs((date(one.year, one.month, one.day) - date(other.year, other.month, other.day)).days) == 1
    except ValueError:
        return False
