"""Split a tool's result or a document into pieces that can be classified and cut one by one."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Final

__all__ = ["Span", "pieces", "regions", "sentences"]

Span = tuple[int, int]

_STRING: Final = re.compile(r'"((?:[^"\\]|\\.)*+)"', re.DOTALL)
_END: Final = re.compile(r"(?<=[.!?])[\"'”’)]*\s+|(?<=[。！？।؟])|\\n|\n+")
_MIN_VALUE_CHARS: Final = 12  # a shorter JSON value cannot hold an instruction
_PIECE_CHARS: Final = 600
_MAX_PIECES: Final = 64


def regions(text: str) -> list[Span]:
    """Return where prose may be: the whole text, or the strings of JSON, so that cutting leaves valid JSON."""
    if not _is_json(text):
        return [(0, len(text))]
    return [hit.span(1) for hit in _STRING.finditer(text) if hit.end(1) - hit.start(1) >= _MIN_VALUE_CHARS]


def sentences(text: str, start: int, end: int) -> Iterator[Span]:
    """Yield the sentences of one region, without surrounding spaces."""
    at = start
    for stop, after in (*(hit.span() for hit in _END.finditer(text, start, end)), (end, end)):
        piece = text[at:stop]
        if piece.strip():
            yield at + len(piece) - len(piece.lstrip()), at + len(piece.rstrip())
        at = after


def pieces(text: str) -> list[list[Span]]:
    """Return the sentences in runs of about 600 characters; a very long text has longer runs, not more."""
    longest = max(_PIECE_CHARS, len(text) // _MAX_PIECES)
    made: list[list[Span]] = []
    held = longest
    for region in regions(text):
        for start, end in sentences(text, *region):
            if held + end - start > longest:
                made.append([])
                held = 0
            made[-1].append((start, end))
            held += end - start
    return made


def _is_json(text: str) -> bool:
    if text.lstrip()[:1] not in ("{", "["):
        return False
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True
