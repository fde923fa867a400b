"""Read the event log while others write to it: sealed segments first, then the files of every writer."""

from __future__ import annotations

import os
from array import array
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple

from proctor.core.errors import StoreError
from proctor.core.event_row import EventRow
from proctor.core.seen_ids import SeenIds, id_code
from proctor.store.log_lines import ids_in, row_in

__all__ = ["LOG_SUFFIX", "PlacedRow", "last_codes", "log_files", "new_rows", "read_log"]

LOG_SUFFIX: Final = ".ndjson"
_BLOCK_BYTES: Final = 1 << 20


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
        for row in _each_row(logs):
            if low <= row.time < high:
                code = id_code(row.id)
                if code not in seen:
                    seen.add((code,))
                    yield row


def new_rows(file: BinaryIO, start: int) -> Iterator[PlacedRow]:
    """Yield the whole lines of a log file from a position on."""
    file.seek(start)
    rest, at = b"", start
    while block := file.read(_BLOCK_BYTES):
        lines = (rest + block).split(b"\n")
        rest = lines.pop()  # no newline yet: being written, or torn
        for line in lines:
            yield PlacedRow(row_in(line), at, len(line))
            at += len(line) + 1


def last_codes(folder: Path, limit: int) -> array[int]:
    """Return the codes of the ids in the newest files, the oldest first: about ``limit``, but whole files.

    The files are made durable: a writer may have been killed between its write and its acknowledgement.
    """
    found: list[array[int]] = []
    for path in reversed(log_files(folder)):
        if sum(map(len, found)) >= limit:
            break
        codes = array("Q")
        with ExitStack() as opened:
            file = _open(path, opened)
            if file is None:
                continue
            os.fdatasync(file.fileno())
            for block in _whole_lines(file):
                codes.extend(map(id_code, ids_in(block)))
        found.append(codes)
    joined = array("Q")
    for codes in reversed(found):
        joined.extend(codes)
    return joined


def _each_row(files: list[BinaryIO]) -> Iterator[EventRow]:
    for file in files:
        for placed in new_rows(file, 0):
            if placed.row is not None:
                yield placed.row


def _whole_lines(file: BinaryIO) -> Iterator[bytes]:
    rest = b""
    while block := file.read(_BLOCK_BYTES):
        whole, newline, tail = block.rpartition(b"\n")
        if newline:
            yield rest + whole + newline
            rest = tail
        else:
            rest += tail


def _open_all(folder: Path, opened: ExitStack) -> list[BinaryIO]:
    return [file for path in log_files(folder) if (file := _open(path, opened)) is not None]


def _open(path: Path, opened: ExitStack) -> BinaryIO | None:
    try:
        return opened.enter_context(path.open("rb"))
    except FileNotFoundError:  # sealed meanwhile
        return None
    except OSError as error:
        raise StoreError(f"cannot be read: {error.strerror}", file=str(path), hint="check its rights") from error
