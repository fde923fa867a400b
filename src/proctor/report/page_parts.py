"""Parts of self-contained pages: the decision at the top, tiles, panels, tables, notes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from proctor.report.standalone_page import line_of

__all__ = ["data_table", "decision_section", "notes_list", "number_cells", "panel", "tile", "tile_row"]


def decision_section(
    title: str, headline: str, state: str, facts: Iterable[tuple[str, str]], *, below: str = ""
) -> str:
    """Return a title, one sentence and facts; facts without a value are left out. ``below`` is HTML under the title."""
    shown = "".join(
        f'<div><dt>{line_of(name)}</dt><dd dir="auto">{line_of(value, 160)}</dd></div>'
        for name, value in facts
        if value
    )
    return (
        f'<section class="decision {state}"><div class="decision-line"><h1>{line_of(title, 120)}</h1>'
        f'<p class="reason" dir="auto">{line_of(headline, 600)}</p></div>{below}'
        f'<dl class="facts">{shown}</dl></section>\n'
    )


def notes_list(notes: Sequence[str]) -> str:
    """Return notes as one box; empty without any."""
    shown = "".join(f'<li dir="auto">{line_of(note, 400)}</li>' for note in notes)
    return f'<ul class="notice">{shown}</ul>\n' if shown else ""


def tile(label: str, value: str, more: str, state: str = "", below: str = "") -> str:
    """Return one large figure with what it is, and a line of detail; ``below`` is HTML."""
    kind = f" {state}" if state else ""
    return (
        f'<div class="tile{kind}"><span class="tile-label">{line_of(label)}</span>'
        f'<span class="tile-value">{line_of(value)}</span><span class="tile-more">{line_of(more)}</span>{below}</div>'
    )


def tile_row(tiles: Iterable[str]) -> str:
    """Return tiles side by side."""
    return f'<section class="tiles">{"".join(tiles)}</section>\n'


def panel(title: str, hint: str, inside: str, *, wide: bool = True, place: str = "") -> str:
    """Return a titled part of the page; ``inside`` is HTML, ``place`` the id that a link leads to."""
    name = f' id="{place}"' if place else ""
    shown = (
        f'<div class="panel-head"><h2 dir="auto">{line_of(title)}</h2><span class="hint">{line_of(hint)}</span></div>'
    )
    return f'<section class="panel{" wide" if wide else ""}"{name}>{shown}<div>{inside}</div></section>\n'


def data_table(heads: Iterable[tuple[str, bool]], rows: Iterable[str], *, kind: str = "") -> str:
    """Return a table. A head is a name and whether the column has figures; one without a name has drawings."""
    made = "".join(
        f"<th class={'number' if figure else 'text' if name else 'bar-cell'}>{line_of(name)}</th>"
        for name, figure in heads
    )
    table = f"<table><thead><tr>{made}</tr></thead><tbody>{''.join(rows)}</tbody></table>"
    return f'<div class="small-table{f" {kind}" if kind else ""}">{table}</div>'


def number_cells(*texts: str) -> str:
    """Return cells of figures."""
    return "".join(f"<td class=number>{line_of(text)}</td>" for text in texts)
