"""The guard: what its gates decided over time, how often they were right, and how long they took."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final

from proctor.core.gate_decisions import GateDecisions, GuardDecisions
from proctor.server.pages.charts import BarChart, BarRow
from proctor.server.pages.page import Chart, Page, PageRequest, Reply, Route, View, later
from proctor.server.pages.page_stores import PageStores
from proctor.server.pages.table import PER_PAGE, Cell, Chip, Column, Link, Moment, Table, number_columns, text_columns
from proctor.server.pages.views.guard_pieces import (
    ACTIONS,
    PERIODS,
    POINTS,
    action_chip,
    address,
    period_start,
    share_cell,
    time_chart,
    window_of,
)
from proctor.store.decision_query import DecisionQuery, IndexedDecision
from proctor.store.review import guard_verdicts
from proctor.workflows.guard.activity import GuardActivity, TimeCounts, guard_activity, reported_activity

__all__ = ["PAGE"]

_STOPPED: Final = ("block", "escalate", "redact")
_REASON_CHARS: Final = 160
_HOUR: Final = 3_600
_DAY: Final = 86_400
_REPORTED: Final = {"gate": "Gates that acted, as agents reported it", "finding": "Findings that agents reported"}
_MAX_BARS: Final = 10
_EVERY_ROWS: Final = 1_000
_EMPTY: Final = (
    "No decision is on record in this period. Put your agent behind the guard: `proctor proxy`, `proctor guard serve`,"
    " or the guard in Python; docs/guard.md shows each."
)


def show(stores: PageStores, request: PageRequest) -> Reply:
    """Answer /guard: the figures of a period, or one decision."""
    if event := request.text("event"):
        from proctor.server.pages.views.guard_decision import show_decision  # noqa: PLC0415 - loads much

        return show_decision(stores, request, event)
    days, since = period_start(request)
    begin, end = window_of(request)
    if begin is not None:  # a window, such as that of an alert
        days, since = "", datetime.fromtimestamp(begin, UTC)
    else:
        begin = since.timestamp() if since else None
    gate, point = request.text("gate"), request.choice("point", POINTS)
    now = datetime.fromtimestamp(request.now, UTC)
    activity = guard_activity(stores.guard, stores.runs, since=since, now=now, gate=gate, point=point)
    table = activity.table
    query = DecisionQuery(
        since=begin,
        until=end,
        point=point,
        gate=gate,
        action=request.choice("action", ACTIONS),
        kind=request.text("kind"),
    )
    gates = [row for row in table.gates if point in ("", row.point)]
    reported = {} if table.decisions else _reported(stores, since, end or request.now)
    return View(
        template="guard.html",
        title="Guard",
        data={
            "days": days, "periods": PERIODS, "gate": gate, "point": point, "points": POINTS, "actions": ACTIONS,
            "gates": sorted({row.gate for row in table.gates} | ({gate} if gate else set())),
            "kinds": list(activity.by_kind.series), "tiles": _tiles(table), "notes": table.notes,
            "unread": activity.unread, "decisions": table.decisions, "now_tab": "decisions", "waiting": table.waiting,
            "window": (begin, end) if not days else None,
            "reported": list(reported["gate"].series)[:6] if reported else [],
        },
        tables={
            "gates": _gates(request, gates),
            "points": _gates(request, [row for row in table.points if point in ("", row.point)], is_chain=True),
            "findings": _findings(request, activity),
            "decisions": _decisions(stores, request, query),
        },
        charts=_charts(activity, gates, reported),
        live=("guard",),
    )  # fmt: skip


def _tiles(table: GuardDecisions) -> list[dict[str, str]]:
    actions = {name: sum(row.actions.get(name, 0) for row in table.points) for name in ACTIONS}
    stopped = actions["block"] + actions["escalate"]
    broken = sum(row.broken for row in table.points)
    slow = max((row.latency.p95 for row in table.points if row.latency.p95 is not None), default=None)
    share = f"{100 * stopped / table.decisions:.2g} % of steps" if table.decisions else ""
    return [
        {"label": "Steps looked at", "value": f"{table.decisions:,}", "more": "at all points"},
        {"label": "Stopped or handed over", "value": f"{stopped:,}", "more": share},
        {"label": "Changed", "value": f"{actions['redact']:,}", "more": "texts were masked or cut"},
        {"label": "Waiting for review", "value": f"{table.waiting:,}", "to": "/ui/guard/review",
         "more": f"{table.reviewed:,} reviewed in this period"},
        {"label": "Gates failed", "value": f"{broken:,}", "state": "fail" if broken else "",
         "more": "broken or out of time"},
        {"label": "Slowest point, p95", "value": "–" if slow is None else f"{1000 * slow:.3g} ms", "more": ""},
    ]  # fmt: skip


def _gates(request: PageRequest, rows: Sequence[GateDecisions], *, is_chain: bool = False) -> Table:
    names = ("Point",) if is_chain else ("Gate", "Point")
    numbers = ("Decisions", "Blocked", "Escalated", "Changed", "Failed", "p50 ms", "p95 ms", "p99 ms")
    columns = [*text_columns(*names), *number_columns(*numbers), *text_columns("Precision", "Recall")]
    return Table(
        columns=columns,
        rows=[_gate(request, row, is_chain=is_chain) for row in rows],
        empty="No gate has decided anything in this period.",
        caption="What became of steps at each point" if is_chain else "Each gate's own decisions",
    )


def _gate(request: PageRequest, row: GateDecisions, *, is_chain: bool) -> list[Cell]:
    first: list[Cell] = [Link(row.point, request.link(point=row.point, page=None))]
    if not is_chain:
        first = [Link(row.gate, request.link(gate=row.gate, page=None)), row.point]
    times = (row.latency.p50, row.latency.p95, row.latency.p99)
    acted = row.decisions - row.actions.get("allow", 0)
    return [
        *first,
        row.decisions,
        row.actions.get("block", 0),
        row.actions.get("escalate", 0),
        row.actions.get("redact", 0),
        row.broken,
        *(None if each is None else round(1000 * each, 2) for each in times),
        share_cell(row.precision),
        share_cell(row.recall) if row.recall.value is not None else ((row.why or None) if acted else None),
    ]


def _findings(request: PageRequest, activity: GuardActivity) -> Table:
    gates: dict[str, list[str]] = {}
    for row in activity.table.gates:
        for kind in row.findings:
            if row.gate not in gates.setdefault(kind, []):
                gates[kind].append(row.gate)
    return Table(
        columns=[Column("Finding"), Column("Times", "number"), Column("Gates")],
        rows=[
            [Link(kind or "–", request.link(kind=kind, page=None)), sum(counts), ", ".join(gates.get(kind, ())) or None]
            for kind, counts in activity.by_kind.series.items()
        ],
        empty="Nothing was found in this period.",
        caption="What was found",
    )


def _decisions(stores: PageStores, request: PageRequest, query: DecisionQuery) -> Table:
    said = guard_verdicts(stores.runs)
    start = (request.page - 1) * PER_PAGE

    def rows(found: Sequence[IndexedDecision]) -> Iterator[list[Cell]]:
        for row in stores.guard.rows(found):
            yield _decision(row, said)

    def every() -> Iterator[list[Cell]]:
        for offset in range(0, stores.guard.count(query), _EVERY_ROWS):
            yield from rows(stores.guard.decisions(query, limit=_EVERY_ROWS, offset=offset))

    columns = ["Time", "Action", "Gate", "Point", "Found", "Reason", "Review", "Decision"]
    return Table(
        columns=[Column(name, "long" if name == "Reason" else "text") for name in columns],
        rows=list(rows(stores.guard.decisions(query, limit=PER_PAGE, offset=start))),
        total=stores.guard.count(query),
        page=request.page,
        every=every,
        empty=_EMPTY,
        caption="Decisions that changed or stopped something, and those drawn for review",
    )


def _decision(row: dict[str, Any], said: dict[str, tuple[bool, str]]) -> list[Cell]:
    told = row.get("verdict") or {}
    shadow = told.get("shadow")
    verdict = shadow if isinstance(shadow, dict) else told
    parts = (row.get("metadata") or {}).get("parts", ())
    kinds = dict.fromkeys(str(each.get("kind", "")) for part in parts for each in part.get("findings") or ())
    reason = str(verdict.get("reason") or "")
    event = str(row.get("id") or "")
    return [
        Moment(datetime.fromisoformat(row["time"]).timestamp()),
        action_chip(str(verdict.get("action") or ""), shadow=verdict is shadow),
        str(verdict.get("by") or told.get("by") or "") or None,
        str(row.get("name") or "") or None,
        ", ".join(kinds) or None,
        (reason[: _REASON_CHARS - 1] + "…" if len(reason) > _REASON_CHARS else reason) or None,
        _review(said.get(event)),
        Link(event[:12], address("/guard", event=event)),
    ]


def _review(said: tuple[bool, str] | None) -> Chip | None:
    if said is None:
        return None
    right, missed = said
    return Chip("pass", "right") if right else Chip("fail", f"wrong: {missed} missed it" if missed else "wrong")


def _reported(stores: PageStores, since: datetime | None, until: float) -> dict[str, TimeCounts]:
    """Return what agents that run elsewhere reported of their gates."""
    begin = since.timestamp() if since else until - 90 * _DAY
    cells = stores.history.windows(begin, until, step=_HOUR if until - begin <= 3 * _DAY else _DAY)
    return {family: reported_activity(cells, family) for family in _REPORTED}


def _charts(
    activity: GuardActivity, gates: Sequence[GateDecisions], reported: Mapping[str, TimeCounts]
) -> dict[str, Chart]:
    step = "hour" if activity.actions.step == _HOUR else "day"
    made = {
        "actions": time_chart(f"Steps stopped or changed, by {step}", activity.actions, only=_STOPPED),
        "gates": time_chart(f"Which gates acted, by {step}", activity.by_gate),
        "kinds": time_chart(f"What was found, by {step}", activity.by_kind),
    }
    for family, counts in reported.items():
        made[f"reported_{family}"] = time_chart(_REPORTED[family], counts)
    drawn: dict[str, Chart] = {name: chart for name, chart in made.items() if chart is not None}
    return drawn | _bars(gates)


def _bars(gates: Sequence[GateDecisions]) -> dict[str, Chart]:
    """Return how often each gate was right, and how long it took."""
    judged = [
        BarRow(label=f"{row.gate} at {row.point}", value=share.value, low=share.low, high=share.high, state="pass",
               note=f"of {share.total}")
        for row in gates if (share := row.precision).value is not None
    ]  # fmt: skip
    slowest = sorted((row for row in gates if row.latency.p95 is not None), key=lambda row: -(row.latency.p95 or 0.0))
    timed = [BarRow(label=f"{row.gate} at {row.point}", value=row.latency.p95) for row in slowest[:_MAX_BARS]]
    made: dict[str, Chart] = {}
    if judged:
        made["precision"] = BarChart(title="Precision, as people reviewed it", unit="share", rows=judged[:_MAX_BARS])
    if timed:
        made["latency"] = BarChart(title="Latency, p95", unit="seconds", rows=timed)
    return made


PAGE: Final = Page(
    title="Guard",
    path="/guard",
    order=50,
    routes=(
        Route(path="/guard", answer=show),
        Route(path="/guard/review", answer=later("guard_review", "show_queue")),
        Route(path="/guard/review", answer=later("guard_review", "record_review"), method="POST", role="auditor"),
        Route(path="/guard/what-if", answer=later("guard_what_if", "show_what_if")),
        Route(path="/guard/promote", answer=later("guard_decision", "promote"), method="POST", role="auditor"),
    ),
)
