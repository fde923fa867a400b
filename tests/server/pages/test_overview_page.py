"""The overview: is it safe to ship, is production healthy."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from proctor.config import Config
from proctor.core.alert_record import RuleStatus
from proctor.core.errors import InputError
from proctor.core.event import Event
from proctor.core.verdict import Verdict
from proctor.server.pages.page import View
from proctor.server.pages.page_stores import PageStores
from proctor.server.pages.table import Chip
from proctor.server.pages.views.overview import PAGE
from proctor.store.decisions import keep_decision
from proctor.store.guard_log import GuardLog
from proctor.store.runs import RunStore
from proctor.workflows.project_health import production_answer, release_answer
from tests.server.pages.production_store import add_alerts, add_traffic, alert, ask, make_project


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Config:
    config = make_project(tmp_path_factory.mktemp("overview"))
    add_traffic(config, hours=24.0)  # a whole day: at night too few conversations are scored
    add_alerts(config, [alert("escalation"), alert("latency", tier="critical")])
    with RunStore(config.store) as store:
        kept = {"suite": "golden", "baseline": "", "target": "agent"}
        keep_decision(store, run="1", decision="hold", reasons=["<b>worse</b>"], **kept)
        keep_decision(store, run="2", decision="ship", reasons=[], **kept)
    return config


@pytest.fixture
def desk(project: Config) -> Iterator[PageStores]:
    made = PageStores(project)
    yield made
    made.close()


def view(desk: PageStores, **query: str) -> View:
    found = ask(desk, PAGE.routes, "/", query=query)
    assert isinstance(found, View)
    return found


def test_both_questions_are_answered(desk: PageStores) -> None:
    shown = view(desk)
    (_, ship, ship_to), (_, health, health_to) = shown.data["answers"]
    assert (ship.state, ship_to) == ("pass", "/ui/runs/2")
    assert (health.state, health.why, health_to) == ("fail", "2 open: latency, escalation.", "/ui/alerts?state=open")
    assert [each.value for each in shown.data["alert_tiles"]] == ["1", "1", "0", "0"]


def test_every_figure_leads_to_what_it_is_made_of(desk: PageStores) -> None:
    for tile in (*view(desk).data["tiles"], *view(desk).data["alert_tiles"]):
        assert tile.to.startswith("/ui/"), tile.label


def test_what_is_not_measured_is_a_dash(desk: PageStores) -> None:
    tiles = {each.label: each for each in view(desk).data["tiles"]}
    assert (tiles["Completion"].value, tiles["Cost of runs"].value) == ("–", "–")
    assert tiles["Conversations"].value != "–"
    assert "–" in tiles["Handed over"].more  # an interval


@pytest.mark.parametrize(("days", "points"), [("1", 24), ("7", 28), ("30", 30), ("90", 90)])
def test_periods(desk: PageStores, days: str, points: int) -> None:
    chart = view(desk, days=days).charts["scores"].data()
    assert chart is not None
    assert points <= len(chart["times"]) <= points + 1
    with pytest.raises(InputError):
        view(desk, days="5")


def test_decisions_newest_first(desk: PageStores) -> None:
    rows = view(desk).tables["decisions"].rows
    assert [row[0] for row in rows] == [Chip("pass", "ship"), Chip("fail", "hold")]


def test_the_guard_counts_what_it_stopped(tmp_path: Path) -> None:
    config = make_project(tmp_path)
    now = datetime.now(UTC)
    verdicts = [Verdict(action=action, gate="input") for action in ("allow", "allow", "block")]
    log = GuardLog(config.store, every=0.01)
    for number, verdict in enumerate(verdicts):
        log.record(Event(kind="gate", time=now, id=f"g{number}", name="input", verdict=verdict))
    log.close()
    desk = PageStores(config)
    tile = next(each for each in view(desk).data["tiles"] if each.label == "Stopped by the guard")
    assert (tile.value, tile.more.split(" · ")[0]) == ("33.3 %", "of 3 decisions")
    desk.close()


def test_an_empty_project_says_what_to_do(tmp_path: Path) -> None:
    desk = PageStores(make_project(tmp_path))
    shown = view(desk)
    assert shown.data["is_empty"]
    assert [answer.state for _, answer, _ in shown.data["answers"]] == ["unscored", "unscored"]
    assert all(each.value == "–" for each in shown.data["tiles"] if each.label not in ("Conversations",))
    desk.close()


def test_health_is_not_known_when_nobody_watches() -> None:
    unknown = RuleStatus(rule="latency", kind="p95", tier="high", state="unknown", since=0.0)
    watched = RuleStatus(rule="latency", kind="p95", tier="high", state="ok", since=0.0)
    assert production_answer([], [unknown]).state == "unscored"
    assert production_answer([], [watched]).state == "pass"
    assert production_answer([alert(tier="low")], [watched]).state == "pass"
    assert release_answer([]).state == "unscored"
