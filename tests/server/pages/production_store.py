"""A small store of production for the tests of pages: a day and a half of traffic, alerts, rules."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from proctor.config import Config, open_config
from proctor.core.alert_record import AlertRecord, MovedSlice, RuleLimit, RuleStatus
from proctor.core.person import Person, Role
from proctor.monitor.simulation.manga_store import manga_store
from proctor.monitor.simulation.traffic import simulate
from proctor.server.pages.page import PageRequest, Reply, Route
from proctor.server.pages.page_stores import PageStores
from proctor.store.alert_state import AlertState
from proctor.store.history import History
from proctor.workflows.monitor.intake import Intake

HOUR = 3600.0
_SETTINGS = """
store: .proctor
monitor: {digest: {light: true, sample: 5, calibration: score/grounded}}
completion:
  repeat_contact: {within: 2 h}
  default: {within: 2 h, completed: [no repeat_contact], failed: [repeat_contact]}
"""


def make_project(folder: Path) -> Config:
    """Return the settings of an empty project."""
    (folder / "proctor.yaml").write_text(_SETTINGS, encoding="utf-8")
    return open_config(folder / "proctor.yaml")


def add_traffic(config: Config, *, hours: float = 30.0, rate: float = 0.7, until: datetime | None = None) -> None:
    """Write simulated events up to now."""
    end = until or datetime.now(UTC)
    scenario = replace(manga_store(turns_per_minute=rate), start=end - timedelta(hours=hours), hours=hours, name="shop")
    history = History(config.store, search=False)
    intake = Intake(config.store, history=history)
    intake.add(list(simulate(scenario, 5)))
    intake.index()
    intake.close()


def sessions(config: Config, count: int) -> list[str]:
    """Return some conversations."""
    with History(config.store, search=False) as history:
        return [each.session for each in history.indexer.conversations.find(limit=count)]


def alert(rule: str = "escalation", *, now: float | None = None, **changes: object) -> AlertRecord:
    """Return an alert that fired an hour ago."""
    at = now or time.time()
    made = AlertRecord(
        fingerprint=f"{rule}-{len(changes)}",
        rule=rule,
        kind="rate",
        tier="high",
        message=f"{rule}: 9 of 40 turns (22.5 %) in 5 min, 4 times the normal 5 %",
        started=at - HOUR,
        fired=at - HOUR,
        updated=at - HOUR,
        window_start=at - HOUR - 300,
        window_end=at - HOUR,
        bad=9,
        events=40,
        value=0.225,
        baseline=0.05,
        statistic=12.5,
        threshold=9.1,
        moved=(MovedSlice(dimension="intent", value="faq", bad=8, events=20, expected=1.0, evidence=9.0),),
    )
    return replace(made, **changes)  # type: ignore[arg-type]


def add_alerts(config: Config, alerts: Sequence[AlertRecord]) -> None:
    """Keep alerts, and the status of two rules."""
    limit = RuleLimit(rule="escalation", kind="rate", smallest=4.0, text="sees 4 times that in 5 min with 99 %")
    with AlertState(config.store) as state:
        for each in alerts:
            kept, _ = state.open_alert(each, again_within=0.0)
            if each.resolved is not None:
                state.resolve(kept.number, by=each.closed_by, now=each.resolved)
        state.set_status(
            [
                RuleStatus(rule="escalation", kind="rate", tier="high", state="firing", since=1.0, limit=limit),
                RuleStatus(rule="latency", kind="p95", tier="critical", state="ok", since=1.0, detail="100 turns"),
            ]
        )


def ask(
    desk: PageStores,
    routes: Sequence[Route],
    path: str,
    *,
    at: Mapping[str, str] | None = None,
    form: Mapping[str, str | Sequence[str]] | None = None,
    role: Role = "admin",
    query: Mapping[str, str] | None = None,
) -> Reply:
    """Return what the handler of a route answers."""
    method = "GET" if form is None else "POST"
    route = next(each for each in routes if each.path == path and each.method == method)
    person = Person(name="ann", role=role)
    assert person.may(route.role)
    listed = {name: [value] if isinstance(value, str) else list(value) for name, value in (form or {}).items()}
    asked = PageRequest(
        at=f"/ui{path}",
        path=at or {},
        query={name: [value] for name, value in (query or {}).items()},
        form=listed,
        visitor=person,
        now=time.time(),
    )
    return route.answer(desk, asked)
