"""Follow the event log: what is new in it goes to the conversation index and to the rollups, each event once."""

from __future__ import annotations

import contextlib
import fcntl
import os
from array import array
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from proctor.core.errors import StoreError
from proctor.core.rollup_cell import MINUTE, RollupCell, Slice
from proctor.core.seen_ids import SeenIds, id_code
from proctor.store.conversation_index import ConversationIndex
from proctor.store.event_database import EventDatabase
from proctor.store.event_log import FOLDER
from proctor.store.log_reader import PlacedRow, log_files, new_rows
from proctor.store.private_files import open_private, private_folder
from proctor.store.rollups import RollupStore

__all__ = ["EventIndexer"]

_LOCK: Final = "index.lock"
_BATCH_ROWS: Final = 5_000


class EventIndexer:
    """Brings the index and the rollups up to the log; call ``catch_up`` now and then, from one thread.

    The position in each file is stored in the same transaction as what was counted up to it. A process that is killed
    at any moment therefore counts nothing twice and leaves nothing out. Of several processes one is the indexer, for
    the files of all; when it ends, another one takes over.
    """

    def __init__(self, store: Path, *, remembered: int = 1_000_000) -> None:
        self._folder = store / FOLDER
        self._remembered = remembered
        self._lock: int | None = None
        self._seen: SeenIds | None = None
        self.database = EventDatabase(store)
        self.conversations = ConversationIndex(store, database=self.database)
        self.rollups = RollupStore(store, database=self.database)

    def catch_up(self) -> int | None:
        """Index what is new in the log; return how many events, or ``None`` if another process is the indexer.

        Raises:
            StoreError: a file cannot be read, or the database failed.
        """
        if not self._is_indexer():
            return None
        known = self._positions()
        if self._seen is None:
            self._seen = self._indexed_ids(known)
        count = 0
        try:
            for path in log_files(self._folder):
                with contextlib.suppress(FileNotFoundError):  # sealed meanwhile: all of it was indexed
                    count += self._follow(path, known.get(path.name, 0))
        except OSError as error:
            raise StoreError(
                f"cannot be read: {error.strerror}", file=str(self._folder), hint="check its rights"
            ) from error
        return count

    def close(self) -> None:
        """Close the database; another process may become the indexer."""
        lock, self._lock = self._lock, None
        self._seen = None
        if lock is not None:
            os.close(lock)
        self.database.close()

    def __enter__(self) -> EventIndexer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _is_indexer(self) -> bool:
        if self._lock is not None:
            return True
        private_folder(self._folder)
        lock = open_private(self._folder / _LOCK, os.O_RDWR)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(lock)
            return False
        self._lock = lock
        return True

    def _positions(self) -> dict[str, int]:
        with self.database.reading() as database:
            return dict(map(tuple, database.execute("SELECT name, at FROM log_files")))

    def _indexed_ids(self, known: dict[str, int]) -> SeenIds:
        """Return the ids that were indexed before, as far as the log still has them."""
        seen = SeenIds(self._remembered)
        for path in log_files(self._folder):
            codes = array("Q")
            with contextlib.suppress(FileNotFoundError), path.open("rb") as file:
                for placed in new_rows(file, 0):
                    if placed.at >= known.get(path.name, 0):
                        break
                    if placed.row is not None:
                        codes.append(id_code(placed.row.id))
            seen.add(codes)
        return seen

    def _follow(self, path: Path, at: int) -> int:
        count = 0
        with path.open("rb") as file:
            batch: list[PlacedRow] = []
            for placed in new_rows(file, at):
                batch.append(placed)
                if len(batch) >= _BATCH_ROWS:
                    count += self._index(path.name, batch)
                    batch = []
            if batch:
                count += self._index(path.name, batch)
        return count

    def _index(self, name: str, batch: Sequence[PlacedRow]) -> int:
        assert self._seen is not None
        new: dict[int, PlacedRow] = {}
        for placed in batch:
            if placed.row is not None and (code := id_code(placed.row.id)) not in self._seen:
                new.setdefault(code, placed)
        rows = [placed.row for placed in new.values() if placed.row is not None]
        end = batch[-1].at + batch[-1].length + 1
        with self.database.writing() as database:
            known = self.conversations.add(rows)
            cells: dict[tuple[int, Slice], RollupCell] = {}
            for row, indexed in zip(rows, known, strict=True):
                key = (int(row.time // MINUTE) * MINUTE, indexed.slice)
                if key not in cells:
                    cells[key] = RollupCell(start=key[0], slice=indexed.slice)
                cells[key].add(row, is_first=indexed.is_first)
            self.rollups.add(cells.values())
            database.execute(
                "INSERT INTO log_files (name, at) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET at = excluded.at",
                (name, end),
            )
        self._seen.add(new)
        return len(rows)
