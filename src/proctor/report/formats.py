"""Choose the writer for a file, and write files atomically."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Protocol, TextIO, TypeVar, cast

from proctor.core.attack_mask import masked_results
from proctor.core.errors import InputError, StoreError
from proctor.core.report import Report, Result

__all__ = ["EXTENSIONS", "Writer", "check_ending", "save", "save_by_ending", "whole_or_nothing", "writer_for"]

# Extension -> module of this package; longer extensions first.
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
        """Write the run; ``results`` returns a new stream on each call."""
        ...


def writer_for(path: str | Path) -> Writer:
    """Return the writer for a file name.

    Raises:
        InputError: the extension is unknown; the known ones are listed.
    """
    name = Path(path).name.lower()
    for extension, module in _MODULES.items():
        if name.endswith(extension):
            return cast(Writer, import_module(f"proctor.report.{module}").write)
    raise _no_writer("report", path, EXTENSIONS)


def save(report: Report, results: Callable[[], Iterable[Result]], path: str | Path) -> None:
    """Write the run to a file atomically, in the format of its extension; held-out attacks without their texts.

    Raises:
        InputError: the extension is unknown, or the path is a folder.
        StoreError: the file cannot be written; the old one is unchanged.
    """
    write = writer_for(path)
    goal = Path(path)
    _no_folder(goal, "report.html")
    with whole_or_nothing(goal) as out:
        write(report, lambda: masked_results(results()), out)


def check_ending(what: str, path: Path, endings: Collection[str]) -> None:
    """Check before any work that the extension of a file is supported.

    Raises:
        InputError: the extension is unknown, or the path is a folder.
    """
    if path.suffix.lower() not in endings:
        raise _no_writer(what, path, endings)
    _no_folder(path, f"{what}{next(iter(endings))}")


def save_by_ending(what: str, thing: Thing, path: Path, writers: Mapping[str, Callable[[Thing, TextIO], None]]) -> None:
    """Write the object to a file atomically, in the format of its extension.

    Raises:
        InputError: the extension is unknown, or the path is a folder.
        StoreError: the file cannot be written; the old one is unchanged.
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
    """Yield a text file that appears under its name only when it is complete. A device or a pipe is written at once.

    Raises:
        StoreError: the file cannot be written; the old one is unchanged.
    """
    try:
        if named.exists() and not named.is_file() and not named.is_dir():
            with named.open("w", encoding="utf-8", newline="") as out:
                yield out
            return
        goal = named.resolve()  # keep a link and replace its target
        goal.parent.mkdir(parents=True, exist_ok=True)
        draft = goal.with_name(f".{goal.name[:100]}.{os.urandom(4).hex()}.part")
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
