"""Windows and slices from rollups: any length of time from a few cells."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Literal, Protocol

from proctor.core.rollup_cell import MINUTE, RollupCell, Slice
from proctor.store.rollups import STEPS

__all__ = ["RollupCells", "SliceField", "cells_by", "window_cells"]

SliceField = Literal["intent", "model", "version", "source"]


class RollupCells(Protocol):
    """Where rollups are read from."""

    def cells(
        self, since: float, until: float, *, step: int = MINUTE, total: bool = False, intent: str | None = None
    ) -> list[RollupCell]:
        """Return the cells of a length that begin in [since, until)."""
        ...


def window_cells(
    rollups: RollupCells, since: float, until: float, *, step: int = 300, intent: str | None = None
) -> list[RollupCell]:
    """Return one cell for each ``step`` seconds in [since, until); windows without events are empty cells.

    Windows begin at multiples of ``step``. The first one holds ``since``.

    Raises:
        ValueError: the step is not a whole number of minutes.
        StoreError: the database failed.
    """
    if step < MINUTE or step % MINUTE:
        raise ValueError(f"a window has a whole number of minutes, not {step} s")
    part = max(each for each in STEPS if step % each == 0)
    start, end = int(since // step) * step, _up(until, step)
    place = Slice(intent=intent or "")
    found = {at: RollupCell(start=at, step=step, slice=place) for at in range(start, end, step)}
    for cell in rollups.cells(start, end, step=part, total=intent is None, intent=intent):
        if part == step and intent is None:
            found[cell.start] = replace(cell, slice=place)
        else:
            found[cell.start // step * step].merge(cell)
    return list(found.values())


def cells_by(rollups: RollupCells, name: SliceField, since: float, until: float) -> dict[str, RollupCell]:
    """Return the counts in [since, until), in whole minutes, by intent, model, version or source.

    Raises:
        StoreError: the database failed.
    """
    found: dict[str, RollupCell] = {}
    start, end = int(since // MINUTE) * MINUTE, _up(until, MINUTE)
    for step, low, high in _cover(start, end):
        for cell in rollups.cells(low, high, step=step):
            key = getattr(cell.slice, name)
            if key not in found:
                found[key] = RollupCell(start=start, step=end - start, slice=Slice(**{name: key}))
            found[key].merge(cell)
    return dict(sorted(found.items()))


def _cover(start: int, end: int) -> Iterator[tuple[int, int, int]]:
    """Yield steps and the ranges that cells of that length cover, so that few cells cover the whole."""
    at = start
    while at < end:
        step = max(each for each in STEPS if at % each == 0 and at + each <= end)
        stop = end // step * step
        larger = next((each for each in STEPS if each > step), None)
        if larger is not None:
            stop = min(stop, _up(at + 1, larger))
        yield step, at, stop
        at = stop


def _up(time: float, step: int) -> int:
    return -int(-time // step) * step
