"""Sort the lines of an event log by time, in bounded memory: sorted runs in temporary files, then merged."""

from __future__ import annotations

import heapq
import struct
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Final

from proctor.core.errors import StoreError
from proctor.core.event_row import EventRow
from proctor.store.private_files import private_folder

__all__ = ["lines_by_time"]

_MAX_RUN_BYTES: Final = 64_000_000
_HEAD: Final = struct.Struct("<dI")
_Line = tuple[float, bytes]


def lines_by_time(rows: Iterable[EventRow], folder: Path, *, run_bytes: int = _MAX_RUN_BYTES) -> Iterator[_Line]:
    """Yield time and line of each row in the order of time; rows of equal time keep their order.

    What does not fit in memory is in files without a name inside ``folder``, which vanish with the process.

    Raises:
        StoreError: a temporary file cannot be written.
    """
    with ExitStack() as stack:
        runs: list[Iterator[_Line]] = []
        held: list[_Line] = []
        size = 0
        for row in rows:
            held.append((row.time, row.line))
            size += len(row.line) + 100
            if size >= run_bytes:
                runs.append(_spilled(held, folder, stack))
                held, size = [], 0
        held.sort(key=_time)
        yield from heapq.merge(*runs, iter(held), key=_time)


def _time(line: _Line) -> float:
    return line[0]


def _spilled(held: list[_Line], folder: Path, stack: ExitStack) -> Iterator[_Line]:
    held.sort(key=_time)
    try:
        private_folder(folder)
        file = stack.enter_context(tempfile.TemporaryFile(dir=folder))  # noqa: SIM115 - the stack closes it
        for time, line in held:
            file.write(_HEAD.pack(time, len(line)))
            file.write(line)
        file.seek(0)
    except OSError as error:
        hint = "free some space, or name another folder under `store:`"
        raise StoreError(f"events cannot be sorted: {error.strerror}", file=str(folder), hint=hint) from error
    return _read(file)


def _read(file: IO[bytes]) -> Iterator[_Line]:
    while head := file.read(_HEAD.size):
        time, size = _HEAD.unpack(head)
        yield time, file.read(size)
