"""A lock that is free in a forked process, even if the parent held it."""

from __future__ import annotations

import os
from threading import Lock
from typing import Final
from weakref import WeakSet

__all__ = ["ForkLock"]


class ForkLock:
    """A lock for ``with``. In a forked child it is reset, since the thread that held it exists only in the parent."""

    __slots__ = ("__weakref__", "_lock")

    def __init__(self) -> None:
        self._lock = Lock()
        _every.add(self)

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        self._lock.release()

    def renew(self) -> None:
        """Reset the lock in a child, which has no other thread."""
        self._lock = Lock()


_every: Final[WeakSet[ForkLock]] = WeakSet()


def _renew() -> None:
    for each in list(_every):
        each.renew()


os.register_at_fork(after_in_child=_renew)
