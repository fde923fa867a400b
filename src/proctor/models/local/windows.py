"""Cuts long lists of pieces into windows that overlap, so that nothing is lost at a cut and little is read twice."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import ceil

from proctor.models.local.tokenizer import END, START, Line

__all__ = ["MOST", "groups", "spread", "stretches", "windows"]

MOST = 24  # windows of one text: the first ones, the last, and evenly between
PERIOD = 32  # pieces, at most, of what a text says again and again
GROUP = 60_000  # letters that are cut into pieces at once: what is held meanwhile is bounded


def windows(
    numbers: Sequence[int],
    longest: int,
    *,
    overlap: float = 0.25,
    most: int = MOST,
) -> list[Line]:
    """Windows of at most ``longest`` pieces with their marks; a text of no pieces is one empty window.

    Of a text that only repeats itself the first window says all, but for its end.
    """
    room = longest - 2
    found = [(start, start + room) for start in _starts(len(numbers), room, overlap)]
    if len(found) > 1 and _repeats(numbers):
        found = [found[0], (max(0, len(numbers) - min(2 * PERIOD, room)), len(numbers))]
    if len(found) > most:
        found = [found[round(i * (len(found) - 1) / max(1, most - 1))] for i in range(most)]
    return [Line((START, *numbers[start:stop], END)) for start, stop in found]


def _starts(count: int, room: int, overlap: float) -> list[int]:
    """Where windows of ``room`` pieces begin: as long as may be, since who judges a text needs what is around it."""
    if count <= room:
        return [0]
    return [*range(0, count - room, max(1, int(room * (1 - overlap)))), count - room]


def stretches(count: int, room: int, *, overlap: float = 0.25) -> list[tuple[int, int]]:
    """Stretches of at most ``room`` pieces, all of a length, that cover ``count``; each shares so much with the next.

    For who looks at each piece by itself. As few as will do, and none longer than it must be: a text of a little more
    than one window is not read twice.
    """
    if count <= room:
        return [(0, count)]
    shared = min(room - 1, ceil(room * overlap))
    many = ceil((count - shared) / (room - shared))
    length = ceil((count + (many - 1) * shared) / many)
    return [(start := i * (count - length) // (many - 1), start + length) for i in range(many)]


def _repeats(numbers: Sequence[int]) -> bool:
    """Whether the pieces between the two ends are a few of them over and over."""
    core = numbers[PERIOD:-PERIOD]
    return any(core[0] == core[by] and core[by:] == core[:-by] for by in range(1, min(PERIOD, len(core) - 1) + 1))


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
