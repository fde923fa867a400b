"""A pull-request comment: the decision first, figures, then the failures folded away."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import TextIO

from proctor.core.report import Cell, Report, Result, Tally
from proctor.report.dimensions import Grid, grids, title_of
from proctor.report.failure_causes import causes, listed_failures, shown_label, troubles
from proctor.report.number_format import (
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
from proctor.report.safe_text import one_line
from proctor.report.word_table import WordTable

__all__ = ["escaped", "write"]

_LIMIT = 60_000  # bytes; the comment field of the common hosts takes 65,536 characters
_RESERVED = 600  # for what closes the comment
_SHOWN = 50
_ROWS = 40
_SIGNS = {"passed": "✅", "failed": "❌", "unjudged": "⚠️", None: "▫️"}

_SPECIAL = re.compile(r"([\\`*_{}\[\]()!|~])")
# Hosts turn these into mentions, links to issues and links to pages; a report must ping nobody.
_LIVE = re.compile(r"(@(?=\w)|#(?=\d)|\bGH-(?=\d)|:(?=//)|\bwww(?=\.))", re.IGNORECASE)
_OPENING = re.compile(r"^(\d+(?=[.)])|(?=[#+=>-]))")


def write(report: Report, results: Callable[[], Iterable[Result]], out: TextIO) -> None:
    """Write the comment; it stays under 60 kB whatever the run holds."""
    page = _Page(_LIMIT - _RESERVED)
    page.add(_decision(report))
    page.add(_targets(report))
    for table in overview_tables(report):
        page.add(_overview(table))
    page.add(_scorers(report))
    found = troubles(report, results, _SHOWN)
    left = _folded(page, report, "Failures", found.failed, listed_failures(report))
    left += _folded(page, report, "Unscored", found.unscored, report.counts.unscored)
    for grid in grids(report):
        page.add(_grid(grid))
    page.add(_breakdown("By intent", report.by_intent))
    page.add(_breakdown("By tag", report.by_tag))
    page.add(_spend(report))
    out.write(page.text)
    out.write(_closing(report, left))


class _Page:
    """Text that refuses a piece which would make it too long."""

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


def escaped(text: str, limit: int = 200) -> str:
    """Text from outside on one line, with nothing left that Markdown or its host would act on."""
    safe = _SPECIAL.sub(r"\\\1", one_line(text, limit))
    safe = safe.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    safe = _LIVE.sub("\\1\u200b", safe)
    return _OPENING.sub(r"\1\\", safe)


def _row(*cells: str) -> str:
    return "| " + " | ".join(cells) + " |"


def _table(heads: Sequence[str], rows: Sequence[str], *, left: int = 1) -> str:
    rule = [":--" if place < left else "--:" for place in range(len(heads))]
    return "\n".join([_row(*heads), _row(*rule), *rows, ""])


def _decision(report: Report) -> str:
    counts = report.counts
    lines = [f"## {_SIGNS[report.decision]} {decision_word(report)}: {escaped(report.name or report.id, 100)}", ""]
    if report.reason:
        lines += [f"**{escaped(report.reason, 600)}**", ""]
    figures = f"{counts.passed:,} passed · {counts.failed:,} failed · {counts.unscored:,} unscored"
    if counts.pass_rate is not None:
        figures += f" · pass rate {percent(counts.pass_rate)} (95 % interval {range_text(counts)})"
    lines += [figures, ""]
    lines += [f"> {escaped(note, 400)}\n" for note in report.notes[:10]]
    return "\n".join(lines)


def _targets(report: Report) -> str:
    if not report.by_target:
        return ""
    rows = []
    for tally in report.by_target[:_ROWS]:
        latency = latency_of(report, tally)
        rows.append(_row(*_outcomes(tally), seconds(latency.get("p50")), seconds(latency.get("p95"))))
    heads = ("Target", "Pass", "Fail", "Unscored", "Pass rate", "95 % interval", "Latency p50", "p95")
    return _table(heads, [*rows, *_more(report.by_target, heads)])


def _outcomes(tally: Tally) -> list[str]:
    counts = tally.counts
    numbers = [f"{counts.passed:,}", f"{counts.failed:,}", f"{counts.unscored:,}"]
    return [escaped(tally.name), *numbers, percent(counts.pass_rate), range_text(counts) or "–"]


def _more(tallies: Sequence[Tally], heads: Sequence[str]) -> list[str]:
    left = len(tallies) - _ROWS
    return [_row(f"… {left} more", *[""] * (len(heads) - 1))] if left > 0 else []


def _scorers(report: Report) -> str:
    if not report.by_scorer:
        return ""
    heads = ("Scorer", "Mean", "n", "Pass", "Fail", "Not judged")
    rows = []
    for tally in report.by_scorer[:_ROWS]:
        counts = tally.counts
        decides = counts.passed + counts.failed > 0
        verdicts = [f"{counts.passed:,}", f"{counts.failed:,}"] if decides else ["–", "–"]
        mean = "–" if tally.mean is None else f"{tally.mean:.2f}"
        rows.append(_row(escaped(tally.name), mean, f"{scored(tally):,}", *verdicts, f"{counts.unscored:,}"))
    return _table(heads, [*rows, *_more(report.by_scorer, heads)])


def _overview(shown: WordTable) -> str:
    rows = [_row(*(escaped(cell.text, 160) for cell in row)) for row in shown.rows[:_ROWS]]
    if len(shown.rows) > _ROWS:
        rows.append(_row(f"… {len(shown.rows) - _ROWS} more", *[""] * (len(shown.heads) - 1)))
    table = _table([escaped(head) for head in shown.heads], rows, left=shown.names)
    return f"**{escaped(shown.title, 80)}** ({escaped(shown.hint, 300)})\n\n{table}"


def _grid(grid: Grid) -> str:
    heads = ("Intent", "Cases", *(escaped(title_of(name)) for name in grid.dimensions))
    rows = []
    for row in [*grid.rows[:_ROWS], *(grid.rows[-1:] if len(grid.rows) > _ROWS else ())]:
        cases = max((cell.cases + cell.unscored for cell in row.cells if cell), default=0)
        rows.append(_row(escaped(row.intent) if row.intent else "**All**", f"{cases:,}", *map(_starred, row.cells)))
    title = f"**Dimensions by intent: {escaped(grid.target, 60)}**" if grid.target else "**Dimensions by intent**"
    unscored = any(cell and cell.unscored for row in grid.rows for cell in row.cells)
    note = "\n\\* some of these cases could not be scored\n" if unscored else ""
    return f"{title}\n\n{_table(heads, rows)}{note}"


def _starred(cell: Cell | None) -> str:
    return grid_text(cell).replace("*", "\\*")


def _breakdown(title: str, tallies: Sequence[Tally]) -> str:
    if not tallies:
        return ""
    heads = (title[3:].capitalize(), "Pass", "Fail", "Unscored", "Pass rate", "95 % interval")
    rows = [_row(*_outcomes(tally)) for tally in tallies[:_ROWS]]
    return _fold(title, _table(heads, [*rows, *_more(tallies, heads)]))


def _spend(report: Report) -> str:
    if not report.spend:
        return ""
    rows = [
        _row(
            escaped(each.role),
            escaped(each.model),
            f"{each.calls:,}",
            tokens(each.usage.input),
            tokens(each.usage.output),
            money(each.cost),
        )
        for each in report.spend[:_ROWS]
    ]
    heads = ("Role", "Model", "Calls", "Tokens in", "Tokens out", "Cost")
    return _fold(f"Spend: {total_spend(report.spend)}", _table(heads, rows, left=2))


def _folded(page: _Page, report: Report, title: str, shown: Sequence[Result], total: int) -> int:
    """Add as many results as there is room for; give back how many are left out."""
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
    # The hidden line lets a CI job find its own comment again and update it.
    return f"{more}\n<sub>{' · '.join(facts)}</sub>\n<!-- proctor-report -->\n"
