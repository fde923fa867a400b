"""A long text in blocks of sentences that a tagger reads one after the other, so that reading can stop in between."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

__all__ = ["BLOCK", "SHARED", "blocks", "pieces"]

BLOCK: Final = 1_500  # letters, at most: about a tenth of a second for a network
SHARED: Final = 80  # letters that two blocks or pieces have in common where there was no end of a sentence to cut at
_PIECE: Final = 600
_LEAST: Final = 40  # letters: a shorter sentence is read with the next, since "Dr." is no sentence either
_END: Final = re.compile(r"(?<=[.!?…])[\"'”’)\]]*\s+|(?<=[。！？।؟])|\\n|\n+")


def blocks(text: str) -> Iterator[tuple[int, str]]:
    """The whole text in blocks, each with its place."""
    return _cut(text, BLOCK)


def pieces(block: str) -> list[tuple[int, str]]:
    """The sentences of a block, each with its place in it; what is blank is left out."""
    found: list[tuple[int, str]] = []
    start = 0
    for end in (*(hit.end() for hit in _END.finditer(block)), len(block)):
        if end - start < _LEAST and end < len(block):
            continue
        found += [(start + at, piece) for at, piece in _cut(block[start:end], _PIECE) if not piece.isspace()]
        start = end
    return found


def _cut(text: str, longest: int) -> Iterator[tuple[int, str]]:
    """Parts of at most so many letters, cut behind a sentence where one ends late enough; else the next overlaps."""
    start = 0
    while len(text) - start > longest:
        room = text[start : start + longest]
        ends = [hit.end() for hit in _END.finditer(room, longest // 2)]
        if ends:
            yield start, room[: ends[-1]]
            start += ends[-1]
        else:
            yield start, room
            start += longest - SHARED
    if start < len(text):
        yield start, text[start:]
