"""Tables of reports as tables of pages: the same words and figures as on the terminal."""

from __future__ import annotations

from collections.abc import Callable

from proctor.report.report_table import ReportTable, TableCell
from proctor.server.pages.table import Cell, Chip, Column, Link, Table

__all__ = ["page_table"]


def page_table(
    table: ReportTable, *, link: Callable[[str], str] | None = None, unnamed: str = "Finding", empty: str = ""
) -> Table:
    """Return a table of a report; ``link`` returns where the first cell of a row leads, ``unnamed`` names a column."""
    return Table(
        columns=[Column(_head(each.name or unnamed), "number" if each.figure else "text") for each in table.columns],
        rows=[[_cell(cell, link if place == 0 else None) for place, cell in enumerate(row)] for row in table.cells()],
        caption=table.title,
        empty=empty or "Nothing was measured.",
    )


def _head(name: str) -> str:
    return name[:1].upper() + name[1:] if len(name) > 1 else name  # p is no P


def _cell(cell: TableCell, link: Callable[[str], str] | None) -> Cell:
    match cell.state:
        case "pass" | "fail" | "unscored":
            return Chip(cell.state, cell.text)
    if link is not None and cell.text:
        return Link(cell.text, link(cell.text))
    return cell.text or None
