"""The history of production: sealed, searched, kept for a time, and erased on request."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from proctor.core.errors import StoreError
from proctor.core.event import Event
from proctor.core.event_row import EventRow
from proctor.core.rollup_cell import MINUTE, RollupCell
from proctor.core.session_turns import turns_of
from proctor.core.trajectory import Trajectory
from proctor.store.conversation_index import Condition, conversation_conditions
from proctor.store.conversation_part import ConversationPart, PartRequest, event_in, in_order, logged_lines, part_of
from proctor.store.duck import connect_duck
from proctor.store.erase_customer import Forgotten, customer_names, erase_customer, erase_from_guard_log
from proctor.store.event_database import EventDatabase
from proctor.store.event_indexer import EventIndexer
from proctor.store.event_log import FOLDER
from proctor.store.history_records import HistoryStats, Retained, SearchHit
from proctor.store.log_reader import log_files, read_log
from proctor.store.postgres_events import PostgresEventDatabase
from proctor.store.postgres_texts import PostgresTextIndex
from proctor.store.rollup_windows import SliceField, cells_by, window_cells
from proctor.store.scoring_progress import forget_scoring
from proctor.store.seal_log import Sealed, compact_days, remove_if_free, seal_logs, sole_sealer
from proctor.store.segments import (
    MANIFEST,
    SEGMENTS,
    Manifest,
    Segment,
    SessionLine,
    read_manifest,
    read_segments,
    remove_segments,
    session_lines,
    write_manifest,
)
from proctor.store.text_index import FoundText, TextIndex

if TYPE_CHECKING:
    import duckdb

__all__ = ["History"]


class History:
    """What was logged, in the folder of a store. Any number of processes may read it while others write the log.

    ``catch_up`` brings the indexes up to the log; a server calls it every second or so. Windows, intents, conversations
    and searches are as new as the last call, in whichever process it was. With ``search`` texts are indexed too, which
    costs about 0.1 ms a turn.
    """

    def __init__(self, store: Path, *, search: bool = True, database: EventDatabase | None = None) -> None:
        self.store = store
        self.folder = store / FOLDER
        self.indexer = EventIndexer(store, database=database)
        self.texts: TextIndex | None = None
        if search:
            shared = database if isinstance(database, PostgresEventDatabase) else None
            self.texts = PostgresTextIndex(store, shared) if shared is not None else TextIndex(store)
        self._duck: duckdb.DuckDBPyConnection | None = None
        self._manifest: tuple[tuple[int, int, int], Manifest] | None = None

    def __enter__(self) -> History:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the databases; closing twice is fine."""
        self.indexer.close()
        if self.texts is not None:
            self.texts.close()
        if self._duck is not None:
            self._duck.close()
            self._duck = None

    # --- upkeep --------------------------------------------------------------------------------------

    def catch_up(self, *, seconds: float | None = None) -> int | None:
        """Index what is new in the log; return how many events, or ``None`` if another process does it.

        ``seconds`` limits the time for texts, which come last.

        Raises:
            StoreError: a file cannot be read, or a database failed.
        """
        count = self.indexer.catch_up()
        if count is not None and self.texts is not None:
            self.texts.catch_up(seconds=seconds)
        return count

    def rebuild(self) -> int | None:
        """Build the indexes again, from the segments and the log; return how many events. Counts of removed ones stay.

        ``None`` if another process is the indexer.

        Raises:
            StoreError: a file cannot be read, or a database failed.
        """
        count = self.indexer.rebuild()
        if count is not None and self.texts is not None:
            self.texts.clear()
            batch: list[EventRow] = []
            for row in self._sealed_rows():
                batch.append(row)
                if len(batch) >= 1_000:
                    self.texts.add(batch)
                    batch = []
            self.texts.add(batch)
            self.texts.catch_up()
        return count

    def seal(self, *, now: datetime | None = None, settled: float = 0.0) -> Sealed:
        """Turn log files that have no writer into Parquet segments, and merge the segments of days that are over.

        Files that were written in the last ``settled`` seconds wait: a server that starts reads them.

        Raises:
            StoreError: DuckDB is not installed, another process seals, or the disk failed.
        """
        with sole_sealer(self.folder):
            self.catch_up()
            done = seal_logs(self.folder, self._indexed(), settled=settled)
            self._drop_files()
            compact_days(self.folder, now=now)
        return done

    def retain(self, before: float, *, minutes_before: float | None = None) -> Retained:
        """Remove events, conversations and texts before a time, in whole segments; rollups of hours and days stay.

        Minute and five-minute rollups are removed before ``minutes_before``.

        Raises:
            StoreError: another process seals, or the disk failed.
        """
        with sole_sealer(self.folder):
            manifest = read_manifest(self.folder)
            old = [each for each in manifest.segments if each.last < before]
            if old:
                self.indexer.rollups.keep_before(max(each.last for each in old))
                write_manifest(self.folder, manifest.replaced(old, []))
                remove_segments(self.folder, old)
            logs = self._remove_old_logs(before)
            self._drop_files()
            self.indexer.database.drop_claims_before(before)
        cells = 0
        if minutes_before is not None:
            cells = sum(self.indexer.rollups.drop_before(minutes_before, step=step) for step in (MINUTE, 300))
        return Retained(
            segments=len(old),
            events=sum(each.rows for each in old),
            logs=logs,
            conversations=self.indexer.conversations.drop_before(before),
            texts=self.texts.drop_before(before) if self.texts is not None else 0,
            cells=cells,
        )

    def forget(self, customer: str, *, beside: Callable[[Sequence[str]], None] | None = None) -> Forgotten:
        """Erase a customer from the log, the segments, the indexes, the log of gates, the review and scoring queues.

        ``beside`` erases what others keep of the customer's sessions. The index forgets the sessions last, so that an
        erasure that failed can be repeated.

        Raises:
            StoreError: another process seals, DuckDB is needed and not installed, or the disk failed; call it again.
        """
        names = customer_names(self.store, customer)
        with sole_sealer(self.folder):
            self.catch_up()
            done = erase_customer(self.store, names, self.indexer, self.texts)
        forget_scoring(self.store, done.sessions)
        decisions = erase_from_guard_log(self.store, names, done.sessions)
        if beside is not None:
            beside(done.sessions)
        conversations = self.indexer.conversations.forget_customer(names, done.sessions)
        with self.indexer.database.reading() as known:
            known.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return replace(done, decisions=decisions, conversations=conversations)

    def stats(self) -> HistoryStats:
        """Return how much is stored.

        Raises:
            StoreError: a database failed.
        """
        manifest = read_manifest(self.folder)
        sizes = {path.name: path.stat().st_size for path in log_files(self.folder)}
        indexed = self.indexer.positions()
        searched = self.texts.positions() if self.texts is not None else sizes
        days: dict[str, int] = {}
        for each in manifest.segments:
            days[each.day] = days.get(each.day, 0) + each.rows
        first, last = self.indexer.conversations.span()
        return HistoryStats(
            log_files=len(sizes),
            log_bytes=sum(sizes.values()),
            unindexed_bytes=sum(size - indexed.get(name, 0) for name, size in sizes.items()),
            unsearched_bytes=sum(size - searched.get(name, 0) for name, size in sizes.items()),
            segments=len(manifest.segments),
            sealed_events=sum(each.rows for each in manifest.segments),
            sealed_bytes=sum(each.bytes for each in manifest.segments),
            index_bytes=_bytes(self.folder, "index.db*"),
            search_bytes=_bytes(self.folder, "search.db*"),
            conversations=self.indexer.conversations.count(),
            texts=self.texts.count() if self.texts is not None else 0,
            first=first,
            last=last,
            days=dict(sorted(days.items())),
        )

    # --- questions -----------------------------------------------------------------------------------

    def events(self, since: float | None = None, until: float | None = None) -> Iterator[EventRow]:
        """Yield each event whose time is in [since, until): the sealed ones in the order of time, then the log."""
        return read_log(self.folder, since=since, until=until)

    def windows(self, since: float, until: float, *, step: int = 300, intent: str | None = None) -> list[RollupCell]:
        """Return one cell for each ``step`` seconds in [since, until); windows without events are empty cells.

        Raises:
            ValueError: the step is not a whole number of minutes.
            StoreError: the database failed.
        """
        return window_cells(self.indexer.rollups, since, until, step=step, intent=intent)

    def by(self, name: SliceField, since: float, until: float) -> dict[str, RollupCell]:
        """Return the counts in [since, until), in whole minutes, by intent, model, version or source.

        Raises:
            StoreError: the database failed.
        """
        return cells_by(self.indexer.rollups, name, since, until)

    def by_intent(self, since: float, until: float) -> dict[str, RollupCell]:
        """Return the counts in [since, until) of each intent; the empty one is unknown."""
        return self.by("intent", since, until)

    def conversation(self, session: str) -> Trajectory | None:
        """Return a conversation with all its turns in the order of time; ``None`` if it is not known.

        Raises:
            StoreError: a file cannot be read, or it is sealed and DuckDB is not installed.
        """
        known = self.indexer.conversations.get(session)
        if known is None:
            return None
        metadata = {
            name: value
            for name in ("intent", "outcome", "csat", "escalated", "signals", "scores")
            if (value := getattr(known, name))
        }
        return Trajectory(
            id=session,
            session=session,
            customer=known.customer,
            turns=turns_of(self.conversation_events(session)),
            metadata=metadata,
        )

    def conversation_events(self, session: str) -> list[Event]:
        """Return the events of a conversation in the order of time, each once.

        Raises:
            StoreError: a file cannot be read, or it is sealed and DuckDB is not installed.
        """
        return [event_in(each) for each in self._session_lines(session)]

    def conversation_part(self, session: str, wanted: PartRequest) -> ConversationPart | None:
        """Return some turns of a conversation; ``None`` if it is not known.

        Only these turns are decoded, so that a very long conversation can be read page by page.

        Raises:
            StoreError: a file cannot be read, or it is sealed and DuckDB is not installed.
        """
        known = self.indexer.conversations.get(session)
        return None if known is None else part_of(known, self._session_lines(session), wanted)

    def search(self, text: str, *, limit: int = 20, offset: int = 0, **conditions: Condition) -> list[SearchHit]:
        """Return conversations with a turn that contains every word of a text, the newest first, after ``offset``.

        Parts of words match, in any language; upper and lower case, wide and narrow characters are the same. An empty
        text finds conversations by the conditions alone: ``intent``, ``outcome``, ``signal``, ``since``, ``until``,
        and ``score``, the name of a scorer and the value that its score is below.

        Raises:
            ValueError: a condition is not known.
            StoreError: the database failed, or texts are not indexed.
        """
        if not text.strip():
            found = self.indexer.conversations.find(limit=limit, offset=offset, **conditions)  # type: ignore[arg-type]
            return [SearchHit(conversation=each, time=each.last, text="") for each in found]
        if self.texts is None:
            raise StoreError("texts are not indexed", hint="set `search: true` under `monitor: history:`")
        where, values = conversation_conditions(conditions)
        hits: dict[str, FoundText] = {}
        for turn in self.texts.find(text, where=" AND ".join(where) or "1", values=values):
            hits.setdefault(turn.session, turn)
            if len(hits) >= offset + limit:
                break
        index = self.indexer.conversations
        shown = [(index.get(each.session), each) for each in list(hits.values())[offset:]]
        return [SearchHit(conversation=known, time=each.time, text=each.text) for known, each in shown if known]

    # --- parts ---------------------------------------------------------------------------------------

    def _indexed(self) -> dict[str, int]:
        """Return how far each log file is indexed for every purpose."""
        known = self.indexer.positions()
        if self.texts is None:
            return known
        searched = self.texts.positions()
        return {name: min(at, searched.get(name, 0)) for name, at in known.items()}

    def _drop_files(self) -> None:
        present = [path.name for path in log_files(self.folder)]
        self.indexer.drop_files(present)
        if self.texts is not None:
            self.texts.drop_files(present)

    def _remove_old_logs(self, before: float) -> int:
        """Remove log files that were written before a time, if no writer holds them and nobody has sealed them."""
        old = [path for path in log_files(self.folder) if path.stat().st_mtime < before]
        if old:
            self.indexer.rollups.keep_before(before)
        return sum(map(remove_if_free, old))

    def _session_lines(self, session: str) -> list[SessionLine]:
        """Return the events of a conversation in the order of time, each once."""
        known = self.indexer.conversations.get(session)
        if known is None:
            return []
        sealed: list[SessionLine] = []
        # The log first: what is sealed meanwhile is then found in a segment.
        logged = list(logged_lines(self.folder, self.indexer.places(session), session))
        if self._segments(known.first, known.last):
            sealed = session_lines(
                self.folder,
                lambda: self._segments(known.first, known.last),
                session=session,
                first=known.first,
                last=known.last,
                database=self._open_duck(),
            )
        return in_order([*sealed, *logged])

    def _sealed_rows(self) -> Iterator[EventRow]:
        low, high = float("-inf"), float("inf")
        return read_segments(self.folder, lambda: self._segments(low, high), since=low, until=high)

    def _segments(self, first: float, last: float) -> list[Segment]:
        """Return the segments that may have events in [first, last]; the manifest is read again if it changed."""
        try:
            found = (self.folder / SEGMENTS / MANIFEST).stat()
        except FileNotFoundError:
            return []
        version = (found.st_ino, found.st_mtime_ns, found.st_size)
        if self._manifest is None or self._manifest[0] != version:
            self._manifest = (version, read_manifest(self.folder))
        return self._manifest[1].between(first, math.nextafter(last, math.inf))

    def _open_duck(self) -> duckdb.DuckDBPyConnection:
        if self._duck is None:
            self._duck = connect_duck(threads=1)
        return self._duck


def _bytes(folder: Path, pattern: str) -> int:
    return sum(path.stat().st_size for path in folder.glob(pattern))
