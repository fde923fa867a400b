"""Gates' decisions to read: on a terminal, as Markdown, as a page and as JSON."""

from __future__ import annotations

from proctor.core.gate_decisions import GateDecisions, GuardDecisions
from proctor.core.share import Share
from proctor.report.number_format import milliseconds, moment, share_text
from proctor.report.report_kind import sheet_kind
from proctor.report.report_table import ReportTable, columns, figures
from proctor.report.sheet import Sheet

__all__ = ["GUARD_REPORT", "guard_sheet"]

NOT_KNOWN = "not known"
_FIGURES = figures("decisions", "allow", "redact", "block", "escalate", "broken", "shadow", "p50", "p95", "p99")


def guard_sheet(table: GuardDecisions) -> Sheet:
    """The table as a sheet."""
    stopped = sum(row.actions.get("block", 0) + row.actions.get("escalate", 0) for row in table.points)
    return Sheet(
        title="Decisions of the guard",
        headline=f"{table.decisions:,} steps looked at, {stopped:,} stopped or handed over",
        facts=[
            ("sessions", f"{table.sessions:,}"),
            *([("from", moment(table.begun))] if table.begun else []),
            *([("until", moment(table.until))] if table.until else []),
            ("reviewed", f"{table.reviewed:,}"),
            ("waiting for review", f"{table.waiting:,}"),
        ],
        tables=[
            each
            for each in (_decisions("Points", table.points), _decisions("Gates", table.gates), _judged(table))
            if each.rows
        ],
        notes=table.notes,
    )


def _decisions(title: str, rows: tuple[GateDecisions, ...]) -> ReportTable:
    named = title == "Gates"
    shown = [
        (
            *((row.gate,) if named else ()),
            row.point,
            f"{row.decisions:,}",
            *(f"{row.actions.get(action, 0):,}" for action in ("allow", "redact", "block", "escalate")),
            f"{row.broken:,}",
            f"{row.shadow:,}",
            *(milliseconds(each) for each in (row.latency.p50, row.latency.p95, row.latency.p99)),
            ", ".join(f"{kind} {count:,}" for kind, count in list(row.findings.items())[:4]),
        )
        for row in rows
    ]
    return ReportTable(
        title=title,
        columns=(*(columns("gate", "point") if named else columns("point")), *_FIGURES, *columns("found")),
        rows=shown,
        hint="each gate's own decision; the strongest counts" if named else "what the step came to",
    )


def _judged(table: GuardDecisions) -> ReportTable:
    rows = [
        (
            row.gate,
            row.point if row.gate != row.point else "",
            f"{row.borderline:,}",
            f"{row.precision.hits:,} of {row.precision.total:,}",
            _known(row.precision),
            _known(row.recall),
            row.why,
        )
        for row in (*table.points, *table.gates)
    ]
    return ReportTable(
        title="What people say",
        columns=(
            *columns("gate", "point"),
            *figures("borderline", "right", "precision", "recall"),
            *columns("because"),
        ),
        rows=rows if table.reviewed else (),
        hint="95 % intervals; recall is estimated from a sample of what was let pass",
    )


def _known(share: Share) -> str:
    return NOT_KNOWN if share.value is None else share_text(share)


GUARD_REPORT = sheet_kind("table", guard_sheet)
