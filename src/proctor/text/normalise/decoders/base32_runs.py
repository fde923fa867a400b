"""Decode base32, in upper or lower case, on one line or several."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator

from proctor.text.normalise.decoders.bits import Codec, decode_run
from proctor.text.normalise.layer import Layer
from proctor.text.normalise.patches import Found, Patch

__all__ = ["find_base32"]

_RUN = re.compile(r"(?<![A-Za-z0-9])(?:[A-Z2-7]{2,}={0,6}(?:\s{1,3}|(?![A-Za-z0-9])))+|[a-z2-7]{16,}={0,6}")
_CHUNK = re.compile(r"[A-Za-z2-7]+")
_LAST_BLOCK = {0: 0, 1: 1, 2: 0, 3: 1, 4: 0, 5: 0, 6: 1, 7: 0}  # surplus characters for a whole number of bytes
_SHORTEST = 16


def find_base32(layer: Layer) -> Iterator[Found]:
    """Find every run of base32 that contains text."""
    text = layer.text
    if not layer.has("AAAAA", "A0A", "a0a"):
        return
    patches: list[Patch] = []
    for match in _RUN.finditer(text):
        chunks = [(match.start() + chunk.start(), chunk.group()) for chunk in _CHUNK.finditer(match.group())]
        if sum(len(characters) for _, characters in chunks) >= _SHORTEST:
            patches += decode_run(_CODEC, chunks, shortest_alone=8)
    if patches:
        yield Found(kind="base32", patches=tuple(patches))


def _to_bytes(characters: str) -> bytes | None:
    surplus = _LAST_BLOCK[len(characters) % 8]
    characters = characters[: len(characters) - surplus].upper()
    try:
        return base64.b32decode(characters + "=" * (-len(characters) % 8))
    except binascii.Error:
        return None


_CODEC = Codec(bits=5, to_bytes=_to_bytes)
