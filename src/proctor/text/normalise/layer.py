"""One text under inspection, with the properties that decoders check first."""

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


@dataclass(frozen=True, kw_only=True)  # without slots, for lazy properties
class Layer:
    """A text and its outline.

    ``shape`` has ``a`` for a lowercase letter, ``A`` for a capital, ``0`` for a digit, ``-`` for a sign that may occur
    inside a word and a space for the rest; non-ASCII runs are one space. A substring search in it costs a tenth of a
    regex. ``unknown`` are the words in Latin letters that are not common.
    """

    text: str
    shape: str
    words: list[str]
    distinct: set[str]
    unknown: set[str]
    longest: int  # length of the longest ASCII run without a space

    def has(self, *pieces: str) -> bool:
        """Whether any of the pieces occurs in the shape."""
        return any(map(self.shape.__contains__, pieces))

    @property
    def is_odd(self) -> bool:
        """Whether most of it is not English, so that it may be a cipher."""
        if len(self.distinct) < 3:
            return len(self.text) >= _SHORTEST_ODD and self.text.isascii()
        odd = len(self.unknown) + len(self.distinct & _SINGLE)
        return odd * 10 >= len(self.distinct) * 6

    @once
    def places(self) -> list[Word]:
        """The words in Latin letters with their spans."""
        return [(match.start(), match.end(), match.group().lower()) for match in _WORD.finditer(self.text)]

    @once
    def noise(self) -> float:
        """Bits per letter: near 2.7 for English, near 5 for other languages in Latin script, near 8 for ciphers."""
        return per_letter([word for word in self.words[:_SAMPLE] if len(word) > 1 and word.isascii()])

    @once
    def unknown_by_window(self) -> list[set[str]]:
        """The uncommon words of each run of ``STRIDE`` words together with the next run."""
        parts = [
            {word for _, _, word in self.places[first : first + STRIDE]} & self.unknown
            for first in range(0, len(self.places), STRIDE)
        ]
        return [part | after for part, after in zip(parts, [*parts[1:], set()], strict=True)]


def layer_of(text: str) -> Layer:
    """Build the outline of a text."""
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
