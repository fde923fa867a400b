"""Change several files together, even if the process may be killed between any two of them."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path

from proctor.core.errors import InputError, StoreError

__all__ = ["emptied", "read_text", "settle", "write_together"]

_DRAFT = ".draft"  # incomplete files: leftovers if the process was killed
_READY = ".ready"  # complete files that only have to be moved into place
_GONE = ".gone"  # in a ready folder: the names of files to remove
_MOST_BYTES = 64_000_000


def read_text(path: Path, *, there: bool = False) -> str:
    """Return the text of a file; empty if there is none.

    Raises:
        InputError: the file is not UTF-8 text, too large, or cannot be read; or is missing although ``there`` is set.
    """
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise InputError("the file is too large", file=str(path), hint=f"keep it under {_MOST_BYTES // 10**6} MB")
        return path.read_bytes().decode("utf-8-sig").replace("\r\n", "\n")
    except FileNotFoundError:
        if there:
            raise InputError("there is no such file", file=str(path), hint="make it with `proctor generate`") from None
        return ""
    except UnicodeDecodeError as error:
        raise InputError(f"not UTF-8 text (byte {error.start})", file=str(path), hint="save it as UTF-8") from None
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", file=str(path)) from None


def emptied(path: Path) -> InputError:
    """Return the error of a file of the folder that holds nothing: an accident, since no file is written empty."""
    return InputError("the file is empty", file=str(path), hint="restore it, or delete it to have it made again")


def write_together(folder: Path, texts: Mapping[str, str], *, gone: Iterable[str] = ()) -> None:
    """Replace files of a folder, and remove those that are ``gone``: all of them or none.

    Raises:
        StoreError: the disk or the folder refused; the old content is unchanged.
    """
    draft = folder / _DRAFT
    try:
        settle(folder)
        folder.mkdir(parents=True, exist_ok=True)
        shutil.rmtree(draft, ignore_errors=True)
        draft.mkdir()
        for name, text in texts.items():
            _write(draft / name, text)
        _write(draft / _GONE, "\n".join(gone))
        draft.replace(folder / _READY)  # from here on the new files are valid
        settle(folder)
    except OSError as error:
        hint = "check the folder, its permissions and the free space"
        raise StoreError(f"cannot be written: {error.strerror or error}", file=str(folder), hint=hint) from error


def settle(folder: Path) -> None:
    """Finish what a killed process left incomplete: move complete new files into place.

    Raises:
        StoreError: the folder cannot be changed.
    """
    ready = folder / _READY
    if not ready.is_dir():
        return
    try:
        gone = ready / _GONE
        if gone.exists():
            for name in filter(None, gone.read_text("utf-8").split("\n")):
                (folder / name).unlink(missing_ok=True)
        for path in sorted(ready.iterdir()):
            if path.name != _GONE:
                path.replace(folder / path.name)
        gone.unlink(missing_ok=True)
        ready.rmdir()
    except OSError as error:
        hint = f"make the folder writable, or move what is in {_READY} into it yourself"
        raise StoreError(f"cannot be written: {error.strerror or error}", file=str(folder), hint=hint) from error


def _write(path: Path, text: str) -> None:
    with path.open("wb") as out:
        out.write(text.encode("utf-8", "surrogatepass"))
        out.flush()
        os.fsync(out.fileno())
