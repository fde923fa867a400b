"""Check whether required statements were said: numbers by value, other text literally."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import Final

__all__ = ["said_in", "said_plainly"]

_NUMBER: Final = re.compile(r"(?<![\w.])-?[$€£¥]?\s?\d[\d,]*(?:\.\d+)?(?![\d])")
_MARKS: Final = re.compile(r"[*_`#>]+")


def said_plainly(wanted: str, text: str) -> bool:
    """Whether the text contains this literally, apart from case, markup, white space and number format."""
    return said_in([wanted], [text]) == [0]


def said_in(wanted: Sequence[str], texts: Sequence[str]) -> list[int | None]:
    """Return for each statement the index of the first text that contains it; ``None`` if none does."""
    read = [(_flat(text), _numbers(text)) for text in texts]
    found: list[int | None] = []
    for each in wanted:
        flat, number = _flat(each), _as_number(each)
        found.append(next((i for i, (words, numbers) in enumerate(read) if _says(flat, number, words, numbers)), None))
    return found


def _says(flat: str, number: float | None, words: str, numbers: frozenset[float]) -> bool:
    if number is not None:
        return number in numbers or (flat in words and len(flat) >= 4)
    return bool(flat) and flat in words


def _flat(text: str) -> str:
    plain = unicodedata.normalize("NFKC", _MARKS.sub("", text)).replace(",", "")
    return " ".join(plain.split()).casefold()


def _as_number(text: str) -> float | None:
    bare = text.strip().replace(",", "").lstrip("$€£¥").strip()
    return round(float(bare), 2) if re.fullmatch(r"-?\d{1,15}(?:\.\d+)?", bare) else None


def _numbers(text: str) -> frozenset[float]:
    found = set()
    for match in _NUMBER.finditer(_MARKS.sub("", text)):
        number = _as_number(match.group().replace("$", "").replace(" ", ""))
        if number is not None:
            found |= {number, abs(number)}
    return frozenset(found)
