"""Files and folders that only their owner can read, whatever the umask and the rights set by older versions.

Group and others lose their rights when a file is opened for writing. Files of another user stay unchanged.
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path

__all__ = ["make_durable", "open_private", "private_database", "private_folder", "replace_private", "write_private"]

_FILE_MODE = 0o600
_FOLDER_MODE = 0o700
_OTHERS_MODE = 0o077
_MAX_LEVELS = 2  # folders between a file and its store: runs/ID
_STORE_HOLDS = ("proctor.db", "customers.key")
_PROJECT_HOLDS = "proctor.yaml"  # marks a store that is the project folder itself, whose rights the user decides


def private_folder(path: Path) -> None:
    """Create a folder and its parents, readable by the owner only.

    An existing folder is made private if it is a store or inside one.

    Raises:
        OSError: it cannot be created.
    """
    missing = [each for each in (path, *path.parents) if not each.exists()]
    for each in reversed(missing):
        with suppress(FileExistsError):  # another process was faster
            each.mkdir(_FOLDER_MODE)
    path.mkdir(exist_ok=True)  # raises if the name is taken by a file
    inside: list[Path] = []
    for each in (path, *list(path.parents)[:_MAX_LEVELS]):
        inside.append(each)
        if _is_store(each):
            for folder in inside:
                _tighten(folder, _FOLDER_MODE)
            return


def open_private(path: Path, flags: int) -> int:
    """Open a file, creating it if missing; return its descriptor.

    Raises:
        OSError: it cannot be opened.
    """
    file = os.open(path, flags | os.O_CREAT | os.O_CLOEXEC, _FILE_MODE)
    _tighten(file, _FILE_MODE)
    return file


def write_private(path: Path, data: bytes) -> None:
    """Replace a file's content by these bytes.

    Raises:
        OSError: it cannot be written.
    """
    with os.fdopen(open_private(path, os.O_WRONLY | os.O_TRUNC), "wb") as out:
        out.write(data)


def replace_private(path: Path, data: bytes) -> None:
    """Write a file that appears under its name only when it is complete and on disk; its folder is created.

    Raises:
        OSError: it cannot be written; an existing file is unchanged.
    """
    private_folder(path.parent)
    draft = path.with_name(f".{path.name[:100]}.{os.urandom(4).hex()}.part")
    try:
        with os.fdopen(open_private(draft, os.O_WRONLY | os.O_EXCL), "wb") as out:
            out.write(data)
            out.flush()
            os.fsync(out.fileno())
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


def private_database(path: Path) -> None:
    """Create the database file before SQLite does; its log and index inherit its rights.

    Raises:
        OSError: the file or its folder cannot be created.
    """
    private_folder(path.parent)
    # Closing any descriptor of a file drops this process's locks on it, also those of an open connection. So a file
    # that is there is never opened here.
    try:
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, _FILE_MODE))
    except FileExistsError:  # a folder too: SQLite reports that error
        if path.is_file():
            _tighten(path, _FILE_MODE)
    private_folder(path.parent)  # again: the new file may have made the folder a store
    for ending in ("-wal", "-shm"):
        with suppress(OSError):
            _tighten(path.with_name(path.name + ending), _FILE_MODE)


def _is_store(folder: Path) -> bool:
    holds = any((folder / name).exists() for name in _STORE_HOLDS)
    return holds and not (folder / _PROJECT_HOLDS).exists()


def _tighten(place: Path | int, mode: int) -> None:
    found = os.stat(place)
    if found.st_uid == os.geteuid() and stat.S_IMODE(found.st_mode) & _OTHERS_MODE:
        with suppress(OSError):  # a file system without rights
            os.chmod(place, mode)


def make_durable(path: Path) -> None:
    """Wait until a file's content, or the names in a folder, are on disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
