"""One text under inspection, with what every decoder wants to know of it before it looks closer."""

from __future__ import annotations

import re
from dataclasses import dataclass

from proctor.text.cached_property import once
from proctor.text.normalise.language_likeness import common_words, letter_words, per_letter

__all__ = ["STRIDE", "Layer", "Word", "layer_of"]

Word = tuple[int, int, str]  # start, end, lower case

STRIDE = 64
_WORD = re.compile(r"[A-Za-z]+")
_SHORTEST_ODD = 16
_SAMPLE = 60
_SINGLE = frozenset("bcdefghjklmnopqrstuvwxyz")
_JOINING = r".-_*~^/|\+"
_SHAPE = {
    code: "a" if chr(code).islower() else "A" if chr(code).isupper() else "0" if chr(code).isdigit() else " "
    for code in range(128)
} | dict.fromkeys(map(ord, _JOINING), "-")
_NOT_ASCII = re.compile(r"[^\x00-\x7f]+")


@dataclass(frozen=True, kw_only=True)  # without slots, for what is worked out only when asked
class Layer:
    """A text and the outline of it.

    ``shape`` has ``a`` for a small letter, ``A`` for a capital, ``0`` for a digit, ``-`` for a sign that may stand
    inside a word and a space for the rest; runs that are not ASCII are one space. To look for a piece of a shape
    costs a tenth of a regular expression. ``unknown`` are the words in Latin letters that are no common ones.
    """

    text: str
    shape: str
    words: list[str]
    distinct: set[str]
    unknown: set[str]
    longest: int  # the length of the longest run of ASCII without a space

    def has(self, *pieces: str) -> bool:
        """Whether any of the pieces occurs in the shape."""
        return any(map(self.shape.__contains__, pieces))

    @property
    def is_odd(self) -> bool:
        """Whether most of it is not English, so that a cipher may lie over it."""
        if len(self.distinct) < 3:
            return len(self.text) >= _SHORTEST_ODD and self.text.isascii()
        odd = len(self.unknown) + len(self.distinct & _SINGLE)
        return odd * 10 >= len(self.distinct) * 6

    @once
    def places(self) -> list[Word]:
        """The words in Latin letters with where they stand."""
        return [(match.start(), match.end(), match.group().lower()) for match in _WORD.finditer(self.text)]

    @once
    def noise(self) -> float:
        """Bits a letter: near 2.7 for English, near 5 for other languages in Latin letters, near 8 for ciphers."""
        return per_letter([word for word in self.words[:_SAMPLE] if len(word) > 1 and word.isascii()])

    @once
    def unknown_by_window(self) -> list[set[str]]:
        """The words that are no common ones, for each run of ``STRIDE`` words and the next."""
        parts = [
            {word for _, _, word in self.places[first : first + STRIDE]} & self.unknown
            for first in range(0, len(self.places), STRIDE)
        ]
        return [part | after for part, after in zip(parts, [*parts[1:], set()], strict=True)]


def layer_of(text: str) -> Layer:
    """The text with its outline."""
    words = letter_words(text)
    distinct = set(words)
    unknown = {word for word in distinct - common_words() if len(word) > 1}
    ascii_text = text
    if not text.isascii():
        ascii_text = _NOT_ASCII.sub(" ", text)
        unknown = {word for word in unknown if word.isascii()}
    return Layer(
        text=text,
        shape=ascii_text.translate(_SHAPE),
        words=words,
        distinct=distinct,
        unknown=unknown,
        longest=max(map(len, ascii_text.split()), default=0),
    )
