"""Runs on record: begin, resume, find, list, end and forget them."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from proctor.core.chat import Usage
from proctor.core.codec import encode
from proctor.core.decoding import closest, decode
from proctor.core.errors import NotFoundError
from proctor.core.report import Counts, Decision, Fingerprint, RunStatus, Spend
from proctor.store.db import connect, explained

__all__ = ["RunRecord", "RunStore"]

_PROCESS = "process"  # in the settings: who runs it, so that a killed run is not called running for good
_COLUMNS = "n, id, name, status, decision, reason, started, finished, total, legs, fingerprint, settings, notes"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRecord:
    """One run as the store knows it, without its results."""

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


class RunStore:
    """The runs of one project, in its ``.proctor`` folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.database = connect(folder / "proctor.db")

    def __enter__(self) -> RunStore:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the database."""
        self.database.close()

    def folder_of(self, run_id: str) -> Path:
        """Where a run keeps its journal and its calls."""
        return self.folder / "runs" / run_id

    def journal_of(self, run_id: str) -> Path:
        """A run's journal file."""
        return self.folder_of(run_id) / "journal.ndjson"

    def begin(
        self, run_id: str, *, name: str, fingerprint: Fingerprint, settings: Mapping[str, Any], total: int | None
    ) -> RunRecord:
        """Put a new run on record, as this process's."""
        with explained(self.folder):
            self.database.execute(
                "INSERT INTO runs (id, name, status, started, total, fingerprint, settings)"
                " VALUES (?, ?, 'running', ?, ?, ?, ?)",
                (
                    run_id,
                    name,
                    datetime.now(UTC).isoformat(),
                    total,
                    json.dumps(encode(fingerprint)),
                    json.dumps({**settings, _PROCESS: os.getpid()}),
                ),
            )
            return self.get(run_id)

    def reopen(self, run: RunRecord) -> RunRecord:
        """Go on with a run that stopped before its end."""
        with explained(self.folder):
            self.database.execute(
                "UPDATE runs SET status = 'running', decision = NULL, reason = '', finished = NULL, legs = legs + 1,"
                f" report = NULL, settings = json_set(settings, '$.{_PROCESS}', ?) WHERE n = ?",
                (os.getpid(), run.n),
            )
            return self.get(run.id)

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
        """Put on record how a run ended."""
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
                    json.dumps([*json.loads(earlier["notes"]), *notes]),
                    json.dumps([*json.loads(earlier["concurrency"]), *concurrency]),
                    run.n,
                ),
            )

    def get(self, run_id: str) -> RunRecord:
        """The run with exactly this id."""
        row = self.database.execute(f"SELECT {_COLUMNS} FROM runs WHERE id = ?", (run_id,)).fetchone()
        if row is None:
            raise NotFoundError(f"there is no run {run_id!r}", mend="`proctor list` shows the runs there are")
        return _record(row)

    def find(self, name: str) -> RunRecord:
        """A run by id, by the beginning of its id, or ``last`` / ``latest``.

        Raises:
            NotFoundError: no run, or more than one, answers to the name.
        """
        if name in ("last", "latest"):
            recent = self.list(limit=1)
            if not recent:
                raise NotFoundError("there are no runs yet", mend="`proctor run SUITE` makes one")
            return recent[0]
        escaped = name.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
        rows = self.database.execute(
            f"SELECT {_COLUMNS} FROM runs WHERE id = ? OR id LIKE ? ESCAPE '\\' ORDER BY n",
            (name, escaped + "%"),
        ).fetchall()
        exact = [row for row in rows if row["id"] == name] or rows
        if len(exact) == 1:
            return _record(exact[0])
        if exact:
            raise NotFoundError(
                f"{len(exact)} runs begin with {name!r}",
                mend="give more of the id: " + ", ".join(r["id"] for r in exact[:5]),
            )
        known = [row["id"] for row in self.database.execute("SELECT id FROM runs ORDER BY n DESC LIMIT 200")]
        guess = closest(name, known)
        raise NotFoundError(
            f"there is no run {name!r}",
            mend=f"did you mean {guess}?" if guess else "`proctor list` shows the runs there are",
        )

    def list(self, *, limit: int = 50, offset: int = 0) -> list[RunRecord]:
        """The newest runs first."""
        rows = self.database.execute(
            f"SELECT {_COLUMNS} FROM runs ORDER BY n DESC LIMIT ? OFFSET ?",
            (limit, offset),
        )
        return [_record(row) for row in rows]

    def counts(self, run: RunRecord) -> Counts:
        """How many results of a run passed, failed and could not be judged."""
        rows = self.database.execute(
            "SELECT outcome, count(*) AS n FROM results WHERE run = ? GROUP BY outcome", (run.n,)
        )
        by = {row["outcome"]: row["n"] for row in rows}
        return Counts(passed=by.get("pass", 0), failed=by.get("fail", 0), unscored=by.get("unscored", 0))

    def keep_spend(self, run: RunRecord, spend: Sequence[Spend]) -> None:
        """Put on record what this leg of the run has spent so far."""
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

    def forget(self, run: RunRecord) -> None:
        """Remove a run and its files."""
        self.database.execute("DELETE FROM runs WHERE n = ?", (run.n,))
        shutil.rmtree(self.folder_of(run.id), ignore_errors=True)


def _tokens(usage: Usage) -> tuple[int, int, int, int]:
    return usage.input, usage.output, usage.cached_input, usage.reasoning


def _alive(process: int | None) -> bool:
    """Whether the process that runs it is still there; one of another user is."""
    if process is None:
        return False
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _record(row: sqlite3.Row) -> RunRecord:
    settings = json.loads(row["settings"])
    killed = row["status"] == "running" and not _alive(settings.pop(_PROCESS, None))
    settings.pop(_PROCESS, None)
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
