"""Alerts: what is open, who took it over, and what each rule can see at today's traffic."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final, Literal, cast

from proctor.core.alert_record import AlertRecord, RuleStatus, Silence
from proctor.server.pages.page import Page, PageRequest, Redirect, Reply, Route, View
from proctor.server.pages.page_stores import PageStores
from proctor.server.pages.table import PER_PAGE, Cell, Chip, Column, Link, Moment, Table, text_columns
from proctor.server.pages.views.alert_item import TIERS, cut_text, pairs_text, state_chip, tier_chip
from proctor.server.pages.views.alert_item import routes as item_routes
from proctor.store.alert_spool import AlertSpool
from proctor.store.alert_state import AlertFilter
from proctor.workflows.monitor.alert_timeline import rule_statuses
from proctor.workflows.silence_alerts import silence_alerts, silence_match

__all__ = ["PAGE"]

_STATES: Final = ("open", "resolved", "all")
_SEEN: Final = {"ok": "pass", "firing": "fail", "no_data": "fail", "pending": "info"}
_MOST: Final = 100_000
_COLUMNS: Final = (*text_columns("Alert", "State", "Tier", "Slice", "Fired", "Ended"), Column("About", "long"))


def _show(stores: PageStores, request: PageRequest) -> Reply:
    """Show alerts, silences and rules."""
    state = cast(Literal["open", "resolved", "all"], request.choice("state", _STATES, "open"))
    wanted = AlertFilter(state=state, tier=request.choice("tier", TIERS), rule=request.text("rule"))
    found, total = stores.alerts.select(wanted, limit=PER_PAGE, offset=(request.page - 1) * PER_PAGE)
    silences = stores.alerts.silences(request.now)
    standing = stores.alerts.alerts(open_only=True, limit=_MOST)
    statuses = rule_statuses(stores.config, stores.alerts, request.now)
    rules = sorted({*stores.alerts.rule_names(), *(each.rule for each in statuses)})

    def every() -> Iterator[Sequence[Cell]]:
        for first in range(0, total, 1000):
            for each in stores.alerts.select(wanted, limit=1000, offset=first)[0]:
                yield [*_row(each, silences, request.now)[:-1], each.message]

    return View(
        template="alerts.html",
        title="Alerts",
        data={
            "tiers": _by_tier(standing),
            "standing": len(standing),
            "states": Counter(each.shown_state(silences, request.now) for each in standing),
            "silences": [(each, pairs_text(each.match)) for each in silences],
            "rules": rules,
            "wanted": wanted,
            "all_tiers": TIERS,
            "all_states": _STATES,
            "undelivered": _undelivered(stores),
            "watched": max((each.since for each in statuses if each.state != "unknown"), default=None),
        },
        tables={
            "alerts": Table(
                columns=_COLUMNS,
                rows=[_row(each, silences, request.now) for each in found],
                total=total,
                page=request.page,
                every=every,
                empty=_empty(wanted, statuses) if not total else "There are no more pages.",
                caption="Alerts",
            ),
            "rules": _rules(statuses),
        },
        live=("alerts",),
    )


def _row(alert: AlertRecord, silences: Sequence[Silence], now: float) -> list[Cell]:
    return [
        Link(f"#{alert.number} {alert.rule}", f"/ui/alerts/{alert.number}"),
        state_chip(alert, silences, now),
        tier_chip(alert.tier),
        pairs_text(alert.slice) or None,
        Moment(alert.fired),
        Moment(alert.resolved) if alert.resolved is not None else None,
        cut_text(alert.message),
    ]


def _by_tier(alerts: Sequence[AlertRecord]) -> list[tuple[str, int]]:
    counts = Counter(each.tier for each in alerts)
    return [(tier, counts[tier]) for tier in TIERS]


def _empty(wanted: AlertFilter, statuses: Sequence[RuleStatus]) -> str:
    if wanted.tier or wanted.rule or wanted.state == "resolved":
        return "No alert matches. Take out a filter."
    if all(each.state == "unknown" for each in statuses):
        return "No alerts: nothing has been watched yet. Send events to `proctor serve`; its rules watch them."
    return "No open alerts." if wanted.state == "open" else "No rule has raised an alert yet."


def _rules(statuses: Sequence[RuleStatus]) -> Table:
    rows: list[list[Cell]] = [
        [
            Link(each.rule, f"/ui/alerts?state=all&rule={each.rule}"),
            tier_chip(each.tier),
            each.kind.replace("_", " "),
            pairs_text(each.slice) or None,
            _rule_chip(each),
            each.limit.text if each.limit is not None and each.limit.text else each.detail or None,
        ]
        for each in statuses
    ]
    return Table(
        columns=(
            *text_columns("Rule", "Tier", "Watches", "Slice", "State"),
            Column("Smallest spike it sees at today's traffic", "long"),
        ),
        rows=rows,
        empty="No rules: `alerts: {rules: …}` in proctor.yaml has switched all of them off.",
    )


def _rule_chip(status: RuleStatus) -> Chip:
    word = {"ok": "fine", "no_data": "no data", "unknown": "not known"}.get(status.state, status.state)
    return Chip(cast(Literal["pass", "fail", "unscored", "info"], _SEEN.get(status.state, "unscored")), word)


def _undelivered(stores: PageStores) -> str:
    """Return what could not be told to a channel."""
    spool = AlertSpool(stores.config.store)
    if not spool.folder.is_dir():
        return ""
    dead, late = spool.dead(), [each for each in spool.waiting() if each.attempts]
    parts = []
    if dead:
        parts.append(f"{len(dead):,} messages were not delivered; the last to {dead[-1].channel}: {dead[-1].failure}")
    if late:
        parts.append(f"{len(late):,} messages wait for a channel: {late[0].channel}: {late[0].failure}")
    return "; ".join(parts)


def _silence(stores: PageStores, request: PageRequest) -> Reply:
    """Silence a rule, a tier or a slice for a while."""
    written = [each for each in request.texts("match") if each]
    match = silence_match(stores.config, written)
    made = silence_alerts(
        stores.alerts,
        match,
        request.text("for", "2 h"),
        by=request.visitor.name,
        now=request.now,
        note=request.text("note"),
    )
    back = request.text("back")
    to = back if back.startswith("/ui/alerts") else "/ui/alerts"
    return Redirect(to=to, said=f"Silence {made.number}: nobody is notified about {pairs_text(match)} until it ends.")


def _end_silence(stores: PageStores, request: PageRequest) -> Reply:
    """End a silence now."""
    number = int(request.number("number", 0, low=1, high=1e12))
    stores.alerts.end_silence(number, request.now)
    return Redirect(to="/ui/alerts", said=f"Silence {number} has ended.")


PAGE = Page(
    title="Alerts",
    path="/alerts",
    order=30,
    routes=(
        Route(path="/alerts", answer=_show),
        Route(path="/alerts/silence", answer=_silence, method="POST", role="admin"),
        Route(path="/alerts/end-silence", answer=_end_silence, method="POST", role="admin"),
        *item_routes(),
    ),
)
