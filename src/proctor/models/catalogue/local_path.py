"""The file of a catalogue on this machine."""

from __future__ import annotations

from pathlib import Path

from proctor.core.errors import MalformedError, Problem
from proctor.core.sockets import Kit

__all__ = ["local_path"]


def local_path(kit: Kit, written: str, *, field: str) -> Path:
    """Return the path that a setting names.

    Raises:
        MalformedError: there is no such file.
    """
    path = Path(kit.folder) / written
    if not path.is_file():
        hint = "name a file, from the folder of proctor.yaml on; without it nothing that needs it could be scored"
        raise MalformedError([Problem((field,), f"there is no file {path}", hint)])
    return path
