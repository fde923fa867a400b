"""A cache of replies by the hash of their request, in one readable SQLite file.

Durability: write-ahead log with ``synchronous=NORMAL``. Each put commits by itself, so that a reply survives kill -9 as
soon as ``put`` has returned. A power cut may lose the last few, but does not corrupt the file. (``OFF`` would save a
flush every 16 MB at the risk of a corrupt file.)
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Self, TypeVar

from proctor.core.chat import Reply, Request
from proctor.core.codec import dumps, loads
from proctor.core.decode import decode
from proctor.core.errors import MalformedError, StoreError
from proctor.store.db import transaction
from proctor.store.masked_json import MaskingConnection
from proctor.store.private_files import private_database

__all__ = ["CacheEntry", "SqliteCache"]

Noun = TypeVar("Noun")

_OURS = 0x50726F63  # "Proc", as SQLite's application id
_FORMAT = 1
_BUSY_SECONDS = 10.0
_CHECKPOINT_PAGES = 4000  # 16 MB between two flushes, each of which blocks the event loop for some milliseconds
_TABLE = """
    CREATE TABLE IF NOT EXISTS replies (
        key     TEXT PRIMARY KEY,
        model   TEXT NOT NULL,
        request TEXT NOT NULL,
        reply   TEXT NOT NULL,
        made    REAL NOT NULL
    ) STRICT
"""
_PUT = "INSERT OR REPLACE INTO replies (key, model, request, reply, made) VALUES (?, ?, ?, ?, ?)"
_GET = "SELECT reply FROM replies WHERE key = ?"


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheEntry:
    """One cached reply with its request; ``made`` is in seconds since 1970."""

    key: str
    model: str
    request: Request
    reply: Reply
    made: float


class SqliteCache:
    """Caches replies in a SQLite file, which several processes may use at once."""

    __slots__ = ("_database", "path")

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._database: sqlite3.Connection | None = None
        try:
            private_database(self.path)
            self._database = sqlite3.connect(
                self.path,
                isolation_level=None,
                timeout=_BUSY_SECONDS,
                check_same_thread=False,
                factory=MaskingConnection,
            )
            self._prepare(self._database)
        except (sqlite3.Error, OSError) as error:
            self.close()
            raise self._explained(error) from error
        except StoreError:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def get(self, key: str) -> Reply | None:
        """Return the reply stored under this key."""
        try:
            row = self._open.execute(_GET, (key,)).fetchone()
        except sqlite3.Error as error:
            raise self._explained(error) from error
        return None if row is None else self._read(Reply, row[0], key)

    def put(self, key: str, request: Request, reply: Reply, *, model: str) -> None:
        """Store a reply; it survives a killed process when this returns."""
        row = (key, model, dumps(request).decode(), dumps(reply).decode(), time.time())
        try:
            self._open.execute(_PUT, row)
        except sqlite3.Error as error:
            raise self._explained(error) from error

    def entries(self) -> Iterator[CacheEntry]:
        """Yield all entries, oldest first."""
        try:
            rows = self._open.execute("SELECT key, model, request, reply, made FROM replies ORDER BY rowid")
            for key, model, request, reply, made in rows:
                yield CacheEntry(
                    key=key,
                    model=model,
                    request=self._read(Request, request, key),
                    reply=self._read(Reply, reply, key),
                    made=made,
                )
        except sqlite3.Error as error:
            raise self._explained(error) from error

    def clear(self, older_than: float | None = None) -> int:
        """Delete entries older than ``older_than`` seconds, or all; return how many."""
        before = float("inf") if older_than is None else time.time() - older_than
        try:
            return self._open.execute("DELETE FROM replies WHERE made < ?", (before,)).rowcount
        except sqlite3.Error as error:
            raise self._explained(error) from error

    def close(self) -> None:
        """Close the file; closing twice is fine."""
        if self._database is not None:
            with suppress(sqlite3.Error):
                self._database.close()
            self._database = None

    @property
    def _open(self) -> sqlite3.Connection:
        if self._database is None:
            raise StoreError("the cache is closed", file=str(self.path))
        return self._database

    def _prepare(self, database: sqlite3.Connection) -> None:
        # The tables first: another process may create them and its mark, in one transaction, between these two lines.
        tables = database.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]
        ours = database.execute("PRAGMA application_id").fetchone()[0]
        if ours != _OURS and tables:
            raise StoreError(
                "is another program's database", file=str(self.path), hint="name another file for the cache"
            )
        version = database.execute("PRAGMA user_version").fetchone()[0]
        if ours == _OURS and version > _FORMAT:
            raise StoreError(
                f"was written by a newer Proctor (format {version})", file=str(self.path), hint="upgrade Proctor"
            )
        self._wal(database)
        database.execute("PRAGMA synchronous=NORMAL")
        database.execute(f"PRAGMA wal_autocheckpoint={_CHECKPOINT_PAGES}")
        if ours != _OURS or version < _FORMAT:
            with transaction(database):
                database.execute(_TABLE)
                database.execute(f"PRAGMA application_id = {_OURS}")
                database.execute(f"PRAGMA user_version = {_FORMAT}")

    def _wal(self, database: sqlite3.Connection) -> None:
        """Switch to WAL mode, retrying: SQLite does not wait for another process that does the same."""
        until = time.monotonic() + _BUSY_SECONDS
        while True:
            try:
                database.execute("PRAGMA journal_mode=WAL")
                return
            except sqlite3.OperationalError as error:
                if "locked" not in str(error) or time.monotonic() > until:
                    raise
                time.sleep(0.01)

    def _read(self, kind: type[Noun], text: str, key: str) -> Noun:
        try:
            return decode(kind, loads(text))
        except (ValueError, MalformedError) as error:
            raise StoreError(f"the entry {key[:12]} is damaged", file=str(self.path), hint="clear the cache") from error

    def _explained(self, error: Exception) -> StoreError:
        text = str(error)
        file = str(self.path)
        if isinstance(error, PermissionError) or "readonly" in text or "unable to open" in text:
            return StoreError("cannot be written", file=file, hint="make the folder writable, or name another file")
        if "not a database" in text or "malformed" in text:
            return StoreError("is damaged, or no cache at all", file=file, hint="move it away; a new one is made")
        if "full" in text or getattr(error, "errno", None) == 28:
            return StoreError("the disk is full", file=file, hint="free some space")
        if "locked" in text:
            return StoreError("is locked by another process", file=file, hint="wait for it to end, then try again")
        return StoreError(text, file=file, hint="check the file and its folder")
