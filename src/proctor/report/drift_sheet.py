"""The report of a month against those before: terminal, Markdown, HTML, CSV and JSON."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence

from proctor.core.drift_report import DriftReport
from proctor.report.csv_rows import number_cell, text_cell
from proctor.report.number_format import p_text, percent, share_text, signed_number, signed_text
from proctor.report.report_kind import sheet_kind
from proctor.report.report_table import ReportTable, TableCell, columns, figures
from proctor.report.sheet import Sheet

__all__ = ["DRIFT_REPORT", "drift_sheet"]

_HEADS = {
    "pass": "no shift of intents that matters",
    "fail": "traffic has shifted",
    "unscored": "too few conversations to see a shift that matters",
}


def drift_sheet(report: DriftReport) -> Sheet:
    """Return the drift as a sheet: intents, calibration, new topics last."""
    tables = (_slices(report), _intents(report), _calibration(report), _topics(report))
    notes = list(report.notes)
    if report.questions and not report.topics:
        least = "nothing" if report.topic_minimum is None else f"one of {percent(report.topic_minimum)} or more"
        asked = f"{report.questions:,} questions now and {report.before_questions:,} before"
        notes.append(f"no new topic among {asked}; {least} would be found four times in five")
    return Sheet(
        title=f"Drift in {report.month}",
        headline=_HEADS[report.state],
        state=report.state,
        facts=[
            ("against", ", ".join(report.before)),
            ("conversations", f"{report.count:,}"),
            ("before", f"{report.before_count:,}"),
            ("a shift matters from V", f"{report.effect:g}"),
        ],
        tables=[each for each in tables if each.rows],
        notes=notes,
    )


def _slices(report: DriftReport) -> ReportTable:
    rows = [
        (
            each.name,
            f"{each.count:,}",
            f"{each.before_count:,}",
            f"{each.v:.3f}",
            f"{each.v_chance:.3f}",
            "–" if each.v_usual is None else f"{each.v_usual:.3f}",
            f"{each.js:.4f}",
            f"{each.psi:.3f}",
            f"{each.psi_chance:.3f}",
            f"{each.psi_excess:.3f}",
            p_text(each.adjusted),
            "–" if each.minimum is None else f"{each.minimum:.3f}",
            TableCell("shifted" if each.is_seen else "", "fail" if each.is_seen else ""),
        )
        for each in report.slices
    ]
    heads = ("now", "before", "V", "V by chance", "V usual", "JS bits", "PSI", "by chance", "PSI excess", "p", "V seen")
    return ReportTable(
        title="Distribution of intents",
        columns=(*columns("traffic"), *figures(*heads), *columns("")),
        rows=rows,
        hint="p by shuffling, corrected for all rows (Benjamini–Hochberg); `V seen` is the smallest that these numbers "
        "show; `V usual` the largest difference among the months before",
    )


def _intents(report: DriftReport) -> ReportTable:
    rows = [
        (
            each.intent,
            f"{each.count:,}",
            percent(each.share),
            percent(each.before_share),
            signed_text(each.change, 1, scale=100),
            p_text(each.adjusted),
            "–" if each.minimum is None else f"+{each.minimum * 100:.1f}",
            TableCell("rose" if (each.change.value or 0) > 0 else "fell", "strong") if each.is_seen else "",
        )
        for each in report.intents
    ]
    heads = ("now", "share", "before", "change in points", "p", "smallest rise to be seen")
    return ReportTable(title="By intent", columns=(*columns("intent"), *figures(*heads), *columns("")), rows=rows)


def _calibration(report: DriftReport) -> ReportTable:
    each = report.calibration
    if each is None:
        return ReportTable()
    row = (
        each.labels,
        f"{each.count:,}",
        f"{each.before_count:,}",
        share_text(each.error, 1),
        share_text(each.before_error, 1),
        signed_number(each.gap * 100, 1),
        signed_number(each.before_gap * 100, 1),
        signed_text(each.change, 1, scale=100),
        p_text(each.p),
        f"{each.minimum * 100:.1f}",
        TableCell("drifted" if each.is_seen else "", "fail" if each.is_seen else ""),
    )
    heads = (
        "now",
        "before",
        "error now",
        "error before",
        "gap now",
        "gap before",
        "change",
        "p",
        "smallest to be seen",
    )
    return ReportTable(
        title="Calibration",
        columns=(*columns("labels"), *figures(*heads), *columns("")),
        rows=[row],
        hint="error beyond chance; the gap is the mean confidence less the share that was right, in points: above 0 is "
        "overconfident",
    )


def _topics(report: DriftReport) -> ReportTable:
    rows = [
        (
            each.question,
            ", ".join(each.terms),
            f"{each.count:,}",
            percent(each.share),
            percent(each.before_share),
            p_text(each.adjusted),
            "new" if each.is_new else "more frequent",
            ", ".join(each.intents),
        )
        for each in report.topics
    ]
    return ReportTable(
        title="New topics",
        columns=(
            *columns("question", "words"),
            *figures("now", "share", "before", "p"),
            *columns("", "intents"),
        ),
        rows=rows,
        hint=f"among {report.questions:,} questions now and {report.before_questions:,} before",
    )


def _csv_rows(report: DriftReport) -> Iterator[Sequence[str]]:
    yield "intent", "count", "before_count", "share", "before_share", "change", "low", "high", "p", "adjusted"
    for each in report.intents:
        figures_ = (each.share, each.before_share, each.change.value, each.change.low, each.change.high, each.p)
        cells = [number_cell(value) for value in (*figures_, each.adjusted)]
        yield text_cell(each.intent), str(each.count), str(each.before_count), *cells


def _data(report: DriftReport) -> dict[str, object]:
    return {"state": report.state, **dataclasses.asdict(report)}


DRIFT_REPORT = sheet_kind("drift", drift_sheet, data=_data, rows=_csv_rows)
