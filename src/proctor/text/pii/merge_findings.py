"""Merge the findings of patterns and tagger into one list without overlaps."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Final

from proctor.core.entity import Entity
from proctor.core.verdict import Finding

__all__ = ["NAMED", "merge"]

NAMED: Final = ("PERSON", "ADDRESS")  # a place or an organisation alone is not personal
_SAYS_SOMETHING: Final = re.compile(r"[^\W_]{2}|\d|[^\x00-\u02ff]")
_EDGE: Final = " \t\r\n,;:、。，()（）"


def merge(
    findings: Iterable[Finding], entities: Iterable[Entity], kinds: Collection[str] = NAMED
) -> tuple[Finding, ...]:
    """Return the findings, and the entities of these kinds where no finding covers them, in order.

    Patterns take precedence: of an entity that extends beyond one, the rest is kept. An address from the tagger that
    contains one from a pattern replaces it.
    """
    wanted = sorted((each for each in entities if each.kind in kinds), key=lambda each: (each.start, -each.end))
    known = sorted(findings, key=lambda each: each.start or 0)
    if not wanted:
        return tuple(known)
    addresses = [each for each in wanted if each.kind == "ADDRESS"]
    kept = [each for each in known if not (each.kind == "address" and _held(each, addresses))]
    made: list[Finding] = []
    last = 0
    for entity in wanted:
        for start, end in _left(max(entity.start, last), entity.end, kept):
            piece = entity.text[start - entity.start : end - entity.start]
            if (shorter := piece.strip(_EDGE)) and _SAYS_SOMETHING.search(shorter):
                made.append(_finding(entity, shorter, start + len(piece) - len(piece.lstrip(_EDGE))))
        last = max(last, entity.end)
    return tuple(sorted((*kept, *made), key=lambda each: each.start or 0))


def _held(found: Finding, addresses: Sequence[Entity]) -> bool:
    """Whether an address from the tagger contains one from a pattern: the longer one is kept."""
    start, end = found.start or 0, found.end or 0
    at = bisect_right(addresses, start, key=lambda each: each.start) - 1
    return at >= 0 and end <= addresses[at].end


def _left(start: int, end: int, kept: Sequence[Finding]) -> Iterator[tuple[int, int]]:
    """Yield the parts of a span that no finding covers."""
    at = bisect_right(kept, start, key=lambda each: each.end or 0)
    while at < len(kept) and (kept[at].start or 0) < end:
        if start < (kept[at].start or 0):
            yield start, kept[at].start or 0
        start = max(start, kept[at].end or 0)
        at += 1
    if start < end:
        yield start, end


def _finding(entity: Entity, text: str, start: int) -> Finding:
    return Finding(
        kind=entity.kind.lower(),
        detector="tagger",
        text=text,
        start=start,
        end=start + len(text),
        confidence=entity.score,
    )
