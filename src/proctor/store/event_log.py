"""The log of events from production: durable, each event once, with one file per writer."""

from __future__ import annotations

import fcntl
import os
import re
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from proctor.core.errors import InputError, StoreError
from proctor.core.event_row import EventRow
from proctor.core.seen_ids import SeenIds, id_code
from proctor.store.log_lines import lines_of
from proctor.store.log_reader import LOG_SUFFIX, erasure_mark, last_codes, read_log
from proctor.store.private_files import make_durable, open_private, private_folder

__all__ = ["FOLDER", "Appended", "EventLog"]

FOLDER: Final = "events"  # inside the project's store
_MAX_FILE_BYTES: Final = 128_000_000
_WRITER: Final = re.compile(r"[A-Za-z0-9_.-]{1,64}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Appended:
    """What became of a batch: the rows that are new, now on disk, and the number that the log had already."""

    new: tuple[EventRow, ...]
    duplicates: int


class EventLog:
    """Appends rows to a file of its own; any process may read, and several may write to one folder.

    When ``append`` returns, its rows are on disk. An id counts as seen only after its row was written. Opening the log
    reads the ids of the last ``remembered`` rows of every writer, so that a client that never got its acknowledgement
    can send again. They are read again after a customer was erased: what was erased may be sent again. Two writers that
    get the same row at the same moment both write it: readers and the index drop the second one.
    """

    def __init__(self, folder: Path, *, writer: str | None = None, remembered: int = 1_000_000) -> None:
        if writer is not None and not _WRITER.fullmatch(writer):
            hint = "use letters, digits, `_`, `.` and `-`, at most 64 of them"
            raise InputError(f"a log cannot have the writer {writer!r}", field="writer", hint=hint)
        self.folder = folder
        self._given = writer
        self._remembered = remembered
        self._lock = threading.Lock()
        self._seen: SeenIds | None = None
        self._erasure: tuple[int, int] | None = None
        self._begin()

    def append(self, rows: Sequence[EventRow]) -> Appended:
        """Write the rows that are new; they are on disk when this returns.

        Raises:
            StoreError: the disk failed. None of the rows counts as seen; send them again.
        """
        if self._process != os.getpid():  # a forked worker writes a file of its own
            self._lock = threading.Lock()
            self._begin()
        with self._lock:
            seen = self._known_ids()
            new: dict[int, EventRow] = {}
            for row in rows:
                code = id_code(row.id)
                if code not in new and code not in seen:
                    new[code] = row
            if new:
                kept = tuple(new.values())
                self._write(lines_of(kept))
                seen.add(new)
                return Appended(new=kept, duplicates=len(rows) - len(kept))
            return Appended(new=(), duplicates=len(rows))

    def read(self, since: float | None = None, until: float | None = None) -> Iterator[EventRow]:
        """Yield each event of the sealed segments, then of the log, whose time is in [since, until).

        Segments are in the order of time, the log in the order in which it was written.

        Raises:
            StoreError: a file cannot be read.
        """
        return read_log(self.folder, since=since, until=until, remembered=self._remembered)

    def rotate(self) -> None:
        """End the current file, so that it can be sealed; the next append begins another one."""
        with self._lock:
            self._end_file()

    def close(self) -> None:
        """End the current file; closing twice is fine, and a later append begins another one."""
        self.rotate()

    def __enter__(self) -> EventLog:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def writer(self) -> str:
        """The name that this log's files begin with."""
        return self._writer

    # --- the file ------------------------------------------------------------------------------------

    def _begin(self) -> None:
        self._process = os.getpid()
        self._writer = self._given or f"w{self._process}-{os.urandom(4).hex()}"
        self._file: int | None = None
        self._end = 0
        self._path = self.folder

    def _write(self, lines: bytes) -> None:
        try:
            if self._file is None or self._end >= _MAX_FILE_BYTES:
                self._begin_file()
            assert self._file is not None
            written = 0
            view = memoryview(lines)
            while written < len(lines):
                written += os.write(self._file, view[written:])
            os.fdatasync(self._file)
        except OSError as error:
            self._take_back()
            hint = "free some space, or make the folder writable; then send the events again"
            raise StoreError(f"events cannot be written: {error.strerror}", file=str(self._path), hint=hint) from error
        self._end += len(lines)

    def _take_back(self) -> None:
        """Remove what a failed write has left. A file that cannot be repaired is not written again."""
        if self._file is None:
            return
        try:
            os.ftruncate(self._file, self._end)
        except OSError:
            self._end_file()

    def _begin_file(self) -> None:
        self._end_file()
        private_folder(self.folder)
        self._path, self._file = _new_file(self.folder, self._writer)
        self._end = 0
        make_durable(self.folder)

    def _end_file(self) -> None:
        file, self._file = self._file, None
        if file is not None:
            os.close(file)  # releases the lock

    def _known_ids(self) -> SeenIds:
        mark = erasure_mark(self.folder)
        if self._seen is None or mark != self._erasure:  # what was erased may be sent again
            self._seen, self._erasure = self._recent_ids(), mark
        return self._seen

    def _recent_ids(self) -> SeenIds:
        seen = SeenIds(self._remembered)
        try:
            seen.add(last_codes(self.folder, self._remembered))
        except OSError as error:
            hint = "make the folder readable"
            raise StoreError(f"cannot be read: {error.strerror}", file=str(self.folder), hint=hint) from error
        return seen


def _new_file(folder: Path, writer: str) -> tuple[Path, int]:
    """Create the writer's next file and lock it: a file whose lock is free has no writer.

    The name has the time, so that no name returns after its file was sealed.
    """
    while True:
        path = folder / f"{writer}-{time.time_ns() // 1_000_000:013d}{LOG_SUFFIX}"
        try:
            file = open_private(path, os.O_RDWR | os.O_APPEND | os.O_EXCL)
        except FileExistsError:  # another process has this name too
            time.sleep(0.001)
            continue
        fcntl.flock(file, fcntl.LOCK_EX)
        if os.fstat(file).st_nlink:
            return path, file
        os.close(file)  # taken for an abandoned file and removed, before it was locked
