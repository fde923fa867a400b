"""Full-text search over conversations: any part of a word, in any language."""

from __future__ import annotations

import contextlib
import sqlite3
import threading
import time
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, ClassVar, Final, NamedTuple

import orjson

from proctor.core.event_row import EventRow
from proctor.store.db import connect, explained, transaction
from proctor.store.event_database import DATABASE
from proctor.store.event_log import FOLDER
from proctor.store.log_reader import PlacedRow, log_files, new_rows

__all__ = ["SEARCH_DATABASE", "FoundText", "TextIndex", "plain_text", "turn_text"]

SEARCH_DATABASE: Final = "search.db"  # inside the folder of the events
_BATCH_ROWS: Final = 1_000
_MAX_TEXT_CHARS: Final = 20_000  # of a turn that are indexed
_PAGE_ROWS: Final = 200
_MAX_TERMS: Final = 400  # trigrams that a part of one or two characters may stand for
_GRAM: Final = 3
_PAD: Final = "\n\n"  # so that a text's last characters begin trigrams too
_MAX_VARIABLES: Final = 500

# Append only. Never edit a released migration: existing files have applied it.
_MIGRATIONS: Final = (
    """
    CREATE TABLE log_files (name TEXT PRIMARY KEY, at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
    CREATE TABLE turns (
        n       INTEGER PRIMARY KEY,
        session TEXT NOT NULL,
        time    REAL NOT NULL
    ) STRICT;
    CREATE INDEX turns_by_session ON turns (session);
    CREATE INDEX turns_by_time ON turns (time);
    CREATE VIRTUAL TABLE texts USING fts5(text, tokenize = 'trigram', detail = none, columnsize = 0);
    CREATE VIRTUAL TABLE terms USING fts5vocab(texts, row);
    """,
)


class FoundText(NamedTuple):
    """A turn that a search found."""

    session: str
    time: float
    text: str


