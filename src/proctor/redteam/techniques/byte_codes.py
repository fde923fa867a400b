"""Encode the payload's bytes: base64, base32, base85, hexadecimal, bits, decimal, octal, and escapes."""

from __future__ import annotations

import base64
import html
import urllib.parse
from random import Random

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


def _to_base64(text: str, random: Random) -> str:
    """Return it on one line."""
    return base64.b64encode(_bytes(text)).decode()


def _to_base64_twice(text: str, random: Random) -> str:
    """Encode two times."""
    return base64.b64encode(base64.b64encode(_bytes(text))).decode()


def _to_base32(text: str, random: Random) -> str:
    """Return it on one line."""
    return base64.b32encode(_bytes(text)).decode()


def _to_ascii85(text: str, random: Random) -> str:
    """Return it with ``<~`` and ``~>``."""
    return base64.a85encode(_bytes(text), adobe=True).decode()


def _to_hex(text: str, random: Random) -> str:
    """Choose the separator."""
    raw = _bytes(text)
    return raw.hex(" ") if random.random() < 0.5 else raw.hex()


def _to_binary(text: str, random: Random) -> str:
    """Separate the bytes by spaces."""
    return " ".join(f"{byte:08b}" for byte in _bytes(text))


def _to_decimal(text: str, random: Random) -> str:
    """Separate the numbers by spaces or commas."""
    return random.choice((" ", ", ")).join(map(str, _bytes(" ".join(text.split()))))


def _to_octal(text: str, random: Random) -> str:
    """Separate the numbers by spaces."""
    return " ".join(f"{byte:03o}" for byte in _bytes(" ".join(text.split())))


def _to_percent(text: str, random: Random) -> str:
    """Escape letters too, not only signs."""
    kept = urllib.parse.quote(text, safe="", errors="replace") if random.random() < 0.5 else ""
    return kept if "%" in kept else "".join(f"%{byte:02X}" for byte in _bytes(text))


def _to_html_entities(text: str, random: Random) -> str:
    """Choose decimal or hexadecimal entities."""
    form = random.choice(("&#{};", "&#x{:x};"))
    return "".join(form.format(ord(character)) if character.isalnum() else html.escape(character) for character in text)


def _to_backslash(text: str, random: Random) -> str:
    r"""Write characters beyond the first plane as ``\U0001f600``."""
    return "".join(f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}" for code in map(ord, text))


def _to_quoted_printable(text: str, random: Random) -> str:
    """Escape every byte but spaces."""
    return "".join(" " if byte == 0x20 else f"={byte:02X}" for byte in _bytes(text))


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "replace")


Base64Code = Encoding(name="base64", title="Base64 on one line.", encode=_to_base64)
Base64Twice = Encoding(name="base64_twice", title="Base64 of base64.", encode=_to_base64_twice)
Base32Code = Encoding(name="base32", title="Base32 in capitals.", encode=_to_base32)
Ascii85Code = Encoding(name="ascii85", title="Ascii85 between its usual brackets.", encode=_to_ascii85)
HexDigits = Encoding(name="hex", title="Hexadecimal digits, in one run or in pairs.", encode=_to_hex)
BinaryDigits = Encoding(name="binary", title="Eight bits for each byte.", encode=_to_binary)
DecimalCodes = Encoding(name="decimal", title="The decimal code of each byte.", encode=_to_decimal)
OctalCodes = Encoding(name="octal", title="The octal code of each byte.", encode=_to_octal)
PercentEscapes = Encoding(name="percent", title="Percent escapes of every byte, as in an address.", encode=_to_percent)
HtmlEntities = Encoding(name="html_entities", title="Numeric HTML entities.", encode=_to_html_entities)
BackslashEscapes = Encoding(
    name="backslash", title=r"Backslash escapes of every character, as in source code: `\u0049`.", encode=_to_backslash
)
QuotedPrintable = Encoding(
    name="quoted_printable", title="Quoted-printable of every byte, as in a mail.", encode=_to_quoted_printable
)
