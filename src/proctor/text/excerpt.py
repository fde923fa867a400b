"""Parts of a text around phrases that somebody looks for, and the text with these phrases set apart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from proctor.text.find_phrase import fold, occurrences

__all__ = ["TextPart", "excerpt", "marked_parts"]

_MAX_MARKS: Final = 200
_ELLIPSIS: Final = "…"


class TextPart(NamedTuple):
    """A part of a text; ``marked`` if it is a phrase that was looked for."""

    text: str
    marked: bool


def excerpt(text: str, phrases: Sequence[str], *, chars: int = 160) -> str:
    """Return a part of a text on one line, around the first phrase that occurs in it, else from its beginning."""
    source, spans = _spans(text, phrases)
    start = max(0, spans[0][0] - chars // 3) if spans else 0
    part = " ".join(source[start : start + chars].split())
    return f"{_ELLIPSIS if start else ''}{part}{_ELLIPSIS if start + chars < len(source) else ''}"


def marked_parts(text: str, phrases: Sequence[str]) -> list[TextPart]:
    """Return the whole text in parts, with every occurrence of the phrases marked, whatever their case or width.

    A phrase that ends with an ellipsis was cut; what comes before it is looked for.
    """
    parts: list[TextPart] = []
    at = 0
    source, spans = _spans(text, [phrase.removesuffix(_ELLIPSIS) for phrase in phrases])
    for start, end in spans:
        if start > at:
            parts.append(TextPart(source[at:start], marked=False))
        parts.append(TextPart(source[start:end], marked=True))
        at = end
    if at < len(source):
        parts.append(TextPart(source[at:], marked=False))
    return parts


def _spans(text: str, phrases: Sequence[str]) -> tuple[str, list[tuple[int, int]]]:
    """Return a text with its characters composed, and where phrases occur in it, those that touch as one."""
    if not any(phrases):
        return text, []
    folded = fold(text, ignore_case=True)
    starts = folded.starts
    found = [span for phrase in phrases for span in occurrences(phrase.strip(), folded, most=_MAX_MARKS)]
    places = sorted(found if starts is None else [(starts[start], starts[end]) for start, end in found])
    merged: list[tuple[int, int]] = []
    for start, end in places:
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((start, end))
    return folded.source, merged
