"""Encode the payload's bytes: base64, base32, base85, hexadecimal, bits, decimal, octal, and escapes."""

from __future__ import annotations

import base64
import html
import urllib.parse
from random import Random
from typing import ClassVar

from proctor.redteam.techniques.payload_encoding import Encoding

__all__ = [
    "Ascii85Code",
    "BackslashEscapes",
    "Base32Code",
    "Base64Code",
    "Base64Twice",
    "BinaryDigits",
    "DecimalCodes",
    "HexDigits",
    "HtmlEntities",
    "OctalCodes",
    "PercentEscapes",
    "QuotedPrintable",
]


class Base64Code(Encoding):
    """Base64 on one line."""

    name: ClassVar[str] = "base64"

    def encode(self, text: str, random: Random) -> str:
        """Return it on one line."""
        return base64.b64encode(_bytes(text)).decode()


class Base64Twice(Encoding):
    """Base64 of base64."""

    name: ClassVar[str] = "base64_twice"

    def encode(self, text: str, random: Random) -> str:
        """Encode two times."""
        return base64.b64encode(base64.b64encode(_bytes(text))).decode()


class Base32Code(Encoding):
    """Base32 in capitals."""

    name: ClassVar[str] = "base32"

    def encode(self, text: str, random: Random) -> str:
        """Return it on one line."""
        return base64.b32encode(_bytes(text)).decode()


class Ascii85Code(Encoding):
    """Ascii85 between its usual brackets."""

    name: ClassVar[str] = "ascii85"

    def encode(self, text: str, random: Random) -> str:
        """Return it with ``<~`` and ``~>``."""
        return base64.a85encode(_bytes(text), adobe=True).decode()


class HexDigits(Encoding):
    """Hexadecimal digits, in one run or in pairs."""

    name: ClassVar[str] = "hex"

    def encode(self, text: str, random: Random) -> str:
        """Choose the separator."""
        raw = _bytes(text)
        return raw.hex(" ") if random.random() < 0.5 else raw.hex()


class BinaryDigits(Encoding):
    """Eight bits for each byte."""

    name: ClassVar[str] = "binary"

    def encode(self, text: str, random: Random) -> str:
        """Separate the bytes by spaces."""
        return " ".join(f"{byte:08b}" for byte in _bytes(text))


class DecimalCodes(Encoding):
    """The decimal code of each byte."""

    name: ClassVar[str] = "decimal"

    def encode(self, text: str, random: Random) -> str:
        """Separate the numbers by spaces or commas."""
        return random.choice((" ", ", ")).join(map(str, _bytes(" ".join(text.split()))))


class OctalCodes(Encoding):
    """The octal code of each byte."""

    name: ClassVar[str] = "octal"

    def encode(self, text: str, random: Random) -> str:
        """Separate the numbers by spaces."""
        return " ".join(f"{byte:03o}" for byte in _bytes(" ".join(text.split())))


class PercentEscapes(Encoding):
    """Percent escapes of every byte, as in an address."""

    name: ClassVar[str] = "percent"

    def encode(self, text: str, random: Random) -> str:
        """Escape letters too, not only signs."""
        kept = urllib.parse.quote(text, safe="", errors="replace") if random.random() < 0.5 else ""
        return kept if "%" in kept else "".join(f"%{byte:02X}" for byte in _bytes(text))


class HtmlEntities(Encoding):
    """Numeric HTML entities."""

    name: ClassVar[str] = "html_entities"

    def encode(self, text: str, random: Random) -> str:
        """Choose decimal or hexadecimal entities."""
        form = random.choice(("&#{};", "&#x{:x};"))
        return "".join(
            form.format(ord(character)) if character.isalnum() else html.escape(character) for character in text
        )


class BackslashEscapes(Encoding):
    r"""Backslash escapes of every character, as in source code: ``\u0049``."""

    name: ClassVar[str] = "backslash"

    def encode(self, text: str, random: Random) -> str:
        r"""Write characters beyond the first plane as ``\U0001f600``."""
        return "".join(f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}" for code in map(ord, text))


class QuotedPrintable(Encoding):
    """Quoted-printable of every byte, as in a mail."""

    name: ClassVar[str] = "quoted_printable"

    def encode(self, text: str, random: Random) -> str:
        """Escape every byte but spaces."""
        return "".join(" " if byte == 0x20 else f"={byte:02X}" for byte in _bytes(text))


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "replace")
