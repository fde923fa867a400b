"""Append lines to a file that several processes write to."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

from proctor.store.private_files import open_private

__all__ = ["append_lines"]


def append_lines(path: Path, lines: bytes) -> None:
    """Append whole lines to a file that other processes write to as well; all of them or none.

    An unfinished line of a killed process is truncated first: under the lock no other process is writing one.

    Raises:
        OSError: a disk error; the file is unchanged, unless another process has appended since.
    """
    file = open_private(path, os.O_RDWR | os.O_APPEND)
    try:
        fcntl.flock(file, fcntl.LOCK_EX)
        end = _whole(file)
        try:
            written = 0
            while written < len(lines):
                written += os.write(file, lines[written:])
        except OSError:
            os.ftruncate(file, end)
            raise
        fcntl.flock(file, fcntl.LOCK_UN)
        try:
            os.fdatasync(file)
        except OSError:
            _take_back(file, end, len(lines))
            raise
    finally:
        os.close(file)  # also releases the lock


def _take_back(file: int, start: int, length: int) -> None:
    """Remove lines that may not be on disk, since the caller writes them again; not what came after them."""
    fcntl.flock(file, fcntl.LOCK_EX)
    if os.fstat(file).st_size == start + length:
        os.ftruncate(file, start)


def _whole(file: int) -> int:
    """Return where the last whole line ends, after truncating what follows it."""
    size = back = os.fstat(file).st_size
    while back > 0:
        start = max(0, back - 65_536)
        newline = os.pread(file, back - start, start).rfind(b"\n")
        if newline >= 0:
            back = start + newline + 1
            break
        back = start
    if back < size:
        os.ftruncate(file, back)
    return back
