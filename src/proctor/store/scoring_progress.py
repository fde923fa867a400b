"""Which conversations wait to be scored in the background, and what became of the others; survives every stop."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, Literal

from proctor.store.db import explained
from proctor.store.sqlite_store import SqliteStore

__all__ = ["SCORING_FILE", "DueConversation", "ScoringFigures", "ScoringProgress", "ScoringState", "forget_scoring"]

SCORING_FILE: Final = "scoring.db"
ScoringState = Literal["waiting", "scored", "unscored", "skipped"]
_MIGRATIONS: Final = (
    """
    CREATE TABLE conversations (
        session  TEXT PRIMARY KEY,
        why      TEXT NOT NULL,
        due      REAL NOT NULL,
        turns    INTEGER NOT NULL,
        state    TEXT NOT NULL DEFAULT 'waiting',
        attempts INTEGER NOT NULL DEFAULT 0,
        tried    INTEGER NOT NULL DEFAULT 0,
        retry    REAL NOT NULL DEFAULT 0,
        finished REAL,
        reason   TEXT NOT NULL DEFAULT ''
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX conversations_waiting ON conversations (due) WHERE state = 'waiting';
    CREATE INDEX conversations_finished ON conversations (finished);
    CREATE TABLE spend (day TEXT PRIMARY KEY, cost REAL NOT NULL) STRICT, WITHOUT ROWID;
    CREATE TABLE position (one INTEGER PRIMARY KEY CHECK (one = 1), scanned REAL NOT NULL) STRICT;
    """,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class DueConversation:
    """A conversation to score: why, since when, and how many turns it had.

    ``attempts`` counts those that failed since it waits; ``tried`` says that some of its scores may be ours.
    """

    session: str
    why: str
    due: float
    turns: int
    attempts: int = 0
    tried: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoringFigures:
    """How the background is doing. ``lag`` is how many seconds the oldest waiting conversation is overdue."""

    waiting: int = 0
    lag: float = 0.0
    scored: int = 0
    unscored: int = 0
    skipped: int = 0
    spent_today: float = 0.0
    last_reason: str = ""


class ScoringProgress(SqliteStore):
    """The queue of the background scoring, in one SQLite file of the store."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder / SCORING_FILE, _MIGRATIONS)

    @property
    def scanned(self) -> float | None:
        """Up to which time conversations were considered; ``None`` before the first time."""
        with explained(self.path):
            row = self.database.execute("SELECT scanned FROM position").fetchone()
        return None if row is None else float(row["scanned"])

    def queue(self, due: Iterable[DueConversation], *, scanned: float) -> int:
        """Add conversations to the queue, and remember up to which time they were considered; return how many are new.

        One that was scored before waits again only if it has more turns now.
        """
        with self.change() as database:
            before = database.total_changes
            database.executemany(
                "INSERT INTO conversations (session, why, due, turns) VALUES (?, ?, ?, ?) ON CONFLICT (session)"
                " DO UPDATE SET why = excluded.why, due = excluded.due, turns = excluded.turns, state = 'waiting',"
                " attempts = 0, tried = 1, retry = 0 WHERE excluded.turns > conversations.turns",
                [(each.session, each.why, each.due, each.turns) for each in due],
            )
            count = database.total_changes - before
            database.execute(
                "INSERT INTO position (one, scanned) VALUES (1, ?) ON CONFLICT (one)"
                " DO UPDATE SET scanned = excluded.scanned",
                (scanned,),
            )
        return count

    def waiting(self, now: float, limit: int) -> list[DueConversation]:
        """Return the conversations to score now, the longest overdue first."""
        with explained(self.path):
            rows = self.database.execute(
                "SELECT session, why, due, turns, attempts, tried FROM conversations WHERE state = 'waiting'"
                " AND retry <= ? ORDER BY due LIMIT ?",
                (now, limit),
            ).fetchall()
        return [DueConversation(**{**dict(row), "tried": bool(row["tried"])}) for row in rows]

    def finish(self, session: str, state: ScoringState, *, now: float, reason: str = "") -> None:
        """Record what became of a conversation."""
        with self.change() as database:
            database.execute(
                "UPDATE conversations SET state = ?, finished = ?, reason = ?, attempts = attempts + 1"
                " WHERE session = ?",
                (state, now, reason[:500], session),
            )

    def postpone(self, session: str, *, until: float, reason: str, counts: bool = True) -> None:
        """Let a conversation wait for another attempt; ``counts`` says whether this one counts as one."""
        with self.change() as database:
            database.execute(
                "UPDATE conversations SET retry = ?, reason = ?, attempts = attempts + ?, tried = 1, finished = NULL"
                " WHERE session = ?",
                (until, reason[:500], int(counts), session),
            )

    def spend(self, cost: float, *, now: float) -> None:
        """Add to what today's scoring has cost."""
        with self.change() as database:
            database.execute(
                "INSERT INTO spend (day, cost) VALUES (?, ?)"
                " ON CONFLICT (day) DO UPDATE SET cost = cost + excluded.cost",
                (_day(now), cost),
            )

    def spent(self, now: float) -> float:
        """Return what today's scoring has cost; days are those of UTC."""
        with explained(self.path):
            row = self.database.execute("SELECT cost FROM spend WHERE day = ?", (_day(now),)).fetchone()
        return float(row["cost"]) if row else 0.0

    def figures(self, now: float) -> ScoringFigures:
        """Return how it is doing; the counts are those of today, in UTC."""
        day = datetime.fromtimestamp(now, UTC).replace(hour=0, minute=0, second=0, microsecond=0).timestamp()
        with explained(self.path):
            wait = self.database.execute(
                "SELECT count(*) AS many, min(due) AS oldest FROM conversations WHERE state = 'waiting'"
            ).fetchone()
            done = dict(
                map(
                    tuple,
                    self.database.execute(
                        "SELECT state, count(*) FROM conversations WHERE finished >= ? GROUP BY state", (day,)
                    ),
                )
            )
            last = self.database.execute(
                "SELECT reason FROM conversations WHERE reason != '' AND state IN ('waiting', 'unscored')"
                " ORDER BY coalesce(finished, retry) DESC LIMIT 1"
            ).fetchone()
        return ScoringFigures(
            waiting=wait["many"],
            lag=max(0.0, now - wait["oldest"]) if wait["oldest"] is not None else 0.0,
            scored=done.get("scored", 0),
            unscored=done.get("unscored", 0),
            skipped=done.get("skipped", 0),
            spent_today=self.spent(now),
            last_reason=last["reason"] if last else "",
        )

    def forget(self, sessions: Iterable[str]) -> None:
        """Remove conversations, because their customer is forgotten."""
        with self.change() as database:
            database.executemany("DELETE FROM conversations WHERE session = ?", [(each,) for each in sessions])

    def drop_before(self, time: float) -> int:
        """Remove what finished before a time; return how many."""
        with self.change() as database:
            return database.execute("DELETE FROM conversations WHERE finished < ?", (time,)).rowcount


def forget_scoring(folder: Path, sessions: Sequence[str]) -> None:
    """Remove conversations from the queue of a store, if it has one.

    Raises:
        StoreError: the database failed.
    """
    if sessions and (folder / SCORING_FILE).exists():
        with ScoringProgress(folder) as progress:
            progress.forget(sessions)


def _day(now: float) -> str:
    return datetime.fromtimestamp(now, UTC).date().isoformat()
