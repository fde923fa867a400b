"""Decode hexadecimal and binary digits: in one run, spaced, or with a prefix such as ``0x``."""

from __future__ import annotations

import re
from collections.abc import Iterator

from proctor.text.normalise.decoders.bits import Chunk, Codec, decode_run
from proctor.text.normalise.layer import Layer
from proctor.text.normalise.patches import Found, Patch

__all__ = ["BINARY", "find_binary", "find_hex"]

_FEWEST_DIGITS = 4  # the code of every letter begins with a decimal digit
_RUN = re.compile(r"(?<![0-9A-Za-z])(?:0[xX]|\\x)?[0-9A-Fa-f]{2}(?:[\s,;:.\-]{0,3}(?:0[xX]|\\x)?[0-9A-Fa-f]{2}){3,}")
_CHUNK = re.compile(r"(?:0[xX]|\\x)?([0-9A-Fa-f]+)")
_BITS = re.compile(r"(?<![0-9])[01]{8}(?:[\s,;]{0,3}[01]{8}){2,}")
_BITS_CHUNK = re.compile(r"[01]+")


def find_hex(layer: Layer) -> Iterator[Found]:
    """Find every run of hexadecimal pairs that contains text."""
    text = layer.text
    if layer.shape.count("0") < _FEWEST_DIGITS:
        return
    patches: list[Patch] = []
    for match in _RUN.finditer(text):
        if len(match.group()) < 12 and match.group().isalnum():
            continue  # a short number or a word such as ``facade``
        chunks = _chunks(_CHUNK, match, 1)
        patches += decode_run(_HEX, chunks, shortest_alone=2) or _HEX.parts(chunks)  # ``be`` and ``add`` are pairs too
    if patches:
        yield Found(kind="hex", patches=tuple(patches))


def find_binary(layer: Layer) -> Iterator[Found]:
    """Find every run of eight or more binary digits that contains text."""
    text = layer.text
    if "00000000" not in layer.shape or "01" not in text:
        return
    patches: list[Patch] = []
    for match in _BITS.finditer(text):
        patches += decode_run(BINARY, _chunks(_BITS_CHUNK, match, 0))
    if patches:
        yield Found(kind="binary", patches=tuple(patches))


def _chunks(pattern: re.Pattern[str], run: re.Match[str], group: int) -> list[Chunk]:
    return [(run.start() + chunk.start(group), chunk.group(group)) for chunk in pattern.finditer(run.group())]


def _from_hex(characters: str) -> bytes:
    return bytes.fromhex(characters[: len(characters) // 2 * 2])


def _from_binary(characters: str) -> bytes | None:
    count = len(characters) // 8
    return int(characters[: count * 8], 2).to_bytes(count, "big") if count else None


_HEX = Codec(bits=4, to_bytes=_from_hex)
BINARY = Codec(bits=1, to_bytes=_from_binary)
