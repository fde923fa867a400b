"""Erase what is stored of a customer: in the event log, its segments and indexes, and in the log of gates."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import orjson

from proctor.core.errors import StoreError
from proctor.core.event_row import EventRow
from proctor.core.seen_ids import id_code
from proctor.store.duck import connect_duck, duck_errors
from proctor.store.event_indexer import EventIndexer
from proctor.store.guard_index import GUARD_FILE, GuardIndex
from proctor.store.guard_log import FOLDER as GUARD_FOLDER
from proctor.store.guard_log_reader import days
from proctor.store.log_reader import log_files, mark_erasure, new_rows
from proctor.store.mask_decisions import customer_key, naming
from proctor.store.review import GUARD
from proctor.store.runs import RunStore
from proctor.store.seal_log import forget_codes
from proctor.store.segments import (
    COLUMNS,
    SEGMENTS,
    parquet,
    read_manifest,
    remove_segments,
    segments_of,
    write_manifest,
)
from proctor.store.text_index import TextIndex

if TYPE_CHECKING:
    import duckdb

__all__ = ["Forgotten", "customer_names", "erase_customer", "erase_from_guard_log"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Forgotten:
    """What was erased. ``sessions`` are the customer's, so that others can erase what they keep of them."""

    sessions: tuple[str, ...] = ()
    events: int = 0
    segments: int = 0
    conversations: int = 0
    texts: int = 0
    decisions: int = 0


def customer_names(store: Path, customer: str) -> tuple[str, ...]:
    """Return the names under which a customer may be stored: as given, and the pseudonym.

    Raises:
        StoreError: the key of the pseudonyms cannot be read.
    """
    folder = store / GUARD_FOLDER
    if not (folder / "customers.key").exists():
        return (customer,)
    return (customer, naming(customer_key(folder))(customer))


def erase_customer(store: Path, names: Sequence[str], indexer: EventIndexer, texts: TextIndex | None) -> Forgotten:
    """Erase a customer from the event log, the segments and the search index. Call as the sole sealer.

    A line of the log is overwritten by blanks where it is, so that its writer need not stop. Segments are written again
    without the customer's events. Ids that are erased are not known any more: the events are stored if they are sent
    again. Rollups count events and name nobody; they stay. So do
    the conversations in the index: they say what else is the customer's, also when an erasure that failed is repeated.

    Raises:
        StoreError: a file cannot be written, or DuckDB is needed and not installed.
    """
    folder = store / "events"
    sessions = set(indexer.conversations.sessions_of(names))
    logs = log_files(folder)
    for path in logs:
        sessions |= _sessions_in(path, names)
    manifest = read_manifest(folder)
    database = connect_duck(folder / SEGMENTS / "spill") if manifest.segments else None
    try:
        if database is not None:
            files = [folder / SEGMENTS / each.file for each in manifest.segments]
            sessions |= _load_wanted(database, files, names, sessions)

        def is_gone(row: EventRow) -> bool:
            return row.customer in names if row.customer else row.session in sessions

        erased = [each for path in logs for each in _blank_rows(path, is_gone)]
        with indexer.database.writing() as known:
            known.execute("INSERT INTO erasures DEFAULT VALUES")
        segments = 0
        if database is not None:
            segments, sealed = _erase_segments(database, folder)
            erased += sealed
        _forget_ids(folder, indexer, erased)
    finally:
        if database is not None:
            database.close()
    wanted = sorted(sessions)
    return Forgotten(
        sessions=tuple(wanted),
        events=len(erased),
        segments=segments,
        texts=texts.forget(wanted) if texts is not None else 0,
    )


def erase_from_guard_log(store: Path, names: Sequence[str], sessions: Sequence[str]) -> int:
    """Erase a customer's decisions from the review queue, then from the log of gates; return how many.

    Raises:
        StoreError: a file cannot be written, or the database failed.
    """
    wanted = set(sessions)

    def is_gone(row: dict[str, Any]) -> bool:
        customer = row.get("customer")
        return customer in names if customer else row.get("session") in wanted

    found = {path: decisions for path in days(store / GUARD_FOLDER) if (decisions := _decisions(path, is_gone))}
    erased = {name for decisions in found.values() for name, _, _ in decisions}
    if erased:
        with RunStore(store) as opened, opened.change() as database:
            gone = [(GUARD, each) for each in erased]
            database.executemany("DELETE FROM review WHERE origin = ? AND case_id = ?", gone)
        if (store / GUARD_FILE).exists():
            with GuardIndex(store) as index:
                index.forget(sorted(erased))
    for path, decisions in found.items():  # last: an erasure that failed is repeated, and must find them again
        with _changing(path) as file:
            for _, at, length in decisions:
                os.pwrite(file.fileno(), b" " * length, at)
            os.fdatasync(file.fileno())
    return len(erased)


