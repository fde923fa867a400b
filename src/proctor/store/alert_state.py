"""Alerts, silences, the status of rules and what detectors have learnt, in one SQLite file for several processes."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, Literal

from proctor.core.alert_record import AlertRecord, RuleStatus, Silence
from proctor.core.codec import dumps, loads
from proctor.core.decode import decode
from proctor.core.errors import MalformedError, NotFoundError, StoreError
from proctor.store.db import explained
from proctor.store.sqlite_store import SqliteStore

__all__ = ["ALERTS_FILE", "ALERT_MIGRATIONS", "AlertFilter", "AlertState"]

ALERTS_FILE: Final = "alerts.db"
ALERT_MIGRATIONS: Final = (
    """
    CREATE TABLE alerts (
        number      INTEGER PRIMARY KEY,
        fingerprint TEXT NOT NULL,
        rule        TEXT NOT NULL,
        tier        TEXT NOT NULL,
        fired       REAL NOT NULL,
        resolved    REAL,
        acked       REAL,
        acked_by    TEXT NOT NULL DEFAULT '',
        new_normal  INTEGER NOT NULL DEFAULT 0,
        closed_by   TEXT NOT NULL DEFAULT '',
        note        TEXT NOT NULL DEFAULT '',
        notified    REAL,
        told        TEXT NOT NULL DEFAULT '',
        record      TEXT NOT NULL
    ) STRICT;
    CREATE UNIQUE INDEX alerts_open ON alerts (fingerprint) WHERE resolved IS NULL;
    CREATE INDEX alerts_by_fingerprint ON alerts (fingerprint, number);
    CREATE TABLE silences (
        number  INTEGER PRIMARY KEY,
        match   TEXT NOT NULL,
        until   REAL NOT NULL,
        person  TEXT NOT NULL DEFAULT '',
        note    TEXT NOT NULL DEFAULT '',
        created REAL NOT NULL
    ) STRICT;
    CREATE TABLE learnt (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
    CREATE TABLE status (place INTEGER PRIMARY KEY, value TEXT NOT NULL) STRICT;
    CREATE TABLE leader (
        one   INTEGER PRIMARY KEY CHECK (one = 1),
        owner TEXT NOT NULL,
        until REAL NOT NULL
    ) STRICT;
    """,
)
_COLUMNS = "number, resolved, acked, acked_by, new_normal, note, notified, told, closed_by, record"


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertFilter:
    """Which alerts are wanted; an empty value takes all."""

    state: Literal["open", "resolved", "all"] = "all"
    tier: str = ""
    rule: str = ""
    fingerprint: str = ""


class AlertState(SqliteStore):
    """The alerts of one store; every change is one transaction, so that a killed process leaves none half done."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder / ALERTS_FILE, ALERT_MIGRATIONS)

    def version(self, now: float) -> tuple[Any, ...]:
        """Return something that changes when an alert or a silence does; what detectors learn leaves it as it is."""
        with explained(self.path):
            alerts = self.database.execute(
                "SELECT count(*) AS a, max(number) AS b, count(resolved) AS c, max(resolved) AS d, count(acked) AS e,"
                " max(acked) AS f, sum(new_normal) AS g FROM alerts"
            ).fetchone()
            silences = self.database.execute(
                "SELECT count(*) AS a, max(number) AS b FROM silences WHERE until > ?", (now,)
            ).fetchone()
        return (*(alerts[name] for name in "abcdefg"), *(silences[name] for name in "ab"))

    def lead(self, owner: str, now: float, seconds: float) -> bool:
        """Return whether this owner decides for the next ``seconds``; one at a time does."""
        with self.change() as database:
            database.execute(
                "INSERT INTO leader (one, owner, until) VALUES (1, ?, ?) ON CONFLICT (one) DO UPDATE"
                " SET owner = excluded.owner, until = excluded.until"
                " WHERE leader.owner = excluded.owner OR leader.until < ? OR leader.until > ?",
                (owner, now + seconds, now, now + 10 * seconds),  # far in the future: a clock was wrong
            )
            found = database.execute("SELECT owner FROM leader").fetchone()
        return bool(found["owner"] == owner)

    def step_down(self, owner: str) -> None:
        """Let another process decide at once."""
        with self.change() as database:
            database.execute("DELETE FROM leader WHERE owner = ?", (owner,))

    def open_alert(self, alert: AlertRecord, *, again_within: float) -> tuple[AlertRecord, bool]:
        """Keep a new alert, or return the one that is open already; the flag says whether it is new.

        One that ended less than ``again_within`` seconds ago is opened again.
        """
        with self.change() as database:
            row = database.execute(
                f"SELECT {_COLUMNS} FROM alerts WHERE fingerprint = ? ORDER BY number DESC LIMIT 1",
                (alert.fingerprint,),
            ).fetchone()
            before = _record(row) if row else None
            if before is not None and before.is_open:
                return before, False
            if before is not None and before.resolved is not None and alert.fired - before.resolved < again_within:
                again = replace(
                    alert, number=before.number, times=before.times + 1, started=before.started, notified=None
                )
                database.execute(
                    "UPDATE alerts SET resolved = NULL, acked = NULL, acked_by = '', new_normal = 0, notified = NULL,"
                    " told = '', closed_by = '', record = ? WHERE number = ?",
                    (dumps(again).decode(), before.number),
                )
                return again, True
            made = database.execute(
                "INSERT INTO alerts (fingerprint, rule, tier, fired, record) VALUES (?, ?, ?, ?, ?)",
                (alert.fingerprint, alert.rule, alert.tier, alert.fired, dumps(alert).decode()),
            )
            return replace(alert, number=int(made.lastrowid or 0)), True

    def update_alert(self, alert: AlertRecord) -> AlertRecord:
        """Keep new figures of an alert; what a person said meanwhile stays."""
        with self.change() as database:
            database.execute(
                "UPDATE alerts SET record = ?, resolved = coalesce(resolved, ?) WHERE number = ?",
                (dumps(alert).decode(), alert.resolved, alert.number),
            )
            return self._get(alert.number)

    def alerts(self, *, open_only: bool = False, since: float | None = None, limit: int = 1000) -> list[AlertRecord]:
        """Return alerts, the newest first."""
        where = "resolved IS NULL" if open_only else "(resolved IS NULL OR resolved >= ?)" if since else "1"
        values: list[Any] = [since] if since and not open_only else []
        with explained(self.path):
            rows = self.database.execute(
                f"SELECT {_COLUMNS} FROM alerts WHERE {where} ORDER BY number DESC LIMIT ?", (*values, limit)
            ).fetchall()
        return [_record(row) for row in rows]

    def select(self, wanted: AlertFilter, *, limit: int = 50, offset: int = 0) -> tuple[list[AlertRecord], int]:
        """Return some of the alerts that a filter takes, the newest first, and how many there are."""
        clauses: list[tuple[str, Any]] = [("rule = ?", wanted.rule), ("tier = ?", wanted.tier)]
        clauses += [("fingerprint = ?", wanted.fingerprint)]
        where = [clause for clause, value in clauses if value]
        values = [value for _, value in clauses if value]
        where += {"open": ["resolved IS NULL"], "resolved": ["resolved IS NOT NULL"]}.get(wanted.state, [])
        place = f"FROM alerts WHERE {' AND '.join(where) or '1 = 1'}"
        with explained(self.path):
            count = self.database.execute(f"SELECT COUNT(*) AS n {place}", values).fetchone()["n"]
            rows = self.database.execute(
                f"SELECT {_COLUMNS} {place} ORDER BY number DESC LIMIT ? OFFSET ?", (*values, limit, offset)
            ).fetchall()
        return [_record(row) for row in rows], int(count)

    def rule_names(self) -> list[str]:
        """Return the rules that have ever raised an alert."""
        with explained(self.path):
            rows = self.database.execute("SELECT DISTINCT rule FROM alerts ORDER BY rule").fetchall()
        return [row["rule"] for row in rows]

    def find(self, name: str) -> AlertRecord:
        """Return the alert with this number, or the newest of a fingerprint or of a rule.

        Raises:
            NotFoundError: there is none.
        """
        with explained(self.path):
            row = self.database.execute(
                f"SELECT {_COLUMNS} FROM alerts WHERE CAST(number AS TEXT) = ?1 OR rule = ?1"
                " OR (length(?1) >= 6 AND substr(fingerprint, 1, length(?1)) = ?1) ORDER BY number DESC LIMIT 1",
                (name.removeprefix("#"),),
            ).fetchone()
        if row is None:
            raise NotFoundError(f"there is no alert {name!r}", hint="`proctor alerts list --all` shows their numbers")
        return _record(row)

    def acknowledge(self, number: int, *, by: str, now: float, note: str = "", new_normal: bool = False) -> AlertRecord:
        """Record that a person took an alert over; with ``new_normal``, that its level is the normal one from now on.

        Raises:
            StoreError: the alert has ended.
        """
        with self.change() as database:
            if not self._get(number).is_open:
                raise StoreError(f"alert {number} has ended already", hint="`proctor alerts list` shows the open ones")
            database.execute(
                "UPDATE alerts SET acked = coalesce(acked, ?), acked_by = ?, note = CASE WHEN ? = '' THEN note ELSE ?"
                " END, new_normal = max(new_normal, ?) WHERE number = ?",
                (now, by, note, note, int(new_normal), number),
            )
            return self._get(number)

    def resolve(self, number: int, *, by: str, now: float, note: str = "") -> AlertRecord:
        """End an alert by a person's word; the engine starts to count again."""
        with self.change() as database:
            database.execute(
                "UPDATE alerts SET resolved = coalesce(resolved, ?), closed_by = ?, note = CASE WHEN ? = '' THEN note"
                " ELSE ? END WHERE number = ?",
                (now, by, note, note, number),
            )
            done = self._get(number)
            if done.resolved == now:
                self._end_status(done, f"resolved by {by}")
            return done

    def mark_notified(self, number: int, now: float, told: str) -> None:
        """Record which change of an alert was handed to the channels, and when."""
        with self.change() as database:
            database.execute("UPDATE alerts SET notified = ?, told = ? WHERE number = ?", (now, told, number))

    def add_silence(self, silence: Silence) -> Silence:
        """Keep a silence."""
        with self.change() as database:
            made = database.execute(
                "INSERT INTO silences (match, until, person, note, created) VALUES (?, ?, ?, ?, ?)",
                (dumps(silence.match).decode(), silence.until, silence.by, silence.note, silence.created),
            )
            return replace(silence, number=int(made.lastrowid or 0))

    def end_silence(self, number: int, now: float) -> None:
        """End a silence now.

        Raises:
            NotFoundError: there is none with this number in force.
        """
        with self.change() as database:
            done = database.execute(
                "UPDATE silences SET until = ? WHERE number = ? AND until > ?", (now, number, now)
            ).rowcount
            if not done:
                raise NotFoundError(f"no silence {number} is in force", hint="`proctor alerts silence` lists them")

    def silences(self, now: float) -> list[Silence]:
        """Return the silences in force."""
        with explained(self.path):
            rows = self.database.execute("SELECT * FROM silences WHERE until > ? ORDER BY number", (now,)).fetchall()
        return [
            Silence(
                number=row["number"],
                match=loads(row["match"]),
                until=row["until"],
                by=row["person"],
                note=row["note"],
                created=row["created"],
            )
            for row in rows
        ]

    def save_all(self, values: Mapping[str, Mapping[str, Any]]) -> None:
        """Keep what several detectors have learnt, all or none."""
        with self.change() as database:
            database.executemany(
                "INSERT INTO learnt (name, value) VALUES (?, ?)"
                " ON CONFLICT (name) DO UPDATE SET value = excluded.value",
                [(name, dumps(value).decode()) for name, value in values.items()],
            )

    def load(self, name: str) -> Mapping[str, Any] | None:
        """Return what was kept under a name."""
        with explained(self.path):
            row = self.database.execute("SELECT value FROM learnt WHERE name = ?", (name,)).fetchone()
        found = loads(row["value"]) if row else None
        return found if isinstance(found, Mapping) else None

    def set_status(self, statuses: Sequence[RuleStatus]) -> None:
        """Replace the status of all rules."""
        with self.change() as database:
            database.execute("DELETE FROM status")
            database.executemany(
                "INSERT INTO status (place, value) VALUES (?, ?)",
                [(place, dumps(each).decode()) for place, each in enumerate(statuses)],
            )

    def status(self) -> list[RuleStatus]:
        """Return the status of all rules, as the last process that watched has left it."""
        with explained(self.path):
            rows = self.database.execute("SELECT value FROM status ORDER BY place").fetchall()
        return [decode(RuleStatus, loads(row["value"])) for row in rows]

    def _end_status(self, alert: AlertRecord, detail: str) -> None:
        """Call a rule firing no more: there may be no server that judges it again."""
        for row in self.database.execute("SELECT place, value FROM status").fetchall():
            status = decode(RuleStatus, loads(row["value"]))
            if (status.rule, status.slice) == (alert.rule, alert.slice) and status.state in ("firing", "no_data"):
                ended = replace(status, state="resolved", since=alert.resolved or status.since, detail=detail)
                self.database.execute(
                    "UPDATE status SET value = ? WHERE place = ?", (dumps(ended).decode(), row["place"])
                )

    def _get(self, number: int) -> AlertRecord:
        row = self.database.execute(f"SELECT {_COLUMNS} FROM alerts WHERE number = ?", (number,)).fetchone()
        if row is None:
            raise NotFoundError(f"there is no alert {number}", hint="`proctor alerts list --all` shows their numbers")
        return _record(row)


def _record(row: sqlite3.Row) -> AlertRecord:
    """Return an alert; what people said is in columns of its own, which the figures never overwrite."""
    try:
        found = decode(AlertRecord, loads(row["record"]))
    except MalformedError as error:
        raise StoreError(
            f"alert {row['number']} cannot be read: {error.message}", hint="it was written by another version"
        ) from error
    return replace(
        found,
        number=row["number"],
        resolved=row["resolved"],
        state="resolved" if row["resolved"] is not None else "firing" if found.state == "resolved" else found.state,
        acked=row["acked"],
        acked_by=row["acked_by"],
        new_normal=bool(row["new_normal"]),
        note=row["note"],
        notified=row["notified"],
        told=row["told"],
        closed_by=row["closed_by"],
    )
