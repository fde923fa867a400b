"""Split long lists of tokens into overlapping windows, so that nothing is lost at a cut and little is read twice."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import ceil

from proctor.models.local.tokenizer import END, START, Line

__all__ = ["MOST", "groups", "spread", "stretches", "windows"]

MOST = 24  # windows per text: the first, the last, and evenly between
PERIOD = 32  # maximum tokens of a repeated sequence
GROUP = 60_000  # characters that are tokenized at once, to bound memory


def windows(
    numbers: Sequence[int],
    longest: int,
    *,
    overlap: float = 0.25,
    most: int = MOST,
) -> list[Line]:
    """Return windows of at most ``longest`` tokens with special tokens; an empty text is one empty window.

    A text that only repeats itself is reduced to its first window and its end.
    """
    room = longest - 2
    found = [(start, start + room) for start in _starts(len(numbers), room, overlap)]
    if len(found) > 1 and _repeats(numbers):
        found = [found[0], (max(0, len(numbers) - min(2 * PERIOD, room)), len(numbers))]
    if len(found) > most:
        found = [found[round(i * (len(found) - 1) / max(1, most - 1))] for i in range(most)]
    return [Line((START, *numbers[start:stop], END)) for start, stop in found]


def _starts(count: int, room: int, overlap: float) -> list[int]:
    """Return the starts of windows of ``room`` tokens: as long as possible, since classifying needs context."""
    if count <= room:
        return [0]
    return [*range(0, count - room, max(1, int(room * (1 - overlap)))), count - room]


def stretches(count: int, room: int, *, overlap: float = 0.25) -> list[tuple[int, int]]:
    """Return spans of at most ``room`` tokens, of equal length, that cover ``count`` and overlap.

    For tagging each token. They are as few and as short as possible: a text slightly longer than one window is not
    read twice.
    """
    if count <= room:
        return [(0, count)]
    shared = min(room - 1, ceil(room * overlap))
    many = ceil((count - shared) / (room - shared))
    length = ceil((count + (many - 1) * shared) / many)
    return [(start := i * (count - length) // (many - 1), start + length) for i in range(many)]


def _repeats(numbers: Sequence[int]) -> bool:
    """Return whether the tokens between both ends repeat a short sequence."""
    core = numbers[PERIOD:-PERIOD]
    return any(core[0] == core[by] and core[by:] == core[:-by] for by in range(1, min(PERIOD, len(core) - 1) + 1))


def spread(many: Sequence[Sequence[Line]]) -> tuple[list[Line], list[int]]:
    """Return all lines in one list, and for each the index of its text."""
    lines = [line for some in many for line in some]
    return lines, [owner for owner, some in enumerate(many) for _ in some]


def groups(texts: Sequence[str], letters: int = GROUP) -> Iterator[Sequence[str]]:
    """Yield the texts in order, in groups of at most so many characters, at least one text each."""
    start, held = 0, 0
    for end, text in enumerate(texts):
        if held and held + len(text) > letters:
            yield texts[start:end]
            start, held = end, 0
        held += len(text)
    if start < len(texts):
        yield texts[start:]
