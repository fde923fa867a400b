"""Conversations, rollups and positions in the event log on PostgreSQL, for several servers with one state."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Final, cast

from proctor.core.event_row import EventRow
from proctor.store.event_database import EVENT_MIGRATIONS, EventDatabase
from proctor.store.postgres import PostgresConnection, connect_postgres

__all__ = ["PostgresEventDatabase"]

_SCHEMA: Final = "events"
# Ids of events that were counted. The index lets old ones be removed.
_CLAIMS: Final = (
    "CREATE TABLE IF NOT EXISTS event_ids (id TEXT PRIMARY KEY, time DOUBLE PRECISION NOT NULL)",
    "CREATE INDEX IF NOT EXISTS event_ids_by_time ON event_ids (time)",
)


class PostgresEventDatabase(EventDatabase):
    """The database of the event log in a schema of PostgreSQL. The queries are those of SQLite.

    An id is claimed in the transaction that counts its event. If the transaction fails, or the server dies before its
    end, the id is free again; two servers that have the same event both try, and one of them counts it.
    """

    def __init__(self, url: str, *, prefix: str = "proctor") -> None:
        self.url, self.prefix = url, prefix
        self._lock = threading.RLock()
        connection = connect_postgres(url, f"{prefix}_{_SCHEMA}", EVENT_MIGRATIONS)
        self.connection: PostgresConnection = connection
        self.path = Path(connection.place)
        self._database = cast(sqlite3.Connection, connection)
        with self.writing() as database:
            for statement in _CLAIMS:
                database.execute(statement)

    def claim(self, rows: Sequence[EventRow]) -> Sequence[EventRow]:
        """Return the rows that no server has counted, and claim them in the transaction under way.

        Raises:
            StoreError: the database failed.
        """
        if not rows:
            return rows
        with self.writing() as database:
            found = database.execute(
                "INSERT INTO event_ids (id, time) SELECT * FROM unnest(?, ?) ON CONFLICT DO NOTHING RETURNING id",
                ([row.id for row in rows], [row.time for row in rows]),
            )
            new = {_same(each[0]) for each in found}
        return [row for row in rows if _same(row.id) in new]

    def forget_claims(self) -> None:
        """Let all rows be counted again."""
        with self.writing() as database:
            database.execute("DELETE FROM event_ids")

    def drop_claims_before(self, time: float) -> int:
        """Remove the ids of events before a time, which no client sends again; return how many."""
        with self.writing() as database:
            return database.execute("DELETE FROM event_ids WHERE time < ?", (time,)).rowcount

    def take_lock(self, name: str) -> bool | None:
        """Return whether this server alone does something; when it dies, another one can at once."""
        return self.connection.try_lock(f"{self.connection.schema} {name}")


def _same(name: str) -> str:
    """Return an id as PostgreSQL stores it."""
    return name.replace("\0", "\ufffd").encode("utf-8", "replace").decode()
