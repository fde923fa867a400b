"""Counts of production by minute and slice, in the database, added up to longer steps too."""

from __future__ import annotations

import sqlite3
import struct
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import orjson

from proctor.core.rollup_cell import MINUTE, RollupCell, Slice
from proctor.store.event_database import EventDatabase

__all__ = ["STEPS", "RollupStore"]

STEPS: Final = (MINUTE, 300, 3_600, 86_400)
_ALL: Final = 0  # the slice of all slices together
_MAX_SLICES: Final = 5_000
_MAX_KEYS: Final = 150  # of cells that one query reads
_REST: Final = Slice(intent="(other)")  # what is counted together beyond them
_NUMBERS: Final = (
    "turns",
    "conversations",
    "csat_sum",
    "csat_count",
    "confidence_sum",
    "confidence_count",
    "cost",
)
_SLICES: Final = "SELECT n, intent, model, version, source FROM slices"
_READ: Final = f"step, start, slice, {', '.join(_NUMBERS)}, counts, latency"


class RollupStore:
    """Adds cells to those that are there. A window of any length is read from a few of them."""

    def __init__(self, store: Path, *, database: EventDatabase | None = None) -> None:
        self._database = database or EventDatabase(store)

    def add(self, cells: Iterable[RollupCell]) -> None:
        """Add the counts of minute cells, all of them or none.

        Raises:
            StoreError: the database failed.
        """
        with self._database.writing() as database:
            # Read in each transaction: the slices that a failed one had added are not in the database.
            known = {Slice(*row[1:]): int(row[0]) for row in database.execute(_SLICES)}
            level: dict[tuple[int, int], RollupCell] = {}
            for cell in cells:
                _merge(level, (cell.start, _number(database, cell.slice, known)), MINUTE, cell)
            added: dict[int, dict[tuple[int, int], RollupCell]] = {}
            for step in STEPS:
                if step != MINUTE:  # longer cells are the sums of the shorter ones
                    level = _longer(level, step)
                total: dict[tuple[int, int], RollupCell] = {}
                for (start, _), cell in level.items():
                    _merge(total, (start, _ALL), step, cell)
                added[step] = {**level, **total}
            for step, found in added.items():
                self._upsert(database, step, found)

    def cells(
        self, since: float, until: float, *, step: int = MINUTE, total: bool = False, intent: str | None = None
    ) -> list[RollupCell]:
        """Return the cells that begin in [since, until), in the order of time.

        ``step`` is one of STEPS. With ``total`` each step has one cell for all slices.

        Raises:
            ValueError: there are no cells of that length.
            StoreError: the database failed.
        """
        if step not in STEPS:
            raise ValueError(f"cells have one of {STEPS} seconds, not {step}")
        with self._database.reading() as database:
            known = {row[0]: Slice(*row[1:]) for row in database.execute(_SLICES)}
            wanted = [_ALL] if total else [n for n, each in known.items() if intent is None or each.intent == intent]
            rows: list[Any] = []
            for number in wanted:
                rows += database.execute(
                    f"SELECT {_READ} FROM rollups WHERE step = ? AND slice = ? AND start >= ? AND start < ?",
                    (step, number, since, until),
                ).fetchall()
        rows.sort(key=lambda row: row[1])
        return [_cell(row, known.get(row[2], Slice())) for row in rows]

    def slices(self) -> list[Slice]:
        """Return the slices that were counted."""
        with self._database.reading() as database:
            return [Slice(*row) for row in database.execute("SELECT intent, model, version, source FROM slices")]

    def drop_before(self, time: float, *, step: int) -> int:
        """Remove the cells of one length that begin before a time; return how many."""
        with self._database.writing() as database:
            return database.execute("DELETE FROM rollups WHERE step = ? AND start < ?", (step, time)).rowcount

    def keep_before(self, time: float) -> None:
        """Note that events up to a time were removed: the cells of these days stay when others are counted again."""
        until = int(time // STEPS[-1] + 1) * STEPS[-1]  # every cell is before the end of a day, or after it
        with self._database.writing() as database:
            database.execute("INSERT INTO removed_events (until) VALUES (?) ON CONFLICT DO NOTHING", (until,))

    def kept_before(self) -> float:
        """Return the time before which cells stay; all can be counted again if no events were removed."""
        with self._database.reading() as database:
            (until,) = database.execute("SELECT MAX(until) FROM removed_events").fetchone()
        return float("-inf") if until is None else until

    def clear(self) -> None:
        """Remove the cells that can be counted again: those of days from which no events were removed."""
        until = self.kept_before()
        with self._database.writing() as database:
            if until == float("-inf"):
                database.execute("DELETE FROM rollups")
                database.execute("DELETE FROM slices")
            else:
                database.execute("DELETE FROM rollups WHERE start >= ?", (until,))

    def close(self) -> None:
        """Close the database."""
        self._database.close()

    def _upsert(self, database: sqlite3.Connection, step: int, added: Mapping[tuple[int, int], RollupCell]) -> None:
        keys = sorted(added)
        for first in range(0, len(keys), _MAX_KEYS):  # a few at once: a database elsewhere answers after a round trip
            some = set(keys[first : first + _MAX_KEYS])
            starts, numbers = sorted({key[0] for key in some}), sorted({key[1] for key in some})
            # Two lists are looked up by the primary key; a list of pairs would read every cell of this length.
            find = (
                f"SELECT {_READ} FROM rollups WHERE step = ? AND slice IN ({', '.join('?' * len(numbers))}) "
                f"AND start IN ({', '.join('?' * len(starts))})"
            )
            for row in database.execute(find, (step, *numbers, *starts)).fetchall():
                if (row[1], row[2]) in some:
                    cell = added[row[1], row[2]]
                    cell.merge(_cell(row, cell.slice))
        rows = [
            (step, *key, *[getattr(cell, name) for name in _NUMBERS], _counts(cell), _packed(cell.latency))
            for key, cell in added.items()
        ]
        marks = ", ".join("?" * len(_READ.split(",")))
        database.executemany(f"INSERT OR REPLACE INTO rollups ({_READ}) VALUES ({marks})", rows)


def _number(database: sqlite3.Connection, place: Slice, known: dict[Slice, int]) -> int:
    """Return the number of a slice; a new one is added, and so to ``known``."""
    if place in known:
        return known[place]
    find = f"{_SLICES} WHERE intent = ? AND model = ? AND version = ? AND source = ?"
    row = database.execute(find, place).fetchone()  # one with a masked secret is stored under another name
    if row is None:
        if len(known) >= _MAX_SLICES and place != _REST:  # ids sent as intents must not fill the disk
            return _number(database, _REST, known)
        insert = "INSERT INTO slices (intent, model, version, source) VALUES (?, ?, ?, ?) RETURNING n"
        row = database.execute(insert, place).fetchone()
    known[place] = int(row[0])
    return known[place]


def _merge(level: dict[tuple[int, int], RollupCell], key: tuple[int, int], step: int, cell: RollupCell) -> None:
    if key not in level:
        level[key] = RollupCell(start=key[0], step=step, slice=cell.slice)
    level[key].merge(cell)


def _longer(level: Mapping[tuple[int, int], RollupCell], step: int) -> dict[tuple[int, int], RollupCell]:
    longer: dict[tuple[int, int], RollupCell] = {}
    for (start, number), cell in level.items():
        _merge(longer, (start // step * step, number), step, cell)
    return longer


def _counts(cell: RollupCell) -> str:
    return orjson.dumps([cell.events, cell.signals, cell.values]).decode()


def _packed(latency: dict[int, int]) -> bytes:
    flat = [number for pair in latency.items() for number in pair]
    return struct.pack(f"<{len(flat)}i", *flat)


def _cell(row: Sequence[Any], place: Slice) -> RollupCell:
    events, signals, values = orjson.loads(row[10])
    flat = struct.unpack(f"<{len(row[11]) // 4}i", row[11])
    return RollupCell(
        step=row[0],
        start=row[1],
        slice=place,
        **dict(zip(_NUMBERS, row[3:10], strict=True)),
        events=events,
        signals=signals,
        values=values,
        latency=dict(zip(flat[::2], flat[1::2], strict=True)),
    )
