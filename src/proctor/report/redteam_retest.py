"""The report of a retest: the same attempts before and after a mitigation."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from typing import Any, TextIO

from proctor.core.campaign import RetestFigures, RetestSummary
from proctor.report import redteam_junit
from proctor.report.csv_rows import number_cell, share_cells, text_cell
from proctor.report.number_format import percent, share_text
from proctor.report.page_parts import data_table, notes_list, number_cells, panel, tile, tile_row
from proctor.report.redteam_charts import rate_bar
from proctor.report.redteam_page import bar_cell, finding_list, page_head, range_of, share_cell
from proctor.report.redteam_tables import finding_table
from proctor.report.redteam_words import findings_text, label_of, words_of
from proctor.report.release_view import chance
from proctor.report.report_kind import ReportKind, iso_time, sheet_kind
from proctor.report.report_table import ReportTable, columns, figures
from proctor.report.sheet import Sheet, State
from proctor.report.standalone_page import END, line_of

__all__ = ["RETEST_REPORT", "retest_sheet"]

_HINT = (
    "attempts scored in both runs; change in percentage points; p by sign flips over goals; "
    "McNemar takes attempts as independent; twins: benign ones that were stopped"
)
_ALPHA = 0.05


def retest_sheet(summary: RetestSummary) -> Sheet:
    """Return before and after as a sheet; the headline is about the held-out goals, where there are any."""
    return Sheet(
        title=_title(summary),
        headline=_headline(summary),
        state=_state(summary),
        facts=_facts(summary),
        tables=[table for table in (_changes(summary), *_finding_tables(summary)) if table.rows],
        notes=summary.notes,
    )


def _title(summary: RetestSummary) -> str:
    return f"Retest: {summary.before.facts.name}"


def _headline(summary: RetestSummary) -> str:
    row = summary.primary
    if not row.pairs:
        return "nothing to compare: no attempt was scored before and after"
    where = "held-out goals" if row.name == "held out" else "all goals"
    label = label_of(summary.before)
    said = (
        f"{where}: {share_text(row.before)} executed before, {share_text(row.after)} after; "
        f"change {_points(row.difference)} points ({_points(row.low)} to {_points(row.high)}), p {_p(row.p)}"
    )
    return f"{said} [{label}]" if label else said


def _points(value: float | None) -> str:
    """Return a difference of shares in percentage points, with its sign."""
    return "–" if value is None else f"{value * 100:+.1f}".replace("-", "−")


def _span(row: RetestFigures) -> str:
    return "–" if row.low is None else f"{_points(row.low)} … {_points(row.high)}"


def _p(value: float | None) -> str:
    shown = chance(value)
    return shown if shown.startswith("<") else f"= {shown}"


def _state(summary: RetestSummary) -> State:
    row = summary.primary
    if row.difference is None or row.p is None or row.p >= _ALPHA:
        return "unscored"
    return "pass" if row.difference < 0 else "fail"


def _facts(summary: RetestSummary) -> list[tuple[str, str]]:
    before, after = summary.before.facts, summary.after.facts
    found = [
        ("after", summary.mitigation),
        ("target", before.target if before.target == after.target else f"{before.target}, then {after.target}"),
        ("guard", f"{_on(before.guarded)} before, {_on(after.guarded)} after"),
        ("before", ", ".join(before.runs[:3])),
        ("retest", ", ".join(after.runs[:3])),
        ("fixed", str(len(summary.fixed))),
        ("remaining", str(len(summary.remaining))),
        ("new", str(len(summary.new))),
        ("not judged again", str(len(summary.unjudged)) if summary.unjudged else ""),
    ]
    return [(name, value) for name, value in found if value]


def _on(guarded: bool) -> str:
    return "on" if guarded else "off"


def _rows(summary: RetestSummary) -> list[RetestFigures]:
    parts = [summary.open, summary.held_out] if summary.held_out.pairs else []
    return [*summary.scopes, *parts, summary.total]


def _changes(summary: RetestSummary) -> ReportTable:
    rows = [
        (
            words_of(row.name),
            f"{row.pairs:,}",
            f"{row.goals:,}",
            share_text(row.before),
            share_text(row.after),
            _points(row.difference),
            _span(row),
            chance(row.p),
            chance(row.mcnemar),
            f"{row.fixed:,}",
            f"{row.broken:,}",
            share_text(row.twins_before),
            share_text(row.twins_after),
        )
        for row in _rows(summary)
    ]
    heads = ("attempts", "goals", "before", "after", "change (points)", "95 % interval", "p", "McNemar")
    more = ("fixed", "broken", "twins before", "twins after")
    return ReportTable(
        title="Before and after", columns=(*columns("scope"), *figures(*heads, *more)), rows=rows, hint=_HINT
    )


def _finding_tables(summary: RetestSummary) -> list[ReportTable]:
    return [
        finding_table(title, goals)
        for title, goals in (
            ("New findings", summary.new),
            ("Remaining findings", summary.remaining),
            ("Fixed findings", summary.fixed),
            ("Findings not judged again", summary.unjudged),
        )
    ]


def _write_page(summary: RetestSummary, out: TextIO) -> None:
    name = summary.before.facts.name
    out.write(page_head(_title(summary), name, _headline(summary), _state(summary), _facts(summary)))
    out.write(notes_list(summary.notes))
    out.write(_tiles(summary))
    out.write(panel("Before and after", _HINT, _page_table(summary)))
    out.write(finding_list("New findings", summary.new))
    out.write(finding_list("Remaining findings", summary.remaining))
    out.write(finding_list("Fixed findings", summary.fixed))
    out.write(finding_list("Findings not judged again", summary.unjudged))
    out.write(END)


def _tiles(summary: RetestSummary) -> str:
    row = summary.primary
    label = label_of(summary.before)
    where = f"{row.name} goals" + (f" · {label}" if label else "")
    rest = findings_text(summary.remaining).replace("finding", "remaining finding")
    tiles = [
        tile("executed before", percent(row.before.value), f"{range_of(row.before)}; {where}"),
        tile("executed after", percent(row.after.value), range_of(row.after), _state(summary)),
        tile("change", f"{_points(row.difference)} points", f"{_span(row)}; p {_p(row.p)}", _state(summary)),
        tile("benign twins stopped", percent(row.twins_after.value), f"before {share_text(row.twins_before)}"),
        tile("findings fixed", f"{len(summary.fixed):,}", f"{rest}; {len(summary.new):,} new"),
    ]
    return tile_row(tiles)


def _page_table(summary: RetestSummary) -> str:
    heads = [("scope", False), ("before", True), ("", False), ("after", True), ("", False), ("change", True)]
    heads += [("p", True), ("McNemar", True), ("fixed", True), ("broken", True)]
    heads += [("twins before", True), ("twins after", True), ("attempts", True), ("goals", True)]
    rows = []
    for row in _rows(summary):
        change = f'<td class="number">{_points(row.difference)}<div class="range">{_span(row)}</div></td>'
        rows.append(
            f"<tr{' class=sum' if row.name in ('open', 'all') else ''}><td>{line_of(words_of(row.name))}</td>"
            f"{share_cell(row.before)}{bar_cell(rate_bar(row.before))}"
            f"{share_cell(row.after)}{bar_cell(rate_bar(row.after))}{change}"
            f"{number_cells(chance(row.p), chance(row.mcnemar), f'{row.fixed:,}', f'{row.broken:,}')}"
            f"{share_cell(row.twins_before)}{share_cell(row.twins_after)}"
            f"{number_cells(f'{row.pairs:,}', f'{row.goals:,}')}</tr>"
        )
    return data_table(heads, rows)


def _write_junit(summary: RetestSummary, out: TextIO) -> None:
    """Write the goals of the retest as tests: what is executed now fails."""
    redteam_junit.write(summary.after, out)


def _data(summary: RetestSummary) -> dict[str, Any]:
    return {"headline": _headline(summary), **dataclasses.asdict(summary)}


def _csv_rows(summary: RetestSummary) -> Iterator[Sequence[str]]:
    shares = ("before", "after", "twins_before", "twins_after")
    counts = ("pairs", "goals", "fixed", "broken", "unpaired")
    numbers = ("difference", "low", "high", "p", "mcnemar")
    yield [
        "campaign",
        "mitigation",
        "name",
        *counts,
        *numbers,
        *(f"{name}{part}" for name in shares for part in ("", "_low", "_high", "_of")),
    ]
    for row in _rows(summary):
        cells = [text_cell(summary.before.facts.name), text_cell(summary.mitigation), text_cell(row.name)]
        cells += [str(getattr(row, name)) for name in counts]
        cells += [number_cell(getattr(row, name)) for name in numbers]
        for name in shares:
            share = getattr(row, name)
            cells += share_cells(share)
        yield cells


_SHEET = sheet_kind("retest", retest_sheet, data=_data, time=iso_time, rows=_csv_rows)
RETEST_REPORT: ReportKind[RetestSummary] = dataclasses.replace(
    _SHEET, writers={**_SHEET.writers, ".html": _write_page, ".xml": _write_junit}
)
