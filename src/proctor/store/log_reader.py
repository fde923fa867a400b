"""Read the event log while others write to it: sealed segments first, then the files of every writer."""

from __future__ import annotations

import os
from array import array
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from itertools import chain
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple

from proctor.core.errors import StoreError
from proctor.core.event_row import EventRow
from proctor.core.seen_ids import SeenIds, id_code
from proctor.store.log_lines import ids_in, row_in
from proctor.store.private_files import replace_private
from proctor.store.segments import SEGMENTS, read_manifest, read_segments

__all__ = [
    "LOG_SUFFIX",
    "PlacedRow",
    "erasure_mark",
    "file_codes",
    "last_codes",
    "log_files",
    "mark_erasure",
    "new_rows",
    "read_codes",
    "read_log",
]

LOG_SUFFIX: Final = ".ndjson"
_BLOCK_BYTES: Final = 1 << 20
_ERASURE: Final = "erasure.mark"  # another one after each erasure


class PlacedRow(NamedTuple):
    """A row and where its line is. ``row`` is none if the line was erased or is damaged."""

    row: EventRow | None
    at: int
    length: int


def log_files(folder: Path) -> list[Path]:
    """Return the files of every writer, the oldest first."""
    found: list[tuple[int, Path]] = []
    for path in folder.glob(f"*{LOG_SUFFIX}"):
        try:
            found.append((path.stat().st_mtime_ns, path))
        except FileNotFoundError:  # sealed meanwhile
            continue
    return [path for _, path in sorted(found)]


def read_log(
    folder: Path, *, since: float | None = None, until: float | None = None, remembered: int = 1_000_000
) -> Iterator[EventRow]:
    """Yield each event once whose time is in [since, until).

    Raises:
        StoreError: a file cannot be read.
    """
    low = float("-inf") if since is None else since
    high = float("inf") if until is None else until
    seen = SeenIds(remembered)
    with ExitStack() as opened:
        # Files are opened before the segments are listed. A file that is sealed in between stays readable, and the row
        # that is then in both is yielded once.
        logs = _open_all(folder, opened)
        unsealed = [(name, file) for name, file in logs if os.fstat(file.fileno()).st_nlink]
        listed = [read_manifest(folder)]
        names = set(listed[0].sealed_logs)
        files = [file for name, file in unsealed if name not in names]
        segments = read_segments(
            folder,
            lambda: (listed.pop() if listed else read_manifest(folder)).between(low, high),
            since=low,
            until=high,
        )
        for row in chain(segments, _each_row(files)):
            if low <= row.time < high:
                code = id_code(row.id)
                if code not in seen:
                    seen.add((code,))
                    yield row


def new_rows(file: BinaryIO, start: int, *, having: Sequence[bytes] = ()) -> Iterator[PlacedRow]:
    """Yield the whole lines of a log file from a position on; with ``having`` only those with one of some bytes."""
    file.seek(start)
    rest, at = b"", start
    while block := file.read(_BLOCK_BYTES):
        lines = (rest + block).split(b"\n")
        rest = lines.pop()  # no newline yet: being written, or torn
        for line in lines:
            if not having or any(each in line for each in having):
                yield PlacedRow(row_in(line), at, len(line))
            at += len(line) + 1


def erasure_mark(folder: Path) -> tuple[int, int] | None:
    """Return what tells the last erasure from others; ``None`` if there was none. Ids known before it may be gone."""
    try:
        found = (folder / _ERASURE).stat()
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns


def mark_erasure(folder: Path) -> None:
    """Let every writer of the log know that ids were erased.

    Raises:
        OSError: the folder cannot be written.
    """
    replace_private(folder / _ERASURE, b"")


def last_codes(folder: Path, limit: int) -> array[int]:
    """Return the codes of the ids in the newest files, the oldest first: about ``limit``, but whole files.

    If the log has fewer, those of the last segments follow, from files that were kept for this. The log's files are
    made durable: a writer may have been killed between its write and its acknowledgement.
    """
    found: list[array[int]] = []
    for path in reversed(log_files(folder)):
        if sum(map(len, found)) >= limit:
            break
        with ExitStack() as opened:
            file = _open(path, opened)
            if file is None:
                continue
            os.fdatasync(file.fileno())
            found.append(file_codes(file))
    for name in reversed(read_manifest(folder).codes):
        if sum(map(len, found)) >= limit:
            break
        found.append(read_codes(folder / SEGMENTS / name))
    joined = array("Q")
    for codes in reversed(found):
        joined.extend(codes)
    return joined


def read_codes(path: Path) -> array[int]:
    """Return the codes of sealed ids; none if the file was removed meanwhile."""
    codes = array("Q")
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return codes
    codes.frombytes(data[: len(data) // 8 * 8])
    return codes


def file_codes(file: BinaryIO, *, end: int | None = None) -> array[int]:
    """Return the codes of the ids in a log file, or in its whole lines up to a position."""
    codes = array("Q")
    for block in _whole_lines(file, end):
        codes.extend(map(id_code, ids_in(block)))
    return codes


def _each_row(files: list[BinaryIO]) -> Iterator[EventRow]:
    for file in files:
        for placed in new_rows(file, 0):
            if placed.row is not None:
                yield placed.row


def _whole_lines(file: BinaryIO, end: int | None) -> Iterator[bytes]:
    rest, left = b"", float("inf") if end is None else end
    while left > 0 and (block := file.read(int(min(_BLOCK_BYTES, left)))):
        left -= len(block)
        whole, newline, tail = block.rpartition(b"\n")
        if newline:
            yield rest + whole + newline
            rest = tail
        else:
            rest += tail


def _open_all(folder: Path, opened: ExitStack) -> list[tuple[str, BinaryIO]]:
    return [(path.name, file) for path in log_files(folder) if (file := _open(path, opened)) is not None]


def _open(path: Path, opened: ExitStack) -> BinaryIO | None:
    try:
        return opened.enter_context(path.open("rb"))
    except FileNotFoundError:  # sealed meanwhile
        return None
    except OSError as error:
        raise StoreError(f"cannot be read: {error.strerror}", file=str(path), hint="check its rights") from error
