"""Stream the values of a log file: JSON Lines, a JSON array, one document, or rows of a CSV file; gzipped or not."""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import json
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from proctor.core.errors import SuiteError
from proctor.suites.conversations.json_text import read_json
from proctor.suites.document import parse_json
from proctor.suites.files import decode_text, open_file

__all__ = ["ENDINGS", "Entry", "entries_of"]

ENDINGS = (".jsonl", ".ndjson", ".json", ".jsonl.gz", ".ndjson.gz", ".json.gz")  # of files in a folder of logs
_ROWS = (".csv", ".csv.gz")
_LINES = (".jsonl", ".ndjson", ".jsonl.gz", ".ndjson.gz")
_LONGEST = 64_000_000  # bytes of one line, or of one value of an array
_LARGEST = 256_000_000  # bytes of a document that is not a list and has to be read whole
_CHUNK = 1_000_000
_SPACE = " \t\r\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One value of a file and its position: its line, and its index if it is in a list."""

    data: Any
    file: Path
    line: int | None = None
    path: tuple[str | int, ...] = ()

    def wrong(self, message: str, field: str = "", hint: str | None = None) -> SuiteError:
        """Return an error with this position."""
        at = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in self.path).lstrip(".")
        where = f"{at}.{field}" if at and field else at or field
        return SuiteError(message, file=str(self.file), line=self.line, field=where or None, hint=hint)


def entries_of(path: Path) -> Iterator[Entry]:
    """Yield the values of a file; only a document that is not a list is held whole.

    Raises:
        SuiteError: it cannot be read, or is neither JSON nor CSV; with the line.
    """
    with open_file(path) as raw:
        packed = raw.read(2) == b"\x1f\x8b"
        raw.seek(0)
        handle: Any = gzip.GzipFile(fileobj=raw) if packed else raw
        try:
            yield from _rows(handle, path) if path.name.lower().endswith(_ROWS) else _values(handle, path)
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            raise SuiteError(f"the packed file is damaged: {error}", file=str(path), hint="copy it again") from None


def _rows(handle: BinaryIO, path: Path) -> Iterator[Entry]:
    """Yield the rows of a CSV file with a header, each as an object of texts."""
    text = io.TextIOWrapper(handle, encoding="utf-8-sig", newline="")
    reader = csv.DictReader(text, strict=True)
    try:
        if not reader.fieldnames:
            raise SuiteError("the file is empty", file=str(path), hint="give a file with conversations in it")
        for row in reader:
            if None in row or None in row.values():
                told = f"the row has another number of columns than the header ({len(reader.fieldnames)})"
                raise SuiteError(told, file=str(path), line=reader.line_num, hint="quote cells that hold commas")
            yield Entry(data=row, file=path, line=reader.line_num)
    except UnicodeDecodeError as error:
        told = f"the file is not UTF-8: {error.reason}"
        raise SuiteError(told, file=str(path), line=reader.line_num + 1, hint="save it as UTF-8") from None
    except csv.Error as error:
        raise SuiteError(f"not valid CSV: {error}", file=str(path), line=reader.line_num) from None
    finally:
        text.detach()  # the caller closes the file


def _values(handle: BinaryIO, path: Path) -> Iterator[Entry]:
    first = _line(handle, path, 1)
    number = 1
    while first and not first.strip().removeprefix(b"\xef\xbb\xbf"):
        number += 1
        first = _line(handle, path, number)
    if not first:
        raise SuiteError("the file is empty", file=str(path), hint="give a file with conversations in it")
    first = first.removeprefix(b"\xef\xbb\xbf")
    start = first.lstrip()[:1]
    whole = _complete(first)
    if whole is None and start == b"[" and not _is_lines(path):
        yield from _array(first, handle, path, number)
    elif whole is None and start == b"{" and not _is_lines(path):
        yield _document(first, handle, path, number)
    else:
        yield from _lines(first, handle, path, number)


def _is_lines(path: Path) -> bool:
    return path.name.lower().endswith(_LINES)


def _line(handle: BinaryIO, path: Path, number: int) -> bytes:
    line = handle.readline(_LONGEST + 1)
    if len(line) > _LONGEST:
        hint = "write one conversation on each line"
        raise SuiteError(f"the line is longer than {_LONGEST // 1_000_000} MB", file=str(path), line=number, hint=hint)
    return line


def _complete(line: bytes) -> tuple[Any] | None:
    """Parse a line that is a complete value."""
    try:
        return (read_json(line),)
    except ValueError:
        return None


