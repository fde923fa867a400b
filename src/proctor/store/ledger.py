"""A run being written: the journal is the truth, the database an index of it that can always be rebuilt."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from proctor.core.case import Case
from proctor.core.codec import encode
from proctor.core.decoding import decode
from proctor.core.errors import StoreError
from proctor.core.report import Result
from proctor.core.trajectory import Trajectory
from proctor.store.journal import Journal, Place, read_lines
from proctor.store.runs import RunRecord, RunStore
from proctor.text.known_secrets import hide_secrets_in_data

__all__ = ["TAG_BREAK", "RunLedger", "bring_up_to_date", "case_kept"]

TAG_BREAK = "\x1f"
_BATCH = 200
_SECONDS = 1.0


class RunLedger:
    """Keeps each trajectory and result at once in the journal, and indexes them in batches."""

    def __init__(self, store: RunStore, run: RunRecord, *, redo_unscored: bool = False) -> None:
        self._store = store
        self._run = run
        self._journal = Journal(store.journal_of(run.id))
        if self._journal.end == 0:
            self._journal.append({"kind": "run", "id": run.id, "name": run.name, "format": 1})
        self._waiting: dict[int, Place] = bring_up_to_date(store, run, to_resume=True)
        if redo_unscored:
            self._waiting |= _unscored(store.database, run)
        skip = "AND outcome != 'unscored'" if redo_unscored else ""
        rows = store.database.execute(f"SELECT key FROM results WHERE run = ? {skip}", (run.n,))
        self._done = {row["key"] for row in rows}
        self._seq = _next_seq(store.database, run)
        self._rows: list[tuple[Any, ...]] = []
        self._scores: list[tuple[Any, ...]] = []
        self._flushed = time.monotonic()

    def finished(self, key: int) -> bool:
        """Whether the unit has its result already."""
        return key in self._done

    def pending(self, key: int) -> Trajectory | None:
        """The trajectory of a unit that was not scored to the end."""
        place = self._waiting.get(key)
        if place is None:
            return None
        return decode(Trajectory, self._journal.read(place)["trajectory"])

    def keep_trajectory(self, key: int, *, case: Case, target: str, sample: int, trajectory: Trajectory) -> None:
        """Keep what the target did, before it is scored."""
        line: dict[str, Any] = {"kind": "trajectory", "key": key, "target": target, "sample": sample}
        if case.recorded is not None and case.recorded == trajectory:
            # The conversation that a case brings is the larger part of the line by far: it stands in it once.
            case, line["recorded"] = replace(case, recorded=None), True
        line["case"] = encode(case)
        line["trajectory"] = encode(trajectory)
        self._waiting[key] = self._journal.append(line)

    def keep_result(self, key: int, result: Result) -> None:
        """Keep the scores of a unit whose trajectory was kept."""
        line: dict[str, Any] = hide_secrets_in_data(_result_line(key, result))  # before the reason is cut for the index
        place = self._journal.append(line)
        before = self._waiting.pop(key)
        self._rows.append(_row(self._run.n, self._seq, line, _facts(result), before, place))
        self._scores.extend(_score_rows(self._run.n, line))
        self._seq += 1
        if len(self._rows) >= _BATCH or time.monotonic() - self._flushed > _SECONDS:
            self.flush()

    def flush(self) -> None:
        """Bring the index up to the journal's end."""
        if self._rows:
            _insert(self._store.database, self._run, self._rows, self._scores, self._journal.end)
            self._rows.clear()
            self._scores.clear()
        self._flushed = time.monotonic()

    def close(self) -> None:
        """Index what is left and close the journal."""
        try:
            self.flush()
        finally:
            self._journal.close()


def case_kept(line: Mapping[str, Any]) -> Case:
    """The case of a line with a trajectory, with the conversation that it brought."""
    case = decode(Case, line["case"])
    return replace(case, recorded=decode(Trajectory, line["trajectory"])) if line.get("recorded") else case


