"""An index of the guard's log: counts by day, and the places of the decisions that people look at.

It holds no text: a decision is read from the log, where a customer can be erased.
"""

from __future__ import annotations

import sqlite3
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO, Final

import orjson

from proctor.core.codec import loads
from proctor.core.errors import StoreError
from proctor.core.gate_tally import DecisionTally, LoggedDecision, logged_decision
from proctor.core.verdict import STOPS
from proctor.store.db import transaction
from proctor.store.decision_query import DecisionQuery, IndexedDecision, RecordedScore
from proctor.store.guard_log import FOLDER
from proctor.store.guard_log_reader import days
from proctor.store.sqlite_store import SqliteStore

__all__ = ["GUARD_FILE", "GuardIndex"]

GUARD_FILE: Final = "guard.db"
_BATCH_LINES: Final = 1_000  # of one transaction
_SHORT_WAIT: Final = 50  # milliseconds for another process, while a reader waits
_LONG_WAIT: Final = 30_000
_MAX_VARIABLES: Final = 500
_HUNDREDTHS: Final = "CAST(s.score * 100 + 1e-9 AS INTEGER)"
_MAX_NOTES: Final = 100  # of a day
# Append only. Never edit a released migration: existing files have applied it.
_MIGRATIONS: Final = (
    """
    CREATE TABLE days (day TEXT PRIMARY KEY, done INTEGER NOT NULL, tally TEXT NOT NULL) STRICT, WITHOUT ROWID;
    CREATE TABLE decisions (
        n          INTEGER PRIMARY KEY,
        id         TEXT NOT NULL UNIQUE,
        time       REAL NOT NULL,
        day        TEXT NOT NULL,
        place      INTEGER NOT NULL,
        size       INTEGER NOT NULL,
        session    TEXT NOT NULL,
        point      TEXT NOT NULL,
        gate       TEXT NOT NULL,
        action     TEXT NOT NULL,
        kinds      TEXT NOT NULL,
        is_broken  INTEGER NOT NULL,
        for_review INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX decisions_by_time ON decisions (time);
    CREATE INDEX decisions_by_session ON decisions (session, time);
    CREATE TABLE scores (
        n       INTEGER NOT NULL REFERENCES decisions (n) ON DELETE CASCADE,
        point   TEXT NOT NULL,
        gate    TEXT NOT NULL,
        time    REAL NOT NULL,
        score   REAL NOT NULL,
        by_rule INTEGER NOT NULL,
        action  TEXT NOT NULL,
        others  INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX scores_by_gate ON scores (point, gate, time);
    CREATE INDEX scores_by_decision ON scores (n);
    """,
)


