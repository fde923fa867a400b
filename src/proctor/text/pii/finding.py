"""All kinds of personal data in one text, none counted twice, and whether two values are the same."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Final

from proctor.core.verdict import Finding
from proctor.text.pii.cards import find_cards, find_ibans
from proctor.text.pii.emails import find_emails
from proctor.text.pii.identities import find_national_numbers, find_passports
from proctor.text.pii.phones import find_phones, phone_key

__all__ = ["KINDS", "find_pii", "same_value"]

Finder = Callable[[str], Iterator[Finding]]

# In the order in which they are believed: a card's digits may look like a telephone's, never the other way round.
_FINDERS: Final[Mapping[str, Finder]] = MappingProxyType(
    {
        "email": find_emails,
        "iban": find_ibans,
        "card": find_cards,
        "passport": find_passports,
        "national_id": find_national_numbers,
        "phone": find_phones,
    }
)
KINDS: Final = tuple(_FINDERS)
LONGEST: Final = 400_000


def find_pii(
    text: str, *, kinds: Collection[str] = KINDS, codes: Mapping[str, re.Pattern[str]] = MappingProxyType({})
) -> tuple[Finding, ...]:
    """Personal data of these kinds, in order, none overlapping; ``codes`` are further kinds by their patterns.

    Full-width digits and letters are read as plain ones; the places are those of the text as it is. The first 400,000
    letters are read.
    """
    source = text[:LONGEST]
    plain = source if source.isascii() else _narrow(source)
    found: list[Finding] = []
    for each in _all(plain, kinds, codes):
        start, end = each.start or 0, each.end or 0
        if not any(start < (other.end or 0) and (other.start or 0) < end for other in found):
            found.append(each)
    return tuple(sorted((_as_written(each, source) for each in found), key=lambda each: each.start or 0))


def _all(text: str, kinds: Collection[str], codes: Mapping[str, re.Pattern[str]]) -> Iterator[Finding]:
    for kind, pattern in codes.items():
        for hit in pattern.finditer(text):
            if hit.group():
                yield Finding(kind=kind, text=hit.group(), start=hit.start(), end=hit.end(), confidence=0.9)
    for kind, finder in _FINDERS.items():
        if kind in kinds:
            yield from finder(text)


def _narrow(text: str) -> str:
    """The text letter by letter in its plain form, so that every place stays where it is."""
    made = (unicodedata.normalize("NFKC", letter) if "\uff01" <= letter <= "\uff5e" else letter for letter in text)
    return "".join(made)


def _as_written(found: Finding, source: str) -> Finding:
    written = source[found.start : found.end]
    if written == found.text:
        return found
    return Finding(kind=found.kind, text=written, start=found.start, end=found.end, confidence=found.confidence)


def same_value(kind: str, one: str, others: Iterable[str]) -> bool:
    """Whether one of the others is this value, however it is written."""
    wanted = _key(kind, one)
    return bool(wanted) and any(_key(kind, other) == wanted for other in others)


def _key(kind: str, value: str) -> str:
    plain = unicodedata.normalize("NFKC", value).casefold()
    if kind == "phone":
        return phone_key(plain)
    return plain if kind == "email" else re.sub(r"[^\w]", "", plain)
