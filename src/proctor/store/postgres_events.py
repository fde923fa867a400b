"""Conversations, rollups and positions in the event log on PostgreSQL, for several servers with one state."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final, cast

from proctor.core.event_row import EventRow
from proctor.store.event_database import EVENT_MIGRATIONS, EventDatabase
from proctor.store.postgres import PostgresConnection, connect_postgres

__all__ = ["PostgresEventDatabase"]

_SCHEMA: Final = "events"
# Ids of events that were counted, and when: old ones are removed, since no client sends an event again after days.
_CLAIMS: Final = """
    CREATE TABLE IF NOT EXISTS event_ids (id TEXT PRIMARY KEY, claimed DOUBLE PRECISION NOT NULL);
    CREATE INDEX IF NOT EXISTS event_ids_by_time ON event_ids (claimed);
"""
_KEPT_SECONDS: Final = 7 * 86_400.0
_REMOVED_EVERY: Final = 600.0


class PostgresEventDatabase(EventDatabase):
    """The database of the event log in a schema of PostgreSQL. The queries are those of SQLite.

    An id is claimed in the transaction that counts its event. If the transaction fails, or the server dies before its
    end, the id is free again; two servers that have the same event both try, and one of them counts it. Ids are kept
    for a week. With ``indexes`` false the process leaves indexing to others, and only reads, seals and retains.
    """

    def __init__(self, url: str, *, prefix: str = "proctor", indexes: bool = True) -> None:
        self.url, self.prefix, self._indexes = url, prefix, indexes
        self._lock = threading.RLock()
        self._removed = 0.0  # when old ids were removed
        connection = connect_postgres(url, f"{prefix}_{_SCHEMA}", EVENT_MIGRATIONS)
        self.connection: PostgresConnection = connection
        self.path = Path(connection.place)
        self._database = cast(sqlite3.Connection, connection)
        connection.define(_CLAIMS)

    def claim(self, rows: Sequence[EventRow]) -> Sequence[EventRow]:
        """Return the rows that no server has counted, and claim them in the transaction under way.

        Raises:
            StoreError: the database failed.
        """
        if not rows:
            return rows
        with self.writing() as database:
            now = time.time()
            if now - self._removed > _REMOVED_EVERY:
                self._removed = now
                self.drop_claims_before(now - _KEPT_SECONDS)
            found = database.execute(
                "INSERT INTO event_ids (id, claimed) SELECT id, ? FROM unnest(?) AS id"
                " ON CONFLICT DO NOTHING RETURNING id",
                (now, [row.id for row in rows]),
            )
            new = {_same(each[0]) for each in found}
        return [row for row in rows if _same(row.id) in new]

    def forget_claims(self) -> None:
        """Let all rows be counted again."""
        with self.writing() as database:
            database.execute("DELETE FROM event_ids")

    def drop_claims_before(self, time: float) -> int:
        """Remove the ids that were claimed before a time; return how many."""
        with self.writing() as database:
            return database.execute("DELETE FROM event_ids WHERE claimed < ?", (time,)).rowcount

    def drop_claims(self, ids: Sequence[str]) -> None:
        """Let the events with these ids be counted again, if they are sent again."""
        with self.writing() as database:
            database.execute("DELETE FROM event_ids WHERE id = ANY(?)", ([_same(each) for each in ids],))

    def take_lock(self, name: str) -> bool | None:
        """Return whether this server alone does something; when it dies, another one can at once."""
        return self._indexes and self.connection.try_lock(f"{self.connection.schema} {name}")


def _same(name: str) -> str:
    """Return an id as PostgreSQL stores it."""
    return name.replace("\0", "\ufffd").encode("utf-8", "replace").decode()
