"""Overview: is it safe to ship, is production healthy."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final

from proctor.core.alert_record import AlertRecord
from proctor.core.digest import DigestFigure, PeriodDigest
from proctor.monitor.digest_figures import measured_share
from proctor.server.pages.charts import BarChart, BarRow, Series, TimeChart
from proctor.server.pages.page import Chart, Page, PageRequest, Reply, Route, View
from proctor.server.pages.page_stores import PageStores
from proctor.server.pages.table import Cell, Chip, Column, Link, Moment, Table, text_columns
from proctor.server.pages.views.alert_item import TIERS
from proctor.server.pages.views.production_parts import (
    FigureTile,
    chosen_days,
    cost_chart,
    figure_tile,
    gate_chart,
    period_words,
    score_chart,
)
from proctor.server.pages.views.run_cells import baseline_address
from proctor.store.decisions import DecisionRecord, decisions
from proctor.store.guard_log import FOLDER as GUARD_FOLDER
from proctor.store.period_spend import cost_between
from proctor.workflows.guard.stats import stopped_steps
from proctor.workflows.monitor.alert_timeline import rule_statuses
from proctor.workflows.monitor.kept_reports import newest_digest
from proctor.workflows.monitor.production_series import PERIODS, ProductionSeries, production_series
from proctor.workflows.project_health import (
    QualityTrend,
    latest_decisions,
    production_answer,
    quality_trend,
    release_answer,
)

__all__ = ["PAGE"]

_MOST_ALERTS: Final = 100_000
_MOST_DECISIONS: Final = 8


def _show(stores: PageStores, request: PageRequest) -> Reply:
    """Show the state of the project."""
    days = chosen_days(request, 30)
    course = production_series(stores.history, request.now, days)
    standing = stores.alerts.alerts(open_only=True, limit=_MOST_ALERTS)
    latest = latest_decisions(stores.runs)
    ship = release_answer(latest)
    health = production_answer(standing, rule_statuses(stores.config, stores.alerts, request.now))
    trend = quality_trend(stores.runs)
    has_runs = bool(stores.runs.list(limit=1))
    charts: dict[str, Chart] = {}
    if trend is not None:
        charts["quality"] = _trend_chart(trend)
    for name, chart in (("scores", score_chart(course)), ("gates", gate_chart(course)), ("cost", cost_chart(course))):
        if chart is not None:
            charts[name] = chart
    return View(
        template="overview.html",
        title="Overview",
        data={
            "folder": stores.config.folder.name,
            "days": days,
            "all_days": [(each, period_words(each)) for each in PERIODS],
            "answers": [
                ("Is it safe to ship?", ship, f"/ui/runs/{ship.run}" if ship.run else ""),
                ("Is production healthy?", health, _alert_link(health.alert)),
            ],
            "alert_tiles": _alert_tiles(standing),
            "tiles": _tiles(stores, request, course),
            "trend": trend,
            "is_empty": course.is_empty and not has_runs and not standing,
            "has_runs": has_runs,
            "has_traffic": not course.is_empty,
        },
        tables={"decisions": _decisions(stores, decisions(stores.runs, limit=_MOST_DECISIONS))},
        charts=charts,
        live=("alerts", "runs"),
    )


def _alert_link(number: int | None) -> str:
    return "/ui/alerts?state=open" if number is None else f"/ui/alerts/{number}"


def _alert_tiles(standing: Sequence[AlertRecord]) -> list[FigureTile]:
    counts = Counter(each.tier for each in standing)
    taken = Counter(each.tier for each in standing if each.acked)
    return [
        FigureTile(
            f"Open alerts, {tier}",
            f"{counts[tier]:,}",
            f"/ui/alerts?state=open&tier={tier}",
            f"{taken[tier]:,} acknowledged" if taken[tier] else "",
            "fail" if counts[tier] and tier in ("critical", "high") else "",
        )
        for tier in TIERS
    ]


def _tiles(stores: PageStores, request: PageRequest, course: ProductionSeries) -> list[FigureTile]:
    found = course.figures()
    digest = newest_digest(stores.config)
    here = f"/ui/monitoring?days={course.days}"
    measured = f"/ui/monitoring?kind={digest.period.kind}&period={digest.period.name}" if digest else "/ui/monitoring"
    begin, end = (datetime.fromtimestamp(each, UTC) for each in (course.since, request.now))
    own = cost_between(stores.runs, begin, end)
    return [
        figure_tile("Completion", _headline(digest, "completion"), f"{measured}#completion", _period(digest)),
        figure_tile("Repeat contact", _headline(digest, "repeat contact"), f"{measured}#completion", _period(digest)),
        figure_tile("Conversations", found["conversations"], f"/ui/conversations?since={course.since:.0f}"),
        figure_tile("Handed over", found["handed over"], f"{here}#escalations"),
        figure_tile("Errors", found["errors"], f"/ui/conversations?signal=error&since={course.since:.0f}"),
        figure_tile("P95 latency", found["P95 latency"], f"{here}#latency"),
        figure_tile("Satisfaction", found["satisfaction"], f"{here}#ratings"),
        _guard_tile(stores, course, begin),
        figure_tile("Cost of production", found["cost"], f"{here}#cost"),
        FigureTile("Cost of runs", "–" if own is None else f"${own:,.2f}", "/ui/runs"),
    ]


def _guard_tile(stores: PageStores, course: ProductionSeries, begin: datetime) -> FigureTile:
    """Return what the guard's own log says, or without one what agents report of their gates."""
    if not (stores.config.store / GUARD_FOLDER).is_dir():
        return figure_tile("Acted on by a gate", course.figures()["acted on by a gate"], "/ui/guard")
    stopped, total = stopped_steps(stores.guard, begin)
    figure = DigestFigure(name="stopped", unit="share", now=measured_share(stopped, total))
    return figure_tile("Stopped by the guard", figure, f"/ui/guard?days={course.days}", f"of {total:,} decisions")


