"""One run: how it stands, its figures by intent, check and target, and its results page by page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, get_args

from proctor.core.report import Counts, Report, Tally
from proctor.report.dimensions import Grid, grids, title_of
from proctor.report.number_format import (
    any_in_doubt,
    grid_text,
    interval_of,
    money,
    percent,
    range_text,
    seconds,
    total_spend,
)
from proctor.server.pages.charts import BarChart, BarRow
from proctor.server.pages.page import Chart, PageRequest, Reply, View
from proctor.server.pages.page_stores import PageStores
from proctor.server.pages.table import PER_PAGE, Cell, Chip, Column, Link, State, Table, number_columns, text_columns
from proctor.server.pages.views.run_cells import (
    baseline_address,
    case_address,
    cost_cell,
    gate_chip,
    outcome_chip,
    rate_cell,
    run_address,
    run_chip,
    taken,
)
from proctor.store.decisions import DecisionRecord, decisions_on
from proctor.store.result_search import FoundResult, ResultFilter, ResultSort
from proctor.store.run_reader import RunReader
from proctor.store.run_search import RunFilter, search_runs
from proctor.store.runs import RunRecord
from proctor.workflows.run.result_pages import count_of_results, every_result, is_campaign, page_of_results

__all__ = ["show_run"]

_LIVE_FIGURES: Final = 20_000  # results up to which the figures of a running run are counted at every look
_GROUPS: Final = 100
_BARS: Final = 30
_OTHERS: Final = 100
_MOST_RESULTS: Final = 20_000  # of larger runs the matrix is left out
_ROWS: Final = 100
_NAME: Final = 80  # characters of a case's name
_Row = Mapping[str, Sequence[FoundResult]]


def show_run(stores: PageStores, request: PageRequest) -> Reply:
    """Show one run."""
    run = stores.runs.find(request.path["id"])
    reader = RunReader(stores.runs, run)
    counts = stores.runs.counts(run) if run.status == "running" else None
    is_counted = counts is None or counts.total <= _LIVE_FIGURES
    report = reader.report() if is_counted else Report(id=run.id, counts=counts or Report(id=run.id).counts)
    wanted = _filter(request)
    tables = {"results": _results(stores, request, reader, wanted), **_groups(report, run)}
    several = len(report.by_target) > 1
    if several and report.counts.total <= _MOST_RESULTS:
        names = [each.name for each in report.by_target]
        tables["matrix"] = _case_matrix(run.id, names, every_result(stores.runs, reader, ResultFilter()))
    for number, grid in enumerate(grids(report)):
        tables[f"dimensions_{number}"] = _dimensions(grid, run)
    data: dict[str, Any] = {
        "run": run,
        "report": report,
        "chip": run_chip(run, report.counts.total),
        "tiles": _tiles(report, run),
        "gates": [_gate(stores, each) for each in decisions_on(stores.runs, run.id)],
        "facts": _facts(report, run),
        "choices": _choices(report),
        "is_filtered": wanted != ResultFilter(),
        "others": _others(stores, run),
        "is_counted": is_counted,
        "is_campaign": is_campaign(reader),
        "several_targets": several,
        "dimension_tables": [name for name in tables if name.startswith("dimensions_")],
    }
    charts: dict[str, Chart] = {"intents": _bars(report)} if len(report.by_intent) > 1 else {}
    live = ("runs",) if run.status == "running" else ()
    return View(template="run.html", title=f"Run {run.id}", data=data, tables=tables, charts=charts, live=live)


def _filter(request: PageRequest) -> ResultFilter:
    return ResultFilter(
        outcome=request.choice("outcome", ("pass", "doubt", "fail", "unscored")),
        target=request.text("target"),
        intent=request.text("intent"),
        tag=request.text("tag"),
        failing=request.text("failing"),
        text=request.text("q"),
    )


def _results(stores: PageStores, request: PageRequest, reader: RunReader, wanted: ResultFilter) -> Table:
    sort: ResultSort = request.choice("sort", get_args(ResultSort))  # type: ignore[assignment]
    page, store, run = request.page, stores.runs, reader.run
    found = page_of_results(store, reader, wanted, sort=sort, limit=PER_PAGE, offset=(page - 1) * PER_PAGE)
    several = len(reader.targets()) > 1
    heads = [Column("Case", sort="case"), Column("Outcome"), Column("Value", "number", sort="value")]
    heads += [Column("Target"), Column("Sample", "number")] if several else [Column("Sample", "number")]
    heads += [
        Column("Intent"),
        Column("Latency", "number", sort="latency"),
        Column("Cost", "number", sort="cost"),
        Column("Why", "long"),
    ]
    is_plain = wanted == ResultFilter()
    return Table(
        columns=heads,
        rows=[_row(run, each, wanted, several=several, is_page=True) for each in found],
        total=count_of_results(store, reader, wanted),
        page=page,
        every=lambda: (_row(run, each, wanted, several=several) for each in every_result(store, reader, wanted)),
        empty="No result yet." if is_plain else "No result fits these filters.",
    )


def _row(
    run: RunRecord, row: FoundResult, wanted: ResultFilter, *, several: bool, is_page: bool = False
) -> Sequence[Cell]:
    address = case_address(run.id, row.key, outcome=wanted.outcome)
    reason = f"{row.reason[:197]}…" if is_page and len(row.reason) > 200 else row.reason
    case = f"{row.case_id[:77]}…" if is_page and len(row.case_id) > 80 else row.case_id
    return (
        Link(case, address),
        outcome_chip(row.outcome, in_doubt=row.in_doubt),
        None if row.value is None else round(row.value, 3),
        *((row.target, row.sample) if several else (row.sample,)),
        row.intent,
        None if row.latency is None else seconds(row.latency) if is_page else row.latency,
        cost_cell(row.cost) if is_page else row.cost,
        reason,
    )


def _tiles(report: Report, run: RunRecord) -> list[tuple[str, str, str, str, str]]:
    counts, here = report.counts, run.id
    interval = range_text(counts)
    judged = counts.passed + counts.failed
    more = f"95 %: {interval}, of {judged:,}" if interval else "nothing was judged yet"
    made = [
        ("Pass rate", percent(counts.pass_rate), "", more, ""),
        ("Passed", f"{counts.passed:,}", run_address(here, outcome="pass"), "", ""),
        *_doubt_tile(counts, here),
        ("Failed", f"{counts.failed:,}", run_address(here, outcome="fail"), "", "fail" if counts.failed else ""),
        ("Unscored", f"{counts.unscored:,}", run_address(here, outcome="unscored"), percent(counts.unscored_rate), ""),
    ]
    if run.status == "running" and run.total:
        made.insert(0, ("Done", percent(counts.total / run.total), "", f"{counts.total:,} of {run.total:,}", ""))
    if report.latency:
        p95 = f"p95 {seconds(report.latency.get('p95'))}"
        made.append(("Latency, median", seconds(report.latency.get("p50")), "", p95, ""))
    if report.spend:
        calls = sum(each.calls for each in report.spend)
        made.append(("Spent", total_spend(report.spend), "", f"{calls:,} calls", ""))
    return made


def _doubt_tile(counts: Counts, here: str) -> list[tuple[str, str, str, str, str]]:
    if not counts.in_doubt:
        return []
    return [("In doubt", f"{counts.in_doubt:,}", run_address(here, outcome="doubt"), "of those that passed", "")]


def _gate(stores: PageStores, decision: DecisionRecord) -> dict[str, Any]:
    return {
        "chip": gate_chip(decision.decision),
        "reasons": decision.reasons,
        "time": decision.time,
        "target": decision.target,
        "baseline": decision.baseline,
        "to": baseline_address(stores.runs, decision),
    }


def _groups(report: Report, run: RunRecord) -> dict[str, Table]:
    made = {}
    for name, label, tallies in (
        ("intent", "Intent", report.by_intent),
        ("target", "Target", report.by_target),
        ("tag", "Tag", report.by_tag),
    ):
        if len(tallies) > (name == "target"):
            made[f"by_{name}"] = _by(name, label, tallies, run)
    if report.by_scorer:
        made["by_check"] = _by_check(report, run)
    if report.spend:
        made["spend"] = _spend(report)
    if report.flaky:
        made["flaky"] = _flaky(report, run)
    return made


def _by(name: str, label: str, tallies: Sequence[Tally], run: RunRecord) -> Table:
    def row(tally: Tally) -> Sequence[Cell]:
        return (
            Link(tally.name, run_address(run.id, **{name: tally.name})),
            rate_cell(tally.counts),
            *((tally.counts.in_doubt,) if doubts else ()),
            tally.counts.failed,
            tally.counts.unscored,
            None if tally.mean is None else round(tally.mean, 3),
        )

    doubts = any_in_doubt(tallies)
    names = ("Pass rate", *(("In doubt",) if doubts else ()), "Failed", "Unscored", "Mean")
    heads = (Column(label), *number_columns(*names))
    return _whole(heads, [row(each) for each in tallies])


def _by_check(report: Report, run: RunRecord) -> Table:
    def row(tally: Tally) -> Sequence[Cell]:
        failed: Cell = tally.counts.failed
        if tally.counts.failed:
            failed = Link(f"{tally.counts.failed:,}", run_address(run.id, failing=tally.name))
        mean = None if tally.mean is None else round(tally.mean, 3)
        in_doubt = (tally.counts.in_doubt,) if doubts else ()
        return (tally.name, mean, tally.counts.passed, *in_doubt, failed, tally.counts.unscored, tally.skipped)

    doubts = any_in_doubt(report.by_scorer)
    names = ("Mean", "Passed", *(("In doubt",) if doubts else ()), "Failed", "Not judged", "Skipped")
    return _whole((Column("Check"), *number_columns(*names)), [row(t) for t in report.by_scorer])


def _spend(report: Report) -> Table:
    rows = [
        (each.model, each.role, each.calls, each.cached, each.retries, each.usage.input, each.usage.output,
         None if each.cost is None else money(each.cost))
        for each in report.spend
    ]  # fmt: skip
    names = ("Calls", "Cached", "Retries", "Tokens in", "Tokens out", "Cost")
    return _whole((*text_columns("Model", "Role"), *number_columns(*names)), rows)


def _flaky(report: Report, run: RunRecord) -> Table:
    rows = [
        (Link(each.case, run_address(run.id, q=each.case)), each.target, each.passed, each.failed, each.unscored)
        for each in report.flaky
    ]
    names = ("Passed", "Failed", "Unscored")
    return _whole((*text_columns("Case", "Target"), *number_columns(*names)), rows)


def _whole(columns: Sequence[Column], rows: Sequence[Sequence[Cell]]) -> Table:
    """Return a table that shows its first rows; the file has all of them."""
    return Table(columns=columns, rows=rows[:_GROUPS], total=len(rows), per_page=max(1, len(rows)), every=lambda: rows)


def _dimensions(grid: Grid, run: RunRecord) -> Table:
    rows = [
        (
            Link(row.intent, run_address(run.id, intent=row.intent)) if row.intent is not None else "all",
            *(grid_text(cell) for cell in row.cells),
        )
        for row in grid.rows
    ]
    heads = (Column("Intent"), *(Column(title_of(name), "number") for name in grid.dimensions))
    return Table(columns=heads, rows=rows, caption=f"Dimensions of {grid.target}" if grid.target else "")


def _bars(report: Report) -> BarChart:
    rows = []
    for tally in report.by_intent[:_BARS]:
        share, interval = rate_cell(tally.counts), interval_of(tally.counts)
        low, high = (interval.low, interval.high) if interval else (None, None)
        rows.append(BarRow(label=tally.name, value=share.value, low=low, high=high, note=f"n {tally.counts.total:,}"))
    return BarChart(title="Pass rate by intent, with 95 % intervals", rows=rows)


def _choices(report: Report) -> dict[str, list[str]]:
    return {
        "target": [each.name for each in report.by_target],
        "intent": [each.name for each in report.by_intent[:500]],
        "tag": [each.name for each in report.by_tag[:500]],
        "failing": [each.name for each in report.by_scorer if each.counts.failed],
    }


def _others(stores: PageStores, run: RunRecord) -> list[dict[str, str]]:
    """Return the finished runs of the same suite that this one can be compared with: those before it first."""
    found = search_runs(stores.runs, RunFilter(suite=run.name, status="finished"), limit=_OTHERS)
    ordered = sorted(found, key=lambda each: each.run.n > run.n)  # each half stays newest first
    return [
        {"id": each.run.id, "about": f"{each.run.started:%Y-%m-%d %H:%M}, {percent(each.counts.pass_rate)} passed"}
        for each in ordered
        if each.run.id != run.id
    ]


def _facts(report: Report, run: RunRecord) -> dict[str, Any]:
    mark = run.fingerprint
    job = report.settings.get("job")
    return {
        "took": taken(run),
        "legs": run.legs,
        "trigger": mark.trigger,
        "models": dict(mark.models),
        "targets": dict(mark.targets),
        "scorers": dict(mark.scorers),
        "settings": dict(job) if isinstance(job, Mapping) else {},
    }


def _case_matrix(run_id: str, targets: Sequence[str], results: Iterable[FoundResult]) -> Table:
    """Return the outcomes by case and target; cases on which the targets differ come first."""
    found: dict[str, dict[str, list[FoundResult]]] = {}
    for each in results:
        found.setdefault(each.case_id, {}).setdefault(each.target, []).append(each)
    ordered = sorted(found.items(), key=lambda one: not _differs(one[1], targets))  # the order stays otherwise
    rows = [_cells(run_id, case, by_target, targets) for case, by_target in ordered]
    return Table(
        columns=text_columns("Case", *targets),
        rows=rows[:_ROWS],
        total=len(rows),
        per_page=max(1, len(rows)),
        every=lambda: rows,
    )


def _cells(run_id: str, case: str, by_target: _Row, targets: Sequence[str]) -> Sequence[Cell]:
    name = case if len(case) <= _NAME else f"{case[: _NAME - 1]}…"
    return (Link(name, run_address(run_id, q=case)), *(_cell(run_id, by_target.get(each, ())) for each in targets))


def _cell(run_id: str, samples: Sequence[FoundResult]) -> Chip | None:
    if not samples:
        return None
    worst = min(samples, key=lambda each: (_RANK[_state(each)], each.sample))
    chip = outcome_chip(worst.outcome, in_doubt=worst.in_doubt)
    passed = sum(each.outcome == "pass" for each in samples)
    label = chip.label if len(samples) == 1 else f"{passed} of {len(samples)} pass"
    return Chip(chip.state, label, case_address(run_id, worst.key))


def _differs(by_target: _Row, targets: Sequence[str]) -> bool:
    return len({tuple(sorted(_state(each) for each in by_target.get(name, ()))) for name in targets}) > 1


def _state(result: FoundResult) -> State:
    return outcome_chip(result.outcome, in_doubt=result.in_doubt).state


_RANK: Final[Mapping[State, int]] = {"fail": 0, "unscored": 1, "doubt": 2, "pass": 3, "info": 4}
