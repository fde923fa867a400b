"""Change the order and the spacing of letters and words: reversal, gaps, joined words, drawn-out letters."""

from __future__ import annotations

import re
from random import Random
from typing import ClassVar, Final

from proctor.redteam.techniques.payload_encoding import Encoding, without_accents

__all__ = [
    "BidiOverride",
    "DrawnOutLetters",
    "HyphenatedWords",
    "InterleavedWords",
    "JoinedWords",
    "ReversedText",
    "ReversedWords",
    "SpacedLetters",
    "UpsideDown",
    "WordOrder",
]

_TURNED: Final = str.maketrans("abcdefghijklmnopqrstuvwxyz.", "ɐqɔpǝɟƃɥᴉɾʞlɯuodbɹsʇnʌʍxʎz˙")
_LONG_WORD: Final = re.compile("[A-Za-z]{4,}")
_VOWEL: Final = re.compile("[aeiou]")
_FEWEST_WORDS: Final = 4
_FILLERS: Final = ("river", "seven", "lamp", "green", "table", "cloud", "paper", "north", "stone", "apple")


class ReversedText(Encoding):
    """The whole text backwards."""

    name: ClassVar[str] = "reversed"

    def encode(self, text: str, random: Random) -> str:
        """Reverse every line together."""
        return text[::-1]


class ReversedWords(Encoding):
    """Each word backwards."""

    name: ClassVar[str] = "reversed_words"
    latin: ClassVar[bool] = True

    def encode(self, text: str, random: Random) -> str:
        """Keep the order of the words."""
        return " ".join(word[::-1] for word in text.split())


class UpsideDown(Encoding):
    """Letters turned upside down and written backwards."""

    name: ClassVar[str] = "upside_down"
    latin: ClassVar[bool] = True

    def encode(self, text: str, random: Random) -> str:
        """Case and accents are lost."""
        return without_accents(text.lower()).translate(_TURNED)[::-1]


class BidiOverride(Encoding):
    """Text backwards behind a right-to-left override, which shows it forwards."""

    name: ClassVar[str] = "bidi_override"

    def encode(self, text: str, random: Random) -> str:
        """Put one override around each line."""
        return "\n".join(f"\u202e{line[::-1]}\u202c" for line in text.splitlines())


class SpacedLetters(Encoding):
    """A gap between all letters: i g n o r e."""

    name: ClassVar[str] = "spaced_letters"
    latin: ClassVar[bool] = True

    def encode(self, text: str, random: Random) -> str:
        """Choose the sign of the gap; words are further apart."""
        gap = random.choice((" ", ".", "-", "_"))
        return "   ".join(gap.join(word) for word in text.split())


class HyphenatedWords(Encoding):
    """Words torn by a sign: ig-no-re."""

    name: ClassVar[str] = "hyphenated"
    latin: ClassVar[bool] = True

    def encode(self, text: str, random: Random) -> str:
        """Tear each long word once or twice."""
        sign = random.choice(("-", ".", "_", "*"))
        return _LONG_WORD.sub(lambda found: _torn(found.group(), sign, random), text)


class JoinedWords(Encoding):
    """Words without spaces between them."""

    name: ClassVar[str] = "joined_words"
    latin: ClassVar[bool] = True

    def encode(self, text: str, random: Random) -> str:
        """Remove all white space."""
        return "".join(text.split())


class DrawnOutLetters(Encoding):
    """Vowels repeated: iiignooore."""

    name: ClassVar[str] = "drawn_out"
    latin: ClassVar[bool] = True

    def encode(self, text: str, random: Random) -> str:
        """Repeat one vowel of each word three or four times."""
        return " ".join(
            _VOWEL.sub(lambda found: found.group() * random.randint(3, 4), word, count=1) for word in text.split()
        )


class WordOrder(Encoding):
    """The words in reverse order. Our normaliser does not read it back."""

    name: ClassVar[str] = "word_order"
    undone: ClassVar[bool] = False

    def encode(self, text: str, random: Random) -> str:
        """Reverse the words; a text without spaces becomes the same and does not fit."""
        return " ".join(reversed(text.split()))


class InterleavedWords(Encoding):
    """A meaningless word after each word. Our normaliser does not read it back."""

    name: ClassVar[str] = "interleaved"
    undone: ClassVar[bool] = False

    def encode(self, text: str, random: Random) -> str:
        """Choose the words between; a text without spaces does not fit."""
        if len(text.split()) < _FEWEST_WORDS:
            return ""
        return " ".join(f"{word} {random.choice(_FILLERS)}" for word in text.split())


def _torn(word: str, sign: str, random: Random) -> str:
    cuts = sorted(random.sample(range(2, len(word) - 1), k=1 if len(word) < 8 else 2))
    ends = (*cuts, len(word))
    return sign.join(word[start:end] for start, end in zip((0, *cuts), ends, strict=True))
