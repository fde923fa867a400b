"""Decode substitution ciphers: ROT13 and other Caesar shifts, Atbash."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from functools import cache

from proctor.text.normalise.decoders.rewrites import rewritten_stretches
from proctor.text.normalise.language_likeness import common_words
from proctor.text.normalise.layer import Layer
from proctor.text.normalise.patches import Found, patch_of_text

__all__ = ["ROT13", "find_ciphers"]

_SMALL = "abcdefghijklmnopqrstuvwxyz"


def _shifted(by: int) -> dict[int, int]:
    turned = _SMALL[by:] + _SMALL[:by]
    return str.maketrans(_SMALL + _SMALL.upper(), turned + turned.upper())


ROT13 = _shifted(13)
_COMMON = (("rot13", ROT13), ("atbash", str.maketrans(_SMALL + _SMALL.upper(), _SMALL[::-1] + _SMALL[::-1].upper())))
_SHIFTS = tuple(_shifted(by) for by in range(26))
_SHORTEST_TOLD = 4
_MOST_SHIFTS = 3
_MARGIN = 2.0


@cache
def _shapes() -> dict[str, list[int]]:
    """Map common words, shifted to begin with ``a``, to their shifts; this shape is invariant under Caesar shifts."""
    shapes: dict[str, list[int]] = {}
    for word in common_words():
        if len(word) >= _SHORTEST_TOLD:
            shape, by = _shape(word)
            shapes.setdefault(shape, []).append(by)
    return shapes


def _shape(word: str) -> tuple[str, int]:
    by = ord(word[0]) - ord("a")
    return word.translate(_SHIFTS[-by % 26]), by


def _likely_shifts(words: Collection[str]) -> list[int]:
    """Return the shifts under which most of the words are common ones."""
    shapes, votes = _shapes(), Counter[int]()
    for word in words if len(words) > 1 else ():
        shape, by = _shape(word)
        if shape in shapes:
            votes.update((target - by) % 26 for target in shapes[shape])
    return [shift for shift, count in votes.most_common(_MOST_SHIFTS) if count > 1 and shift not in (0, 13)]


def find_ciphers(layer: Layer) -> Iterator[Found]:
    """Find every stretch that a shift or Atbash turns into language."""
    if len(layer.unknown) < 2:
        return
    for kind, table in _COMMON:
        yield from _decipher(layer, kind, table)
    for shift in _likely_shifts([word for word in layer.unknown if len(word) >= _SHORTEST_TOLD]):
        yield from _decipher(layer, "caesar", _SHIFTS[shift])


def _decipher(layer: Layer, kind: str, table: dict[int, int]) -> Iterator[Found]:
    text = layer.text
    words, runs = rewritten_stretches(layer, lambda letters: letters.translate(table), _MARGIN)
    patches = []
    for first, after in runs:
        start, end = (0, len(text)) if (first, after) == (0, len(words)) else (words[first][0], words[after - 1][1])
        patches.append(patch_of_text(start, end, text[start:end].translate(table)))
    if patches:
        yield Found(kind=kind, patches=tuple(patches), tested=True)
