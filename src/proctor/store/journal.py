"""A run's journal: append-only NDJSON, one whole line per write, readable after kill -9."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from proctor.core.errors import StoreError
from proctor.store.masked_json import masked_data, masked_line
from proctor.store.private_files import open_private, private_folder

__all__ = ["Journal", "Line", "Place", "read_lines"]


class Place(NamedTuple):
    """Where a line lies in the file."""

    at: int
    length: int


class Line(NamedTuple):
    """One line of a journal."""

    place: Place
    data: dict[str, Any]


class Journal:
    """Appends lines to a file and reads them back by place."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            private_folder(path.parent)
            self._file = open_private(path, os.O_RDWR | os.O_APPEND)
            self._end = self._drop_torn_tail()
        except OSError as error:
            raise _explained(error, path) from error

    def append(self, data: dict[str, Any]) -> Place:
        """Write one line; it is in the file when this returns.

        Raises:
            StoreError: the disk is full or gone. The file still ends on a whole line.
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
        """The line at that place."""
        line = os.pread(self._file, place.length, place.at)
        data: dict[str, Any] = masked_data(line)
        return data

    @property
    def end(self) -> int:
        """How long the file is."""
        return self._end

    def close(self) -> None:
        """Close the file; closing twice is fine."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def _drop_torn_tail(self) -> int:
        """Cut off a last line that a kill left unfinished."""
        size = os.fstat(self._file).st_size
        back = size
        while back > 0:
            start = max(0, back - 65536)
            block = os.pread(self._file, back - start, start)
            newline = block.rfind(b"\n")
            if newline >= 0:
                back = start + newline + 1
                break
            back = start
        if back < size:
            os.ftruncate(self._file, back)
        return back


def read_lines(path: Path, *, start: int = 0) -> Iterator[Line]:
    """Every whole line from ``start`` on; a torn last line is left out, a damaged one is named.

    Raises:
        StoreError: the file cannot be read, or a line in the middle of it is not JSON.
    """
    try:
        with path.open("rb") as file:
            file.seek(start)
            at = start
            for line in file:
                if not line.endswith(b"\n"):
                    return
                yield Line(Place(at, len(line)), _parsed(line, at, path))
                at += len(line)
    except OSError as error:
        raise _explained(error, path) from error


def _line(data: dict[str, Any]) -> bytes:
    return masked_line(data)


def _parsed(line: bytes, at: int, path: Path) -> dict[str, Any]:
    try:
        data = masked_data(line)
    except ValueError:
        data = None
    if not isinstance(data, dict):
        raise StoreError(
            f"the line at byte {at} is damaged", file=str(path), mend="restore the file from a copy, or start a new run"
        )
    return data


def _explained(error: OSError, path: Path) -> StoreError:
    if error.errno == 28:
        return StoreError("the disk is full", file=str(path), mend="free some space, then resume the run")
    if isinstance(error, PermissionError) or error.errno == 30:
        return StoreError(
            "cannot be written", file=str(path), mend="make the folder writable, or name another under `store:`"
        )
    return StoreError(error.strerror or str(error), file=str(path))
