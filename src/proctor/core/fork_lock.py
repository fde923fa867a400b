"""A lock that a forked program finds open, whoever held it in its parent."""

from __future__ import annotations

import os
from threading import Lock
from typing import Final
from weakref import WeakSet

__all__ = ["ForkLock"]


class ForkLock:
    """A lock for ``with``. The thread that held it stays behind in the parent: a child would wait for it for ever."""

    __slots__ = ("__weakref__", "_lock")

    def __init__(self) -> None:
        self._lock = Lock()
        _every.add(self)

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        self._lock.release()

    def renew(self) -> None:
        """Open it, for a child that has no other thread."""
        self._lock = Lock()


_every: Final[WeakSet[ForkLock]] = WeakSet()


def _renew() -> None:
    for each in list(_every):
        each.renew()


os.register_at_fork(after_in_child=_renew)
