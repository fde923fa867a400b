"""A digest as one self-contained page without scripts or requests, also for print."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TextIO

from proctor.core.digest import DigestExample, DigestFigure, DigestSection, FigureTable, PeriodDigest
from proctor.report.digest_charts import DIGEST_CHART_STYLES, figure_bar, scale_of, scale_text, slot_columns
from proctor.report.digest_text import (
    NOT_MEASURED,
    change_text,
    digest_facts,
    digest_title,
    headline_text,
    interval_text,
    not_measured,
    value_text,
)
from proctor.report.page_parts import decision_section, notes_list, panel, tile, tile_row
from proctor.report.standalone_page import END, head, line_of

__all__ = ["write"]

_STYLES = (
    """
main { display: grid; gap: 16px; }
main > * { min-width: 0; }
.tiles { grid-template-columns: repeat(4, minmax(0, 1fr)); overflow: hidden; }
main > .tiles, main > .panel { gap: 0; }
.tiles .tile, .tiles .tile:nth-child(n) { grid-column: auto; border: 0; }
.tiles .tile:nth-child(1) { grid-column: span 2; }
.tiles .tile { box-shadow: 1px 0 var(--line), 0 1px var(--line); }
.tile-change { font-size: 12px; color: var(--ink-2); }
.tile-change.worse, td.worse { color: var(--fail); font-weight: 600; }
.tile-change.better, td.better { color: var(--pass); font-weight: 600; }
.panel h3 { margin: 18px 0 2px; font-size: 13px; }
.panel h3:first-child { margin-top: 0; }
.panel .table-hint { margin: 0 0 6px; font-size: 12px; color: var(--ink-3); }
.small-table th, .small-table td { padding-left: 7px; padding-right: 7px; }
.small-table td .range { font-size: 11.5px; color: var(--ink-3); line-height: 1.2; font-weight: 400; }
.small-table .bar-cell { width: 148px; min-width: 148px; text-align: left; font-weight: 400; }
.figures td.name { width: 30%; }
.figures th.number, .figures td.number { width: 13%; }
.figures th.count, .figures td.count { width: 6%; }
.small-table td.name { white-space: normal; min-width: 9em; overflow-wrap: break-word; }
.small-table td.wrap { white-space: normal; overflow-wrap: anywhere; min-width: 11em; vertical-align: top; }
.missing { color: var(--ink-3); }
.examples summary { cursor: pointer; padding: 12px 0 4px; font-size: 12.5px; color: var(--accent); }
.section-notes { margin: 10px 0 0; padding: 0; list-style: none; font-size: 12.5px; color: var(--ink-3); }
@media (max-width: 640px) {
  .small-table { margin: 0 -14px -4px; }
  .small-table .bar-cell, .small-table .count { display: none; }
  .small-table td.name { min-width: 6.5em; width: auto; }
  .figures th.number, .figures td.number { width: auto; padding-left: 4px; padding-right: 4px; }
  .figures td.before .range { display: none; }
  .figures td.number:last-child { white-space: normal; min-width: 6em; padding-right: 14px; }
  .tiles { grid-template-columns: repeat(2, minmax(0, 1fr)); }
  .tiles .tile:nth-child(1) { grid-column: 1 / -1; }
  .examples table, .examples tbody, .examples tr, .examples td { display: block; width: auto; }
  .examples thead { display: none; }
  .small-table.examples-table td, .small-table.examples-table td:first-child { padding: 1px 14px; border: 0; }
  .examples tr { padding: 7px 0; border-top: 1px solid var(--line); }
  .examples td:empty { display: none; }
}
@media print { .examples > :not(summary) { display: block; } }
"""
    + DIGEST_CHART_STYLES
)


def write(digest: PeriodDigest, out: TextIO) -> None:
    """Write the page."""
    title = digest_title(digest)
    state = "unscored" if not digest.headline else "fail" if digest.worse else "pass"
    out.write(head(title, name=title, styles=_STYLES))
    out.write(decision_section(title, headline_text(digest), state, digest_facts(digest)))
    out.write(notes_list(digest.notes))
    if digest.headline:
        out.write(tile_row(map(_tile, digest.headline)))
    out.write(_course(digest))
    out.writelines(_section(section) for section in digest.sections if not section.missing)
    out.write(_missing(digest))
    out.write(END)


def _tile(figure: DigestFigure) -> str:
    more = f"{interval_text(figure.now, figure.unit)} · n = {figure.now.count:,}".removeprefix(" · ")
    before = value_text(figure.before.value, figure.unit)
    change = f"before {before}, {change_text(figure)}" if figure.change is not None else "nothing to compare with"
    below = f'<span class="tile-change {figure.trend}">{line_of(change)}</span>'
    value = value_text(figure.now.value, figure.unit)
    return tile(figure.name, value, more, "fail" if figure.trend == "worse" else "", below)


def _course(digest: PeriodDigest) -> str:
    """Return the period's course: conversations, hand-offs and stopped steps by hour or day."""
    slots, hourly = digest.slots, digest.period.kind == "daily"
    shares = [slot.handed_over / slot.conversations if slot.conversations else 0.0 for slot in slots]
    charts = [
        slot_columns("conversations", slots, [slot.conversations for slot in slots], hourly=hourly),
        slot_columns("handed over, share of conversations", slots, shares, hourly=hourly, unit="share"),
        slot_columns("steps stopped by gates", slots, [slot.stopped for slot in slots], hourly=hourly),
        slot_columns("turns with an error", slots, [slot.errors for slot in slots], hourly=hourly),
    ]
    drawn = "".join(charts)
    hint = "by hour, UTC" if hourly else "by day"
    return panel("Course of the period", hint, drawn) if drawn else ""


