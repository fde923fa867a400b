"""The alerts and the audit on PostgreSQL: one server at a time decides about alerts."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Final, cast

from proctor.store.alert_state import ALERT_MIGRATIONS, AlertState
from proctor.store.audit import AuditStore
from proctor.store.audit_schema import AUDIT_MIGRATIONS
from proctor.store.postgres import PostgresConnection, connect_postgres

__all__ = ["PostgresAlertState", "PostgresAuditStore"]

_LEADER: Final = "leader"


class PostgresAuditStore(AuditStore):
    """The audit in a schema of PostgreSQL. The queries are those of SQLite."""

    def __init__(self, url: str, *, prefix: str = "proctor") -> None:
        connection = connect_postgres(url, f"{prefix}_audit", AUDIT_MIGRATIONS)
        self.path = Path(connection.place)
        self.database = cast(sqlite3.Connection, connection)


class PostgresAlertState(AlertState):
    """The alerts in a schema of PostgreSQL. The queries are those of SQLite.

    The server that decides holds a lock of its session. When its process dies the database frees the lock at once,
    so another one need not wait until a time is over.
    """

    def __init__(self, url: str, *, prefix: str = "proctor") -> None:
        connection = connect_postgres(url, f"{prefix}_alerts", ALERT_MIGRATIONS)
        self.connection: PostgresConnection = connection
        self.path = Path(connection.place)
        self.database = cast(sqlite3.Connection, connection)

    def lead(self, owner: str, now: float, seconds: float) -> bool:
        """Return whether this session decides; one at a time does, as long as its connection lasts."""
        return self.connection.try_lock(f"{self.connection.schema} {_LEADER}")

    def step_down(self, owner: str) -> None:
        """Let another server decide at once."""
        self.connection.unlock(f"{self.connection.schema} {_LEADER}")
