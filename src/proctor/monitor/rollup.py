"""Counts of events by minute and slice, in memory."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from proctor.core.event_row import EventRow
from proctor.core.rollup_cell import MINUTE, RollupCell, Slice
from proctor.core.seen_ids import SeenIds, id_code

__all__ = ["Rollup"]

_SESSIONS: Final = 100_000  # conversations that are remembered, to count each once


class Rollup:
    """Counts rows as they arrive, by the minute of their own time; a late row is counted where it belongs.

    Cells are kept for ``kept`` seconds before the newest row; older rows are not counted here but in the store.
    """

    def __init__(self, *, kept: float = 86_400.0) -> None:
        self._kept = kept
        self._minutes: dict[int, dict[Slice, RollupCell]] = {}
        self._sessions = SeenIds(_SESSIONS)
        self._newest = 0

    def add(self, row: EventRow) -> None:
        """Count one row. It must be new: a repeated delivery is the log's to find."""
        self.extend((row,))

    def extend(self, rows: Iterable[EventRow]) -> None:
        """Count many rows; those of one minute and slice that follow each other share a look-up."""
        last: tuple[int, Any, Any, Any, Any] | None = None
        cell: RollupCell | None = None
        for row in rows:
            minute = int(row.time // MINUTE) * MINUTE
            place = (minute, row.intent, row.model, row.version, row.source)
            if place != last:
                cell, last = self._cell(minute, row), place
            if cell is not None:
                cell.add(row, is_first=self._is_first(row))

    def _cell(self, minute: int, row: EventRow) -> RollupCell | None:
        """Return the cell of a row; ``None`` if its minute is too old to be counted here."""
        if minute > self._newest:
            self._newest = minute
            self._drop(minute - self._kept)
        elif minute < self._newest - self._kept:
            return None
        cells = self._minutes.setdefault(minute, {})
        place = Slice.of(row)
        cell = cells.get(place)
        if cell is None:
            cell = cells[place] = RollupCell(start=minute, slice=place)
        return cell

    def cells(self, since: float | None = None, until: float | None = None) -> list[RollupCell]:
        """Return the cells of the minutes that begin in [since, until), in the order of time."""
        low = float("-inf") if since is None else since
        high = float("inf") if until is None else until
        return [
            cell
            for minute in sorted(self._minutes)
            if low <= minute < high
            for _, cell in sorted(self._minutes[minute].items())
        ]

    def _is_first(self, row: EventRow) -> bool:
        if not row.session:
            return False
        code = id_code(row.session)
        if code in self._sessions:
            return False
        self._sessions.add((code,))
        return True

    def _drop(self, before: float) -> None:
        for minute in [each for each in self._minutes if each < before]:
            del self._minutes[minute]