class GuardIndex(SqliteStore):
    """Follows the guard's log. Several processes may use it; each line is counted once."""

    def __init__(self, store: Path) -> None:
        super().__init__(store / GUARD_FILE, _MIGRATIONS)
        self.folder = store / FOLDER
        self._tallies: dict[str, tuple[int, DecisionTally]] = {}

    # --- follow the log ------------------------------------------------------------------------------

    def catch_up(self, *, seconds: float | None = None) -> int:
        """Read what is new in the log, for at most so long; return how many bytes are left to read.

        With a limit it does not wait for another process that reads. A damaged line is left out here; `proctor guard
        stats` names it.

        Raises:
            StoreError: the database failed.
        """
        until = None if seconds is None else time.monotonic() + seconds
        files = {path.stem: path for path in days(self.folder)}
        if seconds is not None:
            self.database.execute(f"PRAGMA busy_timeout = {_SHORT_WAIT}")
        try:
            self._follow(files, until)
        except sqlite3.OperationalError as error:
            if seconds is None or "locked" not in str(error):
                raise StoreError(f"cannot be written: {error}", file=str(self.path)) from error
        finally:
            self.database.execute(f"PRAGMA busy_timeout = {_LONG_WAIT}")
        known = self._done()
        return sum(max(0, path.stat().st_size - known.get(day, 0)) for day, path in files.items())

    def _follow(self, files: Mapping[str, Path], until: float | None) -> None:
        known = self._done()
        for day in known.keys() - files.keys():
            self._drop(day)
        for day in sorted(files, reverse=True):  # the newest first: people look at today
            size = files[day].stat().st_size
            if size < known.get(day, 0):
                self._drop(day)
                known[day] = 0
            while size > known.get(day, 0):
                if until is not None and time.monotonic() >= until:
                    return
                end = self._read_on(day, files[day])
                if end == known.get(day, 0):
                    break  # the last line is not complete
                known[day] = end

    def _read_on(self, day: str, path: Path) -> int:
        """Read some lines; return up to where the day is read."""
        with transaction(self.database) as database, path.open("rb") as file:
            row = database.execute("SELECT done, tally FROM days WHERE day = ?", (day,)).fetchone()
            end: int = row["done"] if row else 0
            tally = DecisionTally.from_data(orjson.loads(row["tally"])) if row else DecisionTally()
            for place, size, data in _lines(file, end):
                if data is not None:
                    self._keep(database, tally, data, (day, place, size))
                end = place + size
            database.execute(
                "INSERT OR REPLACE INTO days (day, done, tally) VALUES (?, ?, ?)",
                (day, end, orjson.dumps(tally.to_data()).decode()),
            )
        return end

    def _keep(
        self, database: sqlite3.Connection, tally: DecisionTally, row: Mapping[str, Any], at: tuple[str, int, int]
    ) -> None:
        decision = logged_decision(row)
        if decision is None:
            if row.get("kind") == "note":
                tally.notes = [*tally.notes, {k: row.get(k) for k in ("kind", "name", "time", "value", "metadata")}]
                del tally.notes[:-_MAX_NOTES]
            return
        try:
            moment = datetime.fromisoformat(row["time"])
        except ValueError:
            return
        moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        tally.add(decision, moment.astimezone(UTC).hour)
        if _is_plain(decision):
            return
        verdict = decision.verdict
        kinds = sorted({str(each.get("kind", "")) for part in decision.parts for each in part.get("findings") or ()})
        cursor = database.execute(
            "INSERT OR IGNORE INTO decisions (id, time, day, place, size, session, point, gate, action, kinds,"
            " is_broken, for_review) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                str(row.get("id") or ""), moment.timestamp(), *at, str(row.get("session") or ""), decision.point,
                str(verdict.get("by") or ""), str(verdict.get("action") or ""), f"|{'|'.join(kinds)}|" if kinds else "",
                int(bool(verdict.get("broken"))), int(decision.is_drawn),
            ),
        )  # fmt: skip
        if not cursor.rowcount:
            return
        scores = [
            (cursor.lastrowid, decision.point, gate, moment.timestamp(), *score) for gate, *score in _scores(decision)
        ]
        database.executemany(
            "INSERT INTO scores (n, point, gate, time, score, by_rule, action, others) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            scores,
        )

    def _done(self) -> dict[str, int]:
        return {row["day"]: row["done"] for row in self.database.execute("SELECT day, done FROM days")}

    def _drop(self, day: str) -> None:
        self._tallies.pop(day, None)
        with transaction(self.database) as database:
            database.execute("DELETE FROM decisions WHERE day = ?", (day,))
            database.execute("DELETE FROM days WHERE day = ?", (day,))

    def forget(self, ids: Sequence[str]) -> None:
        """Remove decisions that were erased from the log; counts stay."""
        with self.change() as database:
            database.executemany("DELETE FROM decisions WHERE id = ?", [(each,) for each in ids])

    # --- read ----------------------------------------------------------------------------------------

    def tallies(self, since: str = "") -> dict[str, DecisionTally]:
        """Return the counts of each day from a day on, the oldest first; nobody may change them."""
        known = self._tallies
        places = self.database.execute("SELECT day, done FROM days WHERE day >= ? ORDER BY day", (since,)).fetchall()
        for day, done in places:
            if known.get(day, (None,))[0] != done:  # days that are over are read once
                row = self.database.execute("SELECT done, tally FROM days WHERE day = ?", (day,)).fetchone()
                if row is not None:
                    known[day] = row["done"], DecisionTally.from_data(orjson.loads(row["tally"]))
        return {day: known[day][1] for day, _ in places if day in known}

    def count(self, query: DecisionQuery) -> int:
        """Return how many decisions match."""
        where, values = query.where()
        found: int = self.database.execute(f"SELECT count(*) FROM decisions WHERE {where}", values).fetchone()[0]
        return found

    def decisions(self, query: DecisionQuery, *, limit: int, offset: int = 0) -> list[IndexedDecision]:
        """Return decisions, the newest first."""
        where, values = query.where()
        rows = self.database.execute(
            f"SELECT {', '.join(IndexedDecision._fields)} FROM decisions WHERE {where}"
            " ORDER BY time DESC, n DESC LIMIT ? OFFSET ?",
            (*values, limit, offset),
        )
        return [IndexedDecision(*row) for row in rows]

    def find(self, name: str) -> IndexedDecision | None:
        """Return a decision by its id; ``None`` if it is not one that is kept here."""
        row = self.database.execute(
            f"SELECT {', '.join(IndexedDecision._fields)} FROM decisions WHERE id = ?", (name,)
        ).fetchone()
        return None if row is None else IndexedDecision(*row)

    def chosen(self, ids: Sequence[str], query: DecisionQuery) -> list[IndexedDecision]:
        """Return those of some decisions that match, in the order of the log."""
        where, values = query.where()
        found: list[IndexedDecision] = []
        for start in range(0, len(ids), _MAX_VARIABLES):
            some = ids[start : start + _MAX_VARIABLES]
            rows = self.database.execute(
                f"SELECT {', '.join(IndexedDecision._fields)} FROM decisions"
                f" WHERE id IN ({','.join('?' * len(some))}) AND {where}",
                (*some, *values),
            )
            found += [IndexedDecision(*row) for row in rows]
        return sorted(found, key=lambda each: (each.day, each.place))

    def rows(self, found: Sequence[IndexedDecision]) -> list[dict[str, Any]]:
        """Read decisions from the log; those that were erased are left out."""
        made = []
        for each in found:
            try:
                with (self.folder / f"{each.day}.ndjson").open("rb") as file:
                    file.seek(each.place)
                    row = _parsed(file.read(each.size))
            except OSError:
                row = None
            if row is not None and row.get("id") == each.id:
                made.append(row)
        return made

    def scores(self, point: str, gate: str, since: float, *, told_apart: Sequence[str] = ()) -> list[RecordedScore]:
        """Return the scores with which a gate acted, in hundredths; equal ones are one entry.

        Decisions that are told apart, such as those that people reviewed, have an entry of their own.
        """
        where = "s.point = ? AND s.gate = ? AND s.time >= ?"
        key = f"{_HUNDREDTHS}, s.by_rule, s.action, s.others"
        counted: Counter[tuple[Any, ...]] = Counter()
        for *each, count in self.database.execute(
            f"SELECT {key}, count(*) FROM scores s WHERE {where} GROUP BY 1, 2, 3, 4", (point, gate, since)
        ):
            counted[tuple(each)] = count
        alone: list[RecordedScore] = []
        for start in range(0, len(told_apart), _MAX_VARIABLES):
            some = told_apart[start : start + _MAX_VARIABLES]
            for name, *each in self.database.execute(
                f"SELECT d.id, {key} FROM decisions d JOIN scores s ON s.n = d.n"
                f" WHERE d.id IN ({','.join('?' * len(some))}) AND {where}",
                (*some, point, gate, since),
            ):
                counted[tuple(each)] -= 1
                alone.append(_score(name, each, 1))
        return [*alone, *(_score("", each, count) for each, count in counted.items() if count > 0)]

    def scored_gates(self, since: float) -> list[tuple[str, str, int]]:
        """Return point, gate and how many scores were recorded, the gate with most different ones first."""
        rows = self.database.execute(
            "SELECT point, gate, count(*) FROM scores WHERE time >= ? GROUP BY point, gate"
            " ORDER BY count(DISTINCT score) DESC, count(*) DESC",
            (since,),
        )
        return [(row[0], row[1], row[2]) for row in rows]


