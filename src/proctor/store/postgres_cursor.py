"""The rows of a statement on PostgreSQL, as our stores read those of SQLite."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from proctor.store.postgres import PostgresConnection

__all__ = ["PostgresCursor"]


class PostgresCursor:
    """The rows of one statement, as a cursor of SQLite gives them."""

    def __init__(self, connection: PostgresConnection, rows: Sequence[Any], rowcount: int) -> None:
        self._connection = connection
        self._rows = iter(rows)
        self.rowcount = rowcount

    def fetchone(self) -> Any:
        """Return the next row, or ``None``."""
        return next(self._rows, None)

    def fetchall(self) -> list[Any]:
        """Return the rows that are left."""
        return list(self._rows)

    def __iter__(self) -> Iterator[Any]:
        return self._rows

    @property
    def lastrowid(self) -> int:
        """The number that the last INSERT was given."""
        return int(self._connection.execute("SELECT lastval()").fetchone()[0])
