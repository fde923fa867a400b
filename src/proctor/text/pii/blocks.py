"""Split a long text into blocks of sentences, so that a tagger can stop between them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

__all__ = ["BLOCK", "SHARED", "blocks", "pieces"]

BLOCK: Final = 1_500  # maximum characters: about a tenth of a second for a network
SHARED: Final = 80  # characters that two blocks or pieces share if they were not split at a sentence end
_PIECE: Final = 600
_LEAST: Final = 40  # characters: a shorter sentence is joined with the next, since "Dr." is not a sentence
_END: Final = re.compile(r"(?<=[.!?…])[\"'”’)\]]*\s+|(?<=[。！？।؟])|\\n|\n+")


def blocks(text: str) -> Iterator[tuple[int, str]]:
    """Yield the whole text in blocks, each with its offset."""
    return _cut(text, BLOCK)


def pieces(block: str) -> list[tuple[int, str]]:
    """Return the sentences of a block, each with its offset; blank ones are skipped."""
    found: list[tuple[int, str]] = []
    start = 0
    for end in (*(hit.end() for hit in _END.finditer(block)), len(block)):
        if end - start < _LEAST and end < len(block):
            continue
        found += [(start + at, piece) for at, piece in _cut(block[start:end], _PIECE) if not piece.isspace()]
        start = end
    return found


def _cut(text: str, longest: int) -> Iterator[tuple[int, str]]:
    """Yield parts up to a maximum length, split after a late sentence end if there is one, otherwise overlapping."""
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
