"""One table of a report with plain cells, independent of the format."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

from proctor.core.record import dataclass

__all__ = ["CellState", "ReportTable", "TableCell", "TableColumn", "TableRow", "TextBlock", "columns", "figures"]

CellState = Literal["", "pass", "fail", "unscored", "muted", "strong"]


@dataclass(frozen=True, slots=True)
class TableCell:
    """The text of one cell, and how it is marked."""

    text: str
    state: CellState = ""


TableRow = Sequence[str | TableCell]


@dataclass(frozen=True, slots=True)
class TableColumn:
    """The head of one column. Figures are right-aligned; ``wraps`` sets whether cells may have several lines.

    By default texts wrap and figures do not. A figure that wraps is aligned like a text on a terminal.
    """

    name: str
    figure: bool = False
    wraps: bool | None = None

    @property
    def is_wrapped(self) -> bool:
        """Whether cells of this column may have several lines."""
        return not self.figure if self.wraps is None else self.wraps


@dataclass(frozen=True, slots=True)
class TextBlock:
    """A text shown unchanged, line by line: a diff, an output."""

    title: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportTable:
    """A table with a title and a hint; rows have plain texts and marked cells. Blocks are shown below the rows."""

    title: str = ""
    columns: Sequence[TableColumn] = ()
    rows: Sequence[TableRow] = ()
    hint: str = ""
    blocks: Sequence[TextBlock] = ()

    def cells(self, most: int | None = None) -> Iterable[tuple[TableCell, ...]]:
        """Yield the rows with every cell as a ``TableCell``; after ``most`` rows, one row has the number left out."""
        for row in self.rows[:most]:
            yield tuple(cell if isinstance(cell, TableCell) else TableCell(cell) for cell in row)
        if most is not None and len(self.rows) > most:
            yield (TableCell(f"… {len(self.rows) - most} more"), *[TableCell("")] * (len(self.columns) - 1))


def columns(*names: str) -> tuple[TableColumn, ...]:
    """Return columns of text."""
    return tuple(TableColumn(name) for name in names)


def figures(*names: str) -> tuple[TableColumn, ...]:
    """Return columns of figures."""
    return tuple(TableColumn(name, figure=True) for name in names)
