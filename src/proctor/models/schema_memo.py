"""A cache keyed by object identity, for schemas, which cannot be hashed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

__all__ = ["Memo"]

Key = TypeVar("Key")
Value = TypeVar("Value")

_MAX_ENTRIES = 256


class Memo(Generic[Key, Value]):
    """Calls ``work`` once per object, identified by ``id()`` and not by its content.

    The object is kept alive, so that its id is not reused.
    """

    __slots__ = ("_kept", "_work")

    def __init__(self, work: Callable[[Key], Value]) -> None:
        self._work = work
        self._kept: dict[int, tuple[Key, Value]] = {}

    def __call__(self, key: Key) -> Value:
        """Return the cached result for the object."""
        kept = self._kept.get(id(key))
        if kept is None:
            if len(self._kept) >= _MAX_ENTRIES:
                self._kept.clear()
            kept = self._kept[id(key)] = (key, self._work(key))
        return kept[1]
