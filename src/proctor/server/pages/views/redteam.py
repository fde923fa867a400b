"""The red team: campaigns, and the board of what they found."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from proctor.core.attack_finding import FINDING_STATUSES, AttackFinding
from proctor.core.campaign import AttackFigures
from proctor.server.pages.page import Page, PageRequest, Reply, Route, View, later
from proctor.server.pages.page_stores import PageStores
from proctor.server.pages.table import Cell, Chip, Column, Link, Moment, Table
from proctor.server.pages.views.guard_pieces import share_cell
from proctor.server.pages.views.redteam_pieces import board, campaign_address, finding_table
from proctor.store import campaigns
from proctor.store.campaigns import CampaignRun
from proctor.store.findings import findings

__all__ = ["PAGE"]

_SEVERITIES: Final = ("critical", "high", "medium", "low")
_MAX_RUNS: Final = 100
_COUNTED: Final = 2  # runs of an older version whose figures are counted while a reader waits
_EMPTY: Final = (
    "No campaign was run yet. Write goals (redteam/*.yaml) and run `proctor redteam run CAMPAIGN`; `proctor redteam"
    " import FILE` takes reports of garak, PyRIT and promptfoo. docs/redteam.md shows how."
)


def show(stores: PageStores, request: PageRequest) -> Reply:
    """Answer /redteam: the board over all campaigns, and the campaigns."""
    names = campaigns.campaigns(stores.runs)
    found = sorted(findings(stores.runs), key=lambda each: each.is_closed)
    status, severity = request.choice("status", FINDING_STATUSES), request.choice("severity", _SEVERITIES)
    chosen = [each for each in found if status in ("", each.status) and severity in ("", each.severity)]
    open_now = [each for each in found if not each.is_closed]
    return View(
        template="redteam.html",
        title="Red team",
        data={
            "board": board([each for each in found if severity in ("", each.severity)]), "statuses": FINDING_STATUSES,
            "severities": _SEVERITIES, "status": status, "severity": severity, "has_any": bool(names),
            "tiles": _tiles(names, found, open_now),
        },
        tables={
            "campaigns": _campaigns(stores, names, open_now),
            "findings": finding_table(chosen, request.page, with_campaign=True, empty="No finding matches."),
        },
        live=("runs",),
    )  # fmt: skip


def _tiles(
    names: Sequence[str], found: Sequence[AttackFinding], open_now: Sequence[AttackFinding]
) -> list[dict[str, str]]:
    severe = sum(each.severity in ("critical", "high") for each in open_now)
    undecided = sum(each.status == "open" for each in found)
    fixed = sum(each.status == "retested" for each in found)
    return [
        {"label": "Findings that are not closed", "value": f"{len(open_now):,}", "more": f"{severe:,} critical or high",
         "state": "fail" if severe else ""},
        {"label": "Wait for triage", "value": f"{undecided:,}", "more": "nobody has decided",
         "to": "/ui/redteam?status=open#findings"},
        {"label": "Fixed, shown by a retest", "value": f"{fixed:,}", "more": "",
         "to": "/ui/redteam?status=retested#findings"},
        {"label": "Campaigns", "value": f"{len(names):,}", "more": ""},
    ]  # fmt: skip


def _campaigns(stores: PageStores, names: Sequence[str], open_now: Sequence[AttackFinding]) -> Table:
    from proctor.workflows.redteam.campaign_report import campaign_content, campaign_total  # noqa: PLC0415 - loads much

    runs = sorted((run for name in names for run in campaigns.find(stores.runs, name)), key=lambda run: -run.n)
    known = {run.campaign for run in runs}
    totals = {run.n: campaign_total(stores.runs, run) for run in runs[:_MAX_RUNS]}
    for run in [each for each in runs[:_MAX_RUNS] if each.finished and totals[each.n] is None][:_COUNTED]:
        totals[run.n] = campaign_content(stores.config, stores.runs, run).summary.total
    rows = [_run(run, totals[run.n], open_now) for run in runs[:_MAX_RUNS]]
    rows += [_imported(name, open_now) for name in names if name not in known]
    columns = [
        "Campaign",
        "Run",
        "Kind",
        "Target",
        "Started",
        "State",
        "Attempts",
        "Executed",
        "Open findings",
        "After",
    ]
    numbers = ("Run", "Attempts", "Open findings")
    return Table(
        columns=[Column(name, "number" if name in numbers else "text") for name in columns],
        rows=rows,
        total=len(rows),
        per_page=max(1, len(rows)),
        empty=_EMPTY,
    )


def _run(run: CampaignRun, total: AttackFigures | None, open_now: Sequence[AttackFinding]) -> list[Cell]:
    return [
        Link(run.campaign, f"{campaign_address(run.campaign)}?run={run.n}"),
        run.n,
        run.kind,
        run.target,
        Moment(run.started.timestamp()) if run.started else None,
        Chip("pass", "finished") if run.finished else Chip("unscored", "unfinished"),
        total.attempts if total else None,
        share_cell(total.rate) if total else None,
        sum(each.campaign == run.campaign and each.target == run.target for each in open_now),
        run.mitigation or None,
    ]


def _imported(name: str, open_now: Sequence[AttackFinding]) -> list[Cell]:
    count = sum(each.campaign == name for each in open_now)
    to = Link(name, campaign_address(name))
    return [to, None, "imported", None, None, None, None, None, count, None]


_ONE: Final = "/redteam/{campaign}"
PAGE: Final = Page(
    title="Red team",
    path="/redteam",
    order=60,
    routes=(
        Route(path="/redteam", answer=show),
        Route(path=_ONE, answer=later("redteam_campaign", "show_campaign")),
        Route(path=f"{_ONE}/findings/{{finding}}", answer=later("redteam_finding", "show_finding")),
        Route(
            path=f"{_ONE}/findings/{{finding}}",
            answer=later("redteam_finding", "decide"),
            method="POST",
            role="auditor",
        ),
        Route(
            path=f"{_ONE}/findings/{{finding}}/promote",
            answer=later("redteam_finding", "promote_finding"),
            method="POST",
            role="auditor",
        ),
        Route(path=f"{_ONE}/attempts/{{case}}", answer=later("redteam_finding", "show_attempt")),
    ),
)