class TextIndex:
    """The texts of turns in trigrams. It follows the log by itself, since it costs more than the other indexes."""

    _FIRST: ClassVar[str] = (
        "SELECT t.session, x.text FROM turns t JOIN texts x ON x.rowid = t.n "
        "WHERE t.n IN (SELECT MIN(n) FROM turns WHERE session IN ({}) GROUP BY session)"
    )

    def __init__(self, store: Path) -> None:
        self._folder = store / FOLDER
        self._path = self._folder / SEARCH_DATABASE
        self._lock = threading.RLock()
        self._database: sqlite3.Connection = connect(self._path, _MIGRATIONS, check_same_thread=False)
        with explained(self._path):
            self._database.execute("PRAGMA secure_delete=ON")
            self._database.execute("ATTACH DATABASE ? AS known", (str(self._folder / DATABASE),))

    def catch_up(self, *, seconds: float | None = None, only: Iterable[str] | None = None) -> int:
        """Index the new turns of the log; return how many. Stop after about ``seconds``, if they are given.

        Of several processes only one may do this, as the indexer.

        Raises:
            StoreError: the database failed.
        """
        until = float("inf") if seconds is None else time.monotonic() + seconds
        wanted = None if only is None else set(only)
        count, known, erasures = 0, self.positions(), self._erasures()
        for path in log_files(self._folder):
            if wanted is not None and path.name not in wanted:
                continue
            with contextlib.suppress(FileNotFoundError), path.open("rb") as file:
                placed = new_rows(file, known.get(path.name, 0))
                while batch := list(islice(placed, _BATCH_ROWS)):
                    added = self._add(path.name, batch, erasures)
                    if added is None or time.monotonic() > until:  # events were erased after they were read
                        return count
                    count += added
        return count

    def add(self, rows: Sequence[EventRow]) -> None:
        """Index the texts of turns.

        Raises:
            StoreError: the database failed.
        """
        with self._lock, explained(self._path), _transaction(self._database):
            _insert(self._database, rows)

    def positions(self) -> dict[str, int]:
        """Return how far each log file was indexed."""
        with self._lock, explained(self._path):
            return {row[0]: row[1] for row in self._database.execute("SELECT name, at FROM log_files")}

    def find(
        self, text: str, *, where: str = "1", values: Sequence[Any] = (), scanned: int = 20_000
    ) -> Iterator[FoundText]:
        """Yield turns that contain every word of a text, the newest first.

        ``where`` is a condition on the conversation ``c``. At most ``scanned`` candidates are compared.

        Raises:
            StoreError: the database failed.
        """
        words = plain_text(text).split()
        folded = [word.casefold() for word in words]
        query = (
            "SELECT x.rowid, t.session, t.time, x.text FROM texts x JOIN turns t ON t.n = x.rowid "
            "JOIN known.conversations c ON c.session = t.session "
            f"WHERE x.texts MATCH ? AND x.rowid < ? AND {where} ORDER BY x.rowid DESC LIMIT ?"
        )
        with self._lock, explained(self._path):
            match = self._match(words)
        last = 1 << 62
        while match is not None and scanned > 0:
            with self._lock, explained(self._path):
                rows = self._database.execute(query, (match, last, *values, _PAGE_ROWS)).fetchall()
            for n, session, at, found in map(tuple, rows):
                last, said = n, found.removesuffix(_PAD)
                if all(word in said.casefold() for word in folded):
                    yield FoundText(session, at, said)
            scanned -= len(rows)
            if len(rows) < _PAGE_ROWS:
                return

    def first_texts(self, sessions: Sequence[str]) -> dict[str, str]:
        """Return how conversations begin, of at most 500 sessions: what was said in the first turn that was indexed.

        Raises:
            StoreError: the database failed.
        """
        if not sessions:
            return {}
        with self._lock, explained(self._path):
            rows = self._database.execute(
                self._FIRST.format(", ".join("?" * len(sessions))), tuple(sessions)
            ).fetchall()
        return {row[0]: row[1].removesuffix(_PAD) for row in rows}

    def forget(self, sessions: Sequence[str]) -> int:
        """Remove the texts of conversations, also from the pages of the file; return how many turns.

        Raises:
            StoreError: the database failed.
        """
        gone = 0
        with self._lock, explained(self._path):
            with _transaction(self._database):
                for start in range(0, len(sessions), _MAX_VARIABLES):
                    some = sessions[start : start + _MAX_VARIABLES]
                    condition = f"session IN ({', '.join('?' * len(some))})"
                    gone += _delete(self._database, condition, some)
            if gone:  # deleted words stay in the index until its parts are merged
                self._database.execute("INSERT INTO texts (texts) VALUES ('optimize')")
                self._database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return gone

    def drop_before(self, time: float) -> int:
        """Remove the texts of turns before a time; return how many."""
        with self._lock, explained(self._path), _transaction(self._database):
            return _delete(self._database, "time < ?", (time,))

    def drop_files(self, present: Iterable[str]) -> None:
        """Forget the positions in files that are not present any more."""
        with self._lock, explained(self._path), _transaction(self._database):
            gone = set(self.positions()) - set(present)
            self._database.executemany("DELETE FROM log_files WHERE name = ?", [(name,) for name in gone])

    def count(self) -> int:
        """Return the number of turns that can be searched."""
        with self._lock, explained(self._path):
            return int(self._database.execute("SELECT COUNT(*) FROM turns").fetchone()[0])

    def clear(self) -> None:
        """Remove everything, to index again."""
        with self._lock, explained(self._path), _transaction(self._database):
            for table in ("texts", "turns", "log_files"):
                self._database.execute(f"DELETE FROM {table}")

    def close(self) -> None:
        """Close the database; closing twice is fine."""
        with self._lock:
            self._database.close()

    def _add(self, name: str, batch: Sequence[PlacedRow], erasures: int) -> int | None:
        end = batch[-1].at + batch[-1].length + 1
        with self._lock, explained(self._path), _transaction(self._database):
            if self._erasures() != erasures:
                return None
            count = _insert(self._database, [placed.row for placed in batch if placed.row is not None])
            self._database.execute("INSERT OR REPLACE INTO log_files VALUES (?, ?)", (name, end))
        return count

    def _erasures(self) -> int:
        with self._lock, explained(self._path):
            return int(self._database.execute("SELECT COALESCE(MAX(n), 0) FROM known.erasures").fetchone()[0])

    def _match(self, words: Sequence[str]) -> str | None:
        """Return the query for trigrams; ``None`` if nothing can match."""
        parts: list[str] = []
        for word in words:
            if len(word) >= _GRAM:
                parts += [_quoted(word[at : at + _GRAM]) for at in range(len(word) - _GRAM + 1)]
                continue
            # Two characters are a whole word in Japanese: every trigram that begins with them will do.
            low = word.casefold()
            rows = self._database.execute(
                "SELECT term FROM terms WHERE term >= ? AND term < ? ORDER BY doc DESC LIMIT ?",
                (low, low + "\U0010ffff", _MAX_TERMS),
            ).fetchall()
            if not rows:
                return None
            parts.append("(" + " OR ".join(_quoted(row[0]) for row in rows) + ")")
        return " AND ".join(parts) or None


def plain_text(text: str) -> str:
    """Return a text in the form in which it is searched: wide, narrow and combined characters are made one."""
    return unicodedata.normalize("NFKC", text)


def _insert(database: sqlite3.Connection, rows: Sequence[EventRow]) -> int:
    found = [(row, text) for row in rows if row.kind == "turn" and row.session and (text := turn_text(row.line))]
    for row, text in found:
        n = database.execute("INSERT INTO turns (session, time) VALUES (?, ?)", (row.session, row.time)).lastrowid
        database.execute("INSERT INTO texts (rowid, text) VALUES (?, ?)", (n, text + _PAD))
    return len(found)


def _delete(database: sqlite3.Connection, condition: str, values: Sequence[Any]) -> int:
    database.execute(f"DELETE FROM texts WHERE rowid IN (SELECT n FROM turns WHERE {condition})", tuple(values))
    return database.execute(f"DELETE FROM turns WHERE {condition}", tuple(values)).rowcount


def turn_text(line: bytes) -> str:
    """Return what the customer and the agent said in a turn."""
    try:
        messages = (orjson.loads(line).get("turn") or {}).get("messages") or ()
        said = [each["content"] for each in messages if each.get("role") in ("user", "assistant")]
    except (orjson.JSONDecodeError, AttributeError, KeyError, TypeError):
        return ""
    return plain_text("\n".join(part for part in said if isinstance(part, str))[:_MAX_TEXT_CHARS])


def _quoted(term: str) -> str:
    return '"' + term.replace('"', '""') + '"'


@contextlib.contextmanager
def _transaction(database: sqlite3.Connection) -> Iterator[None]:
    if database.in_transaction:
        yield
        return
    with transaction(database):
        yield
