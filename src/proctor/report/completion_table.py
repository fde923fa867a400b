"""Completion by intent to read: on a terminal, as Markdown, as a page, as a table and as JSON."""

from __future__ import annotations

import csv
import dataclasses
import json
from collections.abc import Callable
from pathlib import Path
from typing import TextIO

from proctor.core.operations import CompletionRow, CompletionTable, Share, Task
from proctor.report.formats import check_ending, save_by_ending
from proctor.report.number_format import moment, percent
from proctor.report.sheet import Section, Sheet, write_html, write_markdown, write_terminal
from proctor.report.table_csv import cell

__all__ = ["ENDINGS", "check_name", "completion_sheet", "save_completion", "share_text", "write", "write_json"]

_FIGURES = frozenset(
    {"tasks", "completed", "not", "open", "unknown", "completion", "repeat contact", "of", "escalated", "CSAT"}
)


def write(table: CompletionTable, out: TextIO | None = None) -> None:
    """Print it."""
    write_terminal(completion_sheet(table), out)


def completion_sheet(table: CompletionTable) -> Sheet:
    """The table as a sheet; the primary figure stands in the headline."""
    total = table.total
    return Sheet(
        title="Task completion by intent",
        headline=f"{share_text(total.repeats)} came again within {table.repeat_within} about the same; "
        f"{share_text(total.completion)} completed",
        facts=[
            ("events", f"{table.events:,}"),
            ("tasks", f"{total.tasks:,}"),
            *([("from", moment(table.begun))] if table.begun else []),
            *([("until", moment(table.until))] if table.until else []),
        ],
        sections=[section for section in (_by_intent(table), _ratings(table), _failures(table)) if section.rows],
        notes=table.notes,
    )


def share_text(share: Share) -> str:
    """``77.4 % (61–88 %)``; a dash where nothing was counted."""
    if share.value is None or share.low is None or share.high is None:
        return "–"
    return f"{percent(share.value)} ({share.low * 100:.0f}–{share.high * 100:.0f} %)"


def _by_intent(table: CompletionTable) -> Section:
    columns = ("intent", "tasks", "completed", "not", "open", "unknown", "completion", "repeat contact", "of")
    rows = [
        (
            row.intent,
            f"{row.tasks:,}",
            f"{row.completed:,}",
            f"{row.failed:,}",
            f"{row.open:,}",
            f"{row.unknown:,}",
            share_text(row.completion),
            share_text(row.repeats),
            f"{row.repeats.total:,}",
            f"{row.escalated:,}",
            row.rule,
        )
        for row in _all_rows(table)
    ]
    return Section(
        title="By intent",
        columns=(*columns, "escalated", "rule"),
        rows=rows,
        figures=_FIGURES,
        hint="completion is over completed and not completed; repeat contact over tasks whose time is up",
    )


def _ratings(table: CompletionTable) -> Section:
    rows = [
        (row.intent, _rating(row.csat), _rating(row.csat_completed), _rating(row.csat_failed), share_text(row.pleased))
        for row in _all_rows(table)
        if row.csat is not None
    ]
    return Section(
        title="What ratings miss",
        columns=("intent", "CSAT", "completed", "not completed", "rated 4 or 5 and not completed"),
        rows=rows,
        figures=frozenset({"CSAT", "completed", "not completed", "rated 4 or 5 and not completed"}),
        hint="mean rating from 1 to 5",
    )


def _failures(table: CompletionTable) -> Section:
    return Section(
        title="Not completed",
        columns=("intent", "session", "customer", "question", "why"),
        rows=[_failure(task) for task in table.failures],
        hint="the first of each intent",
    )


def _failure(task: Task) -> tuple[str, ...]:
    return task.intent, task.session or "–", task.customer or "–", task.question or "–", task.reason


def _all_rows(table: CompletionTable) -> tuple[CompletionRow, ...]:
    return (*table.rows, table.total) if len(table.rows) != 1 else table.rows


def _rating(share: float | None) -> str:
    return "–" if share is None else f"{1 + 4 * share:.2f}"


def write_json(table: CompletionTable, out: TextIO) -> None:
    """Write it as JSON with every field there."""
    json.dump(dataclasses.asdict(table), out, ensure_ascii=False, indent=1, default=str)
    out.write("\n")


def write_csv(table: CompletionTable, out: TextIO) -> None:
    """A row for each intent, the last one over all."""
    shares = ("completion", "repeats", "pleased")
    rows = csv.writer(out, lineterminator="\n")
    plain = [each.name for each in dataclasses.fields(CompletionRow) if each.name not in shares]
    rows.writerow([*plain, *(f"{name}_{part}" for name in shares for part in ("share", "low", "high", "of"))])
    for row in (*table.rows, table.total):
        cells = [_cell(getattr(row, name)) for name in plain]
        for name in shares:
            share: Share = getattr(row, name)
            cells += [_cell(each) for each in (share.value, share.low, share.high, share.total)]
        rows.writerow(cells)


def _cell(value: object) -> str:
    if value is None:
        return ""
    return f"{value:.6g}" if isinstance(value, float) else cell(str(value))


_WRITERS: dict[str, Callable[[CompletionTable, TextIO], None]] = {
    ".json": write_json,
    ".csv": write_csv,
    ".md": lambda table, out: write_markdown(completion_sheet(table), out),
    ".html": lambda table, out: write_html(completion_sheet(table), out),
}
ENDINGS = tuple(_WRITERS)


def check_name(path: Path) -> None:
    """Say before anything is read whether a table can be written under this name.

    Raises:
        InputError: nothing writes files with this ending, or the name is a folder's.
    """
    check_ending("table", path, ENDINGS)


def save_completion(table: CompletionTable, path: Path) -> None:
    """Write it in the format the file's name asks for; the file is whole or is not there.

    Raises:
        InputError: nothing writes files with this ending, or the name is a folder's.
        StoreError: the disk or the folder refused.
    """
    save_by_ending("table", table, path, _WRITERS)
