"""Follow the event log: what is new in it goes to the conversation index and to the rollups, each event once."""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from pathlib import Path
from typing import Final

from proctor.core.errors import StoreError
from proctor.core.event_row import EventRow
from proctor.core.rollup_cell import MINUTE, RollupCell, Slice
from proctor.core.seen_ids import SeenIds, id_code
from proctor.store.conversation_index import ConversationIndex, Indexed
from proctor.store.event_database import EventDatabase
from proctor.store.event_log import FOLDER
from proctor.store.lock import is_held, write_in_lock
from proctor.store.log_reader import PlacedRow, file_codes, log_files, new_rows, read_codes
from proctor.store.private_files import open_private, private_folder
from proctor.store.rollups import RollupStore
from proctor.store.segments import SEGMENTS, read_manifest, read_segments

__all__ = ["EventIndexer"]

_LOCK: Final = "index.lock"
_BATCH_ROWS: Final = 5_000


class _ErasedError(Exception):
    pass


class EventIndexer:
    """Brings the index and the rollups up to the log; call ``catch_up`` now and then, from one thread.

    The position in each file is stored in the same transaction as what was counted up to it. A process that is killed
    at any moment therefore counts nothing twice and leaves nothing out. Of several processes one is the indexer, for
    the files of all; when it ends, another one takes over. ``counted`` is called with the rows of each transaction,
    after its end.
    """

    def __init__(
        self,
        store: Path,
        *,
        remembered: int = 1_000_000,
        database: EventDatabase | None = None,
        counted: Callable[[Sequence[EventRow]], None] | None = None,
    ) -> None:
        self.counted = counted
        self._folder = store / FOLDER
        self._remembered = remembered
        self._lock: int | None = None
        self._leads = False  # by a lock of the database
        self._seen: SeenIds | None = None
        self._indexed = self._erasures = 0
        self._counted_before = float("-inf")  # rollups have the events before this time already
        self.database = database or EventDatabase(store)
        self.conversations = ConversationIndex(store, database=self.database)
        self.rollups = RollupStore(store, database=self.database)

    def catch_up(self) -> int | None:
        """Index what is new in the log; return how many events, or ``None`` if another process is the indexer.

        Raises:
            StoreError: a file cannot be read, or the database failed.
        """
        if not self._is_indexer():
            return None
        before = self._indexed
        while True:
            try:
                self._catch_up()
                return self._indexed - before
            except _ErasedError:  # events were erased after they were read: read the log again
                continue

    def _catch_up(self) -> None:
        known, erasures = self.positions(), self.database.erasures()
        if self._seen is None or erasures != self._erasures:  # what was erased may come again
            self._seen = self._indexed_ids(known)
        self._erasures = erasures
        try:
            for path in log_files(self._folder):
                with contextlib.suppress(FileNotFoundError):  # sealed meanwhile: all of it was indexed
                    self._follow(path, known.get(path.name, 0))
        except OSError as error:
            raise StoreError(
                f"cannot be read: {error.strerror}", file=str(self._folder), hint="check its rights"
            ) from error

    def rebuild(self) -> int | None:
        """Index everything again, from the segments and the log; return how many events.

        ``None`` if another process is the indexer. Until it has ended, queries see a part. Rollups of days from which
        events were removed stay as they are.

        Raises:
            StoreError: a file cannot be read, or the database failed.
        """
        if self.catch_up() is None:  # what is new is counted also in the rollups that stay
            return None
        with self.database.writing() as database:
            self.conversations.clear()
            self.rollups.clear()
            self.database.forget_claims()
            database.execute("DELETE FROM log_files")
        self._seen = SeenIds(self._remembered)
        self._counted_before = self.rollups.kept_before()
        try:
            return self._index_all()
        finally:
            self._counted_before = float("-inf")

    def _index_all(self) -> int:
        assert self._seen is not None
        segments = read_segments(
            self._folder,
            lambda: read_manifest(self._folder).between(float("-inf"), float("inf")),
            since=float("-inf"),
            until=float("inf"),
        )
        count = 0
        while rows := list(islice(segments, _BATCH_ROWS)):
            with self.database.writing():
                self._count(self.database.claim(rows))
            self._seen.add(id_code(row.id) for row in rows)
            count += len(rows)
        return count + (self.catch_up() or 0)

    @property
    def folder(self) -> Path:
        """The folder of the log."""
        return self._folder

    def positions(self) -> dict[str, int]:
        """Return how far each log file was indexed."""
        with self.database.reading() as database:
            return {row[0]: row[1] for row in database.execute("SELECT name, at FROM log_files")}

    def places(self, session: str) -> list[tuple[str, int, int]]:
        """Return where the events of a conversation are in the log: file, position and length."""
        query = (
            "SELECT f.name, p.at, p.length FROM conversations c JOIN event_places p ON p.conversation = c.n "
            "JOIN log_files f ON f.n = p.file WHERE c.session = ?"
        )
        with self.database.reading() as database:
            return [(row[0], row[1], row[2]) for row in database.execute(query, (session,))]

    def drop_files(self, present: Iterable[str]) -> None:
        """Forget positions in files that are not present any more: their events are in segments."""
        with self.database.writing() as database:
            kept = set(present)
            rows = database.execute("SELECT n, name FROM log_files").fetchall()
            gone = [row[0] for row in rows if row[1] not in kept]
            if gone:
                marks = ", ".join(map(str, gone))
                database.execute(f"DELETE FROM event_places WHERE file IN ({marks})")
                database.execute(f"DELETE FROM log_files WHERE n IN ({marks})")

    @property
    def is_indexer(self) -> bool:
        """Whether this process indexes for all."""
        return self._leads or self._lock is not None

    def holder(self) -> int | None:
        """Return the process that holds the lock of the index, for messages; ``None`` if it is not known."""
        path = self._folder / _LOCK
        with contextlib.suppress(OSError, ValueError):
            return int(path.read_text(encoding="ascii")) if is_held(path) else None
        return None

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
        shared = self.database.take_lock("indexer")
        if shared is not None:
            if not shared:
                self._seen = None  # another process goes on; what it indexes is read again
            self._leads = shared
            return shared
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
        write_in_lock(lock, self._folder / _LOCK, str(os.getpid()))
        return True

    def _indexed_ids(self, known: dict[str, int]) -> SeenIds:
        """Return the ids that were indexed before: of the last segments, and of the log up to the known positions."""
        seen = SeenIds(self._remembered)
        for name in read_manifest(self._folder).codes:
            seen.add(read_codes(self._folder / SEGMENTS / name))
        for path in log_files(self._folder):
            with contextlib.suppress(FileNotFoundError), path.open("rb") as file:
                seen.add(file_codes(file, end=known.get(path.name, 0)))
        return seen

    def _follow(self, path: Path, at: int) -> None:
        with path.open("rb") as file:
            placed = new_rows(file, at)
            while batch := list(islice(placed, _BATCH_ROWS)):
                self._index(path.name, batch)

    def _index(self, name: str, batch: Sequence[PlacedRow]) -> None:
        assert self._seen is not None
        new: dict[int, PlacedRow] = {}
        for placed in batch:
            if placed.row is not None and (code := id_code(placed.row.id)) not in self._seen:
                new.setdefault(code, placed)
        rows = [placed.row for placed in new.values() if placed.row is not None]
        end = batch[-1].at + batch[-1].length + 1
        with self.database.writing() as database:
            if self.database.erasures() != self._erasures:
                raise _ErasedError
            kept = self.database.claim(rows)
            if len(kept) < len(rows):
                ids = {row.id for row in kept}
                new = {code: placed for code, placed in new.items() if placed.row is not None and placed.row.id in ids}
            rows = list(kept)
            known = self._count(rows)
            (file,) = database.execute(
                "INSERT INTO log_files (name, at) VALUES (?, ?) "
                "ON CONFLICT (name) DO UPDATE SET at = excluded.at RETURNING n",
                (name, end),
            ).fetchone()
            places = [
                (indexed.conversation, file, placed.at, placed.length)
                for placed, indexed in zip(new.values(), known, strict=True)
                if indexed.conversation is not None
            ]
            database.executemany("INSERT OR IGNORE INTO event_places VALUES (?, ?, ?, ?)", places)
        self._seen.add(new)
        self._indexed += len(rows)
        if self.counted is not None:
            self.counted(rows)

    def _count(self, rows: Sequence[EventRow]) -> list[Indexed]:
        known = self.conversations.add(rows)
        cells: dict[tuple[int, Slice], RollupCell] = {}
        for row, indexed in zip(rows, known, strict=True):
            if row.time < self._counted_before:
                continue
            key = (int(row.time // MINUTE) * MINUTE, indexed.slice)
            if key not in cells:
                cells[key] = RollupCell(start=key[0], slice=indexed.slice)
            cells[key].add(row, is_first=indexed.is_first)
        self.rollups.add(cells.values())
        return known
