"""What the reader is asked: the intents, the tags of entities, and the tag of each piece of a marked text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from training.entity_rows import KINDS

__all__ = ["INTENTS", "TAGS", "marks", "tags_of"]

INTENTS = ("none", "legal_threat", "media_complaint", "safety_incident", "self_harm")
TAGS = ("O", *(f"{part}-{kind}" for kind in KINDS for part in "BI"))


def marks(text: str, offsets: Sequence[tuple[int, int]]) -> list[int]:
    """1 for a piece whose first letter is a capital in the text as it was written, else 0."""
    found = []
    for start, end in offsets:
        letters = text[start:end].lstrip()
        found.append(int(bool(letters) and letters[0].isupper()))
    return found


def tags_of(text: str, offsets: Sequence[tuple[int, int]], spans: Sequence[Sequence[Any]]) -> list[int]:
    """The tag of each piece: where a span covers its first letter that is not blank."""
    found = []
    last: int | None = None
    for start, end in offsets:
        blank = len(text[start:end]) - len(text[start:end].lstrip())
        at = start + blank if start + blank < end else start
        inside = next((i for i, (a, b, _) in enumerate(spans) if a <= at < b), None)
        if inside is None:
            found.append(0)
        else:
            kind = KINDS.index(spans[inside][2])
            found.append(1 + 2 * kind + (1 if inside == last else 0))
        last = inside
    return found
