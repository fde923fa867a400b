"""Mark the characters of a text that are already part of something found, so that a long text is read in one pass."""

from __future__ import annotations

__all__ = ["TakenSpans"]


class TakenSpans:
    """The characters of one text that are taken; a mark for each makes an overlap quick to see among many spans."""

    __slots__ = ("_marks",)

    def __init__(self, text: str) -> None:
        self._marks = bytearray(len(text))

    def add(self, start: int, end: int) -> None:
        """Take the characters from ``start`` to before ``end``."""
        self._marks[start:end] = b"\1" * (end - start)

    def overlaps(self, start: int, end: int) -> bool:
        """Whether one of these characters is taken."""
        return self._marks.find(1, start, end) >= 0
