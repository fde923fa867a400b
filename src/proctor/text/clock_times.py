"""Find times of day and days of the week, in fifteen languages: 14:10, 8 pm, 오후 8시, Freitag, пятница."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from functools import lru_cache
from typing import Final

from proctor.text.filtered_pattern import FilteredPattern
from proctor.text.quantities import Quantity

__all__ = ["find_clock_times", "find_times", "find_weekdays"]

_HOUR: Final = (
    r"(?<![\d:./])(?P<h>[01]?\d|2[0-4])"
    r"(?::(?P<m>[0-5]\d)(?::[0-5]\d)?(?![\d:])|\s?(?:uhr|時(?!間)|点|點|시(?!간))(?:\s?(?P<m2>[0-5]?\d)\s?(?:分|분))?"
    r"|\s?h\s?(?P<m3>[0-5]\d)(?!\d)|(?=\s?[ap]\.?m\b)|\s?o['’]clock\b"
    # "klockan 10", "godz. 10", "saat 10": the word that marks a time of day precedes the hour.
    r"|(?:(?<=\bkl \d)(?!\d)|(?<=\bkl \d\d)|(?<=\bkl\. \d)(?!\d)|(?<=\bkl\. \d\d)"
    r"|(?<=\bklockan \d)(?!\d)|(?<=\bklockan \d\d)|(?<=\bklokken \d)(?!\d)|(?<=\bklokken \d\d)"
    r"|(?<=\bgodz\. \d)(?!\d)|(?<=\bgodz\. \d\d)|(?<=\bgodzinie \d)(?!\d)|(?<=\bgodzinie \d\d)"
    r"|(?<=\bsaat \d)(?!\d)|(?<=\bsaat \d\d))(?![.,]\d{3}))"  # "saat 8.200 TL" is an amount
    r"(?:\s?(?P<after>[ap])\.?m\b)?"
)
_CLOCK: Final = re.compile(rf"(?P<before>午前|午後|上午|下午|晚上|早上|오전|오후)?\s?{_HOUR}", re.IGNORECASE)
_ASCII_CLOCK: Final = re.compile(rf"(?=[\s0-9])(?P<before>(?!))?\s?{_HOUR}", re.IGNORECASE)
_DIGIT: Final = re.compile(r"\d")
_CLOCK_SIGN: Final = re.compile(
    r"[0-9]\s?(?:(?<=[0-9]):[0-5][0-9]|uhr|h\s?[0-5][0-9]|[ap]\.?m\b|o'clock\b)", re.IGNORECASE
)
_CLOCK_WORDS: Final = ("kl ", "kl. ", "klockan ", "klokken ", "godz. ", "godzinie ", "saat ")
_NOON: Final = 12
_LATER: Final = frozenset({"午後", "下午", "晚上", "오후", "p"})
_EARLIER: Final = frozenset({"午前", "上午", "早上", "오전", "a"})
# The beginnings of the names, Monday to Sunday.
_NAMES: Final = (
    "monday tuesday wednesday thursday friday saturday sunday",
    "mondays tuesdays wednesdays thursdays fridays saturdays sundays",
    "montag dienstag mittwoch donnerstag freitag samstag|sonnabend sonntag",
    "maandag dinsdag woensdag donderdag vrijdag zaterdag zondag",
    "lundi mardi mercredi jeudi vendredi samedi dimanche",
    "lunes martes miércoles jueves viernes sábado domingo",
    "lunedì martedì mercoledì giovedì venerdì sabato domenica",
    "segunda-feira terça-feira quarta-feira quinta-feira sexta-feira sábado domingo",
    "poniedział wtor śro czwart piąt sobot niedziel",
    "понедельник вторник сред четверг пятниц суббот воскресень",
    "pazartesi salı çarşamba perşembe cuma cumartesi pazar",
    "الاثنين|الإثنين الثلاثاء الأربعاء الخميس الجمعة السبت الأحد",
    "सोमवार मंगलवार बुधवार गुरुवार शुक्रवार शनिवार रविवार",
    "월요일 화요일 수요일 목요일 금요일 토요일 일요일",
    "月曜 火曜 水曜 木曜 金曜 土曜 日曜",
    "周一|星期一 周二|星期二 周三|星期三 周四|星期四 周五|星期五 周六|星期六 周日|星期日|星期天",
)
_INFLECTED: Final = frozenset({8, 9})  # rows of stems, which take endings
_RANGE: Final = re.compile(
    r"\s?(?:-|–|—|~|〜|～|から|到|至|부터)\s?|\s?,?\s(?:to|through|till|until|bis|tot|t/m|à|au|a|al|até|do|по|до|ile|ila|"
    r"إلى|से)\s(?:[ld]\w{0,2}\s)?",
    re.IGNORECASE,
)
# Short forms that are no beginnings of the names.
_SHORT_NAMES: Final = ("pn wt śr czw pt sob nd|ndz", "пн вт ср чт пт сб вс")
_LEAST_LETTERS: Final = 2  # of a shortened name; one sign where a name has a sign of its own
_SHORT_RANGE: Final = re.compile(
    r"(?<![^\W\d_])(?P<first>[^\W\d_]{1,12})\.?"
    r"(?:\s?[-–—~〜～]\s?|から|到|至|부터|\s(?:to|till?|bis|tot|t/m|à|au|a|al|até|do|по|до)\s(?:[ld]\w{0,2}\s)?)"
    r"(?P<last>[^\W\d_]{1,12})(?![^\W\d_])"
)
# The same in lowercase ASCII, where no letter stands between the names: a word is tried once and not letter by letter.
_ASCII_SHORT_RANGE: Final = re.compile(
    r"(?P<first>[a-z](?<![a-z].)[a-z]{0,11}+)\.?"
    r"(?:\s?[-~]\s?|\s(?:to|till?|bis|tot|t/m|au|a|al|do)\s(?:[ld]\w{0,2}\s)?)"
    r"(?P<last>[a-z]{1,12}+)(?![a-z])"
)


def find_times(text: str) -> tuple[Quantity, ...]:
    """Return the times of day and the days of the week in a text."""
    return _remembered(text) if len(text) <= 600 else (*find_clock_times(text), *find_weekdays(text))


@lru_cache(maxsize=2048)
def _remembered(text: str) -> tuple[Quantity, ...]:
    return (*find_clock_times(text), *find_weekdays(text))


def find_clock_times(text: str) -> Iterator[Quantity]:
    """Yield times of day as minutes after midnight; a time that may be of either half of the day has both."""
    found = list((_ASCII_CLOCK if text.isascii() else _CLOCK).finditer(text)) if _may_have_clock(text) else []
    # A text that has 15:00 counts the hours to 24: its 10:00 is in the morning.
    to_24 = any(int(match["h"]) > _NOON for match in found)
    for match in found:
        hour, minute = int(match["h"]), int(match["m"] or match["m2"] or match["m3"] or 0)
        half = (match["before"] or match["after"] or "").lower()
        if half in _LATER and hour < 12:
            hour += 12
        elif half in _EARLIER and hour == 12:
            hour = 0
        value = Decimal(hour * 60 + minute)
        # Twelve hours later is the other reading of a time below 13:00 without am or pm.
        other = value + 720 if not half and not to_24 and value < 720 else None
        start = match.end() - len(match.group().lstrip())  # the pattern takes the blank before the hour too
        yield Quantity(
            value=value, unit="clock", start=start, end=match.end(), quote=text[start : match.end()].strip(), high=other
        )


def _may_have_clock(text: str) -> bool:
    """Whether a text may have a time of day; in ASCII, a sign follows the hour or a word precedes it."""
    if not text.isascii():
        return _DIGIT.search(text) is not None
    if _CLOCK_SIGN.search(text) is not None:
        return True
    low = text.lower()
    return any([word in low for word in _CLOCK_WORDS])


def find_weekdays(text: str) -> Iterator[Quantity]:
    """Yield days of the week, 0 to 6; every day of a range such as Monday to Friday."""
    before: Quantity | None = None
    low = text.lower()
    if len(low) != len(text):
        return
    yield from _short_ranges(text, low)
    for match in _weekdays().finditer(low):
        day = int(match.lastgroup[1:2]) if match.lastgroup else 0
        one = Quantity(
            value=Decimal(day),
            unit="weekday",
            start=match.start(),
            end=match.end(),
            quote=text[match.start() : match.end()],
        )
        if before is not None and _RANGE.fullmatch(text[before.end : one.start]):
            first = int(before.value)
            for step in range(1, (day - first) % 7):
                yield Quantity(
                    value=Decimal((first + step) % 7), unit="weekday", start=one.start, end=one.end, quote=one.quote
                )
        yield one
        before = one


def _short_ranges(text: str, low: str) -> Iterator[Quantity]:
    """Yield the days of ranges of shortened names: Mo–Sa, Mon-Fri, lun. a vie., segunda a sexta, 月〜金.

    A short form is the beginning of a name. Alone it may be any word, so both ends must be names of one language.
    """
    rows = _rows_begun()
    for match in (_ASCII_SHORT_RANGE if low.isascii() else _SHORT_RANGE).finditer(low):
        first, last = match["first"], match["last"]
        if first not in rows or last not in rows:
            continue
        for names in rows[first]:
            ends = [_day_begun(each, names) for each in (first, last)]
            if ends[0] is None or ends[1] is None or ends[0] == ends[1]:
                continue
            if all(each in re.split(r"[ |]", names) for each in (first, last)) and names in _NAMES:
                break  # whole names are found as such
            quote = text[match.start() : match.end()]
            for step in range((ends[1] - ends[0]) % 7 + 1):
                yield Quantity(
                    value=Decimal((ends[0] + step) % 7),
                    unit="weekday",
                    start=match.start(),
                    end=match.end(),
                    quote=quote,
                )
            break


def _day_begun(short: str, names: str) -> int | None:
    """Return the only day whose name begins so."""
    return _days_begun(names).get(short)


@lru_cache(maxsize=32)  # one for each row
def _days_begun(names: str) -> dict[str, int]:
    """Return the beginnings of the names of a row that only one day has, with that day."""
    days: dict[str, set[int]] = {}
    for day, forms in enumerate(names.split()):
        for name in forms.split("|"):
            for length in range(1, len(name) + 1):
                days.setdefault(name[:length], set()).add(day)
    return {
        short: day
        for short, (day, *others) in days.items()
        if not others and len(short) >= (_LEAST_LETTERS if short < "\u2e80" else 1)
    }


@lru_cache(maxsize=1)
def _rows_begun() -> dict[str, tuple[str, ...]]:
    """Return the rows of names, in order, in which only one day begins so."""
    rows: dict[str, list[str]] = {}
    for names in (*_NAMES, *_SHORT_NAMES):
        for short in _days_begun(names):
            rows.setdefault(short, []).append(names)
    return {short: tuple(each) for short, each in rows.items()}


@lru_cache(maxsize=1)
def _weekdays() -> FilteredPattern:
    groups = []
    for day in range(7):
        words = []
        for row, names in enumerate(_NAMES):
            for name in names.split()[day].split("|"):
                ending = (
                    r"\w{0,4}"
                    if row in _INFLECTED
                    else r"(?:[ns]|'?[dt][ae]n?|'?y[aeıi]|ları|leri|'?nin)?"
                    if name.isascii()
                    else ""
                )
                words.append(rf"{re.escape(name)}{ending}")
        latin = "|".join(sorted((each for each in words), key=len, reverse=True))
        groups.append(rf"(?P<d{day}>(?<![a-zà-öø-ÿ])(?:{latin})(?![a-z]))")
    return FilteredPattern("|".join(groups))
