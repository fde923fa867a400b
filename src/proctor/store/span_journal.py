"""Spans that wait for the rest of their trace: on disk before they are acknowledged, removed when their turn is."""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import threading
import time
from array import array
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

import orjson

from proctor.core.errors import StoreError
from proctor.store.private_files import make_durable, open_private, private_folder

__all__ = ["FOLDER", "SpanJournal", "WaitingSpan"]

FOLDER: Final = "spans"  # inside the project's store
_LOCK: Final = "lock"
_MAX_SEGMENT_BYTES: Final = 16_000_000
_OFFSET_BITS: Final = 40
_MARKS: Final = ".written"  # beside a segment: 8 bytes for each of its spans whose turn is on disk
_MARK_BYTES: Final = 8


class WaitingSpan(NamedTuple):
    """One record of a trace. ``format`` names its mapping, ``line`` is the record as JSON."""

    trace: str
    format: str
    source: str | None
    arrived: float
    line: bytes
    is_root: bool = False


class SpanJournal:
    """Files of spans, one folder per writer. The folder of a writer that ended is taken over by the next one.

    A span is known by two numbers, its place and its length, so that a hundred thousand waiting ones take little
    memory. A file is removed when everything in it was released. Spans whose turn is on disk are marked until then, so
    that a process which takes them over need not write the turn again.
    """

    def __init__(self, store: Path) -> None:
        self._store = store / FOLDER
        self._lock = threading.Lock()
        self._locks: list[int] = []
        self._paths: dict[int, Path] = {}
        self._waiting: dict[int, int] = {}  # segment -> spans in it that were not released
        self._number = 0
        self._last = 0
        self._file: int | None = None
        self._end = 0
        self._readers: dict[int, int] = {}
        self._folder: Path | None = None

    def take_over(self) -> Iterator[tuple[WaitingSpan, array[int], bool]]:
        """Yield the spans of earlier writers with their places, and whether each is marked as written.

        A torn last line was never acknowledged.

        Raises:
            StoreError: a file cannot be read.
        """
        try:
            folders = sorted(each for each in self._store.iterdir() if each.is_dir())
        except FileNotFoundError:
            return
        for folder in folders:
            if folder == self._folder or not self._locked(folder):
                continue
            for path in sorted(folder.glob("*.ndjson")):
                yield from self._adopt(path)
        self._drop_empty()

    def append(self, spans: Sequence[WaitingSpan]) -> array[int]:
        """Write spans; they are on disk when this returns. Return place and length of each, one after the other.

        Raises:
            StoreError: the disk failed. None of the spans counts as written.
        """
        places: array[int] = array("Q")
        lines: list[bytes] = []
        with self._lock:
            try:
                if self._file is None or self._end >= _MAX_SEGMENT_BYTES:
                    self._begin_segment()
                assert self._file is not None
                at = self._end
                for span in spans:
                    line = _line(span)
                    places.append(self._number << _OFFSET_BITS | at)
                    places.append(len(line))
                    at += len(line)
                    lines.append(line)
                data = b"".join(lines)
                view, written = memoryview(data), 0
                while written < len(data):
                    written += os.write(self._file, view[written:])
                os.fdatasync(self._file)
            except OSError as error:
                self._end_segment()
                hint = "free some space, or make the folder writable; then send the spans again"
                message = f"spans cannot be written: {error.strerror}"
                raise StoreError(message, file=str(self._store), hint=hint) from error
            self._end = at
            self._waiting[self._number] += len(spans)
        return places

    def read(self, places: Sequence[int]) -> list[WaitingSpan]:
        """Return the spans at these places."""
        made = []
        for at in range(0, len(places), 2):
            number, offset = places[at] >> _OFFSET_BITS, places[at] & ((1 << _OFFSET_BITS) - 1)
            file = self._readers.get(number)
            if file is None:
                file = self._readers[number] = os.open(self._paths[number], os.O_RDONLY | os.O_CLOEXEC)
            made.append(_span(os.pread(file, places[at + 1], offset)))
        return made

    def mark_written(self, places: Sequence[int]) -> None:
        """Note that the turns of these spans are on disk. A lost mark costs work after a crash, and nothing else."""
        offsets: dict[int, array[int]] = {}
        for place in places[::2]:
            # One is added: zeros, which some file systems leave after a power failure, must mark nothing.
            offsets.setdefault(place >> _OFFSET_BITS, array("Q")).append((place & ((1 << _OFFSET_BITS) - 1)) + 1)
        for number, found in offsets.items():
            with contextlib.suppress(OSError, KeyError):  # a full disk, or everything was released meanwhile
                _append_marks(self._paths[number].with_suffix(_MARKS), found)

    def release(self, places: Sequence[int]) -> None:
        """Give up spans, whose turns are on disk; a file without others is removed."""
        with self._lock:
            for at in range(0, len(places), 2):
                number = places[at] >> _OFFSET_BITS
                self._waiting[number] -= 1
                if not self._waiting[number]:
                    if number == self._number:
                        self._end_segment()
                    self._remove(number)

    @property
    def waiting(self) -> int:
        """How many spans were not released."""
        return sum(self._waiting.values())

    def close(self) -> None:
        """Close the files; spans that wait are taken over by the next writer."""
        with self._lock:
            self._end_segment()
            for number in [each for each, count in self._waiting.items() if not count]:
                self._remove(number)
            for file in (*self._readers.values(), *self._locks):
                os.close(file)
            self._readers, self._locks = {}, []
            if self._folder is not None and not any(self._waiting.values()):
                shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = None

    # --- files ---------------------------------------------------------------------------------------

    def _begin_segment(self) -> None:
        self._end_segment()
        if self._folder is None:
            folder = self._store / f"w{time.time_ns() // 1_000_000:013d}-{os.urandom(3).hex()}"
            private_folder(folder)
            if not self._locked(folder):  # pragma: no cover - the name is new
                raise OSError("the folder of spans is locked")
            self._folder = folder  # not before: a disk that refuses it is asked again by the next write
        previous = self._number
        self._number = self._next_number()
        path = self._folder / f"{self._number:08d}.ndjson"
        self._file = open_private(path, os.O_WRONLY | os.O_APPEND | os.O_EXCL)
        self._paths[self._number], self._waiting[self._number], self._end = path, 0, 0
        if previous and not self._waiting.get(previous, 1):
            self._remove(previous)
        make_durable(self._folder)

    def _next_number(self) -> int:
        self._last += 1
        return self._last

    def _end_segment(self) -> None:
        file, self._file = self._file, None
        if file is not None:
            os.close(file)

    def _remove(self, number: int) -> None:
        reader = self._readers.pop(number, None)
        if reader is not None:
            os.close(reader)
        path = self._paths.pop(number, None)
        self._waiting.pop(number, None)
        if path is not None:
            path.unlink(missing_ok=True)
            path.with_suffix(_MARKS).unlink(missing_ok=True)
            if path.parent != self._folder and not any(path.parent.glob("*.ndjson")):
                shutil.rmtree(path.parent, ignore_errors=True)

    def _locked(self, folder: Path) -> bool:
        file = open_private(folder / _LOCK, os.O_RDWR)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(file)
            return False
        self._locks.append(file)
        return True

    def _adopt(self, path: Path) -> Iterator[tuple[WaitingSpan, array[int], bool]]:
        number = self._next_number()
        self._paths[number], self._waiting[number] = path, 0
        at = 0
        try:
            marked = _read_marks(path.with_suffix(_MARKS))
            with path.open("rb") as file:
                os.fdatasync(file.fileno())
                for line in file:
                    try:
                        span = _span(line)
                    except (ValueError, KeyError):  # torn
                        at += len(line)
                        continue
                    self._waiting[number] += 1
                    yield span, array("Q", (number << _OFFSET_BITS | at, len(line))), at + 1 in marked
                    at += len(line)
        except OSError as error:
            raise StoreError(f"cannot be read: {error.strerror}", file=str(path), hint="check its rights") from error

    def _drop_empty(self) -> None:
        for number in [each for each, count in self._waiting.items() if not count and each != self._number]:
            self._remove(number)


def _line(span: WaitingSpan) -> bytes:
    head = orjson.dumps([span.trace, span.format, span.source, span.arrived, span.is_root])
    return b"".join((b'{"h":', head, b',"r":', span.line, b"}\n"))


def _span(line: bytes) -> WaitingSpan:
    if not line.endswith(b"}\n"):
        raise ValueError("the line is torn")
    cut = line.index(b',"r":')
    trace, form, source, arrived, is_root = orjson.loads(line[5:cut])
    return WaitingSpan(trace, form, source, arrived, line[cut + 5 : -2], is_root)


def _append_marks(path: Path, marks: array[int]) -> None:
    file = open_private(path, os.O_WRONLY | os.O_APPEND)
    try:
        size = os.fstat(file).st_size
        if torn := size % _MARK_BYTES:  # a full disk had cut the last one
            os.ftruncate(file, size - torn)
        os.write(file, marks.tobytes())
    finally:
        os.close(file)


def _read_marks(path: Path) -> frozenset[int]:
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return frozenset()
    marks = array("Q")
    marks.frombytes(data[: len(data) // _MARK_BYTES * _MARK_BYTES])
    return frozenset(marks)
