"""Kept comparisons of two runs: derived from the journals, so the file may be deleted at any time."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import astuple, fields
from pathlib import Path
from typing import Any, Final

from proctor.core.record import dataclass
from proctor.store.sqlite_store import SqliteStore, matching

__all__ = ["COMPARISONS", "ChangeRow", "ComparisonStore", "KeptComparison"]

COMPARISONS: Final = "comparisons.db"
_MIGRATIONS: Final = (
    """
    CREATE TABLE comparisons (
        n       INTEGER PRIMARY KEY,
        key     TEXT NOT NULL UNIQUE,
        made    REAL NOT NULL,
        problem TEXT NOT NULL DEFAULT '',
        head    TEXT NOT NULL
    ) STRICT;
    CREATE TABLE changes (
        comparison INTEGER NOT NULL REFERENCES comparisons(n) ON DELETE CASCADE,
        place      INTEGER NOT NULL,
        kind       TEXT NOT NULL,
        case_id    TEXT NOT NULL,
        intent     TEXT NOT NULL,
        was_outcome TEXT,
        outcome    TEXT,
        figure     TEXT NOT NULL,
        was        REAL,
        now        REAL,
        was_key    INTEGER,
        key        INTEGER,
        reason     TEXT NOT NULL,
        PRIMARY KEY (comparison, place)
    ) STRICT, WITHOUT ROWID;
    """,
)
_KEPT: Final = 50  # the newest comparisons


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeRow:
    """One case that changed: what it was, what it is, and the keys of its results in both runs."""

    kind: str
    case_id: str
    intent: str
    was_outcome: str | None
    outcome: str | None
    figure: str
    was: float | None
    now: float | None
    was_key: int | None
    key: int | None
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptComparison:
    """A comparison as kept; ``problem`` says why there is none, ``kinds`` counts the changed cases."""

    n: int
    made: float
    problem: str
    head: Mapping[str, Any]
    kinds: Mapping[str, int]


_CHANGE: Final = ", ".join(each.name for each in fields(ChangeRow))


class ComparisonStore(SqliteStore):
    """The comparisons of one project."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder / COMPARISONS, _MIGRATIONS)

    def get(self, key: str) -> KeptComparison | None:
        """Return the comparison with this key."""
        row = self.database.execute("SELECT * FROM comparisons WHERE key = ?", (key,)).fetchone()
        if row is None:
            return None
        kinds = self.database.execute(
            "SELECT kind, count(*) AS count FROM changes WHERE comparison = ? GROUP BY kind", (row["n"],)
        )
        return KeptComparison(
            n=row["n"],
            made=row["made"],
            problem=row["problem"],
            head=json.loads(row["head"]),
            kinds={each["kind"]: each["count"] for each in kinds},
        )

    def keep(
        self, key: str, *, made: float, head: Mapping[str, Any], changes: Iterable[ChangeRow] = (), problem: str = ""
    ) -> None:
        """Keep a comparison in place of an older one with its key; the oldest of all go."""
        with self.change() as database:
            database.execute("DELETE FROM comparisons WHERE key = ?", (key,))
            n = database.execute(
                "INSERT INTO comparisons (key, made, problem, head) VALUES (?, ?, ?, ?)",
                (key, made, problem, json.dumps(head)),
            ).lastrowid
            database.executemany(
                f"INSERT INTO changes VALUES ({','.join('?' * 13)})",
                ((n, place, *astuple(row)) for place, row in enumerate(changes)),
            )
            database.execute(
                "DELETE FROM comparisons WHERE n NOT IN (SELECT n FROM comparisons ORDER BY n DESC LIMIT ?)",
                (_KEPT,),
            )

    def changes(
        self,
        kept: KeptComparison,
        *,
        kind: str = "",
        intent: str = "",
        text: str = "",
        limit: int = 50,
        offset: int = 0,
    ) -> list[ChangeRow]:
        """Return one page of the cases that changed."""
        where, values = _where(kept, kind, intent, text)
        rows = self.database.execute(
            f"SELECT {_CHANGE} FROM changes WHERE {where} ORDER BY place LIMIT ? OFFSET ?",
            (*values, limit, offset),
        )
        return [_row(row) for row in rows]

    def count(self, kept: KeptComparison, *, kind: str = "", intent: str = "", text: str = "") -> int:
        """Return how many cases changed."""
        where, values = _where(kept, kind, intent, text)
        return int(self.database.execute(f"SELECT count(*) FROM changes WHERE {where}", values).fetchone()[0])


def _where(kept: KeptComparison, kind: str, intent: str, text: str) -> tuple[str, list[Any]]:
    where, values = matching(comparison=kept.n, kind=kind or None, intent=intent or None)
    if text:
        where += " AND (instr(lower(case_id), lower(?)) OR instr(lower(reason), lower(?)))"
        values += [text, text]
    return where, values


def _row(row: sqlite3.Row) -> ChangeRow:
    return ChangeRow(**dict(row))
