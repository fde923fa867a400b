"""Detect the scripts and the language of a text, and encoding errors."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from proctor.text.script_ranges import HAN, HIRAGANA, KATAKANA
from proctor.text.split import tokens

__all__ = ["Slip", "broken_characters", "has_japanese", "language_of", "mixed_words", "scripts"]

SAMPLE = 20_000
MOST_SLIPS = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Slip:
    """An error in a text: its kind, the quote, its start, and its weight."""

    kind: str
    quote: str
    start: int
    note: str
    weight: float = 1.0


# Unicode names begin with the script; these scripts are distinguished here.
_SCRIPTS = {
    "LATIN": "latin",
    "CYRILLIC": "cyrillic",
    "GREEK": "greek",
    "ARABIC": "arabic",
    "HEBREW": "hebrew",
    "DEVANAGARI": "devanagari",
    "THAI": "thai",
    "HANGUL": "hangul",
    "HIRAGANA": "kana",
    "KATAKANA": "kana",
    "KATAKANA-HIRAGANA": "kana",
    "CJK": "han",
    "FULLWIDTH": "latin",
    "HALFWIDTH": "kana",
}
# Words frequent in English and rare elsewhere, and frequent words of other languages in Latin script.
_ENGLISH_WORDS = """
    the and of to is in it you that for are this with on your be have was not as we can or our will i at by from if
    has an there they please all but my so here its which would more what yes no thanks thank hello hi sorry do does
    any only also up out about just like one
"""
_FOREIGN_WORDS = """
    de la le les et un une est que pour dans vous nous avec pas sur el los las es por con para una su se der die das
    und ist nicht mit für ein eine sie wir von zu den il di che non per una sono della del o os um uma não com
"""
_ENGLISH = frozenset(_ENGLISH_WORDS.split())
_FOREIGN = frozenset(_FOREIGN_WORDS.split())
_LETTERS = re.compile(r"[^\W\d_]+")
_MOJIBAKE = re.compile(
    r"\ufffd|Ã[\u0080-\u00bf©¨ª«®¤¶¼±³º¡]|â€[™œ\u009d\u009c“”˜¦]?|Â[\u00a0£¥©®°]|[ãåæ][\u0080-\u009f€‚ƒ„…†‡ˆ‰Š‹ŒŽ]"
    r"|ï¼|ï½|\\u[0-9a-fA-F]{4}|&(?:amp|quot|lt|gt|nbsp|#\d{2,5});"
)
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_JAPANESE = re.compile(f"[{HIRAGANA}{KATAKANA}{HAN}々〆]")


@lru_cache(maxsize=8192)
def _script(character: str) -> str:
    first = unicodedata.name(character, "OTHER").split(" ", 1)[0]
    return _SCRIPTS.get(first, "other")


def scripts(text: str) -> Mapping[str, int]:
    """Count the letters of each script in the text (in its first 20,000 characters)."""
    found: Counter[str] = Counter()
    for letter in text[:SAMPLE]:
        if letter.isalpha():
            found[_script(letter)] += 1
    return dict(found)


def has_japanese(text: str) -> bool:
    """Whether the text contains a Japanese (or Chinese) character."""
    return _JAPANESE.search(text) is not None


def language_of(text: str) -> str:
    """Return the main language: ``en``, ``ja``, ``zh``, ``ko``; ``other``, or ``none`` without letters.

    A title in another script does not change the language of the sentence around it: a text is Japanese if it has
    enough kana.
    """
    found = scripts(text)
    total = sum(found.values())
    if not total:
        return "none"
    kana, han, latin = found.get("kana", 0), found.get("han", 0), found.get("latin", 0)
    # A Japanese character carries about as much as 2.5 English letters.
    if kana and 2.5 * (kana + han) >= latin and kana >= 0.15 * (kana + han):
        return "ja"
    if 2.5 * han > latin and han * 2 > total:
        return "zh"
    if found.get("hangul", 0) * 2 > total:
        return "ko"
    if latin * 2 > total or (latin and latin >= max(found.values())):
        return _latin_language(text)
    return "other"


def _latin_language(text: str) -> str:
    said = tokens(text[:SAMPLE])
    english = sum(word in _ENGLISH for word in said)
    foreign = sum(word in _FOREIGN for word in said)
    if foreign > english and foreign >= 2:
        return "other"
    # Too short for frequent words: assume English.
    return "en" if english or len(said) <= 6 or all(map(str.isascii, said)) else "other"


def mixed_words(text: str) -> tuple[Slip, ...]:
    """Return words that mix scripts as no language does: a Cyrillic а in a Latin word."""
    if text.isascii():
        return ()
    found: list[Slip] = []
    for word in _LETTERS.finditer(text[:SAMPLE]):
        if word.group().isascii():
            continue
        kinds = {_script(letter) for letter in word.group()} & {"latin", "cyrillic", "greek"}
        if len(kinds) > 1:
            note = f"letters of {' and '.join(sorted(kinds))} in one word"
            found.append(Slip(kind="mixed scripts", quote=word.group()[:60], start=word.start(), note=note))
    return tuple(found[:MOST_SLIPS])


def broken_characters(text: str) -> tuple[Slip, ...]:
    """Return traces of a wrong encoding: mojibake, replacement and control characters, leftover entities."""
    found = [
        Slip(
            kind="broken characters", quote=text[max(0, hit.start() - 5) : hit.end() + 5], start=hit.start(), note=note
        )
        for pattern, note in ((_MOJIBAKE, "a trace of a wrong encoding"), (_CONTROL, "a control character"))
        for hit, _ in zip(pattern.finditer(text), range(MOST_SLIPS), strict=False)
    ]
    return tuple(found)
