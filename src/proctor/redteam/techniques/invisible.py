"""Hide a payload in characters that are not shown, or put such characters between its letters."""

from __future__ import annotations

from random import Random
from typing import Final

from proctor.redteam.techniques.payload_encoding import Encoding, without_accents

__all__ = ["EmojiSelectors", "SoftHyphens", "TagCharacters", "ZeroWidthBits", "ZeroWidthGaps"]

_COVER: Final = ("👍", "😊", "✈", "🎉", "⭐")
_GAPS: Final = ("\u200b", "\u2060", "\ufeff")


def _to_tag_characters(text: str, random: Random) -> str:
    """Follow an emoji, so that something is shown."""
    plain = without_accents(text)
    return random.choice(_COVER) + "".join(chr(0xE0000 + ord(c)) if " " <= c <= "~" else c for c in plain)


def _to_emoji_selectors(text: str, random: Random) -> str:
    """Follow an emoji."""
    raw = text.encode("utf-8", "replace")
    return random.choice(_COVER) + "".join(chr(0xFE00 + b) if b < 16 else chr(0xE0100 + b - 16) for b in raw)


def _to_zero_width_bits(text: str, random: Random) -> str:
    """Follow an emoji; eight bits for each byte."""
    bits = "".join(f"{byte:08b}" for byte in text.encode("utf-8", "replace"))
    return random.choice(_COVER) + bits.replace("0", "\u200b").replace("1", "\u200c")


def _to_zero_width_gaps(text: str, random: Random) -> str:
    """Choose the character."""
    return random.choice(_GAPS).join(text)


def _to_soft_hyphens(text: str, random: Random) -> str:
    """Leave spaces alone."""
    return " ".join("\xad".join(word) for word in text.split(" "))


TagCharacters = Encoding(
    name="tag_characters",
    title="Invisible tag characters, which mirror ASCII; accents are lost.",
    encode=_to_tag_characters,
    latin=True,
)
EmojiSelectors = Encoding(
    name="emoji_selectors", title="Variation selectors behind an emoji, one for each byte.", encode=_to_emoji_selectors
)
ZeroWidthBits = Encoding(name="zero_width_bits", title="Two zero-width characters as bits.", encode=_to_zero_width_bits)
ZeroWidthGaps = Encoding(
    name="zero_width_gaps", title="A zero-width character between all letters.", encode=_to_zero_width_gaps
)
SoftHyphens = Encoding(
    name="soft_hyphens", title="A soft hyphen between the letters of each word.", encode=_to_soft_hyphens
)
