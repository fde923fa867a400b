"""Decode base64: with or without padding, URL-safe, inside a word, over several lines, word by word."""

from __future__ import annotations

import binascii
import re
from collections.abc import Iterator
from dataclasses import replace

from proctor.text.normalise.decoders.bits import Chunk, Codec, decode_run
from proctor.text.normalise.language_likeness import common_words
from proctor.text.normalise.layer import Layer
from proctor.text.normalise.patches import Found, Patch

__all__ = ["find_base64"]

# A capital after a lowercase letter or a digit: typical of base64, and rare in words.
_ODD = re.compile(r"[a-z0-9+/][A-Z]|[A-Z][0-9]|[A-Z]{2}[a-z]")
_TOKEN = re.compile(r"[A-Za-z0-9+/_-]{2,}={0,2}")
_BETWEEN = re.compile(r"[\s,;|\"'`]{1,6}")
_SHORTEST = 8
_SHORTEST_PART = 20
_URL_SAFE = str.maketrans("-_", "+/")


def find_base64(layer: Layer) -> Iterator[Found]:
    """Find every run of base64 that contains text."""
    text = layer.text
    if not layer.has("aA", "0A", "A0", "AAa", "-A"):
        return
    patches: list[Patch] = []
    for run in _runs(text):
        patches += decode_run(_CODEC, run) or _inside(run)
    if patches:
        yield Found(kind="base64", patches=tuple(_with_padding(text, patch) for patch in patches))


def _with_padding(text: str, patch: Patch) -> Patch:
    end = patch.end
    while end < len(text) and text[end] == "=":
        end += 1
    return replace(patch, end=end)


def _to_bytes(characters: str) -> bytes | None:
    characters = characters.rstrip("=").translate(_URL_SAFE)
    if "=" in characters:
        return None
    if len(characters) % 4 == 1:
        characters = characters[:-1]
    return binascii.a2b_base64(characters + "=" * (-len(characters) % 4))


_CODEC = Codec(bits=6, to_bytes=_to_bytes)


def _runs(text: str) -> Iterator[list[Chunk]]:
    """Yield runs of tokens that look like base64; those of one block together."""
    run: list[Chunk] = []
    odd = end = 0
    for match in _TOKEN.finditer(text):
        token = match.group()
        is_odd = len(token) > 3 and bool(_ODD.search(token))
        if run and _continues(run[-1][1], token, is_odd) and _BETWEEN.fullmatch(text, end, match.start()):
            run.append((match.start(), token))
            odd += is_odd
        else:
            yield from _worth(run, odd)
            run, odd = ([(match.start(), token)], 1) if is_odd else ([], 0)
        end = match.end()
    yield from _worth(run, odd)


def _continues(before: str, token: str, is_odd: bool) -> bool:
    return is_odd or len(token) == len(before) or (len(token) < len(before) and token.lower() not in common_words())


def _worth(run: list[Chunk], odd: int) -> Iterator[list[Chunk]]:
    if odd * 2 >= len(run) and sum(len(token) for _, token in run) >= _SHORTEST:
        yield run


def _inside(run: list[Chunk]) -> list[Patch]:
    """Find text inside longer runs that are not base64 as a whole."""
    return [
        patch for chunk in run if len(chunk[1]) >= _SHORTEST_PART for patch in _CODEC.parts([chunk], shifts=range(4))
    ]
