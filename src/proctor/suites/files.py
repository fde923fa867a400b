"""Open suite files as text or lines, with size limits and the position of invalid bytes."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path
from typing import BinaryIO

from proctor.core.errors import SuiteError

__all__ = ["Line", "decode_text", "lines_of", "near", "open_file", "read_text"]

MAX_LINE = 16_000_000
_MARKS = {b"\xff\xfe": "UTF-16", b"\xfe\xff": "UTF-16"}

Line = tuple[int, bytes, int]  # number from 1, content, offset of its first byte


def near(path: Path) -> str:
    """Return a hint for a missing path: similar names in its folder."""
    folder = path.parent
    if not folder.is_dir():
        return f"there is no folder {folder}"
    try:
        names = [entry.name for entry in folder.iterdir() if not entry.name.startswith(".")]
    except OSError:
        return "check the path"
    import difflib  # noqa: PLC0415 - only where a name is wrong

    guesses = difflib.get_close_matches(path.name, names, n=3, cutoff=0.5)
    if guesses:
        return f"did you mean {' or '.join(str(folder / guess) for guess in guesses)}?"
    return f"{folder} holds: {', '.join(sorted(names)[:10])}" if names else f"{folder} is empty"


def open_file(path: Path) -> BinaryIO:
    """Open the file for reading bytes.

    Raises:
        SuiteError: it is missing, empty or cannot be read.
    """
    try:
        handle = path.open("rb")
    except FileNotFoundError:
        raise SuiteError("no such file", file=str(path), hint=near(path)) from None
    except OSError as error:
        raise SuiteError(f"cannot be read: {error.strerror}", file=str(path), hint="check its permissions") from None
    if not handle.read(1):
        handle.close()
        raise SuiteError("the file is empty", file=str(path), hint="add cases to it")
    handle.seek(0)
    return handle


def read_text(path: Path, *, most: int, instead: str) -> str:
    """Return the whole file as text.

    Raises:
        SuiteError: it cannot be read, is larger than ``most`` bytes, or is not UTF-8 text.
    """
    with open_file(path) as handle:
        data = handle.read(most + 1)
    if len(data) > most:
        raise SuiteError(f"is larger than {most // 1_000_000} MB", file=str(path), hint=instead)
    return decode_text(data, path)


def decode_text(data: bytes, path: Path, *, line: int | None = None, offset: int = 0) -> str:
    """Decode UTF-8 bytes that begin at ``offset`` of the file.

    Raises:
        SuiteError: they are not UTF-8; with the offset of the first invalid byte.
    """
    if offset == 0:
        data = _without_mark(data, path)
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        at = offset + error.start
        raise SuiteError(
            f"is not UTF-8 text: byte 0x{data[error.start]:02x} at offset {at:,}",
            file=str(path),
            line=line if line is not None else data.count(b"\n", 0, error.start) + 1,
            hint="save the file as UTF-8",
        ) from None
    if "\0" in text:
        at = offset + len(text[: text.index("\0")].encode())
        raise SuiteError(
            f"is not a text file: a zero byte at offset {at:,}", file=str(path), line=line, hint="give a text file"
        )
    return text


def _without_mark(data: bytes, path: Path) -> bytes:
    if (name := _MARKS.get(data[:2])) is not None:
        raise SuiteError(f"is {name} text, not UTF-8", file=str(path), line=1, hint="save the file as UTF-8")
    return data.removeprefix(b"\xef\xbb\xbf")


def lines_of(path: Path) -> Generator[Line]:
    """Yield the lines of a file with their line ends.

    Raises:
        SuiteError: the file cannot be read, or a line is too long to be a case.
    """
    with open_file(path) as handle:
        number, offset = 1, 0
        while line := handle.readline(MAX_LINE + 1):
            if len(line) > MAX_LINE:
                raise SuiteError(
                    f"the line is longer than {MAX_LINE // 1_000_000} MB",
                    file=str(path),
                    line=number,
                    hint="write one case on each line",
                )
            yield number, line, offset
            number += 1
            offset += len(line)
