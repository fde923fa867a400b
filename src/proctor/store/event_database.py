"""The database beside the event log: conversations, rollups, positions in the log. It can be rebuilt from the log."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from proctor.core.event_row import EventRow
from proctor.store.db import connect, explained, transaction
from proctor.store.event_log import FOLDER

__all__ = ["DATABASE", "EVENT_MIGRATIONS", "EventDatabase"]

DATABASE: Final = "index.db"  # inside the folder of the events

# Append only. Never edit a released migration: existing files have applied it.
EVENT_MIGRATIONS: Final = (
    """
    CREATE TABLE log_files (
        n    INTEGER PRIMARY KEY,
        name TEXT NOT NULL UNIQUE,
        at   INTEGER NOT NULL
    ) STRICT;

    CREATE TABLE conversations (
        n          INTEGER PRIMARY KEY,
        session    TEXT NOT NULL UNIQUE,
        customer   TEXT,
        intent     TEXT,
        model      TEXT,
        version    TEXT,
        source     TEXT,
        first      REAL NOT NULL,
        last       REAL NOT NULL,
        turns      INTEGER NOT NULL,
        outcome    TEXT,
        outcome_at REAL,
        escalated  INTEGER NOT NULL,
        csat       REAL,
        confidence REAL,
        cost       REAL,
        signals    TEXT NOT NULL DEFAULT '{}',
        scores     TEXT NOT NULL DEFAULT '{}'
    ) STRICT;
    CREATE INDEX conversations_by_time ON conversations (last);
    CREATE INDEX conversations_by_customer ON conversations (customer, last) WHERE customer IS NOT NULL;
    CREATE INDEX conversations_by_intent ON conversations (intent, last);

    CREATE TABLE conversation_signals (
        signal       TEXT NOT NULL,
        conversation INTEGER NOT NULL REFERENCES conversations(n) ON DELETE CASCADE,
        PRIMARY KEY (signal, conversation)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX conversation_signals_of ON conversation_signals (conversation);

    -- Where the events of a conversation are, as long as they are not sealed.
    CREATE TABLE event_places (
        conversation INTEGER NOT NULL REFERENCES conversations(n) ON DELETE CASCADE,
        file         INTEGER NOT NULL,
        at           INTEGER NOT NULL,
        length       INTEGER NOT NULL,
        PRIMARY KEY (conversation, file, at)
    ) STRICT, WITHOUT ROWID;

    -- Counts erasures: what was read before one must not be indexed after it.
    CREATE TABLE erasures (n INTEGER PRIMARY KEY) STRICT;

    CREATE TABLE slices (
        n       INTEGER PRIMARY KEY,
        intent  TEXT NOT NULL,
        model   TEXT NOT NULL,
        version TEXT NOT NULL,
        source  TEXT NOT NULL,
        UNIQUE (intent, model, version, source)
    ) STRICT;

    CREATE TABLE rollups (
        step             INTEGER NOT NULL,
        start            INTEGER NOT NULL,
        slice            INTEGER NOT NULL,
        turns            INTEGER NOT NULL,
        conversations    INTEGER NOT NULL,
        csat_sum         REAL NOT NULL,
        csat_count       INTEGER NOT NULL,
        confidence_sum   REAL NOT NULL,
        confidence_count INTEGER NOT NULL,
        cost             REAL NOT NULL,
        counts           TEXT NOT NULL,
        latency          BLOB NOT NULL,
        PRIMARY KEY (step, slice, start)
    ) STRICT, WITHOUT ROWID;
    """,
    """
    -- Events before this time were removed, at least some: their counts cannot be made again.
    CREATE TABLE removed_events (until INTEGER PRIMARY KEY) STRICT;
    """,
)


class EventDatabase:
    """A connection that several threads may share, one at a time."""

    def __init__(self, store: Path) -> None:
        self.path = store / FOLDER / DATABASE
        self._lock = threading.RLock()
        self._database: sqlite3.Connection | None = connect(self.path, EVENT_MIGRATIONS, check_same_thread=False)
        with self.reading() as database:
            database.execute("PRAGMA secure_delete=ON")  # an erased conversation leaves no trace in free pages

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Have the connection for some statements.

        Raises:
            StoreError: the database failed.
        """
        with self._lock, explained(self.path):
            yield self._open()

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """Have a transaction; one inside another is part of it. An exception undoes all of it.

        Raises:
            StoreError: the database failed.
        """
        with self._lock, explained(self.path):
            database = self._open()
            if database.in_transaction:
                yield database
                return
            with transaction(database):
                yield database

    def claim(self, rows: Sequence[EventRow]) -> Sequence[EventRow]:
        """Return the rows that no other server has counted. Here all of them: one process counts for all."""
        return rows

    def forget_claims(self) -> None:
        """Let all rows be counted again."""

    def drop_claims_before(self, time: float) -> int:
        """Remove the claims of events before a time; return how many."""
        return 0

    def drop_claims(self, ids: Sequence[str]) -> None:
        """Let the events with these ids be counted again, if they are sent again."""

    def take_lock(self, name: str) -> bool | None:
        """Return whether this process alone does something; ``None`` if a file decides that."""
        return None

    def erasures(self) -> int:
        """Return how many erasures there were."""
        with self.reading() as database:
            return int(database.execute("SELECT COALESCE(MAX(n), 0) FROM erasures").fetchone()[0])

    def close(self) -> None:
        """Close the connection; closing twice is fine."""
        with self._lock:
            database, self._database = self._database, None
            if database is not None:
                database.close()

    def _open(self) -> sqlite3.Connection:
        if self._database is None:
            raise sqlite3.ProgrammingError("the database is closed")
        return self._database
