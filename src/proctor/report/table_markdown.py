"""Writes a report table as Markdown; texts from outside are escaped."""

from __future__ import annotations

import re

from proctor.report.report_table import ReportTable, TableCell
from proctor.report.safe_text import one_line

__all__ = ["escaped", "markdown_table"]

_SPECIAL = re.compile(r"([\\`*_{}\[\]()!|~])")
# Hosts turn these into mentions, links to issues and links to pages; a report must ping nobody.
_LIVE = re.compile(r"(@(?=\w)|#(?=\d)|\bGH-(?=\d)|:(?=//)|\bwww(?=\.))", re.IGNORECASE)
_OPENING = re.compile(r"^(\d+(?=[.)])|(?=[#+=>-]))")


def escaped(text: str, limit: int = 200) -> str:
    """Text from outside on one line, with nothing left that Markdown or its host would act on."""
    safe = _SPECIAL.sub(r"\\\1", one_line(text, limit))
    safe = safe.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    safe = _LIVE.sub("\\1\u200b", safe)
    return _OPENING.sub(r"\1\\", safe)


def markdown_table(
    table: ReportTable,
    *,
    most: int | None = None,
    max_chars: int = 200,
    raw_figures: bool = False,
    short_rule: bool = False,
) -> str:
    """The head, the rule and the rows, each line ended; a ``strong`` cell is bold.

    With ``raw_figures``, cells of figure columns are written as they are. With ``short_rule``, the line under the head
    has no spaces and marks only figures.
    """
    plain = [raw_figures and column.figure for column in table.columns]

    def shown(cell: TableCell, is_plain: bool) -> str:
        text = cell.text if is_plain else escaped(cell.text, max_chars)
        return f"**{text}**" if cell.state == "strong" else text

    names = [column.name for column in table.columns]
    marks = ("---", "---:") if short_rule else (":--", "--:")
    rule = [marks[column.figure] for column in table.columns]
    lines = [
        _line([escaped(name) for name in names]) if any(names) else "|" + " |" * len(names) + "\n",
        "|" + "|".join(rule) + "|\n" if short_rule else _line(rule),
        *(_line([shown(*each) for each in zip(row, plain, strict=True)]) for row in table.cells(most)),
    ]
    return "".join(lines)


def _line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |\n"
