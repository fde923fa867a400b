"""Change the order and the spacing of letters and words: reversal, gaps, joined words, drawn-out letters."""

from __future__ import annotations

import re
from random import Random
from typing import Final

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


def _to_reversed(text: str, random: Random) -> str:
    """Reverse every line together."""
    return text[::-1]


def _to_reversed_words(text: str, random: Random) -> str:
    """Keep the order of the words."""
    return " ".join(word[::-1] for word in text.split())


def _to_upside_down(text: str, random: Random) -> str:
    """Case and accents are lost."""
    return without_accents(text.lower()).translate(_TURNED)[::-1]


def _to_bidi_override(text: str, random: Random) -> str:
    """Put one override around each line."""
    return "\n".join(f"\u202e{line[::-1]}\u202c" for line in text.splitlines())


def _to_spaced_letters(text: str, random: Random) -> str:
    """Choose the sign of the gap; words are further apart."""
    gap = random.choice((" ", ".", "-", "_"))
    return "   ".join(gap.join(word) for word in text.split())


def _to_hyphenated(text: str, random: Random) -> str:
    """Tear each long word once or twice."""
    sign = random.choice(("-", ".", "_", "*"))
    return _LONG_WORD.sub(lambda found: _torn(found.group(), sign, random), text)


def _to_joined_words(text: str, random: Random) -> str:
    """Remove all white space."""
    return "".join(text.split())


def _to_drawn_out(text: str, random: Random) -> str:
    """Repeat one vowel of each word three or four times."""
    return " ".join(
        _VOWEL.sub(lambda found: found.group() * random.randint(3, 4), word, count=1) for word in text.split()
    )


def _to_word_order(text: str, random: Random) -> str:
    """Reverse the words; a text without spaces becomes the same and does not fit."""
    return " ".join(reversed(text.split()))


def _to_interleaved(text: str, random: Random) -> str:
    """Choose the words between; a text without spaces does not fit."""
    if len(text.split()) < _FEWEST_WORDS:
        return ""
    return " ".join(f"{word} {random.choice(_FILLERS)}" for word in text.split())


def _torn(word: str, sign: str, random: Random) -> str:
    cuts = sorted(random.sample(range(2, len(word) - 1), k=1 if len(word) < 8 else 2))
    ends = (*cuts, len(word))
    return sign.join(word[start:end] for start, end in zip((0, *cuts), ends, strict=True))


ReversedText = Encoding(name="reversed", title="The whole text backwards.", encode=_to_reversed)
ReversedWords = Encoding(name="reversed_words", title="Each word backwards.", encode=_to_reversed_words, latin=True)
UpsideDown = Encoding(
    name="upside_down", title="Letters turned upside down and written backwards.", encode=_to_upside_down, latin=True
)
BidiOverride = Encoding(
    name="bidi_override",
    title="Text backwards behind a right-to-left override, which shows it forwards.",
    encode=_to_bidi_override,
)
SpacedLetters = Encoding(
    name="spaced_letters", title="A gap between all letters: i g n o r e.", encode=_to_spaced_letters, latin=True
)
HyphenatedWords = Encoding(
    name="hyphenated", title="Words torn by a sign: ig-no-re.", encode=_to_hyphenated, latin=True
)
JoinedWords = Encoding(
    name="joined_words", title="Words without spaces between them.", encode=_to_joined_words, latin=True
)
DrawnOutLetters = Encoding(name="drawn_out", title="Vowels repeated: iiignooore.", encode=_to_drawn_out, latin=True)
WordOrder = Encoding(
    name="word_order",
    title="The words in reverse order. Our normaliser does not read it back.",
    encode=_to_word_order,
    undone=False,
)
InterleavedWords = Encoding(
    name="interleaved",
    title="A meaningless word after each word. Our normaliser does not read it back.",
    encode=_to_interleaved,
    undone=False,
)
