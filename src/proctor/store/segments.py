"""Sealed segments of the event log: Parquet files by day, and the manifest that lists them."""

from __future__ import annotations

import shutil
import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from proctor.core.codec import dumps, loads
from proctor.core.decode import decode
from proctor.core.errors import MalformedError, StoreError
from proctor.core.event_row import EventRow
from proctor.core.record import dataclass
from proctor.store.duck import connect_duck, duck_errors, in_batches, quoted
from proctor.store.private_files import make_durable, private_folder, replace_private

if TYPE_CHECKING:
    import duckdb

__all__ = [
    "COLUMNS",
    "MANIFEST",
    "SEGMENTS",
    "Manifest",
    "Segment",
    "SessionLine",
    "parquet",
    "read_manifest",
    "read_segments",
    "remove_segments",
    "segments_of",
    "session_lines",
    "write_manifest",
]

SEGMENTS: Final = "segments"  # a folder inside that of the events
MANIFEST: Final = "manifest.json"
# Small files of small groups: one conversation is then read in milliseconds, wherever it is.
_ROW_GROUP_ROWS: Final = 2_048
_SEGMENT_ROWS: Final = 32_768
_MAX_SEGMENTS: Final = 64  # of one day; one with more rows gets larger ones
COLUMNS: Final = {
    "id": "VARCHAR",
    "kind": "VARCHAR",
    "time": "DOUBLE",
    "session": "VARCHAR",
    "customer": "VARCHAR",
    "intent": "VARCHAR",
    "model": "VARCHAR",
    "version": "VARCHAR",
    "source": "VARCHAR",
    "name": "VARCHAR",
    "value": "DOUBLE",
    "latency": "DOUBLE",
    "cost": "DOUBLE",
    "confidence": "DOUBLE",
    "signals": "VARCHAR[]",
    "event": "VARCHAR",
}


class SessionLine(NamedTuple):
    """An event of a conversation that is not decoded yet."""

    id: str
    kind: str
    time: float
    line: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """One sealed file: the events of one day (UTC), in the order of time."""

    file: str
    day: str
    rows: int
    first: float
    last: float
    bytes: int
    compacted: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """The segments in force, the log files that are in them, and the files with the ids of the last ones."""

    segments: tuple[Segment, ...] = ()
    sealed_logs: tuple[str, ...] = ()
    codes: tuple[str, ...] = ()
    extra: dict[str, Any] = field(default_factory=dict)

    def between(self, since: float, until: float) -> list[Segment]:
        """Return the segments that may have events in [since, until), in the order of time."""
        found = [each for each in self.segments if each.last >= since and each.first < until]
        return sorted(found, key=lambda each: (each.day, each.first, each.file))

    def replaced(self, old: Iterable[Segment], new: Iterable[Segment]) -> Manifest:
        """Return the manifest with segments in the place of others."""
        gone = {each.file for each in old}
        return replace(self, segments=(*[each for each in self.segments if each.file not in gone], *new))


