"""Cuts long lists of pieces into windows that overlap, so that nothing is lost at a cut."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from proctor.models.local.pieces import END, START, Line

__all__ = ["MOST", "groups", "spread", "starts", "windows"]

MOST = 24  # windows of one text: the first ones, the last, and evenly between
GROUP = 60_000  # letters that are cut into pieces at once: what is held meanwhile is bounded


def windows(
    numbers: Sequence[int],
    longest: int,
    *,
    overlap: float = 0.25,
    most: int = MOST,
) -> list[Line]:
    """Windows of at most ``longest`` pieces with their marks; a text of no pieces is one empty window."""
    room = longest - 2
    found = starts(len(numbers), room, overlap=overlap)
    if len(found) > most:
        found = [found[round(i * (len(found) - 1) / max(1, most - 1))] for i in range(most)]
    return [Line((START, *numbers[s : s + room], END)) for s in found]


def starts(count: int, room: int, *, overlap: float = 0.25) -> list[int]:
    """Where windows of ``room`` pieces begin, so that they cover ``count`` and share that much of a window."""
    if count <= room:
        return [0]
    return [*range(0, count - room, max(1, int(room * (1 - overlap)))), count - room]


def spread(many: Sequence[Sequence[Line]]) -> tuple[list[Line], list[int]]:
    """All lines in one list, and for each the number of the text that it came from."""
    lines = [line for some in many for line in some]
    return lines, [owner for owner, some in enumerate(many) for _ in some]


def groups(texts: Sequence[str], letters: int = GROUP) -> Iterator[Sequence[str]]:
    """The texts in order, some at a time: as many as have so many letters together, at least one."""
    start, held = 0, 0
    for end, text in enumerate(texts):
        if held and held + len(text) > letters:
            yield texts[start:end]
            start, held = end, 0
        held += len(text)
    if start < len(texts):
        yield texts[start:]