def _sessions_in(path: Path, names: Sequence[str]) -> set[str]:
    found: set[str] = set()
    marks = [orjson.dumps(name)[1:-1] for name in names]  # as it is in a JSON string
    try:
        with path.open("rb") as file:
            for placed in new_rows(file, 0, having=marks):
                if placed.row is not None and placed.row.customer in names and placed.row.session:
                    found.add(placed.row.session)
    except FileNotFoundError:
        return found
    return found


def _forget_ids(folder: Path, indexer: EventIndexer, erased: Sequence[str]) -> None:
    """Let writers and indexers take the erased ids for new ones."""
    if not erased:
        return
    forget_codes(folder, set(map(id_code, erased)))
    with indexer.database.writing() as known:  # again: what an indexer read meanwhile may have the old ids
        indexer.database.drop_claims(erased)
        known.execute("INSERT INTO erasures DEFAULT VALUES")
    mark_erasure(folder)


def _blank_rows(path: Path, is_gone: Callable[[EventRow], bool]) -> list[str]:
    erased: list[str] = []
    with _changing(path) as file:
        end = 0
        for placed in new_rows(file, 0):
            end = placed.at + placed.length + 1
            if placed.row is not None and is_gone(placed.row):
                os.pwrite(file.fileno(), b" " * placed.length, placed.at)
                erased.append(placed.row.id)
        _blank_torn_end(file, end)
        os.fdatasync(file.fileno())
    return erased


def _blank_torn_end(file: BinaryIO, end: int) -> None:
    """Blank a line that its killed writer has not finished; nobody can read whose it is."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:  # its writer lives
        return
    rest = os.fstat(file.fileno()).st_size - end
    if rest > 0:
        os.pwrite(file.fileno(), b" " * rest, end)
    fcntl.flock(file, fcntl.LOCK_UN)


def _decisions(path: Path, is_gone: Callable[[dict[str, Any]], bool]) -> list[tuple[str, int, int]]:
    """Return id, position and length without its newline of each decision that is to be erased."""
    found: list[tuple[str, int, int]] = []
    with _changing(path) as file:
        at = 0
        for line in file:
            try:
                row = orjson.loads(line)
            except orjson.JSONDecodeError:  # blank, damaged, or being written
                row = None
            if isinstance(row, dict) and is_gone(row):
                found.append((str(row.get("id")), at, len(line) - 1))
            at += len(line)
    return found


@contextmanager
def _changing(path: Path) -> Iterator[BinaryIO]:
    try:
        with path.open("r+b", buffering=1 << 20) as file:
            yield file
    except OSError as error:
        raise StoreError(f"cannot be written: {error.strerror}", file=str(path), hint="check its rights") from error


def _load_wanted(
    database: duckdb.DuckDBPyConnection, files: Sequence[Path], names: Sequence[str], sessions: set[str]
) -> set[str]:
    """Put the customer's names and sessions into tables; return the sessions that only segments know."""
    with duck_errors(files[0]):
        database.execute("CREATE TEMP TABLE gone_customers AS SELECT unnest(?) AS name", [list(names)])
        query = f"SELECT DISTINCT session FROM {parquet(files)} WHERE customer IN (SELECT name FROM gone_customers)"
        found = {row[0] for row in database.execute(query).fetchall() if row[0]}
        listed = sorted(sessions | found)
        database.execute("CREATE TEMP TABLE gone_sessions (name VARCHAR)")
        if listed:
            database.execute("INSERT INTO gone_sessions SELECT unnest(?)", [listed])
    return found


def _erase_segments(database: duckdb.DuckDBPyConnection, folder: Path) -> tuple[int, list[str]]:
    """Write segments again without the customer; return how many, and the ids of the events that are gone."""
    gone = (
        "(customer IS NOT NULL AND customer IN (SELECT name FROM gone_customers)) OR "
        "(customer IS NULL AND session IS NOT NULL AND session IN (SELECT name FROM gone_sessions))"
    )
    manifest, changed, erased = read_manifest(folder), 0, list[str]()
    for each in manifest.segments:
        path = folder / SEGMENTS / each.file
        with duck_errors(path):
            found = database.execute(f"SELECT id FROM {parquet([path])} WHERE {gone}").fetchall()
        if not found:
            continue
        query = f"SELECT {', '.join(COLUMNS)} FROM {parquet([path])} WHERE NOT ({gone})"
        rest = segments_of(database, folder, each.day, query, compacted=each.compacted)
        manifest = manifest.replaced([each], rest)
        write_manifest(folder, manifest)
        remove_segments(folder, [each])
        changed += 1
        erased += [row[0] for row in found]
    return changed, erased
