"""Hide a payload in characters that are not shown, or put such characters between its letters."""

from __future__ import annotations

from random import Random
from typing import ClassVar, Final

from proctor.redteam.techniques.payload_encoding import Encoding, without_accents

__all__ = ["EmojiSelectors", "SoftHyphens", "TagCharacters", "ZeroWidthBits", "ZeroWidthGaps"]

_COVER: Final = ("👍", "😊", "✈", "🎉", "⭐")
_GAPS: Final = ("\u200b", "\u2060", "\ufeff")


class TagCharacters(Encoding):
    """Invisible tag characters, which mirror ASCII; accents are lost."""

    name: ClassVar[str] = "tag_characters"
    latin: ClassVar[bool] = True

    def encode(self, text: str, random: Random) -> str:
        """Follow an emoji, so that something is shown."""
        plain = without_accents(text)
        return random.choice(_COVER) + "".join(chr(0xE0000 + ord(c)) if " " <= c <= "~" else c for c in plain)


class EmojiSelectors(Encoding):
    """Variation selectors behind an emoji, one for each byte."""

    name: ClassVar[str] = "emoji_selectors"

    def encode(self, text: str, random: Random) -> str:
        """Follow an emoji."""
        raw = text.encode("utf-8", "replace")
        return random.choice(_COVER) + "".join(chr(0xFE00 + b) if b < 16 else chr(0xE0100 + b - 16) for b in raw)


class ZeroWidthBits(Encoding):
    """Two zero-width characters as bits."""

    name: ClassVar[str] = "zero_width_bits"

    def encode(self, text: str, random: Random) -> str:
        """Follow an emoji; eight bits for each byte."""
        bits = "".join(f"{byte:08b}" for byte in text.encode("utf-8", "replace"))
        return random.choice(_COVER) + bits.replace("0", "\u200b").replace("1", "\u200c")


class ZeroWidthGaps(Encoding):
    """A zero-width character between all letters."""

    name: ClassVar[str] = "zero_width_gaps"

    def encode(self, text: str, random: Random) -> str:
        """Choose the character."""
        return random.choice(_GAPS).join(text)


class SoftHyphens(Encoding):
    """A soft hyphen between the letters of each word."""

    name: ClassVar[str] = "soft_hyphens"

    def encode(self, text: str, random: Random) -> str:
        """Leave spaces alone."""
        return " ".join("\xad".join(word) for word in text.split(" "))
