"""The recorded runs: begin, resume, find, list, end and delete them."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from proctor.core.chat import Usage
from proctor.core.codec import encode
from proctor.core.decode import decode
from proctor.core.errors import NotFoundError
from proctor.core.record import dataclass
from proctor.core.report import Counts, Decision, Fingerprint, RunStatus, Spend
from proctor.store.db import connect, explained
from proctor.store.lock import is_held, sole_writer
from proctor.store.sqlite_store import SqliteStore, insert, several_begin_with, unknown_name

__all__ = ["RunRecord", "RunStore", "spend_of"]

_PROCESS = "process"  # in the settings: the process id, so that a killed run is not shown as running
_COLUMNS = "n, id, name, status, decision, reason, started, finished, total, legs, fingerprint, settings, notes"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRecord:
    """One run as stored, without its results."""

    n: int
    id: str
    name: str
    status: RunStatus
    decision: Decision | None
    reason: str
    started: datetime
    finished: datetime | None
    total: int | None
    legs: int
    fingerprint: Fingerprint
    settings: Mapping[str, Any]
    notes: tuple[str, ...]


class RunStore(SqliteStore):
    """The runs of one project, in its ``.proctor`` folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.path = folder / "proctor.db"
        self.database = connect(self.path, may_be_read_only=True)

    def folder_of(self, run_id: str) -> Path:
        """Return the folder of a run's journal and calls."""
        return self.folder / "runs" / run_id

    def journal_of(self, run_id: str) -> Path:
        """Return a run's journal file."""
        return self.folder_of(run_id) / "journal.ndjson"

    def lock_of(self, run_id: str) -> Path:
        """Return the file that the one writer of a run locks."""
        return self.folder_of(run_id) / "writer.lock"

    def sole_writer(self, run_id: str) -> AbstractContextManager[None]:
        """Be the only process that writes a run.

        Raises:
            InputError: another process writes it.
            StoreError: the lock cannot be created.
        """
        return sole_writer(self.lock_of(run_id), f"run {run_id}", shown_by=f"proctor show {run_id}")

    def begin(
        self, run_id: str, *, name: str, fingerprint: Fingerprint, settings: Mapping[str, Any], total: int | None
    ) -> RunRecord:
        """Record a new run of this process."""
        with explained(self.folder):
            values = {
                "id": run_id,
                "name": name,
                "status": "running",
                "started": datetime.now(UTC).isoformat(),
                "total": total,
                "fingerprint": json.dumps(encode(fingerprint)),
                "settings": json.dumps({**settings, _PROCESS: os.getpid()}),
            }
            insert(self.database, "runs", values)
            return self.get(run_id)

    def reopen(
        self,
        run: RunRecord,
        *,
        settings: Mapping[str, Any] | None = None,
        notes: Sequence[str] = (),
        fingerprint: Fingerprint | None = None,
    ) -> RunRecord:
        """Resume a run that stopped before its end; ``settings`` and ``fingerprint`` replace those it had."""
        kept = run.settings if settings is None else settings
        made_of = run.fingerprint if fingerprint is None else fingerprint
        with explained(self.folder):
            self.database.execute(
                "UPDATE runs SET status = 'running', decision = NULL, reason = '', finished = NULL, legs = legs + 1,"
                " report = NULL, settings = ?, notes = ?, fingerprint = ? WHERE n = ?",
                (
                    json.dumps({**kept, _PROCESS: os.getpid()}),
                    json.dumps([*run.notes, *notes]),
                    json.dumps(encode(made_of)),
                    run.n,
                ),
            )
            return self.get(run.id)

    def adopt(self, head: Mapping[str, Any]) -> RunRecord:
        """Restore a run whose journal exists and whose row is lost; ``head`` is its first line."""
        with explained(self.folder):
            values = {name: head[name] for name in ("id", "name", "started", "total")}
            values |= {name: json.dumps(head[name]) for name in ("fingerprint", "settings")}
            values |= {"status": "interrupted", "reason": "found without an entry in the database"}
            insert(self.database, "runs", values)
            return self.get(head["id"])

    def interrupt(self, run: RunRecord, reason: str) -> None:
        """Mark a finished run as interrupted, since results of it are missing."""
        with explained(self.folder):
            self.database.execute(
                "UPDATE runs SET status = 'interrupted', decision = NULL, reason = ?, report = NULL WHERE n = ?",
                (reason, run.n),
            )

    def end(
        self,
        run: RunRecord,
        *,
        status: RunStatus,
        decision: Decision | None,
        reason: str,
        notes: Sequence[str] = (),
        concurrency: Sequence[Mapping[str, Any]] = (),
    ) -> None:
        """Record how a run ended."""
        with explained(self.folder), self.database:
            earlier = self.database.execute("SELECT notes, concurrency FROM runs WHERE n = ?", (run.n,)).fetchone()
            self.database.execute(
                "UPDATE runs SET status = ?, decision = ?, reason = ?, finished = ?, notes = ?, concurrency = ?"
                " WHERE n = ?",
                (
                    status,
                    decision,
                    reason,
                    datetime.now(UTC).isoformat(),
                    json.dumps(list(dict.fromkeys([*json.loads(earlier["notes"]), *notes]))),
                    json.dumps([*json.loads(earlier["concurrency"]), *concurrency]),
                    run.n,
                ),
            )

    def get(self, run_id: str) -> RunRecord:
        """Return the run with exactly this id."""
        row = self.database.execute(f"SELECT {_COLUMNS} FROM runs WHERE id = ?", (run_id,)).fetchone()
        if row is None:
            raise NotFoundError(f"there is no run {run_id!r}", hint="`proctor list` shows the runs there are")
        return self._record(row)

    def find(self, name: str) -> RunRecord:
        """Return a run by id, by a prefix of its id, or ``last`` / ``latest``.

        Raises:
            NotFoundError: no run, or more than one, matches.
        """
        if name in ("last", "latest"):
            recent = self.list(limit=1)
            if not recent:
                raise NotFoundError("there are no runs yet", hint="`proctor run SUITE` makes one")
            return recent[0]
        escaped = name.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
        rows = self.database.execute(
            f"SELECT {_COLUMNS} FROM runs WHERE id = ? OR id LIKE ? ESCAPE '\\' ORDER BY n",
            (name, escaped + "%"),
        ).fetchall()
        exact = [row for row in rows if row["id"] == name] or rows
        if len(exact) == 1:
            return self._record(exact[0])
        if exact:
            raise several_begin_with(name, [row["id"] for row in exact], "runs")
        known = [row["id"] for row in self.database.execute("SELECT id FROM runs ORDER BY n DESC LIMIT 200")]
        raise unknown_name(name, known, f"there is no run {name!r}", "`proctor list` shows the runs there are")

    def list(self, *, limit: int = 50, offset: int = 0) -> list[RunRecord]:
        """Return the newest runs first."""
        rows = self.database.execute(
            f"SELECT {_COLUMNS} FROM runs ORDER BY n DESC LIMIT ? OFFSET ?",
            (limit, offset),
        )
        return [self._record(row) for row in rows]

    def counts(self, run: RunRecord) -> Counts:
        """Return how many results of a run passed, failed and could not be judged."""
        rows = self.database.execute(
            "SELECT outcome, count(*) AS n FROM results WHERE run = ? GROUP BY outcome", (run.n,)
        )
        by = {row["outcome"]: row["n"] for row in rows}
        doubts = self.database.execute(
            "SELECT count(*) AS n FROM results WHERE run = ? AND in_doubt = 1", (run.n,)
        ).fetchone()
        return Counts(
            passed=by.get("pass", 0), failed=by.get("fail", 0), unscored=by.get("unscored", 0), in_doubt=doubts["n"]
        )

    def keep_spend(self, run: RunRecord, spend: Sequence[Spend]) -> None:
        """Record what this leg of the run has spent so far."""
        with explained(self.folder):
            self.database.executemany(
                "INSERT OR REPLACE INTO spend VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                [
                    (
                        run.n,
                        run.legs,
                        s.model,
                        s.role,
                        s.calls,
                        s.cached,
                        s.retries,
                        s.errors,
                        *_tokens(s.usage),
                        s.cost,
                    )
                    for s in spend
                ],
            )

    def spend_by_leg(self, run: RunRecord) -> Iterator[tuple[int, Spend]]:
        """Yield what each leg of the run has spent: the leg's number and the spend of one model."""
        for row in self.database.execute("SELECT * FROM spend WHERE run = ? ORDER BY leg", (run.n,)):
            yield row["leg"], spend_of(row)

    def forget(self, run: RunRecord) -> None:
        """Delete a run and its files."""
        import shutil  # noqa: PLC0415 - loads the compression modules

        self.database.execute("DELETE FROM runs WHERE n = ?", (run.n,))
        shutil.rmtree(self.folder_of(run.id), ignore_errors=True)

    def _record(self, row: sqlite3.Row) -> RunRecord:
        settings = json.loads(row["settings"])
        process = settings.pop(_PROCESS, None)
        killed = row["status"] == "running" and not self._is_alive(row["id"], process)
        return RunRecord(
            n=row["n"],
            id=row["id"],
            name=row["name"],
            status="interrupted" if killed else row["status"],
            decision=row["decision"],
            reason=row["reason"],
            started=datetime.fromisoformat(row["started"]),
            finished=datetime.fromisoformat(row["finished"]) if row["finished"] else None,
            total=row["total"],
            legs=row["legs"],
            fingerprint=decode(Fingerprint, json.loads(row["fingerprint"])),
            settings=settings,
            notes=tuple(json.loads(row["notes"])),
        )

    def _is_alive(self, run_id: str, process: int | None) -> bool:
        """Return whether the run's writer is alive: it holds the lock. Runs of older versions have only a pid."""
        held = is_held(self.lock_of(run_id))
        return _alive(process) if held is None else held


def _tokens(usage: Usage) -> tuple[int, int, int, int]:
    return usage.input, usage.output, usage.cached_input, usage.reasoning


def _alive(process: int | None) -> bool:
    """Return whether the process exists; one of another user does."""
    if process is None:
        return False
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def spend_of(row: sqlite3.Row) -> Spend:
    """Return the spend of one model from its row."""
    tokens = {name: row[name] for name in ("input", "output", "cached_input", "reasoning")}
    counts = {name: row[name] for name in ("calls", "cached", "retries", "errors")}
    return Spend(model=row["model"], role=row["role"], usage=Usage(**tokens), cost=row["cost"], **counts)
