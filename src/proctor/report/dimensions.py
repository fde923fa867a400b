"""The table of dimensions by intent of a run."""

from __future__ import annotations

from proctor.core.record import dataclass
from proctor.core.report import Cell, Report

__all__ = ["Grid", "GridRow", "grids", "title_of"]

_FIRST = ("pass_rate", "quality", "relevance", "factual_accuracy", "consistency", "fluency")
_COLUMNS = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class GridRow:
    """One intent (``None``: all) with a cell per dimension; none where it never applied."""

    intent: str | None
    cells: tuple[Cell | None, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid:
    """The dimensions of one target by intent; ``target`` is empty if the run has only one."""

    target: str
    dimensions: tuple[str, ...]
    rows: tuple[GridRow, ...]

    @property
    def lowest(self) -> tuple[float | None, ...]:
        """The lowest mean of each dimension; none if all intents have the same."""
        found: list[float | None] = []
        for place in range(len(self.dimensions)):
            cells = [row.cells[place] for row in self.rows if row.intent is not None]
            means = {cell.mean for cell in cells if cell is not None and cell.mean is not None}
            found.append(min(means) if len(means) > 1 else None)
        return tuple(found)


def grids(report: Report) -> list[Grid]:
    """Return a grid per target; none if it would only repeat the table of scorers."""
    whole = [cell for cell in report.by_dimension if "." not in cell.dimension]
    scorers = {tally.name for tally in report.by_scorer} | {"pass_rate", "quality"}
    intents = {cell.intent for cell in whole} - {None, "other"}
    if not intents and all(cell.dimension in scorers for cell in whole):
        return []
    targets = dict.fromkeys(cell.target for cell in whole)
    return [
        _grid([cell for cell in whole if cell.target == target], target if len(targets) > 1 else "")
        for target in targets
    ]


def title_of(dimension: str) -> str:
    """Return the display name of a dimension."""
    return dimension.replace("_", " ").capitalize()


def _grid(cells: list[Cell], target: str) -> Grid:
    names = dict.fromkeys(cell.dimension for cell in cells)
    ordered = sorted(names, key=lambda name: (_FIRST.index(name) if name in _FIRST else len(_FIRST), name))
    dimensions = tuple(ordered[:_COLUMNS])
    at = {(cell.intent, cell.dimension): cell for cell in cells}
    intents = sorted({cell.intent for cell in cells if cell.intent is not None})
    rows = [
        GridRow(intent=intent, cells=tuple(at.get((intent, name)) for name in dimensions))
        for intent in [*intents, None]
    ]
    return Grid(target=target, dimensions=dimensions, rows=tuple(rows))
