"""What was worked out of an object, kept with the object: for schemas, which cannot be hashed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

__all__ = ["Memo"]

Key = TypeVar("Key")
Value = TypeVar("Value")

_MOST = 256


class Memo(Generic[Key, Value]):
    """Calls ``work`` once for each object, known by its identity and not by its content.

    The object is held on to, so that no other one can take its identity.
    """

    __slots__ = ("_kept", "_work")

    def __init__(self, work: Callable[[Key], Value]) -> None:
        self._work = work
        self._kept: dict[int, tuple[Key, Value]] = {}

    def __call__(self, key: Key) -> Value:
        """What was worked out of the object."""
        kept = self._kept.get(id(key))
        if kept is None:
            if len(self._kept) >= _MOST:
                self._kept.clear()
            kept = self._kept[id(key)] = (key, self._work(key))
        return kept[1]
