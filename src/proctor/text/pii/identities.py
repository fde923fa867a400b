"""Numbers that states give to people: passports, social security, the Japanese individual number."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from proctor.core.verdict import Finding

__all__ = ["find_national_numbers", "find_passports"]

# The shape alone is that of many a booking: the word must stand before it.
_PASSPORT: Final = re.compile(
    r"(?:\bpassport(?:\s+(?:number|no\.?|#|id))?|パスポート(?:番号)?|旅券(?:番号)?)[^A-Za-z0-9\n]{0,4}"
    r"(?:(?:is|was|ending|:|は)[^A-Za-z0-9\n]{0,3})?((?=[A-Z0-9]{6,9}(?![A-Za-z0-9]))(?=[A-Z]*\d)[A-Z]{0,2}\d{5,9}[A-Z]?)",
    re.IGNORECASE,
)
_SOCIAL: Final = re.compile(r"(?<![\w-])(?!000|666|9\d\d)\d{3}-(?!00)\d{2}-(?!0000)\d{4}(?![\w-])", re.ASCII)
_INDIVIDUAL: Final = re.compile(
    r"(?:マイナンバー|個人番号|\bmy ?number\b|\bindividual number\b)[^\d\n]{0,12}(\d{4}[ -]?\d{4}[ -]?\d{4})(?!\d)",
    re.IGNORECASE,
)


def find_passports(text: str) -> Iterator[Finding]:
    """Every number that is called a passport's."""
    for hit in _PASSPORT.finditer(text):
        yield Finding(kind="passport", text=hit.group(1), start=hit.start(1), end=hit.end(1), confidence=0.9)


def find_national_numbers(text: str) -> Iterator[Finding]:
    """Social security numbers by their shape, individual numbers by their name and check digit."""
    for hit in _SOCIAL.finditer(text):
        yield Finding(kind="national_id", text=hit.group(), start=hit.start(), end=hit.end(), confidence=0.9)
    for hit in _INDIVIDUAL.finditer(text):
        if _individual(re.sub(r"\D", "", hit.group(1))):
            yield Finding(kind="national_id", text=hit.group(1), start=hit.start(1), end=hit.end(1), confidence=0.95)


def _individual(digits: str) -> bool:
    """Whether the twelfth digit is the check digit that the law lays down."""
    total = sum(int(digit) * (n + 1 if n <= 6 else n - 5) for n, digit in enumerate(reversed(digits[:11]), start=1))
    rest = total % 11
    return int(digits[11]) == (0 if rest <= 1 else 11 - rest)
