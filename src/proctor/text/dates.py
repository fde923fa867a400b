"""Find dates in a text, complete or partial: ISO, with names of months, Japanese with eras, Chinese, Korean."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from typing import Final

from proctor.core.fast_dataclass import fast_constructor
from proctor.text.first_letters import UNUSUAL_LETTERS
from proctor.text.month_names import MONTH_NAMES

__all__ = ["Day", "find_dates", "may_continue_date", "read_date"]

_MONTHS: Final = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_ERAS: Final = {"令和": 2018, "平成": 1988, "昭和": 1925, "大正": 1911, "明治": 1867}
_NAME = (
    r"(?a:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)\b\.?"
)
_FOREIGN: Final = "|".join(sorted(MONTH_NAMES, key=len, reverse=True))
_FOREIGN_NEEDS: Final = tuple(MONTH_NAMES)
# Each pattern with characters of which the text must contain one; they are searched first. A pattern that begins with a
# digit is fast, so the check for a preceding digit comes after the first one.
_PATTERNS: Final = tuple(
    (needs, re.compile(pattern, re.IGNORECASE))
    for needs, pattern in (
        (("-",), r"(?P<y>[12](?<![0-9].)[0-9]{3})-(?P<m>[0-9]{1,2})(?:-(?P<d>[0-9]{1,2}))?(?![0-9-])"),
        (("/", "."), r"(?P<y>[12](?<![0-9].)[0-9]{3})[/.](?P<m>[0-9]{1,2})[/.](?P<d>[0-9]{1,2})(?![0-9])"),
        (
            ("年",),
            r"(?P<era>令和|平成|昭和|大正|明治)\s?(?P<n>[0-9]{1,2}|元)\s?年"
            r"(?:\s?(?P<m>[0-9]{1,2})\s?月(?:\s?(?P<d>[0-9]{1,2})\s?日)?)?",
        ),
        (
            ("年",),
            r"(?P<y>[12](?<![0-9].)[0-9]{3})\s?年(?!間)(?:\s?(?P<m>[0-9]{1,2})\s?月(?:\s?(?P<d>[0-9]{1,2})\s?日)?)?",
        ),
        (("月",), r"(?P<m>[0-9](?<![0-9].)[0-9]?)\s?月\s?(?P<d>[0-9]{1,2})\s?日(?!間)"),
        (
            ("월",),
            r"(?:(?P<y>[12](?<![0-9].)[0-9]{3})\s?년\s?)?(?P<m>[0-9](?<![0-9].)[0-9]?)\s?월\s?(?P<d>[0-9]{1,2})\s?일",
        ),
        (
            _MONTHS,
            rf"\b(?P<name>{_NAME})\s+(?P<d>[0-9]{{1,2}})(?:st|nd|rd|th)?(?![0-9]|:[0-9]{{2}})"  # "10 June 11:30"
            r"(?:(?:,\s*|\s+)(?P<y>[12][0-9]{3})(?![0-9]))?",
        ),
        (
            _MONTHS,
            rf"(?P<d>[0-9](?<![0-9].)[0-9]?)(?:st|nd|rd|th)?\s+(?:of\s+)?(?P<name>{_NAME})"
            r"(?:,?\s+(?P<y>[12][0-9]{3})(?![0-9]))?",
        ),
        (
            _FOREIGN_NEEDS,
            rf"(?P<d>[0-9](?<![0-9].)[0-9]?)\.?\s+(?:de\s+)?(?P<foreign>{_FOREIGN})"
            r"(?!\w)(?:,?\s+(?:del?\s+)?(?P<y>[12][0-9]{3})(?![0-9]))?",
        ),
        (_MONTHS, rf"\b(?P<name>{_NAME})\s+(?P<y>[12][0-9]{{3}})(?![0-9])"),
    )
)
_BEGUN: Final = min(map(len, MONTH_NAMES))  # characters
_BEGINNINGS: Final = frozenset(name[:_BEGUN] for name in MONTH_NAMES)
# The beginning of the word after a digit.
_AFTER_DIGIT: Final = re.compile(rf"[0-9]\.?\s+(?:de\s+)?(?=(\S[\s\S]{{0,{_BEGUN - 1}}}))")
_BEGIN_MONTH: Final = f"(?:{'|'.join(_MONTHS)})"
_SENTENCE: Final = 160  # characters
_MONTH_THEN_DIGIT: Final = re.compile(rf"{_BEGIN_MONTH}[a-z]*\.?\s+[0-9]")
_DIGIT_THEN_MONTH: Final = re.compile(rf"[0-9](?:st|nd|rd|th)?\s+(?:of\s+)?{_BEGIN_MONTH}")
# In ASCII, the names of months are searched beside a digit.
_ASCII_PATTERNS: Final = tuple(
    (
        needs
        if needs is not _MONTHS
        else _DIGIT_THEN_MONTH
        if pattern.pattern.startswith("(?P<d>")
        else _MONTH_THEN_DIGIT,
        pattern,
    )
    for needs, pattern in _PATTERNS
    if any(map(str.isascii, needs))
)
_ANY: Final = re.compile("[0-9元]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Day:
    """A date, possibly partial; missing parts are ``None``."""

    year: int | None = None
    month: int | None = None
    day: int | None = None
    start: int = 0
    end: int = 0

    def agrees(self, other: Day) -> bool:
        """Whether both may be the same date: they share a part, and no shared part differs."""
        pairs = [(self.year, other.year), (self.month, other.month), (self.day, other.day)]
        told = [(one, two) for one, two in pairs if one is not None and two is not None]
        return bool(told) and all(one == two for one, two in told)

    def moved(self, by: int) -> Day:
        """Return the same date so many characters further on."""
        return _made(year=self.year, month=self.month, day=self.day, start=self.start + by, end=self.end + by)

    @property
    def order(self) -> tuple[int, int, int]:
        """The sort key of dates; missing parts count as 0."""
        return (self.year or 0, self.month or 0, self.day or 0)


_made: Final = fast_constructor(Day)


def find_dates(text: str) -> tuple[Day, ...]:
    """Return every date in the text, in order and without overlaps; impossible ones (30 February) are skipped."""
    found: list[Day] = []
    taken: list[tuple[int, int]] = []
    for (start, end), day in _matches(_plain(text)):
        if all(end <= first or start >= last for first, last in taken):
            taken.append((start, end))  # no part of an impossible date is a date either
            if day is not None:
                found.append(day)
    return tuple(sorted(found, key=lambda each: each.start))


def may_continue_date(ahead: str) -> bool:
    """Whether what follows a number and a full stop may be the name of a month, as in "3. Mai"."""
    return ahead[:_BEGUN].lower() in _BEGINNINGS or ahead[:2].lower() == "de"


def read_date(text: str | None) -> Day | None:
    """Parse the date of a field: one date, or a year alone; a time after it is ignored."""
    text = _plain(text or "").strip()
    if re.fullmatch(r"[12]\d{3}", text):
        return Day(year=int(text), end=4)
    if re.match(r"[12]\d{3}-\d{2}-\d{2}[T ]\d", text, re.IGNORECASE):
        text = text[:10]
    days = find_dates(text[:100])
    return days[0] if days and days[0].year is not None else None


def _matches(plain: str) -> Iterator[tuple[tuple[int, int], Day | None]]:
    if _ANY.search(plain) is None:
        return
    low, missing = plain.lower(), None
    for needs, pattern in _ASCII_PATTERNS if plain.isascii() else _PATTERNS:
        if needs is missing:
            continue
        if not _has_any(low, needs):
            missing = needs
            continue
        for match in pattern.finditer(plain):
            yield match.span(), _day(match)


def _has_any(low: str, needs: tuple[str, ...] | re.Pattern[str]) -> bool:
    if isinstance(needs, re.Pattern):
        if len(low) > _SENTENCE and not any([name in low for name in _MONTHS]):
            return False  # in a long text this takes a tenth of the time of the pattern
        return needs.search(low) is not None
    if len(needs) == 1:
        return needs[0] in low
    if needs is not _FOREIGN_NEEDS:
        return any([need in low for need in needs])
    if not low.isascii() and not UNUSUAL_LETTERS.isdisjoint(low):
        return True
    # A hundred and fifty names: most texts have no word that begins like one of them, a blank after a digit.
    return not _BEGINNINGS.isdisjoint(_AFTER_DIGIT.findall(low))


def _day(match: re.Match[str]) -> Day | None:
    said = match.groupdict()
    year = int(said["y"]) if said.get("y") else None
    if said.get("era"):
        year = _ERAS[said["era"]] + (1 if said["n"] == "元" else int(said["n"]))
    month = int(said["m"]) if said.get("m") else None
    if said.get("name"):
        month = _MONTHS.index(said["name"][:3].lower()) + 1
    if said.get("foreign"):
        month = MONTH_NAMES.get(said["foreign"].lower())
        if month is None:  # a letter that only looks like one of the name
            return None
    day = int(said["d"]) if said.get("d") else None
    try:
        date(year or 2024, month or 1, day or 1)  # a leap year, so that 29 February alone is valid
    except ValueError:
        return None
    return _made(year=year, month=month, day=day, start=match.start(), end=match.end())


def _plain(text: str) -> str:
    """Convert digits to ASCII and keep all offsets."""
    return text if text.isascii() or _WIDE.search(text) is None else "".join(map(_digit, text))


_WIDE: Final = re.compile(r"[^\x00-\x7f](?<=\d)")


@lru_cache(maxsize=4096)
def _digit(character: str) -> str:
    digit = None if character.isascii() else unicodedata.decimal(character, None)
    return character if digit is None else str(digit)
