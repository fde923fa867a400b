"""Rewrite letters by characters that look alike: other scripts, styled, wide, circled, accented letters."""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from random import Random
from typing import ClassVar, Final

from proctor.redteam.techniques.payload_encoding import Encoding
from proctor.text.normalise.confusables import faux_letters

__all__ = [
    "AccentedLetters",
    "CircledLetters",
    "CombiningMarks",
    "FullWidthLetters",
    "Homoglyphs",
    "MixedScripts",
    "RegionalLetters",
    "SmallCapitals",
    "StyledLetters",
]

# The starts of alphabets of styled letters, capitals then small: bold, bold sans, monospace, double-struck sans italic.
_STYLED: Final = (0x1D400, 0x1D5D4, 0x1D670, 0x1D63C)
_HOMOGLYPHS: Final = str.maketrans("aceopxyijsABEHIKMOPTXSJ", "асеорхуіјѕАВЕНІКМОРТХЅЈ")
_SMALL_CAPITALS: Final = str.maketrans("abcdefghijklmnopqrtuvwyz", "ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘꞯʀᴛᴜᴠᴡʏᴢ")
_ACCENTS: Final = ("\u0301", "\u0300", "\u0302", "\u0308", "\u0303", "\u030a")
_DECORATION: Final = ("\u0336", "\u0332", "\u0338", "\u0489")
_VOWEL: Final = re.compile("[aeiouAEIOU]")
_LETTER: Final = re.compile("[A-Za-z]")


class Homoglyphs(Encoding):
    """Cyrillic letters that look like Latin ones."""

    name: ClassVar[str] = "homoglyphs"
    latin: ClassVar[bool] = True

    def encode(self, text: str, random: Random) -> str:
        """Replace every letter that has a double."""
        return text.translate(_HOMOGLYPHS)


class MixedScripts(Encoding):
    """Look-alikes from many scripts mixed in one word."""

    name: ClassVar[str] = "mixed_scripts"
    latin: ClassVar[bool] = True

    def encode(self, text: str, random: Random) -> str:
        """Replace about half of the letters, each by one of its doubles."""
        doubles = _doubles()
        return "".join(
            random.choice(doubles[character]) if character in doubles and random.random() < 0.5 else character
            for character in text
        )


class StyledLetters(Encoding):
    """Bold, monospace or slanted letters of the mathematical alphabets."""

    name: ClassVar[str] = "styled"
    latin: ClassVar[bool] = True

    def encode(self, text: str, random: Random) -> str:
        """Choose one alphabet."""
        first = random.choice(_STYLED)
        return _LETTER.sub(lambda found: chr(first + _number(found.group())), text)


class FullWidthLetters(Encoding):
    """Full-width forms of all signs, as in East Asian fonts."""

    name: ClassVar[str] = "full_width"
    latin: ClassVar[bool] = True

    def encode(self, text: str, random: Random) -> str:
        """Shift printable ASCII."""
        return "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in text)


class CircledLetters(Encoding):
    """Letters in circles or black squares."""

    name: ClassVar[str] = "circled"
    latin: ClassVar[bool] = True

    def encode(self, text: str, random: Random) -> str:
        """Choose circles, or black squares, which have capitals only."""
        if random.random() < 0.5:
            return _LETTER.sub(lambda found: chr(0x24B6 + _number(found.group())), text)
        return _LETTER.sub(lambda found: chr(0x1F170 + _number(found.group().upper())), text)


class SmallCapitals(Encoding):
    """Small capitals of the phonetic alphabet."""

    name: ClassVar[str] = "small_capitals"
    latin: ClassVar[bool] = True

    def encode(self, text: str, random: Random) -> str:
        """Case is lost."""
        return text.lower().translate(_SMALL_CAPITALS)


class RegionalLetters(Encoding):
    """Regional indicators, which make flags in pairs; an invisible character keeps them apart."""

    name: ClassVar[str] = "regional_letters"
    latin: ClassVar[bool] = True

    def encode(self, text: str, random: Random) -> str:
        """Case is lost."""
        return "\u200b".join(
            chr(0x1F1E6 + _number(character.upper())) if _LETTER.fullmatch(character) else character
            for character in text
        )


class AccentedLetters(Encoding):
    """Accents on all vowels, for show."""

    name: ClassVar[str] = "accented"
    latin: ClassVar[bool] = True

    def encode(self, text: str, random: Random) -> str:
        """Choose an accent for each vowel."""
        accented = _VOWEL.sub(lambda found: found.group() + random.choice(_ACCENTS), text)
        return unicodedata.normalize("NFC", accented)


class CombiningMarks(Encoding):
    """Strokes and lines through every letter."""

    name: ClassVar[str] = "combining_marks"
    latin: ClassVar[bool] = True

    def encode(self, text: str, random: Random) -> str:
        """Put the same mark on every letter."""
        mark = random.choice(_DECORATION[:3])
        return _LETTER.sub(lambda found: found.group() + mark, text)


def _number(letter: str) -> int:
    """Return the position in an alphabet of capitals, then small letters."""
    return ord(letter) - ord("A") if letter.isupper() else ord(letter) - ord("a") + 26


@cache
def _doubles() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for code, latin in sorted(faux_letters().items()):
        if len(latin) == 1 and chr(code).isupper() == latin.isupper():
            found.setdefault(latin, []).append(chr(code))
    return found
