"""When each entry of the schedule ran and what came of it, in one SQLite file."""

from __future__ import annotations

import sqlite3
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from proctor.core.codec import dumps, loads
from proctor.core.decode import decode
from proctor.core.errors import MalformedError
from proctor.core.schedule_record import EntryResult, ScheduleRecord
from proctor.store.db import explained
from proctor.store.sqlite_store import SqliteStore

__all__ = ["SCHEDULE_FILE", "ScheduleState"]

SCHEDULE_FILE: Final = "schedule.db"
_MIGRATIONS: Final = (
    """
    CREATE TABLE schedule_runs (
        n        INTEGER PRIMARY KEY,
        entry    TEXT NOT NULL,
        started  TEXT NOT NULL,
        finished TEXT,
        code     INTEGER,
        result   TEXT NOT NULL DEFAULT '{}'
    ) STRICT;
    CREATE INDEX schedule_runs_by_entry ON schedule_runs (entry, n);
    """,
)
_KEPT = 100  # executions of one entry


class ScheduleState(SqliteStore):
    """The executions of a project's schedule. One that was killed has no end, and does not count as done."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder / SCHEDULE_FILE, _MIGRATIONS)

    def begin(self, entry: str, now: datetime) -> int:
        """Record that an entry starts, and return the number of this execution; old ones are removed.

        Raises:
            StoreError: the file cannot be written.
        """
        with explained(self.path):
            made = self.database.execute(
                "INSERT INTO schedule_runs (entry, started) VALUES (?, ?)", (entry, _text(now))
            )
            self.database.execute(
                "DELETE FROM schedule_runs WHERE entry = ?1 AND n NOT IN"
                " (SELECT n FROM schedule_runs WHERE entry = ?1 ORDER BY n DESC LIMIT ?2)",
                (entry, _KEPT),
            )
        return int(made.lastrowid or 0)

    def finish(self, number: int, now: datetime, result: EntryResult) -> None:
        """Record the end of an execution.

        Raises:
            StoreError: the file cannot be written.
        """
        with explained(self.path):
            self.database.execute(
                "UPDATE schedule_runs SET finished = ?, code = ?, result = ? WHERE n = ?",
                (_text(now), result.code, dumps(result).decode(), number),
            )

    def last(self, entry: str, *, finished: bool = False) -> ScheduleRecord | None:
        """Return the newest execution of an entry, or the newest that came to its end; none if there is none."""
        where = " AND finished IS NOT NULL" if finished else ""
        with explained(self.path):
            row = self.database.execute(
                f"SELECT * FROM schedule_runs WHERE entry = ?{where} ORDER BY n DESC LIMIT 1", (entry,)
            ).fetchone()
        return None if row is None else _record(row)


def _record(row: sqlite3.Row) -> ScheduleRecord:
    try:
        result = decode(EntryResult, loads(row["result"]))
    except MalformedError:
        result = EntryResult(code=row["code"] or 0, summary="written by another version")
    return ScheduleRecord(
        entry=row["entry"],
        started=datetime.fromisoformat(row["started"]),
        finished=datetime.fromisoformat(row["finished"]) if row["finished"] else None,
        result=result,
    )


def _text(time: datetime) -> str:
    return time.astimezone(UTC).isoformat()
