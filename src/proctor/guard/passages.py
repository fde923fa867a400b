"""Split a tool's result or a document into pieces that can be classified and cut one by one."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from proctor.guard.line_wraps import is_wrap

__all__ = ["Span", "blocks", "pieces", "regions", "sentences", "whole_sentences"]

Span = tuple[int, int]

_STRING: Final = re.compile(r'"((?:[^"\\]|\\.)*+)"', re.DOTALL)
_TAG: Final = (
    r"</?(?:p|div|li|ul|ol|dl|dt|dd|td|tr|th|table|tbody|h[1-6]|section|article|header|footer|main|aside|nav|br|hr|form"
    r"|label|option|blockquote|pre|title|body|head|html|figcaption|button|span|summary|details)\b[^<>]{0,200}>"
)
_END: Final = re.compile(rf"{_TAG}|(?<=[.!?])[\"'”’)]*\s+|(?<=[。！？।؟])|\\n|\n+", re.IGNORECASE)
_BLOCK_END: Final = re.compile(rf"{_TAG}|\n[^\S\n]*\n|(?:\\n){{2}}", re.IGNORECASE)
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
    ends = (
        hit.span() for hit in _END.finditer(text, start, end) if hit.group() != "\n" or not is_wrap(text, hit.start())
    )
    for stop, after in (*ends, (end, end)):
        piece = text[at:stop]
        if piece.strip():
            yield at + len(piece) - len(piece.lstrip()), at + len(piece.rstrip())
        at = after


def blocks(text: str, start: int, end: int) -> list[Span]:
    """Return the paragraphs, elements and rows of one region; a wrapped line belongs to its paragraph."""
    edges = [start, *(at for hit in _BLOCK_END.finditer(text, start, end) for at in hit.span()), end]
    return [(low, high) for low, high in pairwise(edges) if text[low:high].strip()]


def whole_sentences(text: str, span: Span) -> Span:
    """Return a span that reaches from the start of its first sentence to the end of its last."""
    region = next((each for each in regions(text) if each[0] <= span[0] and span[1] <= each[1]), None)
    if region is None:
        return span
    inside = [each for each in sentences(text, *region) if each[0] < span[1] and span[0] < each[1]]
    return (min(span[0], inside[0][0]), max(span[1], inside[-1][1])) if inside else span


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
