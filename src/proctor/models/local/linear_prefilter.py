"""Prefilter for the reader, in a tenth of a millisecond: could a text contain a name, an address or a danger?"""

from __future__ import annotations

import math
import re
from functools import cache
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np

from proctor.core.errors import StoreError
from proctor.models.local.model_registry import weights_of
from proctor.models.local.ngrams import BITS, features
from proctor.models.local.weights import HINT
from proctor.text.script_ranges import HALFWIDTH_KATAKANA, HAN, KANA

__all__ = [
    "KNOWN_BITS",
    "SHORT",
    "SIZE",
    "WORD_BITS",
    "LinearPrefilter",
    "known_place",
    "marks",
    "open_prefilter",
    "words_of",
]

SHORT = 400  # characters; a longer text is always read
WORD_BITS = 17
KNOWN_BITS = 21  # large enough that no everyday word collides with a name
SIZE = 2**BITS + 2**WORD_BITS  # a weight for each character n-gram, then one for each word feature

_TOKEN = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*|\d+|[^\w\s]")
_ENDS = frozenset(".!?:;\n。！？…")
_KANJI = re.compile(f"[{HAN}々〆]+")
_KATAKANA = re.compile(f"[ァ-ヿ{HALFWIDTH_KATAKANA}]+")
_EAST_ASIAN = re.compile(f"[{KANA}{HAN}]")
_NAME_SHAPES = frozenset(("Xx?", "xX?"))  # an unknown capitalised word inside a sentence
_HASH = 2**WORD_BITS - 1


def words_of(text: str) -> list[str]:
    """Return the words of a text in lower case, as in the table of known words."""
    return [token.lower() for token in _TOKEN.findall(text)]


def known_place(word: str) -> int:
    """Return the position of a word's bit in the table of known words."""
    return int(crc32(word.encode("utf-8", "replace")) & (2**KNOWN_BITS - 1))


def marks(text: str, known: bytes, names: bytes) -> tuple[set[int], bool]:
    """Return the hashed word features: form, spelling, whether known, and neighbours.

    Also return whether there is a word that occurs in people's names, or an unknown capitalised one inside a sentence.
    """
    words, telling = _words(text, known, names)
    return _numbers(text, words), telling


_Word = tuple[str, str, str]  # a token, its lower case, and its kind, which is empty for punctuation


def _words(text: str, known: bytes, names: bytes) -> tuple[list[_Word], bool]:
    """Return the words of a text with their kinds, and whether one of them suggests a name."""
    found, begins, telling = [], True, False
    for token in _TOKEN.findall(text):
        shape, low, kind = _shape(token), token.lower(), ""
        if shape != ".":
            how = _how(low, known, names)
            kind = f"{shape}{how}{'^' if begins else ''}"
            telling = telling or how == "!" or kind in _NAME_SHAPES
        found.append((token, low, kind))
        begins = token in _ENDS
    return found, telling


def _numbers(text: str, words: list[_Word]) -> set[int]:
    before, last = "^", "^"
    found: set[str] = {f"#{min(len(words), 40) // 4}"}
    for at, (token, low, kind) in enumerate(words, 1):
        if not kind:
            found.add(f"p{token}")
        else:
            after = words[at][1] if at < len(words) else "$"
            found.update((f"k{kind}", f"w{low}", f"b{last} {low}", f"l{last}|{kind}", f"r{kind}|{after}"))
            found.update((f"t{before} {last}|{kind}", f"e{low[-3:]}{kind}"))
        before, last = last, low
    if _EAST_ASIAN.search(text):
        outline = _KATAKANA.sub("カ", _KANJI.sub("漢", text[:SHORT]))
        for length in (2, 3, 4, 5):
            found.update([f"o{outline[i : i + length]}" for i in range(len(outline) - length + 1)])
    return {crc32(mark.encode("utf-8", "replace")) & _HASH for mark in found}


def _how(low: str, known: bytes, names: bytes) -> str:
    """Return whether a word occurs in people's names (!), is known, or neither (?)."""
    place = known_place(low)
    at, bit = place >> 3, 1 << (place & 7)
    return "!" if names[at] & bit else "" if known[at] & bit else "?"


def _shape(token: str) -> str:
    """Return the shape of a token: Capital, UPPER, lower, miXed, digits, without case, or punctuation."""
    if token.isdigit():
        return "0" * min(len(token), 6)
    if not token[0].isalpha():
        return "."
    if token.islower():
        return "x"
    if token.isupper():
        return "X" if len(token) == 1 else "XX"
    return "Xx" if token.istitle() else "xX" if token[0].islower() or token[0].isupper() else "~"


class LinearPrefilter:
    """A linear model over character n-grams and word features; a text that scores below ``low`` is skipped."""

    def __init__(
        self, weights: np.ndarray[Any, Any], words: tuple[bytes, bytes], *, scale: float, bias: float, low: float
    ) -> None:
        self._grams, self._marks = weights[: 2**BITS], weights[2**BITS :].tolist()
        self._known, self._names = words
        self._scale, self._bias, self.low = scale, bias, low

    def passes(self, text: str) -> bool:
        """Return whether the text so clearly contains nothing that it need not be read."""
        return len(text) <= SHORT and self.logit(text) < self.low

    def is_telling(self, word: str) -> bool:
        """Return whether a word inside a sentence occurs in people's names, or is unknown and capitalised."""
        begins = False
        for token in _TOKEN.findall(word):
            if (shape := _shape(token)) != ".":
                how = _how(token.lower(), self._known, self._names)
                if how == "!" or f"{shape}{how}{'^' if begins else ''}" in _NAME_SHAPES:
                    return True
            begins = token in _ENDS
        return False

    def logit(self, text: str) -> float:
        """Return the logit of a name, an address or a danger in the text; 0 is even odds.

        A word of people's names, or an unknown capitalised one inside a sentence, always counts (infinity).
        """
        words, telling = _words(text, self._known, self._names)
        if telling:
            return math.inf
        found = _numbers(text, words)
        mine = self._marks
        total = int(self._grams.take(features(text)).sum(dtype=np.int64)) + sum([mine[mark] for mark in found])
        return float(total * self._scale + self._bias)


@cache
def open_prefilter(folder: Path | None) -> LinearPrefilter | None:
    """Return the prefilter of a weights folder; None if the manifest has no threshold for it."""
    weights = weights_of(folder)
    low = weights.of("reader").get("low")
    if low is None:
        return None
    file = weights.path("glance.npz")
    try:
        with np.load(file, allow_pickle=False) as kept:
            scale, bias = float(kept["scale"]), float(kept["bias"])
            words = kept["known"].tobytes(), kept["names"].tobytes()
            return LinearPrefilter(kept["weights"], words, scale=scale, bias=bias, low=float(low))
    except Exception as broken:
        raise StoreError(f"the weights cannot be read: {broken}", file=str(file), hint=HINT) from broken
