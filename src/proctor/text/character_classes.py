"""Sets of code points as ranges: digits, spaces and word characters exactly as in Python's ``re``."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from functools import cache
from typing import Final

__all__ = ["Ranges", "digit_ranges", "inverted", "is_word", "ranges_of", "space_ranges", "word_ranges"]

Ranges = tuple[tuple[int, int], ...]  # sorted, disjoint, without surrogates
_SURROGATES: Final = (0xD800, 0xDFFF)  # RE2 reads UTF-8, which has none


def ranges_of(ranges: Iterable[tuple[int, int]]) -> Ranges:
    """Return the same set with sorted and merged ranges."""
    found: list[tuple[int, int]] = []
    for low, high in sorted(ranges):
        if found and low <= found[-1][1] + 1:
            found[-1] = (found[-1][0], max(found[-1][1], high))
        else:
            found.append((low, high))
    return tuple(part for each in found for part in _without_surrogates(*each))


def inverted(ranges: Ranges) -> Ranges:
    """Return all other code points."""
    found, at = [], 0
    for low, high in ranges_of((*ranges, _SURROGATES)) if ranges else (_SURROGATES,):
        if at < low:
            found.append((at, low - 1))
        at = high + 1
    if at <= sys.maxunicode:
        found.append((at, sys.maxunicode))
    return ranges_of(found)


def is_word(ranges: Ranges, *, ascii_only: bool = False) -> bool | None:
    """Return True if all characters are word characters, False if none is, None if some are."""
    words = word_ranges(ascii_only)
    inside = sum(high - low + 1 for low, high in _common(ranges, words))
    if not inside:
        return False
    return True if inside == sum(high - low + 1 for low, high in ranges) else None


def _common(one: Ranges, other: Ranges) -> Iterable[tuple[int, int]]:
    left, right = 0, 0
    while left < len(one) and right < len(other):
        low, high = max(one[left][0], other[right][0]), min(one[left][1], other[right][1])
        if low <= high:
            yield low, high
        if one[left][1] < other[right][1]:
            left += 1
        else:
            right += 1


def _without_surrogates(low: int, high: int) -> list[tuple[int, int]]:
    parts = [(low, min(high, _SURROGATES[0] - 1)), (max(low, _SURROGATES[1] + 1), high)]
    return [(start, end) for start, end in parts if start <= end]


def _where(pattern: str) -> Ranges:
    """Return the characters that a character class of ``re`` matches, found by matching all of them."""
    every = "".join(map(chr, (*range(_SURROGATES[0]), *range(_SURROGATES[1] + 1, sys.maxunicode + 1))))
    hits = re.finditer(f"{pattern}+", every)
    return ranges_of((ord(every[hit.start()]), ord(every[hit.end() - 1])) for hit in hits)


@cache
def word_ranges(ascii_only: bool) -> Ranges:
    r"""Return the ranges of ``\w``."""
    return _where(r"(?a:\w)" if ascii_only else r"\w")


@cache
def digit_ranges(ascii_only: bool) -> Ranges:
    r"""Return the ranges of ``\d``."""
    return _where(r"(?a:\d)" if ascii_only else r"\d")


@cache
def space_ranges(ascii_only: bool) -> Ranges:
    r"""Return the ranges of ``\s``."""
    return _where(r"(?a:\s)" if ascii_only else r"\s")
