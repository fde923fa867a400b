"""What stores in SQLite share: open, close and change one file, insert rows, and find by the start of an id."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

from proctor.core.decode import closest
from proctor.core.errors import NotFoundError
from proctor.store.db import connect, explained, transaction

__all__ = ["SqliteStore", "insert", "matching", "several_begin_with", "unknown_name"]


class SqliteStore:
    """A store in one SQLite file; a ``with`` statement closes it."""

    def __init__(self, path: Path, migrations: Sequence[str]) -> None:
        self.path = path
        self.database: sqlite3.Connection = connect(path, migrations)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the database; closing twice is fine."""
        self.database.close()

    @contextmanager
    def change(self) -> Iterator[sqlite3.Connection]:
        """Run the block as one write transaction; a database error becomes a ``StoreError``."""
        with explained(self.path), transaction(self.database):
            yield self.database


def insert(
    database: sqlite3.Connection, table: str, values: Mapping[str, Any], *, verb: str = "INSERT"
) -> sqlite3.Cursor:
    """Insert one row, given by its columns."""
    marks = ", ".join("?" * len(values))
    return database.execute(f"{verb} INTO {table} ({', '.join(values)}) VALUES ({marks})", tuple(values.values()))


def matching(**wanted: object) -> tuple[str, list[Any]]:
    """Return the condition that columns have these values, and the values; ``None`` means any."""
    chosen = {column: value for column, value in wanted.items() if value is not None}
    return " AND ".join(["1", *(f"{column} = ?" for column in chosen)]), list(chosen.values())


def several_begin_with(name: str, ids: Sequence[str], what: str) -> NotFoundError:
    """Return the error for the start of an id that fits several things; the first five are named."""
    return NotFoundError(f"{len(ids)} {what} begin with {name!r}", hint="give more of it: " + ", ".join(ids[:5]))


def unknown_name(name: str, known: Iterable[str], message: str, listing: str) -> NotFoundError:
    """Return the error for a name that fits nothing, with the nearest known name or else how to list them."""
    guess = closest(name, list(known))
    return NotFoundError(message, hint=f"did you mean {guess}?" if guess else listing)