def bring_up_to_date(store: RunStore, run: RunRecord, *, to_resume: bool = False) -> dict[int, Place]:
    """Index what a killed process left in the journal only.

    When the run is to be resumed, returns where the trajectories lie that have no result yet.
    """
    path = store.journal_of(run.id)
    if not path.exists():
        return {}
    row = store.database.execute("SELECT indexed_to FROM runs WHERE n = ?", (run.n,)).fetchone()
    start = row["indexed_to"]
    if start >= path.stat().st_size and not to_resume:
        return {}
    # A trajectory may lie before the last indexed byte while its result does not: read from the beginning,
    # but insert only what is new.
    waiting: dict[int, Place] = {}
    rows: list[tuple[Any, ...]] = []
    scores: list[tuple[Any, ...]] = []
    facts: dict[int, dict[str, Any]] = {}
    seq = _next_seq(store.database, run)
    end = start
    for place, line in read_lines(path):
        end = place.at + place.length
        if line["kind"] == "trajectory":
            waiting[line["key"]] = place
            if place.at >= start:
                facts[line["key"]] = _facts_of_line(line)
        elif line["kind"] == "result":
            before = waiting.pop(line["key"])
            if place.at >= start:
                known = facts.pop(line["key"], None) or _facts_of_line(_read_at(store, run, before))
                rows.append(_row(run.n, seq, line, known, before, place))
                scores.extend(_score_rows(run.n, line))
                seq += 1
        if len(rows) >= _BATCH:
            _insert(store.database, run, rows, scores, end)
            rows, scores = [], []
    if rows:
        _insert(store.database, run, rows, scores, end)
    return waiting


def _read_at(store: RunStore, run: RunRecord, place: Place) -> dict[str, Any]:
    return next(iter(read_lines(store.journal_of(run.id), start=place.at))).data


def _insert(
    database: sqlite3.Connection,
    run: RunRecord,
    rows: list[tuple[Any, ...]],
    scores: list[tuple[Any, ...]],
    indexed_to: int,
) -> None:
    try:
        database.execute("BEGIN IMMEDIATE")
        database.executemany("DELETE FROM scores WHERE run = ? AND key = ?", ((row[0], row[1]) for row in rows))
        database.executemany(f"INSERT OR REPLACE INTO results VALUES ({','.join('?' * 17)})", rows)
        database.executemany("INSERT OR REPLACE INTO scores VALUES (?, ?, ?, ?, ?, ?, ?, ?)", scores)
        database.execute("UPDATE runs SET indexed_to = ? WHERE n = ?", (indexed_to, run.n))
        database.execute("COMMIT")
    except sqlite3.Error as error:
        if database.in_transaction:
            database.execute("ROLLBACK")
        raise StoreError(
            f"the results could not be indexed: {error}",
            mend="the journal has them: mend the disk, then `proctor show` indexes them again",
        ) from error


def _unscored(database: sqlite3.Connection, run: RunRecord) -> dict[int, Place]:
    """Where the trajectories of unscored results lie: an answer that came need not be asked for again."""
    rows = database.execute(
        "SELECT key, trajectory_at, trajectory_length FROM results WHERE run = ? AND outcome = 'unscored'", (run.n,)
    )
    return {row["key"]: Place(row["trajectory_at"], row["trajectory_length"]) for row in rows}


def _next_seq(database: sqlite3.Connection, run: RunRecord) -> int:
    last: int = database.execute("SELECT coalesce(max(seq), 0) FROM results WHERE run = ?", (run.n,)).fetchone()[0]
    return last + 1


def _result_line(key: int, result: Result) -> dict[str, Any]:
    line: dict[str, Any] = {"kind": "result", "key": key, "outcome": result.outcome}
    line["value"] = result.value
    line["reason"] = result.reason
    line["scores"] = [{**encode(score), "passed": score.passed} for score in result.scores]
    line["started"] = result.started.isoformat() if result.started else None
    line["duration"] = result.duration
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


def _facts_of_line(line: dict[str, Any]) -> dict[str, Any]:
    case, trajectory = line["case"], decode(Trajectory, line["trajectory"])
    return {
        "case_id": case["id"],
        "target": line["target"],
        "sample": line["sample"],
        "intent": case.get("intent"),
        "tags": case.get("tags", ()),
        "latency": trajectory.latency,
        "cost": trajectory.cost,
    }


def _row(n: int, seq: int, line: dict[str, Any], facts: dict[str, Any], before: Place, place: Place) -> tuple[Any, ...]:
    return (
        n,
        line["key"],
        seq,
        _plain(facts["case_id"]),
        _plain(facts["target"]),
        facts["sample"],
        _plain(facts["intent"]),
        _plain(TAG_BREAK.join(facts["tags"])),
        line["outcome"],
        line["value"],
        _plain(line["reason"][:500]),
        facts["latency"],
        facts["cost"],
        before.at,
        before.length,
        place.at,
        place.length,
    )


def _plain(text: str | None) -> str | None:
    """Text that SQLite takes: a lone surrogate has no UTF-8."""
    return text if text is None else text.encode("utf-8", "replace").decode()


def _score_rows(n: int, line: dict[str, Any]) -> Iterator[tuple[Any, ...]]:
    for place, score in enumerate(line["scores"]):
        passed = score.get("passed")
        yield (
            n,
            line["key"],
            place,
            _plain(score["name"]),
            score.get("status", "ok"),
            score.get("value"),
            None if passed is None else int(passed),
            score.get("producer", "rule"),
        )
