"""The index of a run's journal in the database: updated by readers, rebuilt by the one writer."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from proctor.core.errors import StoreError
from proctor.store.db import transaction
from proctor.store.journal import DamagedLine, Place
from proctor.store.journal_scan import JournalScan
from proctor.store.runs import RunRecord, RunStore

__all__ = ["BATCH", "TAG_BREAK", "IndexRows", "bring_up_to_date", "next_seq", "rebuild_index", "scan_to_resume"]

TAG_BREAK = "\x1f"
BATCH = 200
_MAX_TRIES = 3  # a reader starts again if another process indexed the same lines meanwhile


class IndexRows:
    """Index rows to be inserted together."""

    def __init__(self, run: RunRecord, seq: int) -> None:
        self._run = run
        self._seq = seq
        self._rows: list[tuple[Any, ...]] = []
        self._scores: list[tuple[Any, ...]] = []

    def __len__(self) -> int:
        return len(self._rows)

    def add(self, line: Mapping[str, Any], facts: Mapping[str, Any], answer: Place, place: Place) -> None:
        """Add one result."""
        self._rows.append(_row(self._run.n, self._seq, line, facts, answer, place))
        self._scores.extend(_score_rows(self._run.n, line))
        self._seq += 1

    def insert(self, database: sqlite3.Connection) -> None:
        """Insert the rows; inside a transaction of the caller."""
        rows = self._rows
        database.executemany("DELETE FROM scores WHERE run = ? AND key = ?", ((row[0], row[1]) for row in rows))
        database.executemany(f"INSERT OR REPLACE INTO results VALUES ({','.join('?' * 19)})", rows)
        database.executemany("INSERT OR REPLACE INTO scores VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", self._scores)
        self._rows, self._scores = [], []

    def commit(self, database: sqlite3.Connection, end: int) -> None:
        """Insert the rows and record how far the journal is indexed; for the writer of the run.

        Raises:
            StoreError: a database error.
        """
        rows, scores = self._rows, self._scores
        try:
            with _transaction(database):
                self.insert(database)
                _indexed_to(database, self._run, end)
        except BaseException:
            self._rows, self._scores = rows, scores  # the transaction was rolled back: they are not in the database
            raise


def bring_up_to_date(store: RunStore, run: RunRecord) -> None:
    """Index the journal lines that are not indexed yet: left by a killed process, or being written.

    Invalid lines are skipped and noted with the run. Safe beside the writer and other readers: rows are inserted only
    while the index still ends where this reader began.

    Raises:
        StoreError: the journal cannot be read, or a database error.
    """
    path = store.journal_of(run.id)
    for _ in range(_MAX_TRIES):
        start = _indexed(store.database, run)
        try:
            behind = path.stat().st_size > start
        except OSError:
            return
        if not behind or _indexed_from(store, run, start):
            return


def scan_to_resume(store: RunStore, run: RunRecord) -> JournalScan:
    """Index the journal for the process that resumes the run, and return what is left to do.

    The journal is authoritative. If the index differs from it, the index is rebuilt.

    Raises:
        StoreError: the journal cannot be read, or a database error.
    """
    bring_up_to_date(store, run)
    scan = JournalScan(store.journal_of(run.id))
    for _ in scan.units(_indexed(store.database, run), lambda key: _answer(store.database, run, key)):
        pass
    rows = store.database.execute("SELECT key, result_at FROM results WHERE run = ?", (run.n,))
    same = all(scan.finished.get(row["key"]) == row["result_at"] for row in rows)
    count = store.database.execute("SELECT count(*) FROM results WHERE run = ?", (run.n,)).fetchone()[0]
    return scan if same and count == len(scan.finished) and not scan.damage else rebuild_index(store, run)


def rebuild_index(store: RunStore, run: RunRecord) -> JournalScan:
    """Rebuild the index of a run from the whole lines of its journal; only for the run's writer.

    Raises:
        StoreError: the journal cannot be read, or a database error.
    """
    database, scan = store.database, JournalScan(store.journal_of(run.id))
    rows = IndexRows(run, 1)

    def answer_of(key: int) -> Place | None:
        rows.insert(database)
        return _answer(database, run, key)

    with _transaction(database):
        for table in ("results", "scores"):
            database.execute(f"DELETE FROM {table} WHERE run = ?", (run.n,))
        database.execute("UPDATE runs SET report = NULL WHERE n = ?", (run.n,))
        for unit in scan.units(0, answer_of):
            rows.add(unit.line, unit.facts, unit.answer, unit.place)
            if len(rows) >= BATCH:
                rows.insert(database)
        rows.insert(database)
        _indexed_to(database, run, scan.end)
        _note_damage(database, run, scan.damage)
    return scan


def next_seq(database: sqlite3.Connection, run: RunRecord) -> int:
    """Return the number of the next result."""
    last: int = database.execute("SELECT coalesce(max(seq), 0) FROM results WHERE run = ?", (run.n,)).fetchone()[0]
    return last + 1


def _indexed_from(store: RunStore, run: RunRecord, start: int) -> bool:
    """Index the journal after ``start``; return false if another process did so meanwhile."""
    database, scan = store.database, JournalScan(store.journal_of(run.id))
    rows, begun, noted = IndexRows(run, next_seq(database, run)), start, 0

    def keep() -> bool:
        nonlocal begun, noted
        with _transaction(database):
            if _indexed(database, run) != begun:
                return False
            rows.insert(database)
            _indexed_to(database, run, scan.end)
            _note_damage(database, run, scan.damage[noted:])
        begun, noted = scan.end, len(scan.damage)
        return True

    def answer_of(key: int) -> Place | None:
        return _answer(database, run, key) or waiting.get(key)

    waiting: dict[int, Place] = {}  # answers of the rows that are not inserted yet
    for unit in scan.units(start, answer_of):
        rows.add(unit.line, unit.facts, unit.answer, unit.place)
        waiting[unit.key] = unit.answer
        if len(rows) >= BATCH:
            if not keep():
                return False
            waiting.clear()
    return keep() if len(rows) or len(scan.damage) > noted else True


def _indexed(database: sqlite3.Connection, run: RunRecord) -> int:
    row = database.execute("SELECT indexed_to FROM runs WHERE n = ?", (run.n,)).fetchone()
    return int(row["indexed_to"]) if row else 0


def _indexed_to(database: sqlite3.Connection, run: RunRecord, end: int) -> None:
    database.execute("UPDATE runs SET indexed_to = ? WHERE n = ?", (end, run.n))


def _answer(database: sqlite3.Connection, run: RunRecord, key: int) -> Place | None:
    row = database.execute(
        "SELECT trajectory_at, trajectory_length FROM results WHERE run = ? AND key = ?", (run.n, key)
    ).fetchone()
    return Place(row["trajectory_at"], row["trajectory_length"]) if row else None


def _note_damage(database: sqlite3.Connection, run: RunRecord, damage: Sequence[DamagedLine]) -> None:
    """Record the skipped lines with the run, each once."""
    if not damage:
        return
    row = database.execute("SELECT notes FROM runs WHERE n = ?", (run.n,)).fetchone()
    notes = json.loads(row["notes"]) if row else []
    new = dict.fromkeys(f"journal: {each}; it was skipped" for each in damage)
    database.execute(
        "UPDATE runs SET notes = ? WHERE n = ?",
        (json.dumps([*notes, *(note for note in new if note not in notes)]), run.n),
    )


@contextmanager
def _transaction(database: sqlite3.Connection) -> Iterator[None]:
    """Run the block in a transaction; database errors become a StoreError."""
    try:
        with transaction(database):
            yield
    except sqlite3.Error as error:
        raise _refused(error) from error


def _refused(error: sqlite3.Error) -> StoreError:
    return StoreError(
        f"the results could not be indexed: {error}",
        hint="the journal has them: repair the disk, then `proctor show` indexes them again",
    )


def _row(
    n: int, seq: int, line: Mapping[str, Any], facts: Mapping[str, Any], answer: Place, place: Place
) -> tuple[Any, ...]:
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
        answer.at,
        answer.length,
        place.at,
        place.length,
        int(line["outcome"] == "pass" and any(score.get("in_doubt") for score in line["scores"])),
        line.get("place"),
    )


def _plain(text: str | None) -> str | None:
    """Return text that SQLite accepts: a lone surrogate has no UTF-8."""
    return text if text is None else text.encode("utf-8", "replace").decode()


def _score_rows(n: int, line: Mapping[str, Any]) -> Iterator[tuple[Any, ...]]:
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
            int(bool(passed and score.get("in_doubt"))),
        )
