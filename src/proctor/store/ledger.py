"""Write a run: the journal is authoritative, the database an index that can always be rebuilt."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from proctor.core.case import Case
from proctor.core.codec import encode
from proctor.core.decode import decode
from proctor.core.report import Result
from proctor.core.trajectory import Trajectory
from proctor.store.journal import Journal, Place
from proctor.store.journal_scan import BUDGET
from proctor.store.run_index import BATCH, IndexRows, next_seq, scan_to_resume
from proctor.store.runs import RunRecord, RunStore
from proctor.text.known_secrets import hide_secrets_in_data

__all__ = ["RunLedger", "case_kept"]

_FLUSH_SECONDS = 1.0


class RunLedger:
    """Stores each trajectory and result in the journal at once, and indexes them in batches.

    Units that the budget left unscored are not finished: they are retried. With ``redo_unscored`` all unscored ones
    are.
    ``skipped`` are the invalid lines of the journal; their units are repeated.
    """

    def __init__(self, store: RunStore, run: RunRecord, *, redo_unscored: bool = False) -> None:
        self._store = store
        self._run = run
        self._journal = Journal(store.journal_of(run.id))
        try:
            if self._journal.end == 0:
                self._journal.append(_head(run))
            scan = scan_to_resume(store, run)
        except BaseException:
            self._journal.close()
            raise
        self.skipped = tuple(scan.damage)
        self._waiting = scan.waiting
        self._done = set(scan.finished)
        for key, place in _unscored(store.database, run):
            if redo_unscored or key in scan.refused:
                self._waiting.setdefault(key, place)
                self._done.discard(key)
        self._rows = IndexRows(run, next_seq(store.database, run))
        self._flushed = time.monotonic()

    @property
    def count(self) -> int:
        """How many units are finished."""
        return len(self._done)

    def finished(self, key: int) -> bool:
        """Return whether the unit already has its result."""
        return key in self._done

    def pending(self, key: int) -> Trajectory | None:
        """Return the trajectory of a unit whose scoring is not finished."""
        place = self._waiting.get(key)
        if place is None:
            return None
        return decode(Trajectory, self._journal.read(place)["trajectory"])

    def keep_trajectory(self, key: int, *, case: Case, target: str, sample: int, trajectory: Trajectory) -> None:
        """Store the target's trajectory before it is scored."""
        line: dict[str, Any] = {"kind": "trajectory", "key": key, "target": target, "sample": sample}
        if case.recorded is not None and case.recorded == trajectory:
            # A recorded conversation is by far the larger part of the line: store it only once.
            case, line["recorded"] = replace(case, recorded=None), True
        line["case"] = encode(case)
        line["trajectory"] = encode(trajectory)
        self._waiting[key] = self._journal.append(line)

    def keep_result(self, key: int, result: Result) -> None:
        """Store the scores of a unit whose trajectory is stored."""
        line: dict[str, Any] = hide_secrets_in_data(_result_line(key, result))  # before the reason is cut
        place = self._journal.append(line)
        self._rows.add(line, _facts(result), self._waiting.pop(key), place)
        self._done.add(key)
        if len(self._rows) >= BATCH or time.monotonic() - self._flushed > _FLUSH_SECONDS:
            self.flush()

    def flush(self) -> None:
        """Index the journal up to its end."""
        if len(self._rows):
            self._rows.commit(self._store.database, self._journal.end)
        self._flushed = time.monotonic()

    def close(self) -> None:
        """Index the rest and close the journal."""
        try:
            self.flush()
        finally:
            self._journal.close()


def case_kept(line: Mapping[str, Any]) -> Case:
    """Return the case of a trajectory line, with its recorded conversation."""
    case = decode(Case, line["case"])
    return replace(case, recorded=decode(Trajectory, line["trajectory"])) if line.get("recorded") else case


def _head(run: RunRecord) -> dict[str, Any]:
    """Return the first line: enough to restore the run if the database is lost."""
    return {
        "kind": "run",
        "id": run.id,
        "name": run.name,
        "format": 1,
        "started": run.started.isoformat(),
        "total": run.total,
        "fingerprint": encode(run.fingerprint),
        "settings": dict(run.settings),
    }


def _unscored(database: sqlite3.Connection, run: RunRecord) -> list[tuple[int, Place]]:
    """Return where the trajectories of unscored results are, so that answers are not requested again."""
    rows = database.execute(
        "SELECT key, trajectory_at, trajectory_length FROM results WHERE run = ? AND outcome = 'unscored'", (run.n,)
    )
    return [(row["key"], Place(row["trajectory_at"], row["trajectory_length"])) for row in rows]


def _result_line(key: int, result: Result) -> dict[str, Any]:
    line: dict[str, Any] = {"kind": "result", "key": key, "outcome": result.outcome}
    line["value"] = result.value
    line["reason"] = result.reason
    line["scores"] = [{**encode(score), "passed": score.passed} for score in result.scores]
    line["started"] = result.started.isoformat() if result.started else None
    line["duration"] = result.duration
    if "place" in result.extra:
        line["place"] = result.extra["place"]
    if result.extra.get("refused") == BUDGET:
        line["refused"] = BUDGET
    return line


def _facts(result: Result) -> dict[str, Any]:
    return {
        "case_id": result.case.id,
        "target": result.target,
        "sample": result.sample,
        "intent": result.case.intent,
        "tags": result.case.tags,
        "latency": result.trajectory.latency,
        "cost": result.trajectory.cost,
    }
