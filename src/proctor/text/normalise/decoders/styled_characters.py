"""Decode decorated letters: accents for show, look-alikes from any script, repeated letters."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cache

from proctor.text.normalise.confusables import faux_letters
from proctor.text.normalise.decoders.mixed_scripts import is_no_language, mixes_scripts
from proctor.text.normalise.decoders.rewrites import is_alone_telling, is_telling
from proctor.text.normalise.language_likeness import common_words, cost, known_words, letter_words, per_letter, ranks
from proctor.text.normalise.layer import Layer
from proctor.text.normalise.patches import Found, Patch, patch_of_text

__all__ = ["find_accented", "find_drawn_out", "find_lookalikes"]

_ANY_WORD = re.compile(r"[^\W\d_]+")
_ANY_TOKEN = re.compile(r"\S{1,64}")
_EDGES = ".,;:!?()[]{}\"'"
_ACCENTED = re.compile("[\u00c0-\u024f\u1e00-\u1eff]")
_LATIN_LETTER = re.compile(r"LATIN (SMALL|CAPITAL) LETTER ([A-Z])(?: WITH .*)?")
_DRAWN_OUT = re.compile(r"([A-Za-z])\1\1")
_FEWEST_LOOKALIKES = 4
_LONGEST = 64
_ENGLISH = 4.0  # bits per letter
_THRICE = tuple(letter * 3 for letter in "abcdefghijklmnopqrstuvwxyz")
_LONG_RUN = re.compile(r"([a-z])\1\1+")


def find_accented(layer: Layer) -> Iterator[Found]:
    """Find English under accents that no language uses."""
    if not layer.text.isascii() and _ACCENTED.search(layer.text):
        sure = is_no_language(layer.text, _bare_letters())
        yield from _undressed("accented", layer.text, _ANY_WORD, _bare_letters(), sure=sure)


def find_lookalikes(layer: Layer) -> Iterator[Found]:
    """Find words in letters and signs that only resemble Latin ones."""
    if layer.text.isascii():
        return
    table = faux_letters()
    characters = set(layer.text)
    known = sum(ord(character) in table for character in characters if character > "\x7f")
    if known < _FEWEST_LOOKALIKES or known * 5 < sum(c > "\x7f" and c.isalpha() for c in characters) * 4:
        return  # letters that resemble nothing: a real language
    sure = mixes_scripts(layer.text, table)
    if sure or is_telling(known_words(set(letter_words(layer.text.translate(table))) - layer.distinct)):
        yield from _undressed("lookalikes", layer.text, _ANY_TOKEN, table, sure=sure)


def _undressed(kind: str, text: str, pattern: re.Pattern[str], table: dict[int, str], *, sure: bool) -> Iterator[Found]:
    """Yield the words that change under the table, if ``sure`` or if most of them become English."""
    words = {word for word in set(pattern.findall(text)) if not word.isascii() and len(word) <= _LONGEST}
    plain = {word: bare for word in words if (bare := word.translate(table)) != word}
    gained = {bare.strip(_EDGES).lower() for bare in plain.values() if bare.isascii()} & ranks().keys()
    if not sure and not (is_telling(gained) and _is_english(text, plain, gained)):
        return
    patches = tuple(
        patch_of_text(*match.span(), bare)
        for match in pattern.finditer(text)
        if (bare := plain.get(match.group())) and (sure or bare.isascii())
    )
    if patches:  # a word may be too long to be checked
        yield Found(kind=kind, patches=patches, tested=True, place="inside")


def _is_english(text: str, plain: dict[str, str], gained: set[str]) -> bool:
    """Whether most are common words, or nearly every word is decorated and has English letter statistics."""
    if len(gained) * 10 >= len(plain) * 6:
        return True
    if len(gained) * 10 < len(plain) * 3 or len(plain) * 10 < len(set(_ANY_TOKEN.findall(text))) * 7:
        return False
    return per_letter([bare.strip(_EDGES).lower() for bare in plain.values() if bare.isascii()]) < _ENGLISH


@cache
def _bare_letters() -> dict[int, str]:
    """Map each Latin letter with a diacritic to its base letter."""
    table: dict[int, str] = {}
    for code in (*range(0xC0, 0x250), *range(0x1E00, 0x1F00)):
        if match := _LATIN_LETTER.fullmatch(unicodedata.name(chr(code), "")):
            table[code] = match.group(2).lower() if match.group(1) == "SMALL" else match.group(2)
    return table


def find_drawn_out(layer: Layer) -> Iterator[Found]:
    """Find common words with a repeated letter: ``ignooore``."""
    text = layer.text
    if not any(map(text.lower().__contains__, _THRICE)):
        return
    patches: list[Patch] = []
    gained: set[str] = set()
    end = 0
    for match in _DRAWN_OUT.finditer(text):
        if match.start() < end:
            continue
        start, end = _word_around(text, *match.span())
        short = _shortened(text[start:end].lower())
        patches.append(patch_of_text(start, end, short))
        if short in common_words():
            gained.add(short)
    if is_telling(gained) or any(map(is_alone_telling, gained)):
        yield Found(kind="drawn-out", patches=tuple(patches), tested=True, place="inside")


def _word_around(text: str, start: int, end: int) -> tuple[int, int]:
    least, most = max(0, start - _LONGEST), min(len(text), end + _LONGEST)
    while start > least and text[start - 1].isalpha():
        start -= 1
    while end < most and text[end].isalpha():
        end += 1
    return start, end


def _shortened(word: str) -> str:
    """Shorten every long run of a letter to one or two, whichever gives the more frequent word."""
    runs = list(_LONG_RUN.finditer(word))[:3]
    readings = []
    for choice in range(1 << len(runs)):
        letters = list(word)
        for number, run in reversed(list(enumerate(runs))):
            letters[run.start() : run.end()] = run.group(1) * (1 + (choice >> number & 1))
        readings.append(_LONG_RUN.sub(r"\1", "".join(letters)))
    return min(readings, key=lambda reading: (cost(reading), ranks().get(reading, 0)))
