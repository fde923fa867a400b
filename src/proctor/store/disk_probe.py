"""Ask a disk whether it takes data, by writing some and removing it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from proctor.core.errors import StoreError
from proctor.store.private_files import open_private, private_folder

__all__ = ["probe_disk"]

_PROBE: Final = bytes(64_000)  # a full disk may still take a few bytes


def probe_disk(folder: Path) -> None:
    """Write a small file into a folder and remove it.

    Raises:
        StoreError: the disk is full, or the folder cannot be written.
    """
    path = folder / f".probe-{os.getpid()}"
    try:
        private_folder(folder)
        file = open_private(path, os.O_WRONLY | os.O_TRUNC)
        try:
            written = 0
            while written < len(_PROBE):
                written += os.write(file, _PROBE[written:])
            os.fdatasync(file)
        finally:
            os.close(file)
            path.unlink(missing_ok=True)
    except OSError as error:
        hint = "free some space, or make the folder writable"
        raise StoreError(f"events cannot be written: {error.strerror}", file=str(folder), hint=hint) from error
