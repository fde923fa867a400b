"""Measure how much a text looks like language, by a list of common words and a table of letter bigrams."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from functools import cache, lru_cache
from itertools import pairwise
from pathlib import Path

__all__ = [
    "common_words",
    "cost",
    "is_noise",
    "is_readable",
    "known_words",
    "letter_pairs",
    "letter_words",
    "mixes_scripts",
    "per_letter",
    "ranks",
]

_HERE = Path(__file__).parent
_OTHER_LANGUAGES = "# Function words of other languages"
_BITS_PER_STEP = 1 / 1.2
_KNOWN_COST = 10.0
_NEW_WORD = 4.0  # a word outside the list costs this in addition to its letters
_NOT_LETTERS = bytes(code if chr(code).isascii() and chr(code).isalpha() else 32 for code in range(256))
# Noise costs more bits per letter than this; English is near 2.5, other languages in Latin script near 4.
_READABLE_BITS = 5.2
# Whole texts are judged mildly: Dutch, Polish and Turkish cost up to 6.9 by English letter pairs, noise 7.1 and more.
_NOISE_BITS = 7.0
_LEAST_LETTERS = 0.4  # share of letters and blanks in a text of any language; figures and signs are the rest
_PART, _MOST_PARTS = 150, 64  # characters; a long text is sampled
_FEWEST_SIGNS = 5  # distinct characters; fewer are a repeated sign
_SCRIPTS, _OF_A_SCRIPT = 3, 2  # minimum scripts, and letters of each, that no sentence mixes
_LETTERS = re.compile(r"[^\W\d_]+")
_NOT_ASCII = re.compile(r"[^\x00-\x7f]+")
_LATIN_ONLY = re.compile(r"[\x00-\u024f\u1e00-\u1eff\u2010-\u2027\u2030-\u205e]*")


@cache
def _lists() -> tuple[list[str], list[str]]:
    """Return English words, most frequent first, and function words of other languages."""
    lines = (_HERE / "words.txt").read_text(encoding="utf-8").splitlines()
    first = next(number for number, line in enumerate(lines) if line.startswith(_OTHER_LANGUAGES))
    english, others = (
        " ".join(line for line in part if not line.startswith("#")).split() for part in (lines[:first], lines[first:])
    )
    return english, others


@cache
def ranks() -> dict[str, int]:
    """Map each English word to its rank, the most frequent first."""
    return {word: place for place, word in enumerate(_lists()[0])}


@cache
def common_words() -> frozenset[str]:
    """Return the words that identify a text as language, English or not."""
    return frozenset(ranks()).union(_lists()[1])


@cache
def letter_pairs() -> dict[str, float]:
    """Map each letter bigram to the bits of its second letter; a blank is a word boundary."""
    letters = " abcdefghijklmnopqrstuvwxyz"
    lines = (_HERE / "bigrams.txt").read_text(encoding="utf-8").splitlines()
    rows = [line for line in lines if not line.startswith("#")]
    return {
        first + second: int(digit, 16) * _BITS_PER_STEP
        for first, row in zip(letters, rows, strict=True)
        for second, digit in zip(letters, row, strict=True)
    }


def letter_words(text: str) -> list[str]:
    """Return the runs of letters in lower case."""
    if not text.isascii():
        return _LETTERS.findall(text.lower())
    return text.encode().translate(_NOT_LETTERS).decode().lower().split()  # faster than translating text


def known_words(words: set[str]) -> set[str]:
    """Return those of the words that are in the list."""
    return words & common_words()


@lru_cache(maxsize=16384)
def cost(word: str) -> float:
    """Return the bits of a lowercase word: few for language, many for noise."""
    if word in common_words():
        return _KNOWN_COST
    pairs = letter_pairs()
    padded = f" {word} "
    return _NEW_WORD + sum(pairs.get(a + b, 11.0) for a, b in pairwise(padded))


def per_letter(words: list[str]) -> float:
    """Return the bits per letter over several words; known words cost little."""
    letters = sum(map(len, words))
    return sum(map(cost, words)) / letters if letters else 99.0


def is_readable(text: str) -> bool:
    """Whether a decoded text is language rather than printable noise."""
    text = text[:4096]
    if not text.isascii() and not _LATIN_ONLY.fullmatch(text):
        return _is_script(text)
    words = letter_words(text) if text.isascii() else letter_words(_unaccented(text))
    letters = sum(map(len, words))
    if letters < 3 or (letters + text.count(" ")) / len(text) < 0.66:
        return False
    if len(words) == 1:
        return words[0] in common_words() or (letters >= 6 and len(words[0]) <= 24 and per_letter(words) < 3.6)
    return per_letter([word for word in words if len(word) > 1] or words) < _READABLE_BITS


def is_noise(text: str) -> bool:
    """Whether hardly any part of a text is language; tables, code and lists are language in parts."""
    starts = range(0, len(text), max(_PART, len(text) // _MOST_PARTS))
    parts = [part for start in starts if (part := text[start : start + _PART].strip())]
    return 4 * sum(len(set(part)) >= _FEWEST_SIGNS and _is_language(part) for part in parts) <= len(parts)


def _is_language(text: str) -> bool:
    """Whether a part of a text is language, prices and currency signs included; milder than ``is_readable``."""
    if is_readable(text):
        return True
    plain = "".join(each if each.isalpha() else " " for each in text)
    if len(plain.replace(" ", "")) + text.count(" ") < _LEAST_LETTERS * len(text):
        return False
    if not plain.isascii() and not _LATIN_ONLY.fullmatch(plain):
        return _is_script(" ".join(plain.split()))
    words = [word for word in letter_words(_unaccented(plain)) if len(word) > 1]
    return len(words) > 1 and per_letter(words) < _NOISE_BITS


def mixes_scripts(text: str) -> bool:
    """Whether the text mixes words of several scripts as no sentence does."""
    if text.isascii():
        return False
    scripts = Counter(_script(character) for character in text if character.isalpha())
    return sum(count >= _OF_A_SCRIPT for count in scripts.values()) >= _SCRIPTS


def _unaccented(text: str) -> str:
    return "".join(c for c in unicodedata.normalize("NFD", text) if c < "\x80" or c.isalpha())


def _is_script(text: str) -> bool:
    """Whether it is in one script, possibly with Latin words; decoded random bytes give several scripts."""
    scripts = Counter(_script(character) for character in text if character.isalpha())
    letters = scripts.total()
    if letters < 4 or (letters + text.count(" ")) / len(text) < 0.6:
        return False
    latin = scripts.pop("LATIN", 0)
    if not scripts or max(scripts.values()) < 0.9 * (letters - latin):
        return False
    return letters - latin >= 4 and (latin < 4 or is_readable(_NOT_ASCII.sub(" ", text)))


@lru_cache(maxsize=4096)
def _script(character: str) -> str:
    script = unicodedata.name(character, "?").split(" ", 1)[0]
    return "CJK" if script in {"HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA", "CJK", "IDEOGRAPHIC"} else script
