"""Rewrite letters by characters that look alike: other scripts, styled, wide, circled, accented letters."""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from random import Random
from typing import Final

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


def _to_homoglyphs(text: str, random: Random) -> str:
    """Replace every letter that has a double."""
    return text.translate(_HOMOGLYPHS)


def _to_mixed_scripts(text: str, random: Random) -> str:
    """Replace about half of the letters, each by one of its doubles."""
    doubles = _doubles()
    return "".join(
        random.choice(doubles[character]) if character in doubles and random.random() < 0.5 else character
        for character in text
    )


def _to_styled(text: str, random: Random) -> str:
    """Choose one alphabet."""
    first = random.choice(_STYLED)
    return _LETTER.sub(lambda found: chr(first + _number(found.group())), text)


def _to_full_width(text: str, random: Random) -> str:
    """Shift printable ASCII."""
    return "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in text)


def _to_circled(text: str, random: Random) -> str:
    """Choose circles, or black squares, which have capitals only."""
    if random.random() < 0.5:
        return _LETTER.sub(lambda found: chr(0x24B6 + _number(found.group())), text)
    return _LETTER.sub(lambda found: chr(0x1F170 + _number(found.group().upper())), text)


def _to_small_capitals(text: str, random: Random) -> str:
    """Case is lost."""
    return text.lower().translate(_SMALL_CAPITALS)


def _to_regional_letters(text: str, random: Random) -> str:
    """Case is lost."""
    return "\u200b".join(
        chr(0x1F1E6 + _number(character.upper())) if _LETTER.fullmatch(character) else character for character in text
    )


def _to_accented(text: str, random: Random) -> str:
    """Choose an accent for each vowel."""
    accented = _VOWEL.sub(lambda found: found.group() + random.choice(_ACCENTS), text)
    return unicodedata.normalize("NFC", accented)


def _to_combining_marks(text: str, random: Random) -> str:
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


Homoglyphs = Encoding(
    name="homoglyphs", title="Cyrillic letters that look like Latin ones.", encode=_to_homoglyphs, latin=True
)
MixedScripts = Encoding(
    name="mixed_scripts", title="Look-alikes from many scripts mixed in one word.", encode=_to_mixed_scripts, latin=True
)
StyledLetters = Encoding(
    name="styled",
    title="Bold, monospace or slanted letters of the mathematical alphabets.",
    encode=_to_styled,
    latin=True,
)
FullWidthLetters = Encoding(
    name="full_width", title="Full-width forms of all signs, as in East Asian fonts.", encode=_to_full_width, latin=True
)
CircledLetters = Encoding(name="circled", title="Letters in circles or black squares.", encode=_to_circled, latin=True)
SmallCapitals = Encoding(
    name="small_capitals", title="Small capitals of the phonetic alphabet.", encode=_to_small_capitals, latin=True
)
RegionalLetters = Encoding(
    name="regional_letters",
    title="Regional indicators, which make flags in pairs; an invisible character keeps them apart.",
    encode=_to_regional_letters,
    latin=True,
)
AccentedLetters = Encoding(name="accented", title="Accents on all vowels, for show.", encode=_to_accented, latin=True)
CombiningMarks = Encoding(
    name="combining_marks", title="Strokes and lines through every letter.", encode=_to_combining_marks, latin=True
)
