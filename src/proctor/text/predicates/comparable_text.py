"""Texts made comparable, kept for the next predicate that looks at the same text."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from proctor.text.find_phrase import Folded, fold

__all__ = ["folded", "plain", "same", "stripped"]

_GAPS = re.compile(r"\s+")
# What stands around a label without being part of one: C++, PRP$ and #1 keep their signs.
_AROUND = " \t\r\n.,;:!?\"'`*_()[]{}<>“”‘’«»「」『』。、！？：；…"
_SAME = str.maketrans({"“": '"', "”": '"', "„": '"', "«": '"', "»": '"', "‘": "'", "’": "'", "‐": "-", "‑": "-"})


@lru_cache(maxsize=64)
def folded(text: str, ignore_case: bool) -> Folded:
    """The text, folded for searching."""
    return fold(text, ignore_case=ignore_case)


@lru_cache(maxsize=64)
def plain(text: str) -> str:
    """Small letters, single spaces, straight quotes: for asking whether the same words occur."""
    return _GAPS.sub(" ", unicodedata.normalize("NFKC", text).translate(_SAME).casefold()).strip()


def same(text: str, *, ignore_case: bool) -> str:
    """The text as two of them are compared whole."""
    text = text.strip() if text.isascii() else unicodedata.normalize("NFC", text).strip()
    return text.casefold() if ignore_case else text


def stripped(text: str) -> str:
    """Without the punctuation around it."""
    return text.strip(_AROUND)
