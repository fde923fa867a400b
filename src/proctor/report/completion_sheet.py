"""Completion by intent to read: on a terminal, as Markdown, as a page, as a table and as JSON."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence

from proctor.core.share import Share
from proctor.core.task import IntentCompletion, Task, TaskCompletion
from proctor.report.csv_rows import number_cell, text_cell
from proctor.report.number_format import moment, share_text
from proctor.report.report_kind import sheet_kind
from proctor.report.report_table import ReportTable, columns, figures
from proctor.report.sheet import Sheet

__all__ = ["COMPLETION_REPORT", "completion_sheet"]


def completion_sheet(table: TaskCompletion) -> Sheet:
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
        tables=[each for each in (_by_intent(table), _ratings(table), _failures(table)) if each.rows],
        notes=table.notes,
    )


def _by_intent(table: TaskCompletion) -> ReportTable:
    counts = ("tasks", "completed", "not", "open", "unknown", "completion", "repeat contact", "of", "escalated")
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
    return ReportTable(
        title="By intent",
        columns=(*columns("intent"), *figures(*counts), *columns("rule")),
        rows=rows,
        hint="completion is over completed and not completed; repeat contact over tasks whose time is up",
    )


def _ratings(table: TaskCompletion) -> ReportTable:
    rows = [
        (row.intent, _rating(row.csat), _rating(row.csat_completed), _rating(row.csat_failed), share_text(row.pleased))
        for row in _all_rows(table)
        if row.csat is not None
    ]
    return ReportTable(
        title="What ratings miss",
        columns=(
            *columns("intent"),
            *figures("CSAT", "completed", "not completed", "rated 4 or 5 and not completed"),
        ),
        rows=rows,
        hint="mean rating from 1 to 5",
    )


def _failures(table: TaskCompletion) -> ReportTable:
    return ReportTable(
        title="Not completed",
        columns=columns("intent", "session", "customer", "question", "why"),
        rows=[_failure(task) for task in table.failures],
        hint="the first of each intent",
    )


def _failure(task: Task) -> tuple[str, ...]:
    return task.intent, task.session or "–", task.customer or "–", task.question or "–", task.reason


def _all_rows(table: TaskCompletion) -> tuple[IntentCompletion, ...]:
    return (*table.rows, table.total) if len(table.rows) != 1 else table.rows


def _rating(share: float | None) -> str:
    return "–" if share is None else f"{1 + 4 * share:.2f}"


def _csv_rows(table: TaskCompletion) -> Iterator[Sequence[str]]:
    """A row for each intent, the last one over all."""
    shares = ("completion", "repeats", "pleased")
    plain = [each.name for each in dataclasses.fields(IntentCompletion) if each.name not in shares]
    yield [*plain, *(f"{name}_{part}" for name in shares for part in ("share", "low", "high", "of"))]
    for row in (*table.rows, table.total):
        cells = [_cell(getattr(row, name)) for name in plain]
        for name in shares:
            share: Share = getattr(row, name)
            cells += [_cell(each) for each in (share.value, share.low, share.high, share.total)]
        yield cells


def _cell(value: object) -> str:
    return number_cell(value) if value is None or isinstance(value, float) else text_cell(str(value))


COMPLETION_REPORT = sheet_kind("table", completion_sheet, rows=_csv_rows)
