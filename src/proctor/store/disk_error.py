"""Tell errors of the disk, also below a database, from defects of ours."""

from __future__ import annotations

import errno
import sqlite3
from typing import Final

from proctor.core.errors import StoreError

__all__ = ["disk_error"]

_FULL: Final = frozenset((errno.ENOSPC, errno.EDQUOT))
_DISK_CODES: Final = frozenset(
    getattr(sqlite3, f"SQLITE_{name}")
    for name in ("BUSY", "READONLY", "IOERR", "CORRUPT", "FULL", "CANTOPEN", "NOTADB")
)


def disk_error(error: Exception) -> StoreError | None:
    """Return the error of the store that an unexpected error is; ``None`` if the disk did not cause it."""
    if isinstance(error, OSError) and error.errno in _FULL:
        return StoreError("the disk is full", file=error.filename, hint="free some space, then try again")
    if isinstance(error, sqlite3.Error) and getattr(error, "sqlite_errorcode", 0) & 0xFF in _DISK_CODES:
        hint = "`proctor doctor` shows where the store is: free some space there, or restore its files from a copy"
        return StoreError(f"a database of the store failed: {error}", hint=hint)
    return None
