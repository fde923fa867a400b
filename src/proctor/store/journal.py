"""A run's journal: append-only NDJSON, one whole line per write, readable after kill -9.

One process writes a journal, and a lock on the file keeps every other writer out. Only the writer that holds the lock
truncates an unfinished last line. Readers open the file read-only and ignore an unfinished last line: it is being
written.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from proctor.core.errors import StoreError
from proctor.store.masked_json import masked_data, masked_line
from proctor.store.private_files import open_private, private_folder

__all__ = ["DamagedLine", "Journal", "JournalLine", "JournalReader", "Place", "read_lines"]

_BLOCK = 65536


class Place(NamedTuple):
    """The position of a line in the file."""

    at: int
    length: int


class JournalLine(NamedTuple):
    """One line of a journal."""

    place: Place
    data: dict[str, Any]


class DamagedLine(NamedTuple):
    """An invalid line: its number, counted from 1, and why."""

    number: int
    why: str

    def __str__(self) -> str:
        return f"line {self.number} {self.why}"


class JournalReader:
    """Reads lines by position. It never writes, so that a run can be read while another process writes it.

    The file is opened with the first read, since a new run has no journal yet.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file = -1

    def read(self, place: Place) -> dict[str, Any]:
        """Return the line at that position.

        Raises:
            StoreError: the file cannot be read, or there is no whole line at that position.
        """
        return _read_at(self._opened(), place, self.path)

    def line_number(self, place: Place) -> int:
        """Return the number of the line at that position, counted from 1."""
        return _line_number(self._opened(), place.at)

    def close(self) -> None:
        """Close the file; closing twice is fine."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def _opened(self) -> int:
        if self._file < 0:
            try:
                self._file = os.open(self.path, os.O_RDONLY)
            except OSError as error:
                raise _unreadable(error, self.path) from error
        return self._file


class Journal:
    """Appends lines to a file and reads them by position; the only writer of the file while it is open."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            private_folder(path.parent)
            self._file = open_private(path, os.O_RDWR | os.O_APPEND)
        except OSError as error:
            raise _explained(error, path) from error
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            self._end = self._drop_torn_tail()
        except BlockingIOError as error:
            self.close()
            raise StoreError(
                "is being written by another process", file=str(path), hint="wait until that process has ended"
            ) from error
        except OSError as error:
            self.close()
            raise _explained(error, path) from error

    def append(self, data: dict[str, Any]) -> Place:
        """Write one line; it is in the file when this returns.

        Raises:
            StoreError: the disk is full or gone. The file still ends with a whole line.
        """
        line = _line(data)
        try:
            written = os.write(self._file, line)
            while written < len(line):
                written += os.write(self._file, line[written:])
        except OSError as error:
            os.ftruncate(self._file, self._end)
            raise _explained(error, self.path) from error
        place = Place(self._end, len(line))
        self._end += len(line)
        return place

    def read(self, place: Place) -> dict[str, Any]:
        """Return the line at that position.

        Raises:
            StoreError: there is no whole line at that position.
        """
        return _read_at(self._file, place, self.path)

    def line_number(self, place: Place) -> int:
        """Return the number of the line at that position, counted from 1."""
        return _line_number(self._file, place.at)

    @property
    def end(self) -> int:
        """The length of the file."""
        return self._end

    def close(self) -> None:
        """Close the file and release the lock; closing twice is fine."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def _drop_torn_tail(self) -> int:
        """Truncate a last line that a killed process left unfinished."""
        size = os.fstat(self._file).st_size
        back = size
        while back > 0:
            start = max(0, back - _BLOCK)
            block = os.pread(self._file, back - start, start)
            newline = block.rfind(b"\n")
            if newline >= 0:
                back = start + newline + 1
                break
            back = start
        if back < size:
            os.ftruncate(self._file, back)
        return back


def read_lines(path: Path, *, damaged: Callable[[DamagedLine], None] | None = None) -> Iterator[JournalLine]:
    """Yield every whole line; an unfinished last line is skipped, as it is being written.

    ``damaged`` is called for each line in the middle that is not a JSON object, and the line is skipped.

    Raises:
        StoreError: the file cannot be read, or a line is damaged and ``damaged`` is not given.
    """
    try:
        with path.open("rb") as file:
            at = 0
            for number, line in enumerate(file, start=1):
                if not line.endswith(b"\n"):
                    return
                data = _parsed(line)
                if data is not None:
                    yield JournalLine(Place(at, len(line)), data)
                elif damaged is None:
                    raise _damaged(path, number)
                else:
                    damaged(DamagedLine(number, "is not a JSON object"))
                at += len(line)
    except OSError as error:
        raise _unreadable(error, path) from error


def _read_at(file: int, place: Place, path: Path) -> dict[str, Any]:
    line = os.pread(file, place.length, place.at)
    data = _parsed(line) if line.endswith(b"\n") else None
    if data is None:
        raise _damaged(path, _line_number(file, place.at))
    return data


def _line_number(file: int, at: int) -> int:
    """Return the number of the line that contains this byte, counted from 1."""
    number, start = 1, 0
    while start < at:
        block = os.pread(file, min(_BLOCK, at - start), start)
        if not block:
            break
        number += block.count(b"\n")
        start += len(block)
    return number


def _line(data: dict[str, Any]) -> bytes:
    return masked_line(data)


def _parsed(line: bytes) -> dict[str, Any] | None:
    try:
        data = masked_data(line)
    except (ValueError, RecursionError):
        return None
    return data if isinstance(data, dict) else None


def _damaged(path: Path, number: int) -> StoreError:
    return StoreError(
        "this line is damaged",
        file=str(path),
        line=number,
        hint="`proctor doctor --rebuild RUN` keeps every whole line of a run, or restore the file from a copy",
    )


def _unreadable(error: OSError, path: Path) -> StoreError:
    return StoreError(f"cannot be read: {error.strerror or error}", file=str(path), hint="check that the file is there")


def _explained(error: OSError, path: Path) -> StoreError:
    if error.errno == 28:
        return StoreError("the disk is full", file=str(path), hint="free some space, then resume the run")
    if isinstance(error, PermissionError) or error.errno == 30:
        return StoreError(
            "cannot be written", file=str(path), hint="make the folder writable, or name another under `store:`"
        )
    return StoreError(error.strerror or str(error), file=str(path))
