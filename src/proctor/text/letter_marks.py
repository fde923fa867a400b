"""Small letters without the marks above and below them, to compare how words are written."""

from __future__ import annotations

import unicodedata
from functools import lru_cache

__all__ = ["without_marks"]


@lru_cache(maxsize=512)
def without_marks(text: str) -> str:
    """Return a text in lowercase and without the marks above and below its letters."""
    if text.isascii():
        return text.lower()
    plain = unicodedata.normalize("NFKD", text)
    return "".join(each for each in plain if not unicodedata.combining(each)).casefold()
