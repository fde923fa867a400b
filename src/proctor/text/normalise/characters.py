"""Classify characters, and map each to its normalised form."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

__all__ = [
    "CONTROLS",
    "KASHIDA",
    "OVERLAYS",
    "SPECIAL",
    "TAGS",
    "VARIATION",
    "composing",
    "is_emoji",
    "is_settled",
    "kind_of",
    "plain_of",
]

# Each is the content of a regex character class.
CONTROLS = "\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029"
_ZERO_WIDTH = (
    "\xad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200d\u2060-\u2065\u206a-\u206f\u3164\ufeff\uffa0"
    "\ufff9-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0001"
)
_BIDI = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
TAGS = "\U000e0002-\U000e007f"  # the first thirty have no meaning, but may hide a line break
VARIATION = "\ufe00-\ufe0f\U000e0100-\U000e01ef"
# Strokes, bars and circles over a letter; no language uses them.
OVERLAYS = "\u0332\u0333\u0335-\u0338\u033f\u0347\u0359-\u035f\u0361-\u0362\u20d0-\u20df\u20e1-\u20e2\u20e4-\u20f0"
KASHIDA = "\u0640"  # elongates an Arabic word
_REGIONAL = "\U0001f1e6-\U0001f1ff"
_SURROGATES = "\ud800-\udfff"
_SMALL_CAPITALS = "ɢɪɴʀʏʙʜʟᴀᴄᴅᴇᴊᴋᴍᴏᴘᴛᴜᴠᴡᴢꜰꜱꞯ"
_NEGATIVE = "\U0001f150-\U0001f169\U0001f170-\U0001f189"  # white letters in black circles and squares

# A text without any of these only needs NFKC.
_SPECIAL_CLASS = (
    f"{CONTROLS}{_ZERO_WIDTH}{_BIDI}{TAGS}{VARIATION}{OVERLAYS}{_REGIONAL}{_SURROGATES}{_SMALL_CAPITALS}{_NEGATIVE}"
    f"{KASHIDA}\u1680\u2800"
)
SPECIAL = re.compile(f"[{_SPECIAL_CLASS}]")


def _members(character_class: str) -> Iterator[str]:
    """Yield the characters of a regex character class."""
    for first, last in re.findall("(?s)(.)(?:-(.))?", character_class):
        yield from map(chr, range(ord(first), ord(last or first) + 1))


_SPECIAL = frozenset(_members(_SPECIAL_CLASS))
_CLASSES = (
    ("control", re.compile(f"[{CONTROLS}]")),
    ("soft-hyphen", re.compile("\xad")),
    ("kashida", re.compile(KASHIDA)),
    ("zero-width", re.compile(f"[{_ZERO_WIDTH}]")),
    ("bidirectional", re.compile(f"[{_BIDI}]")),
    ("tag", re.compile(f"[{TAGS}]")),
    ("variation-selector", re.compile(f"[{VARIATION}]")),
    ("surrogate", re.compile(f"[{_SURROGATES}]")),
)
_DROPPED = {"control", "kashida", "soft-hyphen", "zero-width", "bidirectional", "tag", "variation-selector"}
_LINE_ENDS = "\x0b\x0c\x85\u2028\u2029"

# Letters in squares and circles without a compatibility mapping: each block runs from A to Z.
_LETTER_BLOCKS = (0x1F150, 0x1F170)
_DECOMPOSITION_KIND = {
    "<wide>": "full-width",
    "<narrow>": "half-width",
    "<circle>": "enclosed",
    "<square>": "enclosed",
    "<font>": "styled",
    "<super>": "superscript",
    "<sub>": "superscript",
}
# Arabic ligatures of 8 and 18 characters; and the lunate sigma, which looks like "c" and would become "ς".
_KEPT = {"\ufdfa", "\ufdfb", "\u03f2", "\u03f9"}

# Characters of combining class 0 that combine with the one before: Hangul vowels and finals, Indic vowel signs.
_JOINING = frozenset(map(chr, (*range(0x1161, 0x1176), *range(0x11A8, 0x11C3)))) | frozenset(
    "\u09be\u09d7\u0b3e\u0b56\u0b57\u0bbe\u0bd7\u0cc2\u0cd5\u0cd6\u0d3e\u0d57\u0dcf\u0ddf"
    "\u102e\u1b35\U000110ba\U00011127\U0001133e\U00011357\U000114b0\U000114ba\U000114bd\U000115af\U00011930"
)
_EMOJI = re.compile(
    "[\xa9\xae\u203c\u2049\u2122\u2139\u2190-\u21ff\u2300-\u23ff\u24c2\u25a0-\u27bf\u2900-\u297f\u2b00-\u2bff"
    "\u3030\u303d\u3297\u3299\U0001f000-\U0001faff]"
)


def is_settled(character: str) -> bool:
    """Whether the character never changes."""
    return unicodedata.normalize("NFKC", character) == character and character not in _SPECIAL


@lru_cache(maxsize=8192)
def plain_of(character: str) -> str:
    """Return the normalised form of the character; empty if it is removed."""
    if character in _LINE_ENDS:
        return "\n"
    if is_settled(character):
        return character
    kind = kind_of(character)
    if kind in _DROPPED:
        return ""
    if kind == "surrogate":
        return "\ufffd"
    if kind == "enclosed" and (letter := _block_letter(character)):
        return letter
    if kind == "small-capital":
        return unicodedata.name(character)[-1].lower()
    if kind == "space":
        return " "
    return character if character in _KEPT else unicodedata.normalize("NFKC", character)


@lru_cache(maxsize=8192)
def kind_of(character: str) -> str | None:
    """Return the signal of the character; None if it is usual."""
    for kind, pattern in _CLASSES:
        if pattern.match(character):
            return kind
    if character in "\u1680\u2800" or (unicodedata.category(character) == "Zs" and character not in " \u3000"):
        return "space"
    if _block_letter(character):
        return "enclosed"
    if character in _SMALL_CAPITALS:
        return "small-capital"
    decomposition = unicodedata.decomposition(character)
    if decomposition.startswith("<"):
        return _DECOMPOSITION_KIND.get(decomposition.split(" ", 1)[0], "compatibility")
    return None


def _block_letter(character: str) -> str:
    for first in _LETTER_BLOCKS:
        if first <= ord(character) < first + 26:
            return chr(ord("A") + ord(character) - first)
    return ""


def composing(characters: set[str]) -> str:
    """Return the characters that may combine with the one before them or be reordered."""
    return "".join(c for c in characters if unicodedata.combining(c)) + "".join(characters & _JOINING)


def is_emoji(character: str) -> bool:
    """Whether the character can be displayed as an emoji."""
    return bool(_EMOJI.match(character))
