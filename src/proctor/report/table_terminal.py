"""Draws a report table on a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from proctor.report.report_table import CellState, ReportTable
from proctor.report.safe_text import one_line

if TYPE_CHECKING:
    from rich.table import Table

__all__ = ["TableFrame", "rich_table"]

TableFrame = Literal["sheet", "run", "release"]
_COMPACT: dict[str, Any] = {"padding": (0, 1), "header_style": "bold", "show_edge": False}
_FRAMES: dict[TableFrame, dict[str, Any]] = {
    "sheet": {},
    "run": {**_COMPACT, "collapse_padding": True},
    "release": _COMPACT,
}
_STYLES: dict[CellState, str] = {
    "": "",
    "pass": "green",
    "fail": "red",
    "unscored": "yellow",
    "muted": "dim",
    "strong": "bold",
}


def rich_table(table: ReportTable, frame: TableFrame, *, most: int | None = None, max_chars: int = 200) -> Table:
    """The table as ``rich`` prints it. A cell is one line of ``max_chars`` at most; nothing in it is markup."""
    from rich.box import SIMPLE_HEAD  # noqa: PLC0415 - rich only when drawing
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    made = Table(box=SIMPLE_HEAD, pad_edge=False, **_FRAMES[frame])
    for column in table.columns:
        right = column.figure and not column.is_wrapped
        made.add_column(
            column.name, justify="right" if right else "left", overflow="fold", no_wrap=not column.is_wrapped
        )
    for row in table.cells(most):
        made.add_row(*(Text(one_line(cell.text, max_chars), style=_STYLES[cell.state]) for cell in row))
    return made
