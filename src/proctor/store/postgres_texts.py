"""Search over conversations on PostgreSQL: by trigrams if the extension is there, else by reading the texts."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, ClassVar, Final, cast

from proctor.core.errors import StoreError
from proctor.core.event_row import EventRow
from proctor.store.event_log import FOLDER
from proctor.store.log_reader import PlacedRow
from proctor.store.postgres import connect_postgres
from proctor.store.postgres_events import PostgresEventDatabase
from proctor.store.text_index import FoundText, TextIndex, plain_text, turn_text

__all__ = ["PostgresTextIndex"]

_PAGE_ROWS: Final = 200
_MIGRATIONS: Final = (
    """
    CREATE TABLE log_files (name TEXT PRIMARY KEY, at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
    CREATE TABLE turns (
        n       INTEGER PRIMARY KEY,
        session TEXT NOT NULL,
        time    REAL NOT NULL,
        text    TEXT NOT NULL,
        folded  TEXT NOT NULL
    ) STRICT;
    CREATE INDEX turns_by_session ON turns (session);
    CREATE INDEX turns_by_time ON turns (time);
    """,
)
# In a schema that is always looked up; a user who may not create extensions searches without it.
_TRIGRAMS: Final = """
    CREATE EXTENSION IF NOT EXISTS pg_trgm WITH SCHEMA public;
    CREATE INDEX IF NOT EXISTS turns_by_trigram ON turns USING gin (folded gin_trgm_ops);
"""


class PostgresTextIndex(TextIndex):
    """The texts of turns in a schema of PostgreSQL, beside that of the conversations."""

    _FIRST: ClassVar[str] = (
        "SELECT t.session, t.text FROM turns t "
        "WHERE t.n IN (SELECT MIN(n) FROM turns WHERE session IN ({}) GROUP BY session)"
    )

    def __init__(self, store: Path, events: PostgresEventDatabase) -> None:
        self._folder = store / FOLDER
        self._lock = threading.RLock()
        beside = f"{events.prefix}_events"
        connection = connect_postgres(events.url, f"{events.prefix}_texts", _MIGRATIONS, beside=(beside,))
        self._connection = connection
        self._path = Path(connection.place)
        self._database = cast(sqlite3.Connection, connection)
        self.has_trigrams = False
        with suppress(StoreError):
            connection.define(_TRIGRAMS)
            self.has_trigrams = True

    def add(self, rows: Sequence[EventRow]) -> None:
        """Index the texts of turns.

        Raises:
            StoreError: the database failed.
        """
        with self._lock, self._connection.transaction():
            self._insert(rows)

    def find(
        self, text: str, *, where: str = "1", values: Sequence[Any] = (), scanned: int = 20_000
    ) -> Iterator[FoundText]:
        """Yield turns that contain every word of a text, the newest first.

        ``where`` is a condition on the conversation ``c``. At most ``scanned`` of the turns that fit are yielded.

        Raises:
            StoreError: the database failed.
        """
        words = [word.casefold() for word in plain_text(text).split()]
        if not words:
            return
        fits = " AND ".join(["t.folded LIKE ?"] * len(words))
        query = (
            "SELECT t.n, t.session, t.time, t.text FROM turns t JOIN conversations c ON c.session = t.session"
            f" WHERE {fits} AND t.n < ? AND {where} ORDER BY t.n DESC LIMIT ?"
        )
        last = 1 << 62
        while scanned > 0:
            given = (*(f"%{_escaped(word)}%" for word in words), last, *values, _PAGE_ROWS)
            with self._lock:
                rows = self._database.execute(query, given).fetchall()
            for number, session, time, said in rows:
                last = number
                yield FoundText(session, time, said)
            scanned -= len(rows)
            if len(rows) < _PAGE_ROWS:
                return

    def forget(self, sessions: Sequence[str]) -> int:
        """Remove the texts of conversations; return how many turns.

        Raises:
            StoreError: the database failed.
        """
        if not sessions:
            return 0
        with self._lock:
            return self._database.execute("DELETE FROM turns WHERE session = ANY (?)", (list(sessions),)).rowcount

    def drop_before(self, time: float) -> int:
        """Remove the texts of turns before a time; return how many."""
        with self._lock:
            return self._database.execute("DELETE FROM turns WHERE time < ?", (time,)).rowcount

    def clear(self) -> None:
        """Remove everything, to index again."""
        with self._lock, self._connection.transaction():
            self._database.execute("DELETE FROM turns")
            self._database.execute("DELETE FROM log_files")

    def _add(self, name: str, batch: Sequence[PlacedRow], erasures: int) -> int | None:
        end = batch[-1].at + batch[-1].length + 1
        with self._lock, self._connection.transaction():
            if self._erasures() != erasures:
                return None
            count = self._insert([placed.row for placed in batch if placed.row is not None])
            self._database.execute(
                "INSERT INTO log_files (name, at) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET at = excluded.at",
                (name, end),
            )
        return count

    def _erasures(self) -> int:
        with self._lock:
            return int(self._database.execute("SELECT COALESCE(MAX(n), 0) FROM erasures").fetchone()[0])

    def _insert(self, rows: Sequence[EventRow]) -> int:
        found = [(row, text) for row in rows if row.kind == "turn" and row.session and (text := turn_text(row.line))]
        self._database.executemany(
            "INSERT INTO turns (session, time, text, folded) VALUES (?, ?, ?, ?)",
            [(row.session, row.time, text, text.casefold()) for row, text in found],
        )
        return len(found)


def _escaped(word: str) -> str:
    return word.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
