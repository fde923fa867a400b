"""The audit and people's labels on PostgreSQL: raters at several servers share one queue."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import cast

from proctor.store.audit import AuditStore
from proctor.store.audit_schema import AUDIT_MIGRATIONS
from proctor.store.postgres import connect_postgres

__all__ = ["PostgresAuditStore"]


class PostgresAuditStore(AuditStore):
    """The audit in a schema of PostgreSQL. The queries are those of SQLite."""

    def __init__(self, url: str, *, prefix: str = "proctor") -> None:
        connection = connect_postgres(url, f"{prefix}_audit", AUDIT_MIGRATIONS)
        self.path = Path(connection.place)
        self.database = cast(sqlite3.Connection, connection)
