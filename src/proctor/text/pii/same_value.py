"""Compare values regardless of format: spaces in a card, country code of a phone, title of a person."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from typing import Final

from proctor.text.pii.phones import phone_key

__all__ = ["is_part_of", "same_value", "value_key"]

_TITLE: Final = re.compile(
    r"^(?:mr|mrs|ms|miss|mx|dr|prof|professor|sir|madam|herr|frau|mme|sr|sra|m)\.?\s+|(?:さん|様|さま|氏|先生|殿|くん"
    r"|ちゃん)$"
)
_SHORTEST_PART: Final = 2


def same_value(kind: str, one: str, others: Iterable[str]) -> bool:
    """Whether one of the others is the same value in any format."""
    wanted = value_key(kind, one)
    return bool(wanted) and any(value_key(kind, other) == wanted for other in others)


def value_key(kind: str, value: str) -> str:
    """Return a key that is equal for all formats of one value; empty if nothing can be compared."""
    plain = unicodedata.normalize("NFKC", value).casefold()
    if kind == "phone":
        return phone_key(plain)
    if kind in ("email", "secret"):
        return plain
    if kind == "person":
        return " ".join(_TITLE.sub("", plain.strip()).replace("・", " ").split())
    return re.sub(r"[^\w]", "", plain)


def is_part_of(part: str, whole: str) -> bool:
    """Whether a person's key is part of another: ``anna`` of ``anna berg``, 山田 of 山田太郎."""
    if part == whole or len(part) < _SHORTEST_PART:
        return False
    if not whole.isascii() and " " not in whole and not part.isascii():
        return whole.startswith(part) or whole.endswith(part)
    words = whole.split()
    return all(word in words for word in part.split()) if part else False
