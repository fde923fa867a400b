"""Decode the tokens of a short text, such as a part of an address: Base64, Base32, hexadecimal, character codes."""

from __future__ import annotations

import base64
import binascii
import re
import zlib
from collections.abc import Iterator
from typing import Final

from proctor.text.base64_data import unpack_base64
from proctor.text.web_address import unquoted

__all__ = ["decoded_tokens"]

_MAX_UNPACKED_BYTES: Final = 4_096
_TOKEN: Final = re.compile(r"[A-Za-z0-9+_-]{6,4096}={0,2}")
_HEX: Final = re.compile(r"(?:0x)?((?:[0-9A-Fa-f]{2}){4,2048})")
_SPACED_HEX: Final = re.compile(r"(?<![0-9A-Fa-f])(?:[0-9A-Fa-f]{2}[^\w]){3,1024}[0-9A-Fa-f]{2}(?![0-9A-Fa-f])")
_BASE32: Final = re.compile(r"[A-Za-z2-7]{8,4096}")
_CHARACTER_CODES: Final = re.compile(r"(?<!\d)(?:\d{2,3}[^\d]){3,1024}\d{2,3}(?!\d)")
_BETWEEN: Final = re.compile(r"[./&]|(?<=&)\w{1,16}=|^\w{1,16}=")  # what stands between the pieces of a cut text
_ROT13: Final = str.maketrans(
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", "nopqrstuvwxyzabcdefghijklmNOPQRSTUVWXYZABCDEFGHIJKLM"
)


def decoded_tokens(text: str) -> Iterator[tuple[str, str]]:
    """Yield the name of an encoding and the decoded text of each token, also of two encodings and of joined tokens.

    The text reversed and in ROT13 comes last; every text can be read so.
    """
    for coded, decoded in _unpacked(text):
        yield coded, decoded
        yield from ((f"{inner} inside {coded}", more) for inner, more in _unpacked(decoded))
        if "%" in decoded:
            yield coded, unquoted(decoded)
    yield "reversed", text[::-1]
    yield "rot13", text.translate(_ROT13)


def _unpacked(text: str) -> Iterator[tuple[str, str]]:
    tokens = dict.fromkeys(_TOKEN.findall(text))
    joined = _BETWEEN.sub("", text)
    if joined not in tokens:
        yield "pieces", joined
        if _TOKEN.fullmatch(joined):
            tokens[joined] = None
    for token in tokens:
        yield from ((coded, found) for coded, data in _codes(token) if (found := _printable(data)))
    for hit in _SPACED_HEX.findall(text):
        if found := _printable(bytes.fromhex(re.sub(r"\W", "", hit))):
            yield "hex", found
    for hit in _CHARACTER_CODES.findall(text):
        codes = [int(code) for code in re.findall(r"\d+", hit)]
        if all(32 <= code < 127 for code in codes):
            yield "character codes", "".join(map(chr, codes))


def _codes(token: str) -> Iterator[tuple[str, bytes]]:
    if hexed := _HEX.fullmatch(token):
        yield "hex", bytes.fromhex(hexed.group(1))
    if data := unpack_base64(token):
        yield "base64", _inflated(data)
    if _BASE32.fullmatch(token.rstrip("=")):
        bare = token.rstrip("=").upper()
        try:
            yield "base32", base64.b32decode(bare + "=" * (-len(bare) % 8))
        except (binascii.Error, ValueError):
            return


def _inflated(data: bytes) -> bytes:
    """Return data without compression, by gzip or zlib."""
    if data[:2] not in (b"\x1f\x8b", b"x\x9c", b"x\xda", b"x\x01"):
        return data
    try:
        return zlib.decompressobj(wbits=47).decompress(data, _MAX_UNPACKED_BYTES)
    except zlib.error:
        return data


def _printable(data: bytes) -> str:
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return ""
    return text if text.replace("\n", " ").isprintable() else ""