def _is_plain(decision: LoggedDecision) -> bool:
    """Return whether nothing happened that a person would look for."""
    verdict = decision.verdict
    return (
        verdict.get("action") == "allow"
        and not decision.is_drawn
        and not verdict.get("broken")
        and all(part.get("action") == "allow" for part in decision.parts)
    )


def _scores(decision: LoggedDecision) -> Iterator[tuple[str, float, int, str, int]]:
    """Yield gate, score, whether a rule decided, action, and whether others stop it, for gates with a score."""
    stopping = [part.get("gate") for part in decision.parts if part.get("action") in STOPS]
    for part in decision.parts:
        found = [each for each in part.get("findings") or () if isinstance(each.get("confidence"), (int, float))]
        if not found or part.get("broken"):
            continue
        by_rule = any(str(each.get("detector", "")).endswith("rules") for each in found)
        score = max(float(each["confidence"]) for each in found)
        gate, action = str(part.get("gate", "")), str(part.get("action", ""))
        yield gate, score, int(by_rule), action, int(any(other != gate for other in stopping))


def _score(name: str, key: Sequence[Any], count: int) -> RecordedScore:
    hundredths, by_rule, action, others = key
    return RecordedScore(name, hundredths / 100, bool(by_rule), action, bool(others), count)


def _lines(file: BinaryIO, start: int) -> Iterator[tuple[int, int, dict[str, Any] | None]]:
    """Yield place, length and data of some complete lines; erased and damaged ones have no data."""
    file.seek(start)
    place = start
    for _ in range(_BATCH_LINES):
        line = file.readline()
        if not line.endswith(b"\n"):
            return
        yield place, len(line), _parsed(line)
        place += len(line)


def _parsed(line: bytes) -> dict[str, Any] | None:
    if line.isspace():
        return None
    try:
        row = orjson.loads(line)
    except orjson.JSONDecodeError:
        try:
            row = loads(line)  # orjson rejects half a surrogate pair
        except ValueError:
            return None
    return row if isinstance(row, dict) and isinstance(row.get("time"), str) else None
