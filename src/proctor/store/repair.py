"""Find runs whose journal and index differ, and rebuild the index from the whole lines of the journal."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from proctor.core.errors import NotFoundError, ProctorError
from proctor.store.journal import DamagedLine, JournalReader, Place, read_lines
from proctor.store.lock import is_held
from proctor.store.run_index import rebuild_index
from proctor.store.runs import RunRecord, RunStore

__all__ = ["Rebuilt", "find_damage", "rebuild_run"]

_CHECKED_RESULTS = 200  # results per run that are looked up: a spot check, so that a large store takes seconds


class Rebuilt(NamedTuple):
    """A rebuilt run: its results, its ungraded answers, and the skipped lines."""

    run: RunRecord
    results: int
    waiting: int
    damage: tuple[DamagedLine, ...]


def find_damage(store: RunStore) -> Iterator[tuple[str, str]]:
    """Yield the id of each run that needs a rebuild, and why; runs that are being written are left out."""
    known = set()
    for run in store.list(limit=1_000_000):
        known.add(run.id)
        if not is_held(store.lock_of(run.id)) and (why := _differs(store, run)):
            yield run.id, why
    for path in sorted((store.folder / "runs").glob("*/journal.ndjson")):
        if path.parent.name not in known and not is_held(store.lock_of(path.parent.name)):
            yield path.parent.name, "its journal is there, but the database does not have it"


def rebuild_run(store: RunStore, name: str) -> Rebuilt:
    """Rebuild a run's index from the whole lines of its journal; a run missing in the database is restored.

    Raises:
        InputError: there is no such run, or a process is writing it.
        StoreError: the journal cannot be read, or a database error.
    """
    try:
        run_id = store.find(name).id
    except NotFoundError:
        if not _is_plain(name) or not store.journal_of(name).is_file():
            raise
        run_id = name
    with store.sole_writer(run_id):
        run = _on_record(store, run_id)
        scan = rebuild_index(store, run)
        if run.total is not None and len(scan.finished) < run.total and run.status == "finished":
            store.interrupt(run, f"{run.total - len(scan.finished)} of {run.total} results are missing")
        return Rebuilt(store.get(run_id), len(scan.finished), len(scan.waiting), tuple(scan.damage))


def _is_plain(name: str) -> bool:
    return bool(name) and Path(name).name == name and name not in (".", "..")


def _on_record(store: RunStore, run_id: str) -> RunRecord:
    try:
        return store.get(run_id)
    except NotFoundError:
        path = store.journal_of(run_id)
        head = next((line for _, line in read_lines(path, damaged=lambda _: None) if line.get("kind") == "run"), {})
        try:
            return store.adopt({**head, "id": run_id})
        except (KeyError, TypeError, sqlite3.Error) as error:
            raise NotFoundError(
                f"the database has no run {run_id!r}, and its journal does not say what was run",
                file=str(path),
                hint="it was written by an older version: its lines can still be read as JSON",
            ) from error


def _differs(store: RunStore, run: RunRecord) -> str | None:
    """Return why the index of a run does not match its journal; ``None`` if a spot check finds nothing."""
    path = store.journal_of(run.id)
    rows = store.database.execute(
        "SELECT trajectory_at, trajectory_length, result_at, result_length FROM results WHERE run = ?"
        " ORDER BY result_at DESC LIMIT ?",
        (run.n, _CHECKED_RESULTS),
    ).fetchall()
    if not rows:
        return None
    if not path.is_file():
        return "its journal is missing"
    reader = JournalReader(path)
    try:
        for row in rows:
            reader.read(Place(row["trajectory_at"], row["trajectory_length"]))
            reader.read(Place(row["result_at"], row["result_length"]))
    except ProctorError as error:
        return f"journal.ndjson:{error.line}: {error.message}"
    finally:
        reader.close()
    return None
