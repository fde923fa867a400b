"""A sheet of titled tables and text blocks, written to a terminal, as Markdown, and as a page that stands alone."""

from __future__ import annotations

import html
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, TextIO

from proctor.report.markdown import escaped
from proctor.report.safe_text import one_line, visible
from proctor.report.standalone_page import END, head, line_of

__all__ = ["Section", "Sheet", "TextBlock", "write_html", "write_markdown", "write_terminal"]

State = Literal["pass", "fail", "unscored"]
_CELL = 240
_LONG_CELL = 40
_LONG_WORD = 24
_OWN_STYLES = """
pre.block { overflow-x: auto; padding: 8px 10px; border: 1px solid var(--line); border-radius: 6px; font-size: 12px; }
.block-title { margin: 12px 0 4px; font-weight: 600; }
.small-table td { white-space: normal; vertical-align: top; overflow-wrap: anywhere; min-width: 7em; }
.small-table td.number { white-space: nowrap; min-width: 0; }
.small-table td.whole { overflow-wrap: normal; min-width: 0; }
.small-table td.word { white-space: nowrap; min-width: 0; }
.small-table td.long { min-width: 18em; }
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class TextBlock:
    """A text shown as it is, line by line: a diff, an output."""

    title: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A table with a title; columns named in ``figures`` stand to the right."""

    title: str
    columns: Sequence[str] = ()
    rows: Sequence[Sequence[str]] = ()
    figures: frozenset[str] = frozenset()
    hint: str = ""
    blocks: Sequence[TextBlock] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """What is shown of one finding: a headline, facts, tables, notes."""

    title: str
    headline: str
    state: State = "unscored"
    facts: Sequence[tuple[str, str]] = ()
    sections: Sequence[Section] = ()
    notes: Sequence[str] = field(default=())


def write_terminal(sheet: Sheet, out: TextIO | None = None, *, width: int | None = None) -> None:
    """Print the sheet; in a pipe it is as wide as it needs to be. Blocks are left to the files."""
    from rich.box import SIMPLE_HEAD  # noqa: PLC0415 - rich only when drawing
    from rich.console import Console  # noqa: PLC0415
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    out = out or sys.stdout
    wide = width or (None if out.isatty() else 180)
    console = Console(file=out, width=wide, highlight=False, markup=False, emoji=False)
    console.print()
    console.print(Text.assemble((one_line(sheet.title, 120), "bold"), "  ", one_line(sheet.headline, 300)))
    console.print(Text(" · ".join(f"{name} {one_line(value, 120)}" for name, value in sheet.facts), style="dim"))
    for section in sheet.sections:
        console.print()
        console.print(Text.assemble((section.title, "bold"), (f"  {section.hint}" if section.hint else "", "dim")))
        if not section.rows:
            continue
        table = Table(box=SIMPLE_HEAD, pad_edge=False)
        for column in section.columns:
            right = column in section.figures
            table.add_column(column, justify="right" if right else "left", overflow="fold", no_wrap=right)
        for row in section.rows:
            table.add_row(*(Text(one_line(cell, _CELL)) for cell in row))
        console.print(table)
    for note in sheet.notes:
        console.print(Text.assemble(("note ", "yellow"), one_line(note, 400)))
    console.print()


def write_markdown(sheet: Sheet, out: TextIO) -> None:
    """Write the sheet as Markdown."""
    out.write(f"## {escaped(sheet.title, 120)}\n\n**{escaped(sheet.headline, 400)}**\n\n")
    out.write(" · ".join(f"{escaped(name)} {escaped(value, 160)}" for name, value in sheet.facts) + "\n")
    for section in sheet.sections:
        hint = f" ({escaped(section.hint, 200)})" if section.hint else ""
        out.write(f"\n### {escaped(section.title)}{hint}\n")
        if section.rows:
            marks = ["---:" if column in section.figures else "---" for column in section.columns]
            out.write("\n| " + " | ".join(map(escaped, section.columns)) + " |\n|" + "|".join(marks) + "|\n")
            out.writelines("| " + " | ".join(escaped(cell, _CELL) for cell in row) + " |\n" for row in section.rows)
        for block in section.blocks:
            fence = "`" * max(3, _longest_fence(block.text) + 1)
            out.write(f"\n{escaped(block.title, 300)}\n\n{fence}diff\n{visible(block.text)}\n{fence}\n")
    if sheet.notes:
        out.write("\n" + "".join(f"> {escaped(note, 400)}\n>\n" for note in sheet.notes).removesuffix(">\n"))


def write_html(sheet: Sheet, out: TextIO) -> None:
    """Write the sheet as one page without script or request."""
    out.write(head(sheet.title, name=sheet.title, styles=_OWN_STYLES))
    facts = "".join(f"<div><dt>{line_of(name)}</dt><dd>{line_of(value, 160)}</dd></div>" for name, value in sheet.facts)
    out.write(
        f'<section class="decision {sheet.state}"><div class="decision-line"><h1>{line_of(sheet.title, 120)}</h1>'
        f'<p class="reason">{line_of(sheet.headline, 400)}</p></div><dl class="facts">{facts}</dl></section>\n'
    )
    out.writelines(f'<p class="notice">{line_of(note, 400)}</p>\n' for note in sheet.notes)
    for section in sheet.sections:
        out.write(_panel(section))
    out.write(END)


def _panel(section: Section) -> str:
    heading = f"<h2>{line_of(section.title)}</h2><span class=hint>{line_of(section.hint)}</span>"
    table = ""
    if section.rows:
        cells = "".join(f"<th{_align(section, name)}>{line_of(name)}</th>" for name in section.columns)
        rows = "".join(_row(section, row) for row in section.rows)
        table = f'<div class="small-table"><table><thead><tr>{cells}</tr></thead><tbody>{rows}</tbody></table></div>'
    blocks = "".join(map(_block, section.blocks))
    return f'<section class="panel wide"><div class="panel-head">{heading}</div>{table}{blocks}</section>\n'


def _block(block: TextBlock) -> str:
    shown = html.escape(visible(block.text))
    return f'<p class="block-title">{line_of(block.title, 300)}</p><pre class="block">{shown}</pre>'


def _row(section: Section, row: Sequence[str]) -> str:
    cells = zip(section.columns, row, strict=True)
    made = (f"<td{_align(section, name) or _room(cell)}>{line_of(cell, _CELL)}</td>" for name, cell in cells)
    return "<tr>" + "".join(made) + "</tr>"


def _align(section: Section, column: str) -> str:
    return ' class="number"' if column in section.figures else ""


def _room(cell: str) -> str:
    """How a cell of text may be narrowed: words that are not long stay whole, a long text keeps some width."""
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
