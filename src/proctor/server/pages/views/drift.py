"""Drift and calibration: intents against the months before, new topics, reliability before and after a mapping."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Final
from urllib.parse import quote, urlencode

from proctor.core.calibration_report import CalibrationReport
from proctor.core.drift_report import DriftReport, TopicShift
from proctor.report.calibration_sheet import calibration_sheet, fit_sheet
from proctor.report.drift_sheet import drift_sheet
from proctor.report.number_format import p_text, signed_number
from proctor.report.reliability_diagram import reliability_diagram
from proctor.report.report_table import ReportTable, TableCell
from proctor.server.pages.charts import BarChart, BarRow, Drawing, Series, TimeChart
from proctor.server.pages.page import Chart, Page, PageRequest, Redirect, Reply, Route, View
from proctor.server.pages.page_stores import PageStores
from proctor.server.pages.table import Cell, Chip, Column, Link, Share, Table, number_columns, text_columns
from proctor.stats.interval import wilson
from proctor.workflows.monitor.kept_reports import (
    KeptCalibration,
    kept_calibration,
    kept_drift,
    kept_months,
)
from proctor.workflows.monitor.measure_process import MeasureTask, measure_progress, start_measure
from proctor.workflows.monitor.production_series import production_series, score_names

__all__ = ["PAGE"]

_LABELS: Final = ("audit", "completion")
_MOST_INTENTS: Final = 12
_MOST_TOPICS: Final = 12
_WORDS: Final = {"pass": "calibrated", "fail": "recalibrate", "unscored": "not decided"}


def _show(stores: PageStores, request: PageRequest) -> Reply:
    """Show the drift of a month, and calibration."""
    months = kept_months(stores.config)
    month = request.text("month") or (months[0] if months else "")
    report = kept_drift(stores.config, month) if month else None
    calibration = kept_calibration(stores.config)
    tables: dict[str, Table] = {}
    charts: dict[str, Chart] = {}
    data: dict[str, object] = {
        "months": months,
        "month": month,
        "report": report,
        "calibration": calibration,
        "labels": [*_LABELS, *_scores(stores, request)],
        "progress": measure_progress(stores.config),
        "topics": [],
    }
    if report is not None:
        sheet = drift_sheet(report)
        data |= {"sheet": sheet, "topics": report.topics[:_MOST_TOPICS], "p_text": p_text}
        charts["intents"] = _intent_chart(report)
        for table in sheet.tables:
            if table.title == "New topics":
                tables["topics"] = _topic_table(report.topics)
            else:
                name = {"Distribution of intents": "test", "By intent": "intents", "Calibration": "shift"}[table.title]
                tables[name] = _page_table(table, link=_conversations if name == "intents" else None)
        data["hints"] = {table.title: table.hint for table in sheet.tables}
    if calibration is not None:
        data |= _add_calibration(calibration, tables, charts)
    return View(
        template="drift.html",
        title="Drift and calibration",
        data=data,
        tables=tables,
        charts=charts,
        live=("measured",),
    )


def _scores(stores: PageStores, request: PageRequest) -> list[str]:
    """Return the scores that may serve as labels."""
    course = production_series(stores.history, request.now, 90)
    return [f"score/{name}" for name in score_names(course.total)]


def _conversations(intent: str) -> str:
    return f"/ui/conversations?{urlencode({'intent': intent})}"


def _intent_chart(report: DriftReport) -> BarChart:
    rows = []
    ordered = sorted(report.intents, key=lambda each: -max(each.share, each.before_share))
    for each in ordered[:_MOST_INTENTS]:
        for label, hits, total, state in (
            (each.intent, each.count, report.count, "fail" if each.is_seen else ""),
            ("before", each.before_count, report.before_count, ""),
        ):
            interval = wilson(hits, total)
            rows.append(
                BarRow(
                    label=label,
                    value=hits / total if total else None,
                    low=interval.low if interval else None,
                    high=interval.high if interval else None,
                    state="fail" if state else "",
                )
            )
    highest = max((row.high or 0.0 for row in rows), default=1.0)
    top = next((end for end in (0.1, 0.25, 0.5) if highest <= end), 1.0)
    return BarChart(title=f"Intents in {report.month} and before", rows=rows, top=top)


def _topic_table(topics: Sequence[TopicShift]) -> Table:
    rows: list[list[Cell]] = [
        [
            each.question,
            ", ".join(each.terms) or None,
            Chip("fail", "new") if each.is_new else Chip("info", "more frequent"),
            each.count,
            Share(each.share),
            Share(each.before_share),
            p_text(each.adjusted),
            Link(first, f"/ui/conversations/{quote(first, safe='')}")
            if (first := next(iter(each.conversations), ""))
            else None,
        ]
        for each in topics
    ]
    return Table(
        columns=(
            Column("Question", "long"),
            *text_columns("Words", "Finding"),
            *number_columns("Now", "Share", "Before", "p"),
            Column("Example"),
        ),
        rows=rows,
        caption="New topics",
    )


def _add_calibration(
    calibration: KeptCalibration, tables: dict[str, Table], charts: dict[str, Chart]
) -> dict[str, object]:
    """Add the diagrams, the months and the mappings; return what the template needs."""
    fit, whole = calibration.fit, calibration.whole
    if whole is not None:
        charts["before"] = _diagram("As the agent states it", whole)
    if fit is not None and fit.after is not None:
        charts["after"] = _diagram(f"After the mapping: {fit.method}", fit.after)
        tables["mappings"] = _page_table(next(iter(fit_sheet(fit).tables)))
    tables["months"] = _months(calibration)
    charts["errors"] = _errors(calibration)
    notes = [*(calibration_sheet(whole).notes if whole is not None else ()), *(fit.notes if fit is not None else ())]
    return {
        "whole": whole,
        "whole_chip": _state_chip(whole) if whole is not None else None,
        "calibration_head": calibration_sheet(whole).headline if whole is not None else "",
        "calibration_notes": list(dict.fromkeys(notes)),
    }


def _diagram(title: str, report: CalibrationReport) -> Drawing:
    return Drawing(
        title=title,
        inline_svg=reliability_diagram(report, is_inline=True, is_styled=False),
        file_svg=reliability_diagram(report),
    )


def _state_chip(report: CalibrationReport) -> Chip:
    return Chip(report.state, _WORDS[report.state])


def _months(calibration: KeptCalibration) -> Table:
    rows: list[list[Cell]] = []
    for each in reversed(calibration.months):
        report = each.report
        if report is None:
            rows.append([each.month, None, None, None, None, None, None])
            continue
        error = report.debiased
        rows.append(
            [
                each.month,
                _state_chip(report),
                report.count,
                Share(error.value, error.low, error.high),
                Share(report.ece),
                Share(report.chance),
                signed_number(report.gap * 100, 1),
            ]
        )
    return Table(
        columns=(
            *text_columns("Month", "State"),
            *number_columns("Labels", "Error beyond chance", "Raw error", "By chance", "Confidence less right, points"),
        ),
        rows=rows,
        caption="By month",
    )


def _errors(calibration: KeptCalibration) -> Chart:
    known = [(each.month, each.report) for each in calibration.months if each.report is not None]
    title = "Calibration error beyond chance, by month"
    if len(known) < 2:
        rows = [
            BarRow(label=month, value=report.debiased.value, low=report.debiased.low, high=report.debiased.high)
            for month, report in known
        ]
        highest = max((row.high or row.value or 0.0 for row in rows), default=0.0)
        return BarChart(title=title, rows=rows, top=0.25 if highest <= 0.25 else 1.0)
    reports = [report for _, report in known]
    return TimeChart(
        title=title,
        times=[_month_start(month) for month, _ in known],
        series=[
            Series(label="error", values=[each.debiased.value for each in reports]),
            Series(label="95 % low", values=[each.debiased.low for each in reports], colour="--unscored-fill"),
            Series(label="95 % high", values=[each.debiased.high for each in reports], colour="--unscored-fill"),
            Series(label="threshold", values=[each.threshold for each in reports], colour="--fail-fill"),
        ],
        unit="share",
    )


def _month_start(month: str) -> float:
    return datetime.fromisoformat(f"{month}-01T00:00:00+00:00").timestamp()


def _measure(stores: PageStores, request: PageRequest) -> Reply:
    """Measure drift or calibration in the background."""
    what = request.choice("what", ("drift", "calibration"), "drift")
    labels = request.text("labels")
    task = (
        MeasureTask(what="drift", period=request.text("month"), labels=labels)
        if what == "drift"
        else MeasureTask(what="calibration", labels=labels)
    )
    started = start_measure(stores.config, task)
    to = f"/ui/drift?{urlencode({'month': started.period})}" if what == "drift" else "/ui/drift#calibration"
    return Redirect(to=to, said=f"Measuring {started.words}; the page shows it when it is done.")


PAGE = Page(
    title="Drift",
    path="/drift",
    order=90,
    routes=(
        Route(path="/drift", answer=_show),
        Route(path="/drift/measure", answer=_measure, method="POST", role="auditor"),
    ),
)


def _page_table(
    table: ReportTable, *, link: Callable[[str], str] | None = None, unnamed: str = "Finding", empty: str = ""
) -> Table:
    """Return a table of a report; ``link`` returns where the first cell of a row leads, ``unnamed`` names a column."""
    return Table(
        columns=[Column(_head(each.name or unnamed), "number" if each.figure else "text") for each in table.columns],
        rows=[[_cell(cell, link if place == 0 else None) for place, cell in enumerate(row)] for row in table.cells()],
        caption=table.title,
        empty=empty or "Nothing was measured.",
    )


def _head(name: str) -> str:
    return name[:1].upper() + name[1:] if len(name) > 1 else name  # p is no P


def _cell(cell: TableCell, link: Callable[[str], str] | None) -> Cell:
    match cell.state:
        case "pass" | "fail" | "unscored":
            return Chip(cell.state, cell.text)
    if link is not None and cell.text:
        return Link(cell.text, link(cell.text))
    return cell.text or None
