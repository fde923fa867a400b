"""One at a time: a lock that a killed process cannot leave behind."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from proctor.core.errors import StoreError
from proctor.store.private_files import open_private, private_folder

__all__ = ["only_one"]


@contextmanager
def only_one(path: Path) -> Iterator[bool]:
    """Hold the lock for as long as this lasts; false when somebody else holds it.

    Raises:
        StoreError: the file cannot be made.
    """
    try:
        private_folder(path.parent)
        file = open_private(path, os.O_RDWR)
    except OSError as error:
        mend = "make the folder writable, or name another under `store:`"
        raise StoreError(f"cannot be written: {error.strerror}", file=str(path), mend=mend) from error
    try:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            yield False
        else:
            yield True
    finally:
        os.close(file)  # the system lets go of the lock with the file
