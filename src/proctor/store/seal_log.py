"""Seal the event log: files that nobody writes any more become Parquet segments, and small segments become large."""

from __future__ import annotations

import fcntl
import os
import time
import uuid
from array import array
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final

import orjson

from proctor.core.errors import StoreError
from proctor.store.duck import connect_duck, duck_errors, quoted
from proctor.store.lock import only_one
from proctor.store.log_reader import file_codes, log_files, new_rows, read_codes
from proctor.store.private_files import make_durable, private_folder, write_private
from proctor.store.segments import (
    COLUMNS,
    SEGMENTS,
    Manifest,
    Segment,
    parquet,
    read_manifest,
    remove_segments,
    segments_of,
    write_manifest,
)

if TYPE_CHECKING:
    import duckdb

__all__ = ["Sealed", "compact_days", "forget_codes", "remove_if_free", "seal_logs", "sole_sealer"]

_BATCH_BYTES: Final = 400_000_000  # of log files that are sealed together
_MAX_LINE_BYTES: Final = 33_554_432
_REMEMBERED: Final = 2_000_000  # ids of sealed events that a writer which is opened again can know
_MAX_SEGMENTS_A_DAY: Final = 24  # of the current day; a day that is over gets one
_NAMES: Final = ", ".join(COLUMNS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sealed:
    """What was sealed: log files, their events, and the events that were there already."""

    files: tuple[str, ...] = ()
    rows: int = 0
    duplicates: int = 0


@contextmanager
def sole_sealer(folder: Path) -> Iterator[None]:
    """Be the only process that changes segments.

    Raises:
        StoreError: another process does.
    """
    private_folder(folder)
    with only_one(folder / "seal.lock") as held:
        if not held:
            hint = "wait until it has ended, then try again"
            raise StoreError("another process seals, erases or retains", file=str(folder), hint=hint)
        _tidy(folder)
        yield


def seal_logs(folder: Path, indexed: Mapping[str, int], *, settled: float = 0.0) -> Sealed:
    """Seal every log file that has no writer and is indexed to its end. Call as the sole sealer.

    ``indexed`` says how far each file was indexed. Files that were written in the last ``settled`` seconds wait.

    Raises:
        StoreError: DuckDB is not installed or failed; the log stays as it was.
    """
    done = Sealed()
    with ExitStack() as held:
        free = [each for path in log_files(folder) if (each := _taken(path, held)) is not None]
        quiet = [each for each in free if os.fstat(each[1].fileno()).st_mtime <= time.time() - settled]
        ready = [(path, file) for path, file in quiet if _whole(file) <= indexed.get(path.name, 0)]
        if not ready:
            return done
        database = held.enter_context(connect_duck(folder / SEGMENTS / "spill"))
        for batch in _batches(ready):
            one = _seal(database, folder, batch)
            done = Sealed(
                files=done.files + one.files, rows=done.rows + one.rows, duplicates=done.duplicates + one.duplicates
            )
    return done


def compact_days(folder: Path, *, now: datetime | None = None) -> int:
    """Merge the segments of days that are over, or have too many; return how many were merged. Call as the sole sealer.

    Raises:
        StoreError: DuckDB is not installed or failed; the segments stay as they were.
    """
    today = (now or datetime.now(UTC)).date().isoformat()
    manifest, merged = read_manifest(folder), 0
    days: dict[str, list[Segment]] = {}
    for each in manifest.segments:
        days.setdefault(each.day, []).append(each)
    for day, parts in sorted(days.items()):
        fresh = [each for each in parts if not each.compacted]
        if not fresh or (day >= today and len(fresh) <= _MAX_SEGMENTS_A_DAY):
            continue
        # Late events may belong anywhere in a day: segments of the same time are written again with them.
        low, high = min(each.first for each in fresh), max(each.last for each in fresh)
        old = [each for each in parts if not each.compacted or (each.last >= low and each.first <= high)]
        source = parquet(folder / SEGMENTS / each.file for each in old)
        with connect_duck(folder / SEGMENTS / "spill") as database:
            query = f"SELECT DISTINCT ON (id) {_NAMES} FROM {source}"
            manifest = manifest.replaced(old, segments_of(database, folder, day, query, compacted=True))
        write_manifest(folder, manifest)
        remove_segments(folder, old)
        merged += len(old)
    return merged


def remove_if_free(path: Path) -> bool:
    """Delete a log file that has no writer; return whether it was."""
    with ExitStack() as held:
        if _taken(path, held) is None:
            return False
        path.unlink(missing_ok=True)
        return True


def forget_codes(folder: Path, gone: Collection[int]) -> None:
    """Write the files with the codes of sealed ids again, without some of them. Call as the sole sealer."""
    manifest, old = read_manifest(folder), list[Path]()
    names: list[str] = []
    for name in manifest.codes:
        path = folder / SEGMENTS / name
        codes = read_codes(path)
        kept = array("Q", [code for code in codes if code not in gone])
        if len(kept) < len(codes):
            old.append(path)
            name = _write_codes(folder, kept)  # noqa: PLW2901
        names.append(name)
    if old:
        write_manifest(folder, replace(manifest, codes=tuple(names)))
        for path in old:
            path.unlink(missing_ok=True)


def _taken(path: Path, held: ExitStack) -> tuple[Path, BinaryIO] | None:
    """Open a file and lock it until the end, unless its writer holds the lock.

    Raises:
        StoreError: the file cannot be read.
    """
    try:
        file = path.open("rb")
    except FileNotFoundError:
        return None
    except OSError as error:
        hint = "make the file readable for the user that Proctor runs as"
        raise StoreError(f"cannot be read: {error.strerror}", file=str(path), hint=hint) from error
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        file.close()
        return None
    held.enter_context(file)
    return path, file


def _whole(file: BinaryIO) -> int:
    """Return where the last whole line ends; what follows was never acknowledged."""
    size = os.fstat(file.fileno()).st_size
    back = size
    while back > 0:
        start = max(0, back - 65_536)
        newline = os.pread(file.fileno(), back - start, start).rfind(b"\n")
        if newline >= 0:
            return start + newline + 1
        back = start
    return 0


def _batches(files: Sequence[tuple[Path, BinaryIO]]) -> Iterator[list[tuple[Path, BinaryIO]]]:
    batch: list[tuple[Path, BinaryIO]] = []
    held = 0
    for path, file in files:
        size = os.fstat(file.fileno()).st_size
        if batch and held + size > _BATCH_BYTES:
            yield batch
            batch, held = [], 0
        batch.append((path, file))
        held += size
    if batch:
        yield batch


def _seal(database: duckdb.DuckDBPyConnection, folder: Path, batch: Sequence[tuple[Path, BinaryIO]]) -> Sealed:
    codes = array("Q")
    for _, file in batch:
        file.seek(0)
        codes.extend(file_codes(file))
    _load(database, folder, batch, expected=len(codes))
    manifest = read_manifest(folder)
    new: list[Segment] = []
    with duck_errors(folder):
        days = database.execute(
            "SELECT strftime(make_timestamp((floor(time / 86400) * 86400000000)::BIGINT), '%Y-%m-%d') AS day, "
            "floor(time / 86400), count(*) FROM rows GROUP BY ALL ORDER BY 1"
        ).fetchall()
    for day, number, _ in days:
        known = [folder / SEGMENTS / each.file for each in manifest.segments if each.day == day]
        query = f"SELECT DISTINCT ON (id) {_NAMES} FROM rows WHERE floor(time / 86400) = {number}"
        if known:  # a repeated delivery has the time of the first one, so it is in the same day
            query += f" AND id NOT IN (SELECT id FROM {parquet(known)})"
        new += segments_of(database, folder, day, query)
    names = tuple(path.name for path, _ in batch)
    manifest = replace(_with_codes(folder, manifest.replaced([], new), codes), sealed_logs=names)
    write_manifest(folder, manifest)
    for path, _ in batch:
        path.unlink(missing_ok=True)
    make_durable(folder)
    rows = sum(each.rows for each in new)
    return Sealed(files=names, rows=rows, duplicates=sum(each[2] for each in days) - rows)


def _load(
    database: duckdb.DuckDBPyConnection, folder: Path, batch: Sequence[tuple[Path, BinaryIO]], *, expected: int
) -> None:
    """Read log files into the table ``rows``. Lines that were erased or are damaged are left out."""
    types = ", ".join(f"{name}: '{'JSON' if name == 'event' else kind}'" for name, kind in COLUMNS.items())
    options = f"format='newline_delimited', ignore_errors=true, maximum_object_size={_MAX_LINE_BYTES}"
    read = "CREATE OR REPLACE TEMP TABLE rows AS "
    read += f"SELECT {_NAMES} FROM read_json([{{}}], columns={{{{{types}}}}}, {options})"
    read += " WHERE id IS NOT NULL AND time IS NOT NULL AND event IS NOT NULL"
    with duck_errors(batch[0][0]):
        database.execute(read.format(", ".join(quoted(path) for path, _ in batch)))
        if _count(database) >= expected:
            return
    # Some line is damaged, or DuckDB reads JSON more strictly than we do. Then the events are given to it as texts.
    draft = folder / SEGMENTS / f"draft-{uuid.uuid4().hex}.tmp"
    private_folder(draft.parent)
    try:
        count = _write_plain(draft, [file for _, file in batch])
        with duck_errors(batch[0][0]):
            database.execute(read.format(quoted(draft)).replace("'JSON'", "'VARCHAR'"))
            found = _count(database)
    finally:
        draft.unlink(missing_ok=True)
    if found != count:
        message = f"{count - found} of {count} events could not be sealed; the log stays as it is"
        raise StoreError(message, file=str(batch[0][0]), hint="report this with the version of DuckDB")


def _count(database: duckdb.DuckDBPyConnection) -> int:
    found = database.execute("SELECT count(*) FROM rows").fetchone()
    return int(found[0]) if found else 0


def _write_plain(draft: Path, files: Sequence[BinaryIO]) -> int:
    count = 0
    write_private(draft, b"")
    with draft.open("wb") as out:
        for file in files:
            for placed in new_rows(file, 0):
                if placed.row is not None:
                    data = {**placed.row._asdict(), "event": placed.row.line.decode(errors="replace")}
                    del data["line"]
                    out.write(orjson.dumps(data, option=orjson.OPT_APPEND_NEWLINE))
                    count += 1
    return count


def _with_codes(folder: Path, manifest: Manifest, codes: array[int]) -> Manifest:
    """Keep the codes of the sealed ids beside the segments, and forget those of long ago."""
    name = _write_codes(folder, codes)
    kept, total = [name], len(codes)
    for each in reversed(manifest.codes):
        if total >= _REMEMBERED:
            break
        kept.append(each)
        total += len(read_codes(folder / SEGMENTS / each))
    return replace(manifest, codes=tuple(reversed(kept)))


def _write_codes(folder: Path, codes: array[int]) -> str:
    name = f"{datetime.now(UTC):%Y%m%dT%H%M%S}-{uuid.uuid4().hex[:8]}.codes"
    private_folder(folder / SEGMENTS)
    write_private(folder / SEGMENTS / name, codes.tobytes())
    make_durable(folder / SEGMENTS / name)
    return name


def _tidy(folder: Path) -> None:
    """Remove what a killed sealer has left: logs that are in segments, files that are in no manifest."""
    manifest = read_manifest(folder)
    for name in manifest.sealed_logs:
        (folder / name).unlink(missing_ok=True)
    known = {each.file for each in manifest.segments} | set(manifest.codes)
    place = folder / SEGMENTS
    for path in [*place.glob("*/*.parquet"), *place.glob("*/*.tmp"), *place.glob("*.tmp"), *place.glob("*.codes")]:
        if path.relative_to(place).as_posix() not in known:
            path.unlink(missing_ok=True)
