"""A sheet of titled tables and text blocks: terminal, Markdown, and a self-contained HTML page."""

from __future__ import annotations

import html
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TextIO

from proctor.report.page_parts import decision_section, panel
from proctor.report.report_table import ReportTable, TableCell, TableColumn, TextBlock
from proctor.report.safe_text import one_line, visible
from proctor.report.standalone_page import END, head, line_of
from proctor.report.table_markdown import escaped, markdown_table
from proctor.report.table_terminal import rich_table

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["Sheet", "console_for", "markdown_notes", "write_html", "write_markdown", "write_terminal"]

State = Literal["pass", "fail", "unscored"]
_CELL = 240
_LONG_CELL = 40
_LONG_WORD = 24
_OWN_STYLES = """
pre.block { overflow-x: auto; padding: 8px 10px; border: 1px solid var(--line); border-radius: 6px; font-size: 12px; }
.drawings { display: flex; flex-wrap: wrap; gap: 16px; }
.drawing { margin: 0; max-width: 100%; }
.drawing svg { max-width: 100%; height: auto; }
.block-title { margin: 12px 0 4px; font-weight: 600; }
.small-table td { white-space: normal; vertical-align: top; overflow-wrap: anywhere; min-width: 7em; }
.small-table td.number { white-space: nowrap; min-width: 0; }
.small-table td.whole { overflow-wrap: normal; min-width: 0; }
.small-table td.word { white-space: nowrap; min-width: 0; }
.small-table td.long { min-width: 18em; }
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """The content of one report: a headline, facts, tables, notes. ``drawings`` are SVG, shown in HTML only."""

    title: str
    headline: str
    state: State = "unscored"
    facts: Sequence[tuple[str, str]] = ()
    tables: Sequence[ReportTable] = ()
    notes: Sequence[str] = ()
    drawings: Sequence[str] = ()


def console_for(out: TextIO | None, *, width: int | None = None, pipe_width: int) -> Console:
    """Return a console without markup; in a pipe its width is ``pipe_width`` unless ``width`` is given."""
    from rich.console import Console  # noqa: PLC0415 - rich only when drawing

    out = out or sys.stdout
    wide = width or (None if out.isatty() else pipe_width)
    return Console(file=out, width=wide, highlight=False, markup=False, emoji=False)


def write_terminal(sheet: Sheet, out: TextIO | None = None, *, width: int | None = None) -> None:
    """Print the sheet without blocks; in a pipe its width is not limited."""
    from rich.text import Text  # noqa: PLC0415

    console = console_for(out, width=width, pipe_width=180)
    console.print()
    console.print(Text.assemble((one_line(sheet.title, 120), "bold"), "  ", one_line(sheet.headline, 300)))
    console.print(Text(" · ".join(f"{name} {one_line(value, 120)}" for name, value in sheet.facts), style="dim"))
    for table in sheet.tables:
        console.print()
        console.print(Text.assemble((table.title, "bold"), (f"  {one_line(table.hint)}" if table.hint else "", "dim")))
        if table.rows:
            console.print(rich_table(table, "sheet", max_chars=_CELL))
    for note in sheet.notes:
        console.print(Text.assemble(("note ", "yellow"), one_line(note, 400)))
    console.print()


def write_markdown(sheet: Sheet, out: TextIO) -> None:
    """Write the sheet as Markdown."""
    out.write(f"## {escaped(sheet.title, 120)}\n\n**{escaped(sheet.headline, 400)}**\n\n")
    out.write(" · ".join(f"{escaped(name)} {escaped(value, 160)}" for name, value in sheet.facts) + "\n")
    for table in sheet.tables:
        hint = f" ({escaped(table.hint, 200)})" if table.hint else ""
        out.write(f"\n### {escaped(table.title)}{hint}\n")
        if table.rows:
            out.write("\n" + markdown_table(table, max_chars=_CELL, short_rule=True))
        for block in table.blocks:
            fence = "`" * max(3, _longest_fence(block.text) + 1)
            out.write(f"\n{escaped(block.title, 300)}\n\n{fence}diff\n{visible(block.text)}\n{fence}\n")
    out.write(markdown_notes(sheet.notes))


def markdown_notes(notes: Sequence[str]) -> str:
    """Return notes as quoted lines after an empty one; empty if there are none."""
    return "\n" + "".join(f"> {escaped(note, 400)}\n>\n" for note in notes).removesuffix(">\n") if notes else ""


def write_html(sheet: Sheet, out: TextIO) -> None:
    """Write the sheet as one page without scripts or requests."""
    out.write(head(sheet.title, name=sheet.title, styles=_OWN_STYLES))
    out.write(decision_section(sheet.title, sheet.headline, sheet.state, sheet.facts))
    out.writelines(f'<p class="notice">{line_of(note, 400)}</p>\n' for note in sheet.notes)
    if sheet.drawings:
        drawn = "".join(f'<figure class="drawing">{each}</figure>' for each in sheet.drawings)
        out.write(f'<section class="panel wide drawings">{drawn}</section>\n')
    out.writelines(map(_panel, sheet.tables))
    out.write(END)


def _panel(table: ReportTable) -> str:
    drawn = ""
    if table.rows:
        heads = "".join(f"<th{_align(column)}>{line_of(column.name)}</th>" for column in table.columns)
        rows = "".join(f"<tr>{''.join(map(_cell, table.columns, row))}</tr>" for row in table.cells())
        drawn = f'<div class="small-table"><table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table></div>'
    blocks = "".join(map(_block, table.blocks))
    return panel(table.title, table.hint, drawn + blocks)


def _block(block: TextBlock) -> str:
    shown = html.escape(visible(block.text))
    return f'<p class="block-title">{line_of(block.title, 300)}</p><pre class="block">{shown}</pre>'


def _cell(column: TableColumn, cell: TableCell) -> str:
    return f"<td{_align(column) or _room(cell.text)}>{line_of(cell.text, _CELL)}</td>"


def _align(column: TableColumn) -> str:
    return ' class="number"' if column.figure else ""


def _room(cell: str) -> str:
    """Return how a text cell may be narrowed: short words are not broken, a long text keeps a minimum width."""
    if len(cell) > _LONG_CELL:
        return ' class="long"'
    words = cell.split()
    if max(map(len, words), default=0) > _LONG_WORD:
        return ""
    return ' class="whole"' if len(words) > 1 else ' class="word"'


def _longest_fence(text: str) -> int:
    longest = run = 0
    for letter in text:
        run = run + 1 if letter == "`" else 0
        longest = max(longest, run)
    return longest
