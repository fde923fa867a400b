"""Runs: every recorded run, one run with its results, one result with its evidence, two runs side by side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, get_args

from proctor.report.number_format import percent
from proctor.server.pages.charts import Series, TimeChart
from proctor.server.pages.page import Chart, Page, PageRequest, Reply, Route, View, later
from proctor.server.pages.page_stores import PageStores
from proctor.server.pages.table import PER_PAGE, Cell, Column, Link, Moment, Table, number_columns, text_columns
from proctor.server.pages.views.run_cells import (
    cost_cell,
    gate_chip,
    rate_cell,
    run_address,
    run_chip,
    side_address,
    taken,
)
from proctor.store.run_search import RunFilter, RunFound, RunSort, count_runs, run_choices, search_runs

__all__ = ["PAGE"]

_COLUMNS: Final = (
    Column("Started", sort="started"),
    Column("Suite", sort="name"),
    *text_columns("Run", "State", "Gate"),
    *number_columns("Pass rate", "Results", "In doubt", "Failed", "Unscored"),
    Column("Took", "number", sort="took"),
    Column("Cost", "number"),
    *text_columns("Trigger", "Compare"),
)
_CHART_RUNS: Final = 60
_BLOCK: Final = 500


def _show(stores: PageStores, request: PageRequest) -> Reply:
    """Show the table of runs."""
    wanted = RunFilter(
        suite=request.text("suite"),
        status=request.choice("status", ("running", "finished", "interrupted")),
        decision=request.choice("decision", ("passed", "failed", "unjudged", "none")),
        trigger=request.text("trigger"),
        text=request.text("q"),
    )
    sort: RunSort = request.choice("sort", get_args(RunSort))  # type: ignore[assignment]
    page = request.page
    found = search_runs(stores.runs, wanted, sort=sort, limit=PER_PAGE, offset=(page - 1) * PER_PAGE)
    total = count_runs(stores.runs, wanted)
    is_filtered = wanted != RunFilter()
    table = Table(
        columns=_COLUMNS,
        rows=[_row(each, is_page=True) for each in found],
        total=total,
        page=page,
        every=lambda: map(_row, _every(stores, wanted, sort)),
        empty="No run fits these filters." if is_filtered else "No run yet. `proctor run SUITE` makes one.",
    )
    charts = dict[str, Chart]()
    if wanted.suite:
        newest = search_runs(stores.runs, RunFilter(suite=wanted.suite, status="finished"), limit=_CHART_RUNS)
        if len([each for each in newest if each.counts.pass_rate is not None]) > 1:
            charts["rates"] = _chart(wanted.suite, newest)
    data = {"choices": run_choices(stores.runs), "is_filtered": is_filtered}
    return View(template="runs.html", title="Runs", data=data, tables={"runs": table}, charts=charts, live=("runs",))


def _every(stores: PageStores, wanted: RunFilter, sort: RunSort) -> Iterator[RunFound]:
    offset = 0
    while rows := search_runs(stores.runs, wanted, sort=sort, limit=_BLOCK, offset=offset):
        yield from rows
        offset += len(rows)


def _row(found: RunFound, *, is_page: bool = False) -> Sequence[Cell]:
    run, counts = found.run, found.counts
    name = f"{run.name[:57]}…" if is_page and len(run.name) > 60 else run.name
    can_compare = run.status == "finished"
    return (
        Moment(run.started.timestamp()),
        name,
        Link(run.id, run_address(run.id)),
        run_chip(run, counts.total),
        gate_chip(found.gate),
        rate_cell(counts),
        counts.total,
        Link(f"{counts.in_doubt:,}", run_address(run.id, outcome="doubt")) if counts.in_doubt else 0,
        Link(f"{counts.failed:,}", run_address(run.id, outcome="fail")) if counts.failed else 0,
        counts.unscored,
        taken(run),
        cost_cell(found.cost),
        (run.fingerprint.trigger or "").replace("_", " ") if is_page else run.fingerprint.trigger,
        Link("compare", side_address(b=run.id)) if can_compare else None,
    )


def _chart(suite: str, newest: Sequence[RunFound]) -> TimeChart:
    ordered = list(reversed(newest))
    last = ordered[-1].counts.pass_rate
    return TimeChart(
        title=f"Pass rate of {suite}, the last {len(ordered)} runs, now {percent(last)}",
        times=[each.run.started.timestamp() for each in ordered],
        series=[Series(label="pass rate", values=[each.counts.pass_rate for each in ordered])],
        unit="share",
        range=(0.0, 1.0),
        height=140,
    )


PAGE = Page(
    title="Runs",
    path="/runs",
    order=70,
    routes=(
        Route(path="/runs", answer=_show),
        Route(path="/runs/compare", answer=later("run_compare", "show_pair")),
        Route(path="/runs/compare/case", answer=later("run_compare", "show_case_pair")),
        Route(path="/runs/{id}", answer=later("run_page", "show_run")),
        Route(path="/runs/{id}/cases/{key:.+}", answer=later("run_case", "show_case")),
    ),
)