def _lines(first: bytes, handle: BinaryIO, path: Path, number: int) -> Iterator[Entry]:
    following = _line(handle, path, number + 1)
    only = _complete(first) if not following.strip() else None
    if only and isinstance(only[0], list) and not _is_chat(only[0]):
        for index, value in enumerate(only[0]):
            yield Entry(data=value, file=path, line=number, path=(index,))
        return
    line = first
    while line:
        if line.strip():
            yield Entry(data=_parsed(line, path, number), file=path, line=number)
        number += 1
        line, following = following, _line(handle, path, number + 1) if following else b""


def _is_chat(values: list[Any]) -> bool:
    """Whether a list holds the messages of one conversation, not several conversations."""
    return bool(values) and isinstance(values[0], dict) and "role" in values[0] and "messages" not in values[0]


def _parsed(line: bytes, path: Path, number: int | None) -> Any:
    try:
        return read_json(line)
    except ValueError:  # slower, but reports the column of the error
        if number == 1 and not path.name.lower().endswith(ENDINGS):
            hint = f"conversations are read from files that end in {', '.join((*ENDINGS, *_ROWS))}"
            raise SuiteError(f"is not JSON, and ends in {path.suffix!r}", file=str(path), line=1, hint=hint) from None
        return parse_json(decode_text(line, path, line=number, offset=1), path, line=number)


def _document(first: bytes, handle: BinaryIO, path: Path, number: int) -> Entry:
    data = first + handle.read(_LARGEST)
    if len(data) > _LARGEST:
        hint = "export one conversation on each line: JSON Lines are read as a stream"
        raise SuiteError(f"is larger than {_LARGEST // 1_000_000} MB", file=str(path), hint=hint)
    return Entry(data=_parsed(data, path, None), file=path, line=number)


def _array(first: bytes, handle: BinaryIO, path: Path, number: int) -> Iterator[Entry]:
    """Yield the values of a JSON array one by one, without holding them all."""
    scanning = _Scanning(first, handle, path, number)
    scanning.expect("[")
    index = 0
    chat: list[Any] | None = None
    while not scanning.found("]"):
        if index:
            scanning.expect(",")
        line, value = scanning.value()
        if index == 0 and _is_chat([value]):
            chat = []
        if chat is not None:
            chat.append(value)
        else:
            yield Entry(data=value, file=path, line=line, path=(index,))
        index += 1
    if chat is not None:
        yield Entry(data=chat, file=path, line=number)


class _Scanning:
    """Parse JSON values from a text that is read in chunks."""

    def __init__(self, first: bytes, handle: BinaryIO, path: Path, number: int) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self._handle, self._path, self._number = handle, path, number
        self._text, self._at, self._ended = "", 0, False
        self._json = json.JSONDecoder()
        self._add(first)

    def expect(self, mark: str) -> None:
        if not self.found(mark):
            where = self._text[self._at : self._at + 20]
            raise self._wrong(f"not valid JSON: expected {mark!r}, found {where!r}" if where else "the file ends early")

    def found(self, mark: str) -> bool:
        """Whether this mark comes next; if so, move past it."""
        self._skip()
        if not self._text.startswith(mark, self._at):
            return False
        self._at += 1
        return True

    def value(self) -> tuple[int, Any]:
        """Return the next value and the line it begins on."""
        self._skip()
        line, size = self._number, _CHUNK
        while True:
            try:
                value, end = self._json.raw_decode(self._text, self._at)
            except (json.JSONDecodeError, RecursionError) as error:
                if self._ended or len(self._text) - self._at > _LONGEST:
                    raise self._wrong(f"not valid JSON: {getattr(error, 'msg', 'nested too deeply')}") from None
                self._more(size)
                size *= 2  # doubling limits how often a long value is parsed again
            else:
                self._number += self._text.count("\n", self._at, end)
                self._text, self._at = self._text[end:], 0
                return line, value

    def _skip(self) -> None:
        while True:
            while self._at < len(self._text) and self._text[self._at] in _SPACE:
                self._number += self._text[self._at] == "\n"
                self._at += 1
            if self._at < len(self._text) or self._ended:
                return
            self._more(_CHUNK)

    def _more(self, size: int) -> None:
        self._add(self._handle.read(size))

    def _add(self, data: bytes) -> None:
        try:
            self._text = self._text[self._at :] + self._decoder.decode(data, final=not data)
        except UnicodeDecodeError as error:
            raise self._wrong(f"is not UTF-8 text: byte 0x{error.object[error.start]:02x}") from None
        self._at, self._ended = 0, not data

    def _wrong(self, message: str) -> SuiteError:
        hint = "check the quotes, commas and brackets"
        return SuiteError(message, file=str(self._path), line=self._number, hint=hint)
