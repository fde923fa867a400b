"""Hand-offs by cause to read: on a terminal, as Markdown, as a page, as a table and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from proctor.core.handoff import EscalationCauses
from proctor.report.csv_rows import number_cell
from proctor.report.number_format import share_text
from proctor.report.report_kind import sheet_kind
from proctor.report.report_table import ReportTable, columns, figures
from proctor.report.sheet import Sheet

__all__ = ["ESCALATION_REPORT", "escalation_sheet"]

_COUNTS = {True: "yes", False: "no", None: "–"}
_MOST_GAPS = 20


def escalation_sheet(table: EscalationCauses) -> Sheet:
    """The breakdown as a sheet."""
    tables = (_causes(table), _by_intent(table), _gaps(table), _labels(table))
    return Sheet(
        title="Escalations by cause",
        headline=f"{share_text(table.handoffs)} of conversations handed over; "
        f"{share_text(table.against)} of those with a known cause count against the agent",
        facts=[("conversations", f"{table.conversations:,}"), ("handed over", f"{table.handoffs.hits:,}")],
        tables=[each for each in tables if each.rows],
        notes=table.notes,
    )


def _causes(table: EscalationCauses) -> ReportTable:
    rows = [
        (row.category, f"{row.count:,}", share_text(row.share), _COUNTS[row.against], ", ".join(row.examples[:3]))
        for row in table.rows
        if table.handoffs.hits
    ]
    return ReportTable(
        title="Causes",
        columns=(*columns("cause"), *figures("hand-offs", "share"), *columns("counts", "such as")),
        rows=rows,
        hint="only knowledge gaps and confidence failures count against the agent",
    )


def _by_intent(table: EscalationCauses) -> ReportTable:
    names = [row.category for row in table.rows if row.count]
    rows = [
        (intent, *(f"{counts.get(name, 0):,}" for name in names))
        for intent, counts in table.by_intent.items()
        if len(table.by_intent) > 1
    ]
    return ReportTable(title="By intent", columns=(*columns("intent"), *figures(*names)), rows=rows)


def _gaps(table: EscalationCauses) -> ReportTable:
    rows = [(f"{gap.count:,}", gap.question, ", ".join(gap.terms)) for gap in table.gaps[:_MOST_GAPS]]
    hint = f"{len(table.gaps)} in all; --gaps FILE exports them" if table.gaps else ""
    return ReportTable(
        title="Knowledge gaps",
        columns=(*figures("asked"), *columns("such as", "words")),
        rows=rows,
        hint=hint,
    )


def _labels(table: EscalationCauses) -> ReportTable:
    found = table.agreement
    if found is None:
        return ReportTable(title="What people say")
    kappa = "" if found.kappa is None else f", kappa {found.kappa:.2f}"
    rows = [(each.id, each.found, each.said, each.by, each.note) for each in found.disagreements]
    return ReportTable(
        title="What people say",
        columns=columns("hand-off", "found", "said", "by", "note"),
        rows=rows or [("–", "all agree", "", "", "")],
        hint=f"{found.labelled} labels, {share_text(found.same)} the same{kappa}",
    )


def _csv_rows(table: EscalationCauses) -> Iterator[Sequence[object]]:
    """A row for each cause."""
    yield ["cause", "count", "share", "low", "high", "counts against the agent"]
    for row in table.rows:
        shares = (row.share.value, row.share.low, row.share.high)
        yield [row.category, row.count, *map(number_cell, shares), _COUNTS[row.against].replace("–", "")]


ESCALATION_REPORT = sheet_kind("table", escalation_sheet, rows=_csv_rows)
