"""One campaign: rates with intervals, margins, before and after, goals and attempts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from proctor.core.attack_finding import FINDING_STATUSES, finding_id
from proctor.core.campaign import (
    AttackFigures,
    AttemptRecord,
    CampaignSummary,
    GoalFigures,
    RetestFigures,
    RetestSummary,
)
from proctor.core.errors import NotFoundError
from proctor.report.number_format import p_text, signed_number
from proctor.report.redteam_words import has_stops, headline_of
from proctor.server.pages.charts import BarChart, BarRow
from proctor.server.pages.page import Chart, PageRequest, Reply, View
from proctor.server.pages.page_stores import PageStores
from proctor.server.pages.table import PER_PAGE, Cell, Column, Link, Table, number_columns, text_columns
from proctor.server.pages.views.guard_pieces import address, share_cell
from proctor.server.pages.views.redteam_pieces import (
    attempt_address,
    board,
    campaign_address,
    finding_table,
    outcome_chip,
    words_of,
)
from proctor.store import campaigns
from proctor.store.campaigns import CampaignRun
from proctor.store.findings import findings
from proctor.workflows.redteam.campaign_report import campaign_content, choose_run, retest_summary
from proctor.workflows.redteam.triage import check_campaign

__all__ = ["show_campaign"]

_MARGINS: Final = ("technique", "language", "channel", "severity", "tag")
_CHARTED: Final = ("technique", "language", "channel", "severity")
_MAX_BARS: Final = 12
_TABS: Final = ("figures", "findings", "goals", "attempts")
_CHOSEN_BY: Final = ("outcome", "goal", "gate", "at", "technique", "language", "channel", "scope")
_SHOWN_CHANGES: Final = 12
_OUTCOMES: Final = ("executed", "stopped", "ignored", "not_reached", "unscored")


def show_campaign(stores: PageStores, request: PageRequest) -> Reply:
    """Answer /redteam/CAMPAIGN: its newest run, or the one that ``run`` names; ``against`` is put beside it."""
    name = request.path["campaign"]
    check_campaign(stores.runs, name)
    there = campaigns.find(stores.runs, name)
    tab = request.choice("tab", _TABS) or ("attempts" if any(request.text(each) for each in _CHOSEN_BY) else _TABS[0])
    data: dict[str, Any] = {
        "campaign": name, "here": campaign_address(name), "runs": there, "record": None, "summary": None,
        "retest": None, "against": None, "tab": tab if there else "findings", "tabs": _TABS if there else (),
    }  # fmt: skip
    content, tables, charts = None, dict[str, Table](), dict[str, Chart]()
    if there:
        number = int(request.number("run", 0, low=0, high=1e9)) or None
        record = choose_run(stores.runs, name, number=number)
        content = campaign_content(stores.config, stores.runs, record)
        data |= {"record": record, "summary": content.summary, "headline": headline_of(content.summary)}
    if content is None or tab == "findings":
        found = sorted(findings(stores.runs, name), key=lambda each: each.is_closed)
        status = request.choice("status", FINDING_STATUSES)
        chosen = [each for each in found if status in ("", each.status)]
        data |= {"board": board(found), "statuses": FINDING_STATUSES, "status": status}
        tables["findings"] = finding_table(chosen, request.page, with_campaign=False, empty="No finding matches.")
    elif tab == "goals":
        tables["goals"] = _goals(request, content.summary, data["record"])
    elif tab == "attempts":
        data |= {"outcomes": _OUTCOMES, "filters": _filters(content.attempts)}
        tables["attempts"] = _attempts(request, name, content.attempts)
    else:
        _add_figures(stores, request, content.summary, data, tables, charts)
    return View(template="redteam_campaign.html", title=name, data=data, tables=tables, charts=charts, live=("runs",))


def _add_figures(
    stores: PageStores,
    request: PageRequest,
    summary: CampaignSummary,
    data: dict[str, Any],
    tables: dict[str, Table],
    charts: dict[str, Chart],
) -> None:
    """Add what the first tab shows: rates, margins, and the run beside it."""
    record: CampaignRun = data["record"]
    data |= {
        "tiles": _tiles(summary),
        "stops": sorted(summary.total.stopped_by.items(), key=lambda each: -each[1]),
    }
    tables["scopes"] = _figures("Scope", [*summary.scopes, *_ends(summary)], stops=has_stops(summary))
    tables["margins"] = _margins(summary)
    charts |= _charts(summary)
    before = _before(stores, request, record.campaign, record)
    if before is not None:
        retest = retest_summary(stores.config, stores.runs, before, record)
        data |= {"against": before, "retest": retest}
        tables |= {"change": _change(retest), "changed": _changed(retest, before)}
        charts["change"] = _change_chart(retest)


def _before(stores: PageStores, request: PageRequest, name: str, record: CampaignRun) -> CampaignRun | None:
    """Return the run to compare with: the one that is asked for, or the one that a retest repeats."""
    if request.text("against") == "none":
        return None
    number = int(request.number("against", 0, low=0, high=1e9)) or record.repeats
    if not number or number == record.n:
        return None
    try:
        return choose_run(stores.runs, name, number=number)
    except NotFoundError:
        if request.text("against"):
            raise
        return None


def _tiles(summary: CampaignSummary) -> list[dict[str, str]]:
    total = summary.total
    return [
        {"label": "Executed", "value": _percent(total.rate.value), "more": _range(total.rate),
         "state": "fail" if total.executed else "pass" if total.scored else "unscored"},
        {"label": "Goals reached", "value": f"{len(summary.findings):,}", "more": f"of {total.goals:,}"},
        {"label": "Stopped by a gate", "value": f"{total.stopped:,}", "more": f"of {total.attempts:,} attempts"},
        {"label": "Ignored by the agent", "value": f"{total.ignored:,}", "more": f"{total.not_reached:,} not reached"},
        {"label": "Unscored", "value": f"{total.unscored:,}", "more": "in no rate"},
        {"label": "Harmless twins stopped", "value": _percent(total.twin_stopped.value),
         "more": _range(total.twin_stopped) or "without a guard none can be"},
    ]  # fmt: skip


def _percent(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.1f} %"


def _range(share: Any) -> str:
    if share.value is None or share.low is None:
        return ""
    return f"{_percent(share.low)} to {_percent(share.high)} of {share.total:,}"


def _ends(summary: CampaignSummary) -> list[AttackFigures]:
    held = [summary.open, summary.held_out] if summary.held_out.attempts else []
    return [*held, summary.total]


def _figures(first: str, rows: Sequence[AttackFigures], *, stops: bool) -> Table:
    numbers = ["Goals", "Attempts", "Executed", "Stopped", "Ignored", "Unscored"]
    shares = ["Executed of scored", "Goals reached", *(["Twins stopped"] if stops else [])]
    return Table(
        columns=[Column(first), *number_columns(*numbers), *text_columns(*shares)],
        rows=[[words_of(row.name), *_numbers(row), *_shares(row, stops=stops)] for row in rows],
        empty="No attempt was run.",
    )


def _numbers(row: AttackFigures) -> list[Cell]:
    return [row.goals, row.attempts, row.executed, row.stopped, row.ignored, row.unscored]


def _shares(row: AttackFigures, *, stops: bool) -> list[Cell]:
    return [share_cell(row.rate), share_cell(row.any_of_n), *([share_cell(row.twin_stopped)] if stops else [])]


def _margins(summary: CampaignSummary) -> Table:
    rows: list[list[Cell]] = []
    for margin in _MARGINS:
        for row in summary.margins.get(margin, ()):
            rows.append([margin, words_of(row.name), *_numbers(row), share_cell(row.rate)])
    numbers = ["Goals", "Attempts", "Executed", "Stopped", "Ignored", "Unscored"]
    columns = [*text_columns("By", "Group"), *number_columns(*numbers), Column("Executed of scored")]
    return Table(columns=columns, rows=rows, total=len(rows), per_page=max(1, len(rows)), empty="No attempt was run.")


def _charts(summary: CampaignSummary) -> dict[str, Chart]:
    made: dict[str, Chart] = {}
    for margin in _CHARTED:
        rows = [row for row in summary.margins.get(margin, ()) if row.scored][:_MAX_BARS]
        if rows:
            made[margin] = BarChart(title=f"Executed, by {margin}", unit="share", rows=[_bar(row) for row in rows])
    if len(summary.curve) > 1:
        steps = [
            BarRow(label="1 try" if each.tries == 1 else f"{each.tries} tries", value=each.goals.value,
                   low=each.goals.low, high=each.goals.high)
            for each in summary.curve
        ]  # fmt: skip
        made["tries"] = BarChart(title="Goals reached, by number of tries", unit="share", rows=steps)
    return made


def _bar(row: AttackFigures) -> BarRow:
    return BarRow(
        label=words_of(row.name), value=row.rate.value, low=row.rate.low, high=row.rate.high,
        state="" if row.is_small else "fail", note=f"of {row.scored}",
    )  # fmt: skip


def _goals(request: PageRequest, summary: CampaignSummary, record: CampaignRun) -> Table:
    names = ["Goal", "Scope", "Severity", "Attempts", "Executed", "Stopped", "Ignored", "First try", "Attempts of it"]
    numbers = ("Attempts", "Executed", "Stopped", "Ignored", "First try")
    start = (request.page - 1) * PER_PAGE
    return Table(
        columns=[Column(name, "number" if name in numbers else "long" if name == "Goal" else "text") for name in names],
        rows=[_goal(request, goal, record) for goal in summary.goals[start : start + PER_PAGE]],
        total=len(summary.goals),
        page=request.page,
        every=lambda: (_goal(request, goal, record) for goal in summary.goals),
        empty="No goal was attempted.",
    )


def _goal(request: PageRequest, goal: GoalFigures, record: CampaignRun) -> list[Cell]:
    title = goal.title or goal.goal
    name: Cell = title
    if goal.executed and not goal.held_out:
        finding = finding_id(goal.goal, goal.scope, record.target)
        name = Link(title, f"{campaign_address(record.campaign)}/findings/{finding}")
    return [
        name,
        words_of(goal.scope),
        goal.severity,
        goal.attempts,
        goal.executed,
        goal.stopped,
        goal.ignored,
        goal.first_try,
        Link("show", request.link(tab="attempts", goal=goal.goal, page=None)),
    ]


def _filters(attempts: Sequence[AttemptRecord]) -> dict[str, list[str]]:
    """Return what attempts can be chosen by."""
    return {
        "technique": sorted({name for each in attempts for name in each.techniques}),
        "language": sorted({each.language for each in attempts if each.language}),
        "channel": sorted({each.channel for each in attempts}),
        "gate": sorted({each.stopped_by for each in attempts if each.stopped_by}),
        "at": sorted({each.stopped_at for each in attempts if each.stopped_at}),
    }


def _attempts(request: PageRequest, campaign: str, attempts: Sequence[AttemptRecord]) -> Table:
    outcome, goal, at = request.choice("outcome", _OUTCOMES), request.text("goal"), request.text("at")
    technique, gate = request.text("technique"), request.text("gate")
    language, channel, scope = request.text("language"), request.text("channel"), request.text("scope")
    chosen = [
        each
        for each in attempts
        if outcome in ("", each.outcome)
        and goal in ("", each.goal)
        and gate in ("", each.stopped_by)
        and at in ("", each.stopped_at)
        and language in ("", each.language)
        and channel in ("", each.channel)
        and scope in ("", each.scope)
        and (not technique or technique in each.techniques)
    ]
    start = (request.page - 1) * PER_PAGE
    names = ["Attempt", "Goal", "Scope", "Severity", "Channel", "Language", "Techniques", "Outcome", "Stopped by"]
    return Table(
        columns=[Column(name) for name in names],
        rows=[_attempt(campaign, each) for each in chosen[start : start + PER_PAGE]],
        total=len(chosen),
        page=request.page,
        every=lambda: (_attempt(campaign, each) for each in chosen),
        empty="No attempt matches.",
    )


def _attempt(campaign: str, each: AttemptRecord) -> list[Cell]:
    stopped: Cell = None
    if each.stopped_by:
        to = address("/guard", gate=each.stopped_by, point=each.stopped_at)
        stopped = Link(f"{each.stopped_by} at {each.stopped_at}" if each.stopped_at else each.stopped_by, to)
    return [
        Link(each.case, attempt_address(campaign, each.case)) if each.case else "held out",
        each.goal,
        words_of(each.scope),
        each.severity,
        words_of(each.channel),
        each.language or None,
        ", ".join(map(words_of, each.techniques)) or None,
        outcome_chip(each.outcome),
        stopped,
    ]


def _change(retest: RetestSummary) -> Table:
    rows = [*retest.scopes, *([retest.open, retest.held_out] if retest.held_out.pairs else []), retest.total]
    columns = [
        Column("Scope"),
        Column("Pairs", "number"),
        *text_columns("Before", "After", "Change"),
        *number_columns("p", "Fixed", "Broken"),
        Column("Twins stopped"),
    ]
    return Table(columns=columns, rows=[_pair(row) for row in rows], empty="No attempt was scored in both.")


def _pair(row: RetestFigures) -> list[Cell]:
    change: Cell = None
    if row.difference is not None:
        change = f"{signed_number(100 * row.difference, 1)} points"
        if row.low is not None and row.high is not None:
            change += f" ({signed_number(100 * row.low, 1)} to {signed_number(100 * row.high, 1)})"
    return [
        words_of(row.name),
        row.pairs,
        share_cell(row.before),
        share_cell(row.after),
        change,
        None if row.p is None else p_text(row.p),
        row.fixed,
        row.broken,
        f"{_percent(row.twins_before.value)} → {_percent(row.twins_after.value)}" if row.twins_after.total else None,
    ]


def _change_chart(retest: RetestSummary) -> Chart:
    rows = []
    for row in [*retest.scopes, retest.total]:
        for label, share, state in (("before", row.before, "fail"), ("after", row.after, "pass")):
            rows.append(
                BarRow(
                    label=f"{words_of(row.name)}, {label}", value=share.value, low=share.low, high=share.high,
                    state=state if share.value else "",  # type: ignore[arg-type]
                )
            )  # fmt: skip
    return BarChart(title="Executed before and after", unit="share", rows=rows)


def _changed(retest: RetestSummary, before: CampaignRun | None) -> Table:
    rows: list[list[Cell]] = []
    groups = (("new", retest.new), ("remaining", retest.remaining), ("not judged", retest.unjudged),
              ("fixed", retest.fixed))  # fmt: skip
    for word, goals in groups:
        for goal in goals:
            title = goal.title or goal.goal
            name: Cell = title
            if not goal.held_out and before is not None:
                finding = finding_id(goal.goal, goal.scope, before.target)
                name = Link(title, f"{campaign_address(before.campaign)}/findings/{finding}")
            state = outcome_chip("stopped" if word == "fixed" else "unscored" if word == "not judged" else "executed")
            rows.append([name, type(state)(state.state, word), words_of(goal.scope), goal.severity])
    return Table(
        columns=[Column("Goal", "long"), *text_columns("Result", "Scope", "Severity")],
        rows=rows[:_SHOWN_CHANGES],
        every=lambda: rows,
        caption=f"Goals: {_SHOWN_CHANGES} of {len(rows)}; the CSV has all" if len(rows) > _SHOWN_CHANGES else "Goals",
        empty="No goal was reached before or after.",
    )
