"""Split words written without spaces, in any language in Latin script, at minimum cost."""

from __future__ import annotations

from functools import cache
from itertools import accumulate, pairwise
from math import log2
from pathlib import Path

from proctor.text.normalise.language_likeness import common_words, letter_pairs, ranks

__all__ = ["part", "split_glued"]

_LONGEST = 16
_FIRST = 7.5  # bits of the most frequent word of the long list
_SHORT, _SHORT_MORE = 3, 2.0  # short words of other languages occur inside every word, so they cost more
_UNKNOWN = 10.0  # a word outside the lists costs this in addition to its letters
_SHORTEST_UNKNOWN = 3
_PASSABLE = 0.75  # minimum share of letters in known words of more than one letter


@cache
def _costs() -> dict[str, float]:
    """Map words to bits: by rank among English words, otherwise by rank among those of many languages."""
    lines = Path(__file__).with_name("many_words.txt").read_text(encoding="utf-8").splitlines()
    many = " ".join(line for line in lines if not line.startswith("#")).split()
    found = {
        word: _FIRST + log2(place + 1) + (_SHORT_MORE if len(word) <= _SHORT else 0.0)
        for place, word in enumerate(many)
    }
    found |= {word: min(found.get(word, 99.0), 13.0) for word in common_words()}
    return found | {word: 3.0 + (place + 2).bit_length() for word, place in ranks().items()}


def part(letters: str) -> tuple[list[str], float]:
    """Split lowercase letters into words; return them and the bits per letter: under 4 for most languages."""
    known, pairs = _costs(), letter_pairs()
    inner = list(accumulate((pairs.get(a + b, 11.0) for a, b in pairwise(letters)), initial=0.0))
    before = [_UNKNOWN + pairs.get(f" {letter}", 11.0) for letter in letters]
    after = [pairs.get(f"{letter} ", 11.0) for letter in letters]
    best: list[tuple[float, int]] = [(0.0, 0)]
    for end in range(1, len(letters) + 1):
        least, chosen = 1e9, end - 1
        for start in range(max(0, end - _LONGEST), end):
            bits = known.get(letters[start:end])
            if bits is None:
                if end - start < _SHORTEST_UNKNOWN and len(letters) > end - start:
                    bits = 16.0 * (end - start)
                else:
                    bits = before[start] + inner[end - 1] - inner[start] + after[end - 1]
            if best[start][0] + bits < least:
                least, chosen = best[start][0] + bits, start
        best.append((least, chosen))
    words: list[str] = []
    end = len(letters)
    while end:
        start = best[end][1]
        words.append(letters[start:end])
        end = start
    return words[::-1], best[-1][0] / max(1, len(letters))


def split_glued(letters: str) -> list[str] | None:
    """Split words written without spaces; None if too little of the result is known words."""
    words, _ = part(letters)
    known = _costs()
    covered = sum(len(word) for word in words if word in known and len(word) > 1)
    return words if covered >= _PASSABLE * len(letters) else None
