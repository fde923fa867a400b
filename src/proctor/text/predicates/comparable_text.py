"""Normalise texts for comparison, cached for the next predicate on the same text."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from proctor.text.find_phrase import Folded, fold

__all__ = ["folded", "plain", "same", "stripped"]

_GAPS = re.compile(r"\s+")
# Characters around a label that are not part of it: C++, PRP$ and #1 keep their signs.
_AROUND = " \t\r\n.,;:!?\"'`*_()[]{}<>“”‘’«»「」『』。、！？：；…"
_SAME = str.maketrans({"“": '"', "”": '"', "„": '"', "«": '"', "»": '"', "‘": "'", "’": "'", "‐": "-", "‑": "-"})


@lru_cache(maxsize=64)
def folded(text: str, ignore_case: bool) -> Folded:
    """Return the text folded for searching."""
    return fold(text, ignore_case=ignore_case)


@lru_cache(maxsize=64)
def plain(text: str) -> str:
    """Return lowercase text with single spaces and straight quotes, to test whether the same words occur."""
    return _GAPS.sub(" ", unicodedata.normalize("NFKC", text).translate(_SAME).casefold()).strip()


def same(text: str, *, ignore_case: bool) -> str:
    """Return the form in which whole texts are compared."""
    text = text.strip() if text.isascii() else unicodedata.normalize("NFC", text).strip()
    return text.casefold() if ignore_case else text


def stripped(text: str) -> str:
    """Strip the punctuation around a text."""
    return text.strip(_AROUND)
