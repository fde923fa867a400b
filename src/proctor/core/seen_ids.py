"""A memory of recent ids in constant space, by which a repeated delivery is known."""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from hashlib import blake2b
from typing import Final

__all__ = ["SeenIds", "id_code"]

_MIN_SLOTS: Final = 2  # for each id: a table that is half full finds an id in about 1.5 steps
_FIRST_SLOTS: Final = 1 << 12


def id_code(text: str) -> int:
    """Return 64 bits of an id, never 0. Of a million ids, two share a code with a chance of 1 in 37 million.

    It is the same in every process: the codes of sealed events are stored, and read by others.
    """
    return int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little") or 1


class SeenIds:
    """Remembers the codes of at least the last ``capacity`` ids, and at most twice as many.

    There are two tables of 64-bit codes, which grow with their content. When the newer one is full, the older one is
    dropped. A million ids take 32 MB at most; a set of strings takes several times as much.
    """

    def __init__(self, capacity: int = 1_000_000) -> None:
        if capacity < 1:
            raise ValueError(f"capacity must be at least 1, not {capacity}")
        self.capacity = capacity
        self._new, self._old = _table(_FIRST_SLOTS), _table(_FIRST_SLOTS)
        self._count = 0

    def __contains__(self, code: int) -> bool:
        for table in (self._new, self._old):
            mask = len(table) - 1
            place = code & mask
            while found := table[place]:
                if found == code:
                    return True
                place = (place + 1) & mask
        return False

    def add(self, codes: Iterable[int]) -> None:
        """Remember these codes."""
        table, mask = self._new, len(self._new) - 1
        for code in codes:
            place = code & mask
            while (found := table[place]) != code:
                if not found:
                    table[place] = code
                    self._count += 1
                    break
                place = (place + 1) & mask
            if self._count >= self.capacity:
                self._old, self._new, self._count = table, _table(_FIRST_SLOTS), 0
                table, mask = self._new, _FIRST_SLOTS - 1
            elif self._count * _MIN_SLOTS > mask:
                table = self._new = _grown(table)
                mask = len(table) - 1


def _table(slots: int) -> array[int]:
    return array("Q", bytes(8 * slots))


def _grown(table: array[int]) -> array[int]:
    larger = _table(2 * len(table))
    mask = len(larger) - 1
    for code in table:
        if code:
            place = code & mask
            while larger[place]:
                place = (place + 1) & mask
            larger[place] = code
    return larger
