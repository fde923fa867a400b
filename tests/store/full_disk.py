"""A database on a disk that is full for one moment."""

from __future__ import annotations

import sqlite3
from typing import Any, cast

__all__ = ["full_at_commit"]


class _FullAtCommit:
    """A connection whose disk is full when the first transaction ends."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database
        self._full = True

    def __getattr__(self, name: str) -> Any:
        return getattr(self._database, name)

    def execute(self, sql: str, *more: Any) -> sqlite3.Cursor:
        if sql == "COMMIT" and self._full:
            self._full = False
            raise sqlite3.OperationalError("database or disk is full")
        return self._database.execute(sql, *more)


def full_at_commit(database: sqlite3.Connection) -> sqlite3.Connection:
    """Return the same connection; the first transaction fails at its end."""
    return cast("sqlite3.Connection", _FullAtCommit(database))
