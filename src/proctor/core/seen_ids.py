"""A memory of recent ids in constant space, by which a repeated delivery is known."""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from hashlib import blake2b
from typing import Final

__all__ = ["SeenIds", "id_code"]

_MAX_LOAD: Final = 2  # slots for each id: a table that is half full finds an id in about 1.5 steps


def id_code(text: str) -> int:
    """Return 64 bits of an id, never 0. Of a million ids, two share a code with a chance of 1 in 37 million."""
    return int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little") or 1


class SeenIds:
    """Remembers the codes of at least the last ``capacity`` ids, and at most twice as many.

    There are two tables of 64-bit codes. When the newer one is full, the older one is dropped. A million ids take
    32 MB; a set of strings takes ten times as much.
    """

    def __init__(self, capacity: int = 1_000_000) -> None:
        if capacity < 1:
            raise ValueError(f"capacity must be at least 1, not {capacity}")
        self.capacity = capacity
        self._slots = 1 << max(4, (capacity * _MAX_LOAD - 1).bit_length())
        self._new, self._old = self._table(), self._table()
        self._count = 0

    def __contains__(self, code: int) -> bool:
        return _has(self._new, code, self._slots - 1) or _has(self._old, code, self._slots - 1)

    def add(self, codes: Iterable[int]) -> None:
        """Remember these codes."""
        table, mask = self._new, self._slots - 1
        for code in codes:
            place = code & mask
            while (found := table[place]) != code:
                if not found:
                    table[place] = code
                    self._count += 1
                    break
                place = (place + 1) & mask
            if self._count >= self.capacity:
                self._old, self._new, self._count = table, self._table(), 0
                table = self._new

    def _table(self) -> array[int]:
        return array("Q", bytes(8 * self._slots))


def _has(table: array[int], code: int, mask: int) -> bool:
    place = code & mask
    while found := table[place]:
        if found == code:
            return True
        place = (place + 1) & mask
    return False
