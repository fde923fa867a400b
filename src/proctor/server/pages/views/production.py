"""Monitoring: production over time, completion by intent, escalations by cause, satisfaction against resolution."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, cast, get_args
from urllib.parse import quote, urlencode

from proctor.core.digest import DigestFigure, DigestSection, FigureTable, PeriodDigest, PeriodKind
from proctor.core.rollup_cell import RollupCell
from proctor.report.digest_text import change_text, interval_text, value_text
from proctor.server.pages.charts import BarChart, BarRow, Series, TimeChart
from proctor.server.pages.page import Chart, Page, PageRequest, Redirect, Reply, Route, View
from proctor.server.pages.page_stores import PageStores
from proctor.server.pages.table import Cell, Chip, Column, Link, Share, Table, number_columns, text_columns
from proctor.server.pages.views.production_parts import (
    chosen_days,
    cost_chart,
    figure_tile,
    gate_chart,
    period_words,
    score_chart,
)
from proctor.stats.interval import wilson
from proctor.workflows.monitor.kept_reports import kept_digests, newest_digest, read_digest
from proctor.workflows.monitor.measure_process import MeasureTask, measure_progress, start_measure
from proctor.workflows.monitor.production_series import PERIODS, ProductionSeries, production_series

__all__ = ["PAGE"]

_KINDS: Final[tuple[PeriodKind, ...]] = get_args(PeriodKind)
_SECTIONS: Final = ("completion", "escalations", "ratings", "consistency")
_UNKNOWN: Final = "not known"
_COLUMNS: Final = (
    Column("Figure"),
    *number_columns("Now", "95 % interval", "Of", "Before", "Change"),
    Column("Verdict"),
)
_MOST_BARS: Final = 15
_SEVERAL: Final = ", "


def _show(stores: PageStores, request: PageRequest) -> Reply:
    """Show how production goes."""
    days = chosen_days(request, 7)
    course = production_series(stores.history, request.now, days)
    digest = _chosen(stores, request)
    tables: dict[str, Table] = {"intents": _intents(stores, course)}
    charts = _course_charts(course)
    sections = [_add(section, digest, tables, charts) for section in _sections(digest)] if digest is not None else []
    figures = course.figures()
    return View(
        template="monitoring.html",
        title="Monitoring",
        data={
            "days": days,
            "all_days": [(each, period_words(each)) for each in PERIODS],
            "course": course,
            "tiles": [figure_tile(name[:1].upper() + name[1:], figure, "") for name, figure in figures.items()],
            "digest": digest,
            "kept": kept_digests(stores.config),
            "kinds": _KINDS,
            "sections": sections,
            "progress": measure_progress(stores.config),
        },
        tables=tables,
        charts=charts,
        live=("measured",),
    )


def _chosen(stores: PageStores, request: PageRequest) -> PeriodDigest | None:
    """Return the digest that is asked for, or the newest."""
    written = request.text("digest")
    kind, _, name = written.partition(" ") if written else (request.text("kind"), "", request.text("period"))
    if kind in _KINDS and name:
        return read_digest(stores.config, kind, name)
    return newest_digest(stores.config)


def _sections(digest: PeriodDigest) -> list[DigestSection]:
    return [section for name in _SECTIONS if (section := digest.section(name)) is not None]


def _add(
    section: DigestSection, digest: PeriodDigest, tables: dict[str, Table], charts: dict[str, Chart]
) -> dict[str, object]:
    """Add the tables and the chart of a section; return what the template needs of it."""
    names = []
    for place, table in enumerate(section.tables):
        name = f"{section.name}-{place + 1}"
        is_intent = section.name == "completion" or (section.name == "ratings" and place >= _first_by_intent(section))
        tables[name] = _figure_rows(table, digest, is_intent=is_intent)
        drawn = _section_chart(table.title, table) if section.name in ("completion", "escalations") else None
        if drawn is not None:
            charts[name] = drawn
        names.append((name, table.hint, drawn is not None))
    examples = f"{section.name}-examples"
    if section.examples:
        tables[examples] = _example_rows(section)
    return {"section": section, "tables": names, "examples": examples if section.examples else ""}


def _first_by_intent(section: DigestSection) -> int:
    """Return the place of the first table whose rows are intents: those after the overall ones."""
    overall = ("Overall", "Where they disagree")
    return sum(table.title in overall for table in section.tables)


def _course_charts(course: ProductionSeries) -> dict[str, Chart]:
    if course.is_empty:
        return {}
    times, cells = course.times, course.cells
    charts: dict[str, Chart] = {
        "traffic": TimeChart(
            title="Traffic",
            times=times,
            series=[
                Series(label="turns", values=[cell.turns for cell in cells]),
                Series(label="conversations", values=[cell.conversations for cell in cells], colour="--ink-2"),
            ],
        ),
        "latency": TimeChart(
            title="Latency of a turn",
            times=times,
            series=[
                Series(label="P95", values=[cell.quantile(0.95) for cell in cells]),
                Series(label="P50", values=[cell.quantile(0.5) for cell in cells], colour="--ink-2"),
            ],
            unit="seconds",
        ),
        "shares": TimeChart(
            title="Turns that were handed over or failed",
            times=times,
            series=[
                Series(label="handed over", values=course.share("escalation")),
                Series(label="errors", values=course.share("error")),
            ],
            unit="share",
        ),
    }
    if course.total.csat_count:
        charts["csat"] = TimeChart(
            title="Satisfaction, mean",
            times=times,
            series=[Series(label="rating", values=[cell.csat for cell in cells])],
            unit="score",
            range=(1.0, 5.0),
        )
    for name, chart in (("scores", score_chart(course)), ("gates", gate_chart(course)), ("cost", cost_chart(course))):
        if chart is not None:
            charts[name] = chart
    return charts


def _intents(stores: PageStores, course: ProductionSeries) -> Table:
    found: Mapping[str, RollupCell] = stores.history.by_intent(course.since, course.until)
    ordered = sorted(found.items(), key=lambda each: -each[1].turns)
    span = {"since": f"{course.since:.0f}", "until": f"{course.until:.0f}"}
    rows: list[list[Cell]] = [
        [
            Link(name, f"/ui/conversations?{urlencode({'intent': name, **span})}") if name else _UNKNOWN,
            cell.conversations,
            cell.turns,
            _part(cell.signals.get("escalation", 0), cell.turns),
            _part(cell.signals.get("error", 0), cell.turns),
            _rounded(cell.quantile(0.95)),
            _rounded(cell.csat),
            cell.csat_count,
            round(cell.cost, 4) if cell.cost else None,
        ]
        for name, cell in ordered
    ]
    return Table(
        columns=(
            Column("Intent"),
            *number_columns(
                "Conversations", "Turns", "Handed over", "Errors", "P95, s", "Rating", "Ratings", "Cost, $"
            ),
        ),
        rows=rows,
        caption="By intent",
        empty="No events in this period. Send them to this server (docs/ingest.md).",
    )


def _part(hits: int, total: int) -> Share:
    interval = wilson(min(hits, total), total)
    return Share(None) if interval is None else Share(min(hits, total) / total, interval.low, interval.high)


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 2)


def _measure(stores: PageStores, request: PageRequest) -> Reply:
    """Measure a period in the background."""
    kind = cast(PeriodKind, request.choice("kind", _KINDS, "daily"))
    task = start_measure(stores.config, MeasureTask(what="digest", kind=kind, period=request.text("period")))
    query = urlencode({"kind": task.kind, "period": task.period})
    return Redirect(to=f"/ui/monitoring?{query}", said=f"Measuring {task.words}; the page shows it when it is done.")


PAGE = Page(
    title="Monitoring",
    path="/monitoring",
    order=35,
    routes=(
        Route(path="/monitoring", answer=_show),
        Route(path="/monitoring/measure", answer=_measure, method="POST", role="auditor"),
    ),
)


def _figure_rows(table: FigureTable, digest: PeriodDigest, *, is_intent: bool = False) -> Table:
    """Return figures with their intervals beside those of the period before; intents lead to their conversations."""
    return Table(
        columns=_COLUMNS,
        rows=[_row(each, digest, is_intent=is_intent) for each in table.figures],
        caption=table.title,
        empty="Nothing was counted in this period.",
    )


def _example_rows(section: DigestSection) -> Table:
    """Return conversations to look at."""
    rows: list[list[Cell]] = []
    for each in section.examples:
        first, _, more = each.where.partition(_SEVERAL)
        told = f"{each.detail} (also {more})" if more else each.detail
        link = Link(first, f"/ui/conversations/{quote(first, safe='')}") if first else None
        rows.append([link, each.intent or None, each.what, told or None])
    return Table(
        columns=(*text_columns("Conversation", "Intent", "What"), Column("Detail", "long")),
        rows=rows,
        caption=f"Examples: {section.title.lower()}",
    )


def _section_chart(title: str, table: FigureTable) -> BarChart | None:
    """Return shares as bars with their intervals; ``None`` if there are none."""
    found = [each for each in table.figures if each.now.value is not None and each.unit == "share"]
    if not found:
        return None
    rows = [
        BarRow(
            label=each.name,
            value=each.now.value,
            low=each.now.low,
            high=each.now.high,
            state="fail" if each.trend == "worse" else "pass" if each.trend == "better" else "",
        )
        for each in found[:_MOST_BARS]
    ]
    highest = max((row.high or row.value or 0.0) for row in rows)
    top = next((end for end in (0.05, 0.1, 0.25, 0.5) if highest <= end), 1.0)
    return BarChart(title=title, rows=rows, top=top)


def _row(figure: DigestFigure, digest: PeriodDigest, *, is_intent: bool) -> list[Cell]:
    name: Cell = figure.name
    if is_intent and figure.name not in ("all", ""):
        query = {
            "intent": figure.name,
            "since": f"{digest.period.begin.timestamp():.0f}",
            "until": f"{digest.period.end.timestamp():.0f}",
        }
        name = Link(figure.name, f"/ui/conversations?{urlencode(query)}")
    trend = figure.trend
    return [
        name,
        value_text(figure.now.value, figure.unit),
        interval_text(figure.now, figure.unit) or None,
        figure.now.count or None,
        value_text(figure.before.value, figure.unit),
        change_text(figure),
        Chip("pass" if trend == "better" else "fail", trend) if trend else None,
    ]
