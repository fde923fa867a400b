"""One alert: the window that fired it, the slices that moved, examples, and what people do about it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final
from urllib.parse import quote, urlencode

from proctor.core.alert_record import AlertRecord, MovedSlice, Silence
from proctor.core.errors import InputError, NotFoundError
from proctor.server.pages.charts import Series, TimeChart
from proctor.server.pages.page import Chart, Missing, PageRequest, Redirect, Reply, Route, View
from proctor.server.pages.page_stores import PageStores
from proctor.server.pages.table import Cell, Chip, Column, Link, Moment, Table, number_columns, text_columns
from proctor.store.alert_state import AlertFilter
from proctor.wiring.alert_settings import alert_settings_of
from proctor.workflows.monitor.alert_timeline import (
    AlertExample,
    AlertTimeline,
    examples_of,
    timeline_of,
    value_unit_of,
)
from proctor.workflows.promote.regression_suite import REGRESSIONS, regression_suite

__all__ = ["TIERS", "cut_text", "pairs_text", "routes", "state_chip", "tier_chip"]

TIERS: Final = ("critical", "high", "medium", "low")
_WORDS: Final = {"acked": "acknowledged", "no_data": "no data"}
_MOST_TEXT: Final = 160


def pairs_text(values: Mapping[str, str]) -> str:
    """Return a slice or what a silence matches in words."""
    return ", ".join(f"{name} {value}" for name, value in values.items())


def cut_text(text: str) -> str:
    """Return a text in one line, cut where it is long; the whole is on the page that the row leads to."""
    line = " ".join(text.split())
    return line if len(line) <= _MOST_TEXT else f"{line[: _MOST_TEXT - 1]}…"


def state_chip(alert: AlertRecord, silences: Sequence[Silence], now: float) -> Chip:
    """Return the state of an alert as people see it."""
    state = alert.shown_state(silences, now)
    word = _WORDS.get(state, state)
    if state in ("firing", "no_data"):
        return Chip("fail", word)
    return Chip("pass", word) if state == "resolved" else Chip("info" if state == "acked" else "unscored", word)


def tier_chip(tier: str) -> Chip:
    """Return a tier; only those that page somebody stand out."""
    return Chip("fail" if tier == "critical" else "info" if tier == "high" else "unscored", tier)


def routes() -> tuple[Route, ...]:
    """Return the addresses of one alert."""
    place = r"/alerts/{number:\d{1,18}}"
    return (
        Route(path=place, answer=_show),
        Route(path=f"{place}/acknowledge", answer=_acknowledge, method="POST", role="auditor"),
        Route(path=f"{place}/resolve", answer=_resolve, method="POST", role="admin"),
        Route(path=f"{place}/promote", answer=_promote, method="POST", role="auditor"),
    )


def _find(stores: PageStores, request: PageRequest) -> AlertRecord:
    number = request.path["number"]
    found = stores.alerts.find(number)
    if str(found.number) != str(int(number)):  # a rule may have a number as its name
        raise NotFoundError(f"there is no alert {number}")
    return found


def _show(stores: PageStores, request: PageRequest) -> Reply:
    """Show one alert."""
    try:
        alert = _find(stores, request)
    except NotFoundError:
        return Missing(
            what=f"There is no alert {request.path['number']}.", hint="The list of alerts shows their numbers."
        )
    silences = stores.alerts.silences(request.now)
    course = timeline_of(stores.history, stores.config, alert, request.now)
    examples = examples_of(stores.history, alert)
    before, _ = stores.alerts.select(AlertFilter(fingerprint=alert.fingerprint), limit=20)
    charts: dict[str, Chart] = {} if course is None else {"course": _course_chart(alert, course)}
    return View(
        template="alert.html",
        title=f"Alert {alert.number}: {alert.rule}",
        data={
            "alert": alert,
            "state": state_chip(alert, silences, request.now),
            "tier": tier_chip(alert.tier),
            "slice": pairs_text(alert.slice),
            "course": course,
            "unit": value_unit_of(stores.config, alert),
            "window": _conversations(alert, _signal(stores, alert)),
            "guard": _guard_link(stores, alert),
            "matches": _matches(alert),
            "silenced": [each for each in silences if each.covers(alert, request.now)],
            "suite": str(REGRESSIONS),
            "examples": [each for each in examples if each.summary is not None],
        },
        tables={
            "moved": _moved(alert),
            "examples": _examples(examples),
            "earlier": _earlier([each for each in before if each.number != alert.number], silences, request.now),
        },
        charts=charts,
        live=("alerts",),
    )


def _course_chart(alert: AlertRecord, course: AlertTimeline) -> TimeChart:
    inside = [alert.window_start - course.step < time < alert.window_end for time in course.times]
    series = [
        Series(label="outside the window", values=course.values, colour="--ink-2"),
        Series(
            label="in the window",
            values=[value if is_in else None for value, is_in in zip(course.values, inside, strict=True)],
            colour="--fail-fill",
        ),
    ]
    if course.usual is not None:
        series.append(Series(label="normal", values=[course.usual] * len(course.times), colour="--pass-fill"))
    step = f"{course.step // 60} min" if course.step < 3600 else f"{course.step // 3600} h"
    return TimeChart(
        title=f"{course.what}, every {step}", times=course.times, series=series, unit=course.unit, height=220
    )


def _conversations(alert: AlertRecord, more: Mapping[str, str]) -> str:
    """Return the address of the conversations in the window."""
    query = {
        **{name: value for name, value in alert.slice.items() if name == "intent"},
        **more,
        "since": f"{alert.window_start:.0f}",
        "until": f"{max(alert.window_end, alert.window_start + 60):.0f}",
    }
    return f"/ui/conversations?{urlencode(query)}"


def _signals(stores: PageStores, alert: AlertRecord) -> tuple[str, ...]:
    """Return what the rule of an alert counts."""
    rule = next((each for each in alert_settings_of(stores.config).rules if each.name == alert.rule), None)
    return tuple(rule.signals) if rule is not None and rule.kind in ("rate", "in_a_row") else ()


def _signal(stores: PageStores, alert: AlertRecord) -> dict[str, str]:
    """Return the signal that finds the conversations behind an alert, if its rule counts only one."""
    found = _signals(stores, alert)
    return {"signal": found[0]} if len(found) == 1 else {}


def _guard_link(stores: PageStores, alert: AlertRecord) -> str:
    """Return the address of the gate decisions in the window, if the rule counts those of a gate."""
    gates = [each.partition("/")[2] for each in _signals(stores, alert) if each.startswith("gate/")]
    if not gates:
        return ""
    query = {"since": f"{alert.window_start:.0f}", "until": f"{alert.window_end:.0f}"}
    return f"/ui/guard?{urlencode({**({'gate': gates[0]} if len(gates) == 1 else {}), **query})}"


def _matches(alert: AlertRecord) -> list[tuple[str, list[str]]]:
    """Return what a silence of this alert may match: the rule with its slice, the rule, the tier."""
    found = [(f"rule {alert.rule}", [f"rule={alert.rule}"])]
    if alert.slice:
        own = [f"rule={alert.rule}", *(f"{name}={value}" for name, value in alert.slice.items())]
        found.insert(0, (f"rule {alert.rule}, {pairs_text(alert.slice)}", own))
    return found


def _slice_cell(alert: AlertRecord, moved: MovedSlice) -> Cell:
    """Return a slice; conversations can be found by their intent."""
    text = f"{moved.dimension} {moved.value}"
    return Link(text, _conversations(alert, {"intent": moved.value})) if moved.dimension == "intent" else text


def _moved(alert: AlertRecord) -> Table:
    rows: list[list[Cell]] = [
        [
            _slice_cell(alert, each),
            each.bad,
            each.events,
            round(each.expected, 1),
        ]
        for each in alert.moved
    ]
    return Table(
        columns=(Column("Slice"), *number_columns("Bad", "Of", "Normally")),
        rows=rows,
        empty="No intent, model or version stands out.",
        caption="Slices that moved",
    )


def _examples(examples: Sequence[AlertExample]) -> Table:
    rows: list[list[Cell]] = []
    for each in examples:
        known = each.summary
        rows.append(
            [
                Link(each.session, f"/ui/conversations/{quote(each.session, safe='')}"),
                known.intent if known else None,
                known.version if known else None,
                Moment(known.first) if known else None,
                cut_text(each.question) or (None if known else "no longer in the history"),
                cut_text(each.answer) or None,
            ]
        )
    return Table(
        columns=(
            *text_columns("Conversation", "Intent", "Version", "Began"),
            Column("Customer", "long"),
            Column("Agent", "long"),
        ),
        rows=rows,
        empty="No conversation was kept as an example.",
        caption="Examples",
    )


def _earlier(alerts: Sequence[AlertRecord], silences: Sequence[Silence], now: float) -> Table:
    rows: list[list[Cell]] = [
        [
            Link(f"#{each.number}", f"/ui/alerts/{each.number}"),
            state_chip(each, silences, now),
            Moment(each.fired),
            Moment(each.resolved) if each.resolved is not None else None,
            each.note or None,
        ]
        for each in alerts
    ]
    return Table(
        columns=(*text_columns("Alert", "State", "Fired", "Ended"), Column("Note", "long")),
        rows=rows,
        empty="This rule and slice has raised no other alert.",
        caption="Other alerts of this rule and slice",
    )


def _acknowledge(stores: PageStores, request: PageRequest) -> Reply:
    """Take an alert over."""
    alert = _find(stores, request)
    if not alert.is_open:
        return Redirect(to=f"/ui/alerts/{alert.number}", said="It has ended already.")
    new_normal = request.text("new_normal") == "on"
    done = stores.alerts.acknowledge(
        alert.number, by=request.visitor.name, now=request.now, note=request.text("note"), new_normal=new_normal
    )
    more = " Its level becomes the new normal at the next tick of the server." if new_normal else ""
    return Redirect(to=f"/ui/alerts/{alert.number}", said=f"Acknowledged by {done.acked_by}.{more}")


def _resolve(stores: PageStores, request: PageRequest) -> Reply:
    """End an alert."""
    alert = _find(stores, request)
    if not alert.is_open:
        return Redirect(to=f"/ui/alerts/{alert.number}", said="It had ended already.")
    stores.alerts.resolve(alert.number, by=request.visitor.name, now=request.now, note=request.text("note"))
    return Redirect(to=f"/ui/alerts/{alert.number}", said="Resolved. Its rule counts from zero again.")


def _promote(stores: PageStores, request: PageRequest) -> Reply:
    """Make regression cases of examples."""
    from proctor.workflows.promote.alert_examples import ExampleRequest, promote_examples  # noqa: PLC0415 - rarely

    alert = _find(stores, request)
    chosen = tuple(each for each in request.texts("conversation") if each in alert.examples)
    if not chosen:
        raise InputError("no conversation was chosen", field="conversation", hint="mark at least one example")
    wanted: dict[str, Any] = {"alert": str(alert.number), "conversations": chosen}
    made = promote_examples(stores.config, ExampleRequest(**wanted), regression_suite(stores.config))
    known = f", {len(made.known)} there already" if made.known else ""
    named = f": {', '.join(made.added)}" if made.added else ""
    return Redirect(to=f"/ui/alerts/{alert.number}", said=f"{REGRESSIONS}: {len(made.added)} added{known}{named}"[:290])
