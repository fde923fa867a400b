"""Decode ASCII85, with or without its ``<~ ~>`` marks."""

from __future__ import annotations

import base64
import re
from array import array
from collections.abc import Iterator

from proctor.text.normalise.decoders.bits import text_of
from proctor.text.normalise.layer import Layer
from proctor.text.normalise.patches import Found, Patch, patch_of_bytes

__all__ = ["find_ascii85"]

_TOKEN = re.compile(r"(?<!\S)(?:<~)?([!-u]{20,})")
_LONGEST = 16_380  # the decoder is slow: a longer token is decoded up to here
_SHORTEST = 20


def find_ascii85(layer: Layer) -> Iterator[Found]:
    """Find every long token that is ASCII85 of text."""
    text = layer.text
    if layer.longest < _SHORTEST:
        return
    patches = [patch for match in _TOKEN.finditer(text) if (patch := _decode(match))]
    if patches:
        yield Found(kind="ascii85", patches=tuple(patches))


def _decode(match: re.Match[str]) -> Patch | None:
    characters = match.group(1)[:_LONGEST]
    try:
        data = base64.a85decode(characters)
    except ValueError:
        return None
    found = text_of(data) if data else None
    if found is None:
        return None
    first = match.start(1)
    last = first + len(characters)
    # Five characters hold four bytes: each byte maps to its whole block.
    blocks = [first + byte // 4 * 5 for byte in range(len(data))]
    starts = array("I", (min(block, last - 1) for block in blocks))
    ends = array("I", (min(block + 5, last) for block in blocks))
    return patch_of_bytes(*found, starts, ends)