def read_manifest(folder: Path) -> Manifest:
    """Return the manifest of a folder of events; an empty one if nothing was sealed.

    Raises:
        StoreError: it cannot be read.
    """
    path = folder / SEGMENTS / MANIFEST
    try:
        return decode(Manifest, loads(path.read_bytes()), file=str(path), as_json=True)
    except FileNotFoundError:
        return Manifest()
    except OSError as error:
        raise StoreError(f"cannot be read: {error.strerror}", file=str(path), hint="check its rights") from error
    except (ValueError, MalformedError) as error:
        hint = "restore it from a backup; the segments beside it hold the events"
        raise StoreError(f"is no manifest of segments: {error}", file=str(path), hint=hint) from error


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Replace the manifest, at once and durably."""
    replace_private(folder / SEGMENTS / MANIFEST, dumps(manifest))
    make_durable(folder / SEGMENTS)


def segments_of(
    database: duckdb.DuckDBPyConnection, folder: Path, day: str, query: str, *, compacted: bool = False
) -> list[Segment]:
    """Write the rows of a query as segments of a day, in the order of time. They are in no manifest yet.

    Raises:
        StoreError: they cannot be written.
    """
    with duck_errors(folder):
        numbered = f"SELECT *, row_number() OVER (ORDER BY time, id) - 1 AS n FROM ({query})"
        database.execute(f"CREATE OR REPLACE TEMP TABLE sorted_rows AS {numbered}")
        found = database.execute("SELECT count(*) FROM sorted_rows").fetchone()
    rows = int(found[0]) if found else 0
    step = max(_SEGMENT_ROWS, -(-rows // _MAX_SEGMENTS))
    made = [
        _segment(
            database, folder, day, f"SELECT {', '.join(COLUMNS)} FROM sorted_rows WHERE n >= {at} AND n < {at + step}"
        )
        for at in range(0, rows, step)
    ]
    with duck_errors(folder):
        database.execute("DROP TABLE sorted_rows")
    return [replace(each, compacted=compacted) for each in made]


def _segment(database: duckdb.DuckDBPyConnection, folder: Path, day: str, query: str) -> Segment:
    place = folder / SEGMENTS / day
    private_folder(place)
    path = place / f"{uuid.uuid4().hex}.parquet"
    draft = path.with_suffix(".tmp")
    options = f"FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE {_ROW_GROUP_ROWS}"
    try:
        with duck_errors(path):
            database.execute(f"COPY ({query} ORDER BY n) TO {quoted(draft)} ({options})")
            figures = f"SELECT count(*), min(time), max(time) FROM {parquet([draft])}"
            found = database.execute(figures).fetchone()
        assert found is not None
        draft.chmod(0o600)
        make_durable(draft)
        draft.replace(path)
        make_durable(place)
    finally:
        draft.unlink(missing_ok=True)
    rows, first, last = found
    name = f"{day}/{path.name}"
    return Segment(file=name, day=day, rows=rows, first=first, last=last, bytes=path.stat().st_size)


def read_segments(
    folder: Path,
    segments: Callable[[], Sequence[Segment]],
    *,
    since: float,
    until: float,
    database: duckdb.DuckDBPyConnection | None = None,
) -> Iterator[EventRow]:
    """Yield the rows of segments whose time is in [since, until), day by day in the order of time.

    ``segments`` lists them. If one is replaced before it is opened, they are listed again.

    Raises:
        StoreError: DuckDB is not installed, or a file is damaged.
    """
    columns = ", ".join(["event", *[name for name in COLUMNS if name != "event"]])
    condition = f"time >= {since!r}::DOUBLE AND time < {until!r}::DOUBLE".replace("inf", "'inf'").replace("-'", "'-")
    for row in _by_day(
        folder, segments, f"SELECT {columns} FROM {{}} WHERE {condition} ORDER BY time, id", [], database
    ):
        yield EventRow._make((row[0].encode(), *row[1:-1], tuple(row[-1] or ())))


def session_lines(
    folder: Path,
    segments: Callable[[], Sequence[Segment]],
    *,
    session: str,
    first: float,
    last: float,
    database: duckdb.DuckDBPyConnection,
) -> list[SessionLine]:
    """Return the events of one conversation, which began and ended at known times.

    Only these columns are read, and only the groups of rows of that time: it takes milliseconds.

    Raises:
        StoreError: a file is damaged.
    """
    query = f"SELECT id, kind, time, event FROM {{}} WHERE time >= {first!r} AND time <= {last!r} AND session = ?"
    found = _by_day(folder, segments, query, [session], database)
    return [SessionLine(row[0], row[1], row[2], row[3].encode()) for row in found]


def _by_day(
    folder: Path,
    segments: Callable[[], Sequence[Segment]],
    query: str,
    values: Sequence[Any],
    database: duckdb.DuckDBPyConnection | None,
) -> Iterator[Sequence[Any]]:
    listed = segments()
    if not listed:
        return
    own = database is None
    database = database or connect_duck()
    try:
        done: set[str] = set()
        while days := sorted({each.day for each in listed} - done):
            files = [folder / SEGMENTS / each.file for each in listed if each.day == days[0]]
            try:
                with duck_errors(files[0]):
                    # Another query on the same cursor would end this one.
                    found = database.cursor().execute(query.format(parquet(files)), values)
            except StoreError:
                now = segments()
                if now == listed:
                    raise
                listed = now  # compacted meanwhile, or a customer was erased
                continue
            yield from in_batches(found)
            done.add(days[0])
    finally:
        if own:
            database.close()


def parquet(files: Iterable[Path]) -> str:
    """Return a table of SQL that reads these files."""
    return f"read_parquet([{', '.join(map(quoted, files))}])"


def remove_segments(folder: Path, segments: Iterable[Segment]) -> None:
    """Delete files that are in no manifest any more, and the folders of days that are empty."""
    for each in segments:
        path = folder / SEGMENTS / each.file
        path.unlink(missing_ok=True)
        if path.parent.is_dir() and not any(path.parent.iterdir()):
            shutil.rmtree(path.parent, ignore_errors=True)
