"""Which writer makes which file, and how a file comes to be whole or not at all."""

from __future__ import annotations

import errno
import os
import secrets
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Protocol, TextIO, TypeVar, cast

from proctor.core.errors import InputError, StoreError
from proctor.core.report import Report, Result

__all__ = ["EXTENSIONS", "Writer", "check_ending", "save", "save_by_ending", "whole_or_nothing", "writer_for"]

# Extension -> module of this room; the longer name is tried first.
_MODULES = {
    ".junit.xml": "junit",
    ".jsonl": "jsonl",
    ".json": "json_file",
    ".html": "html",
    ".xml": "junit",
    ".overview.csv": "overview_csv",
    ".csv": "table_csv",
    ".md": "markdown",
}
EXTENSIONS = tuple(_MODULES)

_HINTS = {
    errno.ENOSPC: "free some space, or write to another disk",
    errno.EDQUOT: "free some of your quota, or write to another disk",
    errno.EFBIG: "write to a disk that takes larger files, or choose a smaller format such as .csv",
    errno.EROFS: "the disk is read-only: write to another folder",
    errno.EACCES: "write to a folder that you may change",
    errno.EPERM: "write to a folder that you may change",
    errno.ENAMETOOLONG: "choose a shorter file name",
    errno.ENOTDIR: "a part of the path is a file: write to another folder",
    errno.EEXIST: "a part of the path is a file: write to another folder",
}


Thing = TypeVar("Thing")


class Writer(Protocol):
    """Writes a run to a text stream in one format."""

    def __call__(self, report: Report, results: Callable[[], Iterable[Result]], out: TextIO) -> None:
        """Write it; ``results`` gives a fresh stream each time it is called."""
        ...


def writer_for(path: str | Path) -> Writer:
    """Return the writer for a file of this name.

    Raises:
        InputError: when nothing writes files with this extension; the known ones are listed.
    """
    name = Path(path).name.lower()
    for extension, module in _MODULES.items():
        if name.endswith(extension):
            return cast(Writer, import_module(f"proctor.report.{module}").write)
    raise _no_writer("report", path, EXTENSIONS)


def save(report: Report, results: Callable[[], Iterable[Result]], path: str | Path) -> None:
    """Write the run to a file, in the format its name asks for; the file is whole or is not there.

    Raises:
        InputError: the name's extension is not known, or the name is a folder's.
        StoreError: the disk or the folder refused; what was there before is untouched.
    """
    write = writer_for(path)
    goal = Path(path)
    _no_folder(goal, "report.html")
    with whole_or_nothing(goal) as out:
        write(report, results, out)


def check_ending(what: str, path: Path, endings: Collection[str]) -> None:
    """Say before anything is done whether such a thing can be written under this name.

    Raises:
        InputError: nothing writes files with this ending, or the name is a folder's.
    """
    if path.suffix.lower() not in endings:
        raise _no_writer(what, path, endings)
    _no_folder(path, f"{what}{next(iter(endings))}")


def save_by_ending(what: str, thing: Thing, path: Path, writers: Mapping[str, Callable[[Thing, TextIO], None]]) -> None:
    """Write the thing in the format the file's name asks for; the file is whole or is not there.

    Raises:
        InputError: nothing writes files with this ending, or the name is a folder's.
        StoreError: the disk or the folder refused; what was there before is untouched.
    """
    check_ending(what, path, writers)
    with whole_or_nothing(path) as out:
        writers[path.suffix.lower()](thing, out)


def _no_writer(what: str, path: str | Path, endings: Collection[str]) -> InputError:
    hint = f"end the file name with one of {', '.join(endings)}"
    return InputError(f"no {what} can be written under this name", file=str(path), hint=hint)


def _no_folder(path: Path, example: str) -> None:
    if path.is_dir():
        raise InputError("this is a folder", file=str(path), hint=f"name a file in it: {path / example}")


@contextmanager
def whole_or_nothing(named: Path) -> Iterator[TextIO]:
    """Yield a text file to write that is there when it is whole, and not at all before.

    Raises:
        StoreError: the disk or the folder refused; what was there before is untouched.
    """
    try:
        goal = named.resolve()  # a link stays a link: what it points to is replaced
        goal.parent.mkdir(parents=True, exist_ok=True)
        draft = goal.with_name(f".{goal.name[:100]}.{secrets.token_hex(4)}.part")
        try:
            with draft.open("x", encoding="utf-8", newline="") as out:
                yield out
                out.flush()
                os.fsync(out.fileno())
            draft.replace(goal)
        finally:
            draft.unlink(missing_ok=True)
    except OSError as error:
        hint = _HINTS.get(error.errno or 0, "write to another folder")
        raise StoreError(f"could not be written: {error.strerror or error}", file=str(named), hint=hint) from error