def _section(section: DigestSection) -> str:
    inside = "".join(_table(table) for table in section.tables)
    if section.notes:
        inside += (
            f'<ul class="section-notes">{"".join(f"<li>{line_of(note, 400)}</li>" for note in section.notes)}</ul>'
        )
    if section.examples:
        inside += _examples(section.examples)
    return panel(section.title, "", inside)


def _table(table: FigureTable) -> str:
    hint = f'<p class="table-hint">{line_of(table.hint)}</p>' if table.hint else ""
    scale = scale_of(table.figures)
    bar = f"<th class=bar-cell>{line_of(scale_text(scale, table.figures[0].unit))}</th>" if scale else ""
    heads = f"<th></th><th class=number>now</th>{bar}<th class='number count'>n</th><th class=number>before</th>"
    heads += "<th class='number count'>n</th><th class=number>change</th>"
    rows = "".join(_row(figure, scale) for figure in table.figures)
    return (
        f'<h3>{line_of(table.title)}</h3>{hint}<div class="small-table figures"><table><thead><tr>{heads}</tr></thead>'
        f"<tbody>{rows}</tbody></table></div>"
    )


def _row(figure: DigestFigure, scale: tuple[float, float] | None) -> str:
    now, before = figure.now, figure.before
    bar = f"<td class=bar-cell>{figure_bar(figure, scale)}</td>" if scale else ""
    return (
        f"<tr><td class=name>{line_of(figure.name)}</td>"
        f"<td class=number>{line_of(value_text(now.value, figure.unit))}"
        f"<div class=range>{line_of(interval_text(now, figure.unit))}</div></td>{bar}"
        f"<td class='number count'>{f'{now.count:,}' if now.count else ''}</td>"
        f"<td class='number before'>{line_of(value_text(before.value, figure.unit))}"
        f"<div class=range>{line_of(interval_text(before, figure.unit))}</div></td>"
        f"<td class='number count'>{f'{before.count:,}' if before.count else ''}</td>"
        f'<td class="number {figure.trend}">{_change(figure)}</td></tr>'
    )


def _change(figure: DigestFigure) -> str:
    """Return the difference and whether it is clear, with its interval below."""
    value, _, interval = change_text(figure).partition(" (")
    mark = f" {figure.trend}" if figure.trend else ""
    return f"{line_of(value)}{mark}<div class=range>{line_of(interval.removesuffix(')'))}</div>"


def _examples(examples: Sequence[DigestExample]) -> str:
    rows = "".join(
        f"<tr><td class=wrap>{line_of(each.what)}</td><td class=name>{line_of(each.where)}</td>"
        f"<td class=name>{line_of(each.intent)}</td><td class=wrap>{line_of(each.detail)}</td></tr>"
        for each in examples
    )
    count = f"{len(examples)} example{'s' if len(examples) != 1 else ''}"
    return (
        f'<details class="examples" open><summary>{count}</summary><div class="small-table examples-table"><table>'
        "<thead><tr><th>what</th><th>conversation</th><th>intent</th><th>detail</th></tr></thead>"
        f"<tbody>{rows}</tbody></table></div></details>"
    )


def _missing(digest: PeriodDigest) -> str:
    rows = "".join(
        f"<tr><td class=name>{line_of(name)}</td><td class='wrap missing'>{NOT_MEASURED}: {line_of(why)}</td></tr>"
        for name, why in not_measured(digest)
    )
    return (
        panel("Not measured", "", f'<div class="small-table"><table><tbody>{rows}</tbody></table></div>')
        if rows
        else ""
    )
