"""Numbers of payment cards and bank accounts, each proven by its check digits."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from proctor.core.verdict import Finding

__all__ = ["find_cards", "find_ibans", "luhn"]

_CARD: Final = re.compile(r"(?<![\d.,-])(?:\d[ -]?){12,18}\d(?![\d-]|[.,]\d)")
_ISSUER: Final = re.compile(r"^(?:4|5[1-5]|2[2-7]|3[0-9]|6)")
_IBAN: Final = re.compile(r"(?<![A-Za-z0-9])[A-Z]{2}\d{2}(?: ?[A-Z0-9]){11,30}(?![A-Za-z0-9])")
# How long an account's number is in each country that has one; others are taken at any length.
_LENGTHS: Final = {
    "AD": 24, "AE": 23, "AT": 20, "BE": 16, "BG": 22, "CH": 21, "CY": 28, "CZ": 24, "DE": 22, "DK": 18, "EE": 20,
    "ES": 24, "FI": 18, "FR": 27, "GB": 22, "GR": 27, "HR": 21, "HU": 28, "IE": 22, "IL": 23, "IS": 26, "IT": 27,
    "LI": 21, "LT": 20, "LU": 20, "LV": 21, "MC": 27, "MT": 31, "NL": 18, "NO": 15, "PL": 28, "PT": 25, "RO": 24,
    "SA": 24, "SE": 24, "SI": 19, "SK": 24, "SM": 27, "TR": 26,
}  # fmt: skip


def find_cards(text: str) -> Iterator[Finding]:
    """Every number of 13 to 19 digits that begins like a card's and whose check digit is right."""
    for hit in _CARD.finditer(text):
        digits = re.sub(r"\D", "", hit.group())
        if 13 <= len(digits) <= 19 and _ISSUER.match(digits) and len(set(digits)) > 1 and luhn(digits):
            yield Finding(kind="card", text=hit.group(), start=hit.start(), end=hit.end(), confidence=0.95)


def luhn(digits: str) -> bool:
    """Whether the last digit is the check digit of those before it."""
    total = 0
    for place, digit in enumerate(reversed(digits)):
        value = int(digit) * (2 if place % 2 else 1)
        total += value - 9 if value > 9 else value
    return total % 10 == 0


def find_ibans(text: str) -> Iterator[Finding]:
    """Every international account number whose check digits are right."""
    for hit in _IBAN.finditer(text):
        written = hit.group()
        length = _LENGTHS.get(written[:2])
        end = _cut(written, length) if length else len(written)
        if end and _checked(written[:end].replace(" ", "")):
            yield Finding(kind="iban", text=written[:end], start=hit.start(), end=hit.start() + end, confidence=0.99)


def _cut(written: str, length: int) -> int:
    """Where so many characters end, spaces not counted; 0 when there are fewer."""
    seen = 0
    for place, character in enumerate(written):
        seen += character != " "
        if seen == length:
            return place + 1
    return 0


def _checked(number: str) -> bool:
    turned = number[4:] + number[:4]
    return int("".join(str(int(character, 36)) for character in turned)) % 97 == 1
