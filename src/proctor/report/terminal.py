"""The summary of a run on a terminal: figures, failures with reasons, the decision, next steps."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Mapping
from typing import TextIO, cast

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from proctor.core.report import Report, Result
from proctor.report.dimensions import Grid, grids, title_of
from proctor.report.failure_causes import causes, failed_text, shown_label, troubles
from proctor.report.number_format import (
    any_in_doubt,
    decision_word,
    grid_text,
    latency_of,
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
from proctor.report.report_table import CellState, ReportTable, TableCell, TableColumn, TableRow, columns, figures
from proctor.report.safe_text import one_line
from proctor.report.table_terminal import rich_table

__all__ = ["write"]

_SHOWN = 10
_OVERVIEW_ROWS = 40
_STYLES = {"passed": "bold green", "failed": "bold red", "unjudged": "bold yellow", None: "bold"}


def write(
    report: Report,
    results: Callable[[], Iterable[Result]],
    out: TextIO,
    *,
    width: int | None = None,
    colour: bool | None = None,
) -> None:
    """Print the summary; width and colour are detected unless given."""
    console = Console(
        file=cast(TextIO, _Willing(out)),
        width=width,
        no_color=None if colour is None else not colour,
        force_terminal=True if colour else None,
        highlight=False,
        markup=False,
        emoji=False,
    )
    console.print()
    console.print(_heading(report))
    overview = [_overview(each) for each in overview_tables(report, narrow=True)]
    for table in (_targets(report), *overview, *map(_grid, grids(report)), _scorers(report), _spend(report)):
        if table is not None:
            console.print()
            console.print(table)
    _print_troubles(console, report, results)
    _print_notes(console, report)
    _print_decision(console, report)


_SIMILAR = str.maketrans(
    {"–": "-", "—": "-", "−": "-", "…": "...", "“": '"', "”": '"', "’": "'", "→": "->", "✗": "x", "·": "-", "×": "x"}
)


class _Willing:
    """A stream that accepts any text; characters that its encoding lacks become similar ones, else question marks."""

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self.encoding = getattr(out, "encoding", None) or "utf-8"

    def write(self, text: str) -> int:
        try:
            text.encode(self.encoding)
        except UnicodeEncodeError:
            text = text.translate(_SIMILAR)
        return self._out.write(text.encode(self.encoding, "replace").decode(self.encoding))

    def __getattr__(self, name: str) -> object:
        return getattr(self._out, name)


def _plain(text: object, limit: int = 200, style: str = "") -> Text:
    """Return an external text on one line, uninterpreted."""
    return Text(one_line(str(text), limit), style=style)


def _heading(report: Report) -> Text:
    line = _plain(report.name or "run", 60, "bold")
    line.append(f"  {one_line(report.id, 80)}", style="dim")
    duration = took(report)
    if duration is not None:
        line.append(f"  {seconds(duration)}", style="dim")
    if report.status != "finished":
        line.append(f"  {report.status}", style="yellow")
    return line


def _count(count: int, state: CellState) -> TableCell:
    return TableCell(str(count), state if count else "muted")


def _targets(report: Report) -> Table | None:
    if not report.by_target:
        return None
    doubts = any_in_doubt(report.by_target)
    # With one more column, heads of two words use two lines, so that all fit into eighty columns.
    names = (
        ("Pass", "In\ndoubt", "Fail", "Unscored", "Pass rate", "95 % interval", "Latency\np50", "p95")
        if doubts
        else ("Pass", "Fail", "Unscored", "Pass rate", "95 % interval", "Latency p50", "p95")
    )
    rows: list[TableRow] = []
    for tally in report.by_target:
        counts = tally.counts
        rows.append(
            (
                tally.name,
                _count(counts.passed, "pass"),
                *((_count(counts.in_doubt, "unscored"),) if doubts else ()),
                _count(counts.failed, "fail"),
                _count(counts.unscored, "unscored"),
                TableCell(percent(counts.pass_rate), "strong"),
                range_text(counts) or "–",
                *(seconds(latency_of(report, tally).get(share)) for share in ("p50", "p95")),
            )
        )
    return rich_table(ReportTable(columns=(*columns("Target"), *figures(*names)), rows=rows), "run")


def _grid(grid: Grid) -> Table:
    # Heads of two words use two lines, so that five dimensions fit into eighty columns.
    dimensions = figures("n", *(title_of(name).replace(" ", "\n") for name in grid.dimensions))
    rows: list[TableRow] = [
        (
            TableCell(row.intent) if row.intent else TableCell("All", "strong"),
            f"{max((cell.cases + cell.unscored for cell in row.cells if cell), default=0):,}",
            *(
                TableCell(grid_text(cell), "fail" if cell and row.intent and cell.mean == low else "")
                for cell, low in zip(row.cells, grid.lowest, strict=True)
            ),
        )
        for row in grid.rows
    ]
    table = rich_table(ReportTable(columns=(TableColumn("Intent", wraps=False), *dimensions), rows=rows), "run")
    if grid.target:
        table.title, table.title_justify = _plain(grid.target, 60, "bold"), "left"
    return table


def _overview(shown: ReportTable) -> Table:
    table = rich_table(shown, "run", most=_OVERVIEW_ROWS, max_chars=120)
    table.title, table.title_justify = _plain(shown.title, 80, "bold"), "left"
    for column, drawn in zip(shown.columns, table.columns, strict=True):
        drawn.min_width = None if column.figure else 8
    return table


def _scorers(report: Report) -> Table | None:
    if not report.by_scorer:
        return None
    doubts = any_in_doubt(report.by_scorer)
    rows = []
    for tally in report.by_scorer:
        counts = tally.counts
        decides = counts.passed + counts.failed > 0
        rows.append(
            (
                tally.name,
                TableCell("–" if tally.mean is None else f"{tally.mean:.2f}", "strong"),
                str(scored(tally)),
                str(counts.passed) if decides else "–",
                *((_count(counts.in_doubt, "unscored"),) if doubts else ()),
                TableCell(str(counts.failed) if decides else "–", "fail" if counts.failed else ""),
                _count(counts.unscored, "unscored"),
            )
        )
    names = ("Mean", "n", "Pass", *(("In doubt",) if doubts else ()), "Fail", "Not judged")
    heads = (*columns("Scorer"), *figures(*names))
    return rich_table(ReportTable(columns=heads, rows=rows), "run")


def _spend(report: Report) -> Table | None:
    if not report.spend:
        return None
    rows: list[TableRow] = [
        (
            each.model,
            one_line(each.role, 20),
            f"{each.calls:,}",
            f"{each.cached:,}",
            f"{tokens(each.usage.input)} / {tokens(each.usage.output)}",
            money(each.cost),
        )
        for each in sorted(report.spend, key=lambda spend: (spend.role != "target", spend.role, spend.model))
    ]
    if len(report.spend) > 1:
        calls = sum(each.calls for each in report.spend)
        rows.append(("all", "", f"{calls:,}", "", "", TableCell(total_spend(report.spend), "strong")))
    names = (*columns("Model"), TableColumn("Role", wraps=False))
    heads = (*names, *figures("Calls", "Cached", "Tokens in / out", "Cost"))
    return rich_table(ReportTable(columns=heads, rows=rows), "run")


def _print_troubles(console: Console, report: Report, results: Callable[[], Iterable[Result]]) -> None:
    found = troubles(report, results, _SHOWN)
    unscored, total = len(found.unscored), report.counts.unscored
    for title, shown, count, mark, style in (
        ("Failures", found.failed, failed_text(report, len(found.failed)), "✗", "red"),
        ("Unscored", found.unscored, f"{unscored} of {total:,}" if total > unscored else f"{total:,}", "?", "yellow"),
        (
            "In doubt, to be reviewed",
            found.in_doubt,
            f"{report.counts.in_doubt:,}, among those that passed",
            "~",
            "yellow",
        ),
    ):
        if not shown:
            continue
        console.print()
        console.print(Text.assemble((title, "bold"), (f" ({count})", "dim")))
        for result in shown:
            _print_trouble(console, result, shown_label(report, result), mark, style)


def _print_trouble(console: Console, result: Result, name: str, mark: str, style: str) -> None:
    head = Text.assemble((mark, style), " ", _plain(name, 120, "bold"), ("  ", ""))
    head.append_text(_plain(result.target, 60, "dim"))
    console.print(Padding.indent(head, 2))
    for cause in causes(result)[:3]:
        console.print(Padding.indent(_plain(cause.text, 300), 4))
    quote = next((cause.quote for cause in causes(result) if cause.quote.strip()), "")
    if quote:
        console.print(Padding.indent(Text(f"“{one_line(quote, 150)}”", style="dim italic"), 4))


def _print_notes(console: Console, report: Report) -> None:
    if report.notes:
        console.print()
    for note in report.notes:
        console.print(Text.assemble(("note ", "yellow"), _plain(note, 400)))


def _print_decision(console: Console, report: Report) -> None:
    line = Text.assemble((decision_word(report), _STYLES[report.decision]))
    if report.reason:
        line.append("  ").append_text(_plain(report.reason, 400))
    console.print()
    console.print(line)
    _print_steps(console, report)


def _retry_step(report: Report, run: str) -> tuple[str, str]:
    """Return the command that runs the failed cases again; recorded conversations can only be kept as cases."""
    job = report.settings.get("job")
    if isinstance(job, Mapping) and job.get("conversations"):
        return f"proctor promote {run} --failed --to suites/regressions.yaml", "make cases of what failed"
    suite = one_line(str(job.get("suite") or "SUITE"), 200) if isinstance(job, Mapping) else "SUITE"
    return f"proctor run {shlex.quote(suite)} --only-failing {run}", "run the failed cases again"


def _print_steps(console: Console, report: Report) -> None:
    run = one_line(report.id, 80)
    steps = [
        (f"proctor show {run}", "look at the results one by one"),
        (f"proctor export {run} -o report.html", "a page to read and to share"),
    ]
    if report.status == "interrupted":
        steps.insert(0, (f"proctor run --resume {run}", "do the rest; nothing finished is repeated"))
    elif report.counts.failed:
        steps.append(_retry_step(report, run))
    column = max(len(command) for command, _ in steps) + 2
    roomy = column + max(len(purpose) for _, purpose in steps) + 2 <= console.width
    for command, purpose in steps:
        line = Text.assemble("  ", command.ljust(column) if roomy else command, (purpose if roomy else "", "dim"))
        console.print(line, soft_wrap=True)  # a wrapped command could not be copied
    console.print()