def _headline(digest: PeriodDigest | None, name: str) -> DigestFigure | None:
    return next((each for each in digest.headline if each.name == name), None) if digest is not None else None


def _period(digest: PeriodDigest | None) -> str:
    return digest.period.name if digest is not None else ""


def _trend_chart(trend: QualityTrend) -> Chart:
    title = f"Quality by run: {trend.suite} on {trend.target}"
    names = {name: name.replace("_", " ") for name in trend.lines}
    if len(trend.times) < 2:
        rows = [BarRow(label=names[name], value=values[-1]) for name, values in trend.lines.items()]
        return BarChart(title=f"Quality of one run: {trend.suite} on {trend.target}", rows=rows, unit="score")
    series = [Series(label=names[name], values=values) for name, values in trend.lines.items()]
    return TimeChart(title=title, times=trend.times, series=series, unit="score", range=(0.0, 1.0))


def _decisions(stores: PageStores, found: Sequence[DecisionRecord]) -> Table:
    rows: list[list[Cell]] = [
        [
            _decision_chip(each.decision),
            Link(f"{each.suite} on {each.target}", f"/ui/runs/{each.run}"),
            Moment(each.time.timestamp()),
            Link(each.baseline, to) if (to := baseline_address(stores.runs, each)) else each.baseline or None,
            "; ".join(each.reasons) or None,
        ]
        for each in found
    ]
    return Table(
        columns=(*text_columns("Decision", "Run", "When", "Against"), Column("Why", "long")),
        rows=rows,
        empty="No release decision yet. `proctor gate last` decides on a run against its baseline.",
    )


def _decision_chip(decision: str) -> Chip:
    if decision == "ship":
        return Chip("pass", "ship")
    return Chip("fail", "hold") if decision == "hold" else Chip("unscored", decision)


PAGE = Page(title="Overview", path="/", order=10, routes=(Route(path="/", answer=_show),))
