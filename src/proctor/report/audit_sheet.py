"""The report of an audit: terminal, Markdown, HTML, CSV and JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from proctor.core.audit_report import AuditReport, DimensionAgreement
from proctor.core.judge_card import Estimate
from proctor.report.csv_rows import number_cell, text_cell
from proctor.report.number_format import p_text, percent, share_text, signed_number, signed_text
from proctor.report.report_kind import sheet_kind
from proctor.report.report_table import CellState, ReportTable, TableCell, columns, figures
from proctor.report.sheet import Sheet, State

__all__ = ["AUDIT_REPORT", "audit_sheet", "estimate_text"]


def estimate_text(estimate: Estimate, *, digits: int = 2) -> str:
    """Return a figure as ``0.71 (0.60–0.82)``; a dash if it is not known."""
    if estimate.value is None:
        return "–"
    if estimate.low is None or estimate.high is None:
        return f"{estimate.value:.{digits}f}"
    return f"{estimate.value:.{digits}f} ({estimate.low:.{digits}f}–{estimate.high:.{digits}f})"


def audit_sheet(report: AuditReport) -> Sheet:
    """Return the audit as a sheet, quality and agreement first."""
    state: State = "unscored" if report.is_reached is None else "pass" if report.is_reached else "fail"
    first = report.quality[0] if report.quality else None
    headline = f"{report.rated} of {report.sampled} sampled conversations rated"
    if first is not None and first.share.value is not None:
        headline = f"{share_text(first.share)} of all conversations pass in {first.dimension}; {headline}"
    tables = (
        _quality(report),
        _agreement(report),
        _pairs(report),
        _judges(report),
        _drift(report),
    )
    return Sheet(
        title="Audit",
        headline=headline,
        state=state,
        facts=[
            ("weeks", f"{report.weeks[0]} to {report.weeks[-1]}" if len(report.weeks) > 1 else report.weeks[0]),
            ("conversations", f"{report.population:,}"),
            ("sampled", f"{report.sampled:,}"),
            ("ratings", f"{report.ratings:,}"),
            ("raters", ", ".join(report.raters) or "none yet"),
        ],
        tables=[each for each in tables if each.rows],
        notes=report.notes,
    )


def _quality(report: AuditReport) -> ReportTable:
    rows = [
        (
            each.dimension,
            share_text(each.share),
            estimate_text(each.mean),
            share_text(each.core),
            f"{each.rated:,}",
            "–" if each.effective in (0.0, float("inf")) else f"{each.effective:,.0f}",
            f"{each.unscored:,}",
            f"{each.splits:,}",
        )
        for each in report.quality
        if each.rated or each.unscored
    ]
    return ReportTable(
        title="Quality of all conversations",
        columns=(
            *columns("dimension"),
            *figures("pass", "mean rating", "uniform core alone", "rated", "worth", "unscored", "split"),
        ),
        rows=rows,
        hint=f"passes from {report.pass_at} of {report.scale}; weighted by 1 / the chance of each conversation to be "
        "drawn; `worth` is the size of a simple random sample that would say as much",
    )


def _agreement(report: AuditReport) -> ReportTable:
    rows = [
        (
            each.dimension,
            f"{each.items:,}",
            share_text(each.observed),
            TableCell(estimate_text(each.kappa), _state(each, report.limit)),
            estimate_text(each.linear),
            estimate_text(each.quadratic),
            estimate_text(each.alpha),
            estimate_text(each.ac1),
            estimate_text(each.passing),
        )
        for each in report.agreement
    ]
    name = "Fleiss" if any(each.is_fleiss for each in report.agreement) else "Cohen"
    return ReportTable(
        title="Agreement of raters",
        columns=(
            *columns("dimension"),
            *figures(
                "both rated", "same", f"kappa ({name})", "linear", "quadratic", "alpha", "AC1", "kappa of passing"
            ),
        ),
        rows=rows,
        hint="95 % bootstrap intervals over conversations; alpha is Krippendorff's for ordered ratings",
    )


def _pairs(report: AuditReport) -> ReportTable:
    rows = [
        (
            f"{each.one} and {each.other}",
            each.dimension,
            f"{each.items:,}",
            percent(each.observed),
            _figure(each.kappa),
            _figure(each.quadratic),
            signed_number(each.bias),
        )
        for each in report.pairs
    ]
    return ReportTable(
        title="By two raters",
        columns=(
            *columns("raters", "dimension"),
            *figures("common", "same", "kappa", "quadratic", "first is higher by"),
        ),
        rows=rows,
    )


def _judges(report: AuditReport) -> ReportTable:
    rows = [
        (
            f"{each.scorer} {each.version}".strip(),
            each.dimension,
            f"{each.items:,}",
            share_text(each.agreement.share),
            estimate_text(each.agreement.kappa),
            estimate_text(each.ac1),
            share_text(each.agreement.false_pass),
            share_text(each.agreement.false_fail),
        )
        for each in report.judges
    ]
    return ReportTable(
        title="Judges against people",
        columns=(
            *columns("judge", "against"),
            *figures("conversations", "same", "kappa", "AC1", "passed what people failed", "failed what people passed"),
        ),
        rows=rows,
        hint="people's verdict is the settled one, or that of raters who agree; not weighted",
    )


def _drift(report: AuditReport) -> ReportTable:
    rows = [
        (
            each.rater,
            each.dimension,
            f"{signed_number(each.before)} (n {each.before_items})",
            f"{signed_number(each.now)} (n {each.now_items})",
            signed_text(each.change),
            p_text(each.adjusted),
            TableCell("yes" if each.is_seen else "no", "fail" if each.is_seen else ""),
            "–" if each.minimum is None else f"{each.minimum:.2f}",
        )
        for each in report.drift
    ]
    return ReportTable(
        title="Drift of raters",
        columns=(
            *columns("rater", "dimension"),
            *figures("before", "now", "change", "p adjusted", "drift", "smallest change to be seen"),
        ),
        rows=rows,
        hint="difference from the settled rating or the other raters; the last 4 weeks against those before",
    )


def _state(each: DimensionAgreement, limit: float | None) -> CellState:
    if limit is None or each.kappa.low is None or each.kappa.high is None:
        return ""
    return "pass" if each.kappa.low >= limit else "fail" if each.kappa.high < limit else "unscored"


def _figure(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"


def _csv_rows(report: AuditReport) -> Iterator[Sequence[str]]:
    """Yield one row per figure."""
    yield "part", "name", "figure", "value", "low", "high", "count"
    for quality in report.quality:
        for name in ("share", "mean", "core"):
            yield _csv_row("quality", quality.dimension, name, getattr(quality, name), quality.rated)
    for each in report.agreement:
        for name in ("observed", "kappa", "linear", "quadratic", "alpha", "ac1", "passing", "passing_ac1"):
            yield _csv_row("agreement", each.dimension, name, getattr(each, name), each.items)
    for judge in report.judges:
        for name in ("share", "kappa", "false_pass", "false_fail"):
            yield _csv_row(
                "judge", f"{judge.scorer} {judge.version}".strip(), name, getattr(judge.agreement, name), judge.items
            )
    for drift in report.drift:
        yield _csv_row("drift", f"{drift.rater} {drift.dimension}", "change", drift.change, drift.now_items)


def _csv_row(part: str, name: str, figure: str, value: Estimate, count: int) -> tuple[str, ...]:
    ends = (number_cell(each) for each in (value.value, value.low, value.high))
    return part, text_cell(name), figure, *ends, str(count)


AUDIT_REPORT = sheet_kind("audit", audit_sheet, rows=_csv_rows)
