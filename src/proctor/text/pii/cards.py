"""Find payment card and international bank account numbers, by check digits or by label."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from proctor.core.verdict import Finding
from proctor.text.lazy_pattern import Lazy
from proctor.text.pii.checks import luhn, mod97
from proctor.text.pii.context import digits_of, made, spaced

__all__ = ["find_cards", "find_endings", "find_ibans", "find_named_ibans", "find_starred"]

# A row of digits; inside a longer one (with a date or a code beside it), parts formatted as cards.
_ROW: Final = Lazy(r"[0-9](?<![\d.,-].)(?<!\d .)(?:[ -]?\d){11,}+")
_GOES_ON: Final = Lazy(r"-?\d|[.,]\d")
_WRITTEN: Final = Lazy(
    r"(?<!\d)(?=(\d{4}([ -])\d{4}\2\d{4}\2\d{4}(?!\d)|\d{4}([ -])\d{6}\3\d{4,5}(?!\d)|\d{13,19}(?!\d)))"
)
# Prefixes of the issuers, and the valid lengths.
_ISSUERS: Final = (
    (Lazy("4"), (13, 16, 19)),
    (Lazy(r"5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720"), (16,)),
    (Lazy("3[47]"), (15,)),
    (Lazy(r"30[0-5]|3095|3[689]"), (14, 15, 16, 17, 18, 19)),
    (Lazy("35"), (16, 17, 18, 19)),
    (Lazy("1800|2131"), (15,)),
    (Lazy(r"6011|64[4-9]|65|62|60|508|81|82"), (16, 17, 18, 19)),
    (Lazy(r"220[0-4]|9792"), (16,)),
    (Lazy(r"5018|5020|5038|5[6-9]|6(?:304|7[0-9]{2})"), (12, 13, 14, 15, 16, 17, 18, 19)),
)
_NAMED_CARD: Final = Lazy(
    r"(?:\b(?:credit|debit|bank|payment|visa|master ?card|amex|american express|cc|card)\b|カード)[^\n]{0,40}$",
    re.IGNORECASE,
)
_STARRED: Final = Lazy(r"(?<![\w*])(?:\d{4}[ -]?)?(?:[Xx*•#]{2,6}[ -]?){1,4}(?:\d{2,4}[ -]?)?\d{4}(?![\w*])", re.ASCII)
_ENDING: Final = Lazy(
    r"(?:\b(?:card|visa|master ?card|amex|american express|account|debit|credit)\b[^\n\d]{0,30}?\b(?:ending|ends|end"
    r"|finishing)"
    r"(?: (?:in|with|by))?|\blast (?:four|4)(?: digits?)?(?: (?:of|on) (?:my|the|his|her|our"
    r"|your) (?:\w{1,12} ){0,2}(?:card|account))?"
    r"|下\s?(?:4|四)\s?桁|末尾)(?:[^\w\n]{0,3}(?:is|are|was|number|digits?|は|が))?[^\w\n]{0,5}(\d{4})(?![A-Za-z0-9,]"
    r"|\.\d)",
    re.IGNORECASE,
)
_IBAN: Final = Lazy(r"[A-Z](?<![A-Za-z0-9].)[A-Z]\d{2}(?: ?[A-Z0-9]){11,30}(?![A-Za-z0-9])")
_NAMED_IBAN: Final = Lazy(
    r"\biban\b[^\w\n]{0,4}(?:(?:is|number|no|code)[^\w\n]{0,4}){0,2}([A-Z]{2}\d{2}(?: ?[A-Z0-9]{8,30}"
    r"|(?: [A-Z0-9]{2,4}){3,8}))(?![A-Za-z0-9])",
    re.IGNORECASE,
)
# Length of account numbers by country; other countries may have any length.
_LENGTHS: Final = {
    "AD": 24, "AE": 23, "AT": 20, "BE": 16, "BG": 22, "CH": 21, "CY": 28, "CZ": 24, "DE": 22, "DK": 18, "EE": 20,
    "ES": 24, "FI": 18, "FR": 27, "GB": 22, "GR": 27, "HR": 21, "HU": 28, "IE": 22, "IL": 23, "IS": 26, "IT": 27,
    "LI": 21, "LT": 20, "LU": 20, "LV": 21, "MC": 27, "MT": 31, "NL": 18, "NO": 15, "PL": 28, "PT": 25, "RO": 24,
    "SA": 24, "SE": 24, "SI": 19, "SK": 24, "SM": 27, "TR": 26,
}  # fmt: skip


def find_cards(text: str) -> Iterator[Finding]:
    """Find numbers with a card's prefix and length, and with a valid check digit or a label."""
    for row in _ROW.finditer(text):
        if found := _card(text, *row.span()):
            yield found
            continue
        last = 0
        for hit in _WRITTEN.finditer(row.group()):
            start, end = row.start() + hit.start(1), row.start() + hit.end(1)
            if start >= last and (found := _card(text, start, end)):
                last = end
                yield found


def _card(text: str, start: int, end: int) -> Finding | None:
    digits = digits_of(text[start : min(end, start + 60)])
    if len(digits) > 19 or len(set(digits)) == 1 or _GOES_ON.match(text, end):
        return None
    issued = _issued(digits)
    if issued and len(digits) > 12 and luhn(digits):
        return made("card", text, (start, end), 0.95)
    if (issued or luhn(digits)) and _NAMED_CARD.search(text[max(0, start - 60) : start]):
        return made("card", text, (start, end), 0.6, "check digit wrong" if issued else "issuer unknown")
    return None


def _issued(digits: str) -> bool:
    return any(len(digits) in lengths and begins.match(digits) for begins, lengths in _ISSUERS)


def find_endings(text: str) -> Iterator[Finding]:
    """Find the last four digits of a card or an account after a label."""
    for hit in _ENDING.finditer(spaced(text)):
        yield made("card_fragment", text, hit.span(1), 0.8)


def find_starred(text: str) -> Iterator[Finding]:
    """Find numbers with a masked middle."""
    for hit in _STARRED.finditer(text):
        if sum(map(hit.group().count, "Xx*•#")) >= 6:
            yield made("card_fragment", text, hit.span(), 0.8)


def find_ibans(text: str) -> Iterator[Finding]:
    """Find international account numbers with valid check digits."""
    for hit in _IBAN.finditer(text):
        yield from _iban(text, *hit.span())


def find_named_ibans(text: str) -> Iterator[Finding]:
    """Find numbers labelled IBAN, also in lowercase or with wrong check digits."""
    for hit in _NAMED_IBAN.finditer(text):
        if right := list(_iban(text, *hit.span(1))):
            yield from right
        else:
            yield made("iban", text, hit.span(1), 0.6, "check digits wrong")


def _iban(text: str, start: int, end: int) -> Iterator[Finding]:
    written = text[start:end].upper()
    length = _LENGTHS.get(written[:2])
    last = _cut(written, length) if length else len(written)
    if last and mod97((number := written[:last].replace(" ", ""))[4:] + number[:4]) == 1:
        yield made("iban", text, (start, start + last), 0.99)


def _cut(written: str, length: int) -> int:
    """Return the end of that many characters, without counting spaces; 0 if there are fewer."""
    seen = 0
    for place, character in enumerate(written):
        seen += character != " "
        if seen == length:
            return place + 1
    return 0
