"""A pull-request comment: the decision, figures, then folded failures."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TextIO

from proctor.core.report import Cell, Report, Result, Tally
from proctor.report.dimensions import Grid, grids, title_of
from proctor.report.failure_causes import causes, listed_failures, shown_label, troubles
from proctor.report.number_format import (
    any_in_doubt,
    decision_word,
    grid_text,
    latency_of,
    moment,
    money,
    percent,
    range_text,
    scored,
    seconds,
    tokens,
    took,
    total_spend,
)
from proctor.report.overview_tables import overview_tables
from proctor.report.report_table import ReportTable, TableCell, TableColumn, TableRow, columns, figures
from proctor.report.table_markdown import escaped, markdown_table

__all__ = ["write"]

_LIMIT = 60_000  # bytes; common hosts accept 65,536 characters
_RESERVED = 600  # bytes for the end of the comment
_SHOWN = 50
_MAX_ROWS = 40
_SIGNS = {"passed": "✅", "failed": "❌", "unjudged": "⚠️", None: "▫️"}


def write(report: Report, results: Callable[[], Iterable[Result]], out: TextIO) -> None:
    """Write the comment; it stays below 60 kB for any run."""
    page = _Page(_LIMIT - _RESERVED)
    page.add(_decision(report))
    page.add(_targets(report))
    for table in overview_tables(report):
        page.add(_overview(table))
    page.add(_scorers(report))
    found = troubles(report, results, _SHOWN)
    left = _folded(page, report, "Failures", found.failed, listed_failures(report))
    left += _folded(page, report, "Unscored", found.unscored, report.counts.unscored)
    left += _folded(page, report, "In doubt, to be reviewed", found.in_doubt, report.counts.in_doubt)
    for grid in grids(report):
        page.add(_grid(grid))
    page.add(_breakdown("By intent", report.by_intent))
    page.add(_breakdown("By tag", report.by_tag))
    page.add(_spend(report))
    out.write(page.text)
    out.write(_closing(report, left))


class _Page:
    """A text with a maximum length that rejects pieces that do not fit."""

    def __init__(self, limit: int) -> None:
        self._left = limit
        self._pieces: list[str] = []

    def add(self, piece: str) -> bool:
        size = len(piece.encode()) + 1
        if not piece or size > self._left:
            return False
        self._left -= size
        self._pieces.append(piece)
        return True

    def room(self) -> int:
        return self._left

    @property
    def text(self) -> str:
        return "\n".join(self._pieces)


def _table(heads: Sequence[TableColumn], rows: Sequence[Sequence[str]]) -> str:
    """Return a table of names and figures; a last row has the number of omitted rows."""
    return markdown_table(ReportTable(columns=heads, rows=rows), most=_MAX_ROWS, raw_figures=True)


def _decision(report: Report) -> str:
    counts = report.counts
    lines = [f"## {_SIGNS[report.decision]} {decision_word(report)}: {escaped(report.name or report.id, 100)}", ""]
    if report.reason:
        lines += [f"**{escaped(report.reason, 600)}**", ""]
    doubts = f" ({counts.in_doubt:,} of them in doubt)" if counts.in_doubt else ""
    figures = f"{counts.passed:,} passed{doubts} · {counts.failed:,} failed · {counts.unscored:,} unscored"
    if counts.pass_rate is not None:
        figures += f" · pass rate {percent(counts.pass_rate)} (95 % interval {range_text(counts)})"
    lines += [figures, ""]
    lines += [f"> {escaped(note, 400)}\n" for note in report.notes[:10]]
    return "\n".join(lines)


def _targets(report: Report) -> str:
    if not report.by_target:
        return ""
    rows = []
    doubts = any_in_doubt(report.by_target)
    for tally in report.by_target:
        latency = latency_of(report, tally)
        rows.append((*_outcomes(tally, doubts=doubts), seconds(latency.get("p50")), seconds(latency.get("p95"))))
    return _table((*columns("Target"), *_outcome_heads(doubts=doubts), *figures("Latency p50", "p95")), rows)


def _outcome_heads(*, doubts: bool) -> tuple[TableColumn, ...]:
    return figures("Pass", *(("In doubt",) if doubts else ()), "Fail", "Unscored", "Pass rate", "95 % interval")


def _outcomes(tally: Tally, *, doubts: bool) -> list[str]:
    counts = tally.counts
    in_doubt = [f"{counts.in_doubt:,}"] if doubts else []
    numbers = [f"{counts.passed:,}", *in_doubt, f"{counts.failed:,}", f"{counts.unscored:,}"]
    return [tally.name, *numbers, percent(counts.pass_rate), range_text(counts) or "–"]


def _scorers(report: Report) -> str:
    if not report.by_scorer:
        return ""
    rows = []
    doubts = any_in_doubt(report.by_scorer)
    for tally in report.by_scorer:
        counts = tally.counts
        decides = counts.passed + counts.failed > 0
        shown = [counts.passed, *([counts.in_doubt] if doubts else []), counts.failed]
        verdicts = [f"{count:,}" if decides else "–" for count in shown]
        mean = "–" if tally.mean is None else f"{tally.mean:.2f}"
        rows.append((tally.name, mean, f"{scored(tally):,}", *verdicts, f"{counts.unscored:,}"))
    names = ("Mean", "n", "Pass", *(("In doubt",) if doubts else ()), "Fail", "Not judged")
    return _table((*columns("Scorer"), *figures(*names)), rows)


def _overview(shown: ReportTable) -> str:
    table = markdown_table(shown, most=_MAX_ROWS, max_chars=160)
    return f"**{escaped(shown.title, 80)}** ({escaped(shown.hint, 300)})\n\n{table}"


def _grid(grid: Grid) -> str:
    heads = (*columns("Intent"), *figures("Cases", *(title_of(name) for name in grid.dimensions)))
    rows: list[TableRow] = []
    for row in [*grid.rows[:_MAX_ROWS], *(grid.rows[-1:] if len(grid.rows) > _MAX_ROWS else ())]:
        cases = max((cell.cases + cell.unscored for cell in row.cells if cell), default=0)
        intent = TableCell(row.intent) if row.intent else TableCell("All", "strong")
        rows.append((intent, f"{cases:,}", *map(_starred, row.cells)))
    title = f"**Dimensions by intent: {escaped(grid.target, 60)}**" if grid.target else "**Dimensions by intent**"
    unscored = any(cell and cell.unscored for row in grid.rows for cell in row.cells)
    note = "\n\\* some of these cases could not be scored\n" if unscored else ""
    return f"{title}\n\n{markdown_table(ReportTable(columns=heads, rows=rows), raw_figures=True)}{note}"


def _starred(cell: Cell | None) -> str:
    return grid_text(cell).replace("*", "\\*")


def _breakdown(title: str, tallies: Sequence[Tally]) -> str:
    if not tallies:
        return ""
    doubts = any_in_doubt(tallies)
    heads = (*columns(title[3:].capitalize()), *_outcome_heads(doubts=doubts))
    return _fold(title, _table(heads, [_outcomes(tally, doubts=doubts) for tally in tallies]))


def _spend(report: Report) -> str:
    if not report.spend:
        return ""
    rows = [
        (
            each.role,
            each.model,
            f"{each.calls:,}",
            tokens(each.usage.input),
            tokens(each.usage.output),
            money(each.cost),
        )
        for each in report.spend[:_MAX_ROWS]
    ]
    heads = (*columns("Role", "Model"), *figures("Calls", "Tokens in", "Tokens out", "Cost"))
    return _fold(f"Spend: {total_spend(report.spend)}", _table(heads, rows))


def _folded(page: _Page, report: Report, title: str, shown: Sequence[Result], total: int) -> int:
    """Add as many results as fit; return the number left out."""
    kept: list[str] = []
    room = page.room() - len(_fold(f"{title} ({total:,} of {total:,})", "").encode()) - 10
    for result in shown:
        piece = _trouble(result, shown_label(report, result))
        room -= len(piece.encode()) + 1
        if room < 0:
            break
        kept.append(piece)
    if kept:
        count = f"{total:,}" if len(kept) == total else f"{len(kept)} of {total:,}"
        page.add(_fold(f"{title} ({count})", "\n".join(kept)))
    return total - len(kept)


def _trouble(result: Result, name: str) -> str:
    lines = [f"- **{escaped(name, 120)}** · {escaped(result.target, 60)}"]
    found = causes(result)
    lines += [f"  - {escaped(cause.text, 400)}" for cause in found[:5]]
    quote = next((cause.quote for cause in found if cause.quote.strip()), "")
    if quote:
        lines += ["", f"    > {escaped(quote, 300)}", ""]
    return "\n".join(lines)


def _fold(title: str, inside: str) -> str:
    return f"<details>\n<summary>{title}</summary>\n\n{inside}\n</details>\n"


def _closing(report: Report, left: int) -> str:
    facts = [f"run {escaped(report.id, 80)}", moment(report.started)]
    duration = took(report)
    if duration is not None:
        facts.append(seconds(duration))
    if report.status != "finished":
        facts.append(report.status)
    more = f"\n{left:,} more did not pass: see the HTML or JSON report.\n" if left else ""
    # With the hidden line a CI job finds its own comment and updates it.
    return f"{more}\n<sub>{' · '.join(facts)}</sub>\n<!-- proctor-report -->\n"
