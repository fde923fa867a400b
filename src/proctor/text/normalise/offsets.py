"""Map each character of a changed text to its origin."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

__all__ = ["OffsetMap", "byte_widths", "identity", "numbers"]


@dataclass(frozen=True, slots=True)
class OffsetMap:
    """Character ``i`` of a text comes from ``original[starts[i]:ends[i]]``.

    ``direction`` is 1 if offsets increase, -1 if the text was reversed, 0 if only a part of it was. A run of unchanged
    characters is a ``range``, which takes constant memory.
    """

    starts: Sequence[int]
    ends: Sequence[int]
    direction: Literal[-1, 0, 1] = 1

    def __len__(self) -> int:
        return len(self.starts)

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the span of the original that ``text[start:end]`` came from."""
        start, end = max(start, 0), min(end, len(self.starts))
        if start >= end:
            return self._point(start)
        if self.direction > 0:
            return self.starts[start], self.ends[end - 1]
        if self.direction < 0:
            return self.starts[end - 1], self.ends[start]
        return min(self.starts[start:end]), max(self.ends[start:end])

    def _point(self, at: int) -> tuple[int, int]:
        if at < len(self.starts):
            return self.starts[at], self.starts[at]
        last = self.ends[-1] if len(self.ends) else 0
        return last, last

    def through(self, outer: OffsetMap) -> OffsetMap:
        """Compose this map with the map of the text it points into."""
        if outer.is_identity:
            return self
        starts, ends = outer.starts, outer.ends
        if self.direction > 0 and isinstance(self.starts, range) and isinstance(self.ends, range):
            here = slice(self.starts.start, self.starts.stop)
            return OffsetMap(starts[here], ends[here], outer.direction)
        if outer.direction > 0:
            return OffsetMap(
                numbers(map(starts.__getitem__, self.starts)), numbers(ends[e - 1] for e in self.ends), self.direction
            )
        if outer.direction < 0:
            turned: Literal[-1, 0, 1] = -1 if self.direction > 0 else 1 if self.direction < 0 else 0
            return OffsetMap(
                numbers(starts[e - 1] for e in self.ends), numbers(map(ends.__getitem__, self.starts)), turned
            )
        pairs = [outer.span(start, end) for start, end in zip(self.starts, self.ends, strict=True)]
        return OffsetMap(numbers(start for start, _ in pairs), numbers(end for _, end in pairs), 0)

    @property
    def is_identity(self) -> bool:
        """Whether every character maps to itself."""
        return isinstance(self.starts, range) and self.starts.start == 0 and self.starts.step == 1


def identity(length: int, start: int = 0) -> OffsetMap:
    """Return the map of an unchanged piece that begins at ``start``."""
    return OffsetMap(range(start, start + length), range(start + 1, start + length + 1))


def numbers(values: Iterable[int]) -> Sequence[int]:
    """Return offsets in four bytes each."""
    return array("I", values)


def byte_widths(text: str) -> Sequence[int]:
    """Return the number of UTF-8 bytes of each character."""
    if text.isascii():
        return b"\x01" * len(text)
    return bytes(1 if c < "\x80" else 2 if c < "\u0800" else 3 if c < "\U00010000" else 4 for c in text)
