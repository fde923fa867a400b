"""A score of production that stays under its floor raises one alert, and reaches the review queue once."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from proctor.core.errors import MalformedError, StoreError
from proctor.core.event import Event
from proctor.core.event_row import EventRow, row_of
from proctor.store.alert_spool import AlertSpool
from proctor.store.alert_state import AlertState
from proctor.store.review import ALERT, alert_verdicts, items, open_count, resolve
from proctor.store.runs import RunStore
from proctor.workflows.monitor.alert_queue import queue_alerts
from proctor.workflows.monitor.floor_alerts import raise_floor_alerts
from proctor.workflows.monitor.score_floors import FloorSettings, floor_settings, score_windows
from tests.tables import table
from tests.workflows.monitor.traffic_log import config_in, keep

DAY0 = datetime(2026, 11, 2, tzinfo=UTC)
SETTINGS = """
monitor:
  floors:
    by_intent:
      all: {relevance: {least: 0.8, consecutive: 3}, policy: {least: 0.9, consecutive: 1}}
"""


def _scores(day: int, name: str, value: float, *, many: int = 12, intent: str | None = None) -> Iterator[Event]:
    for number in range(many):
        time = DAY0 + timedelta(days=day, hours=1 + number)
        own = f"{day}-{name}-{number}-{intent}"
        yield Event(
            kind="score", id=own, time=time, session=f"s-{own}", intent=intent, name=name, value=value - number / 1000
        )


def _rows(*events: Iterator[Event]) -> list[EventRow]:
    return [row_of(event) for each in events for event in each]


def _at(day: int) -> datetime:
    return DAY0 + timedelta(days=day, minutes=5)


def test_windows_are_whole_and_have_enough_scores() -> None:
    rows = _rows(
        _scores(0, "relevance", 0.9, intent="faq"),
        _scores(1, "relevance", 0.5, many=3),
        _scores(2, "relevance", 0.7),
        _scores(3, "relevance", 0.1),
    )
    found = score_windows(rows, FloorSettings(), _at(3))
    assert [(point.run, point.intent, point.cases) for point in found.points] == [
        ("2026-11-02", "all", 12),
        ("2026-11-02", "faq", 12),
        ("2026-11-04", "all", 12),
    ], "the day that is not over is left out"
    assert found.thin == 1
    assert found.worst["2026-11-04", "all", "relevance"] == (
        "s-2-relevance-11-None",
        "s-2-relevance-10-None",
        "s-2-relevance-9-None",
    )


def test_an_alert_fires_after_enough_windows_once_and_ends(tmp_path: Path) -> None:
    config = config_in(tmp_path, SETTINGS)
    low = [_scores(day, "relevance", 0.7) for day in range(3)]
    good = [_scores(day, "policy", 0.99) for day in range(4)]
    keep(config, [event for each in (*low, *good) for event in each])
    assert asyncio.run(raise_floor_alerts(config, _at(2))).fired == (), "two windows are not three"
    first = asyncio.run(raise_floor_alerts(config, _at(3)))
    assert [alert.rule for alert in first.fired] == ["score_floor"]
    alert = first.fired[0]
    assert alert.message == "relevance (all) under 0.8 in the last 3 windows: 0.694, 0.694, 0.694"
    assert (alert.tier, alert.events, len(alert.examples)) == ("high", 36, 3)
    again = asyncio.run(raise_floor_alerts(config, _at(3) + timedelta(hours=1)))
    assert again.fired == (), "it is open already"
    keep(config, _scores(3, "relevance", 0.9))
    over = asyncio.run(raise_floor_alerts(config, _at(4)))
    assert [each.number for each in over.resolved] == [alert.number]
    with AlertState(config.store) as state:
        assert state.alerts(open_only=True) == []


def test_an_alert_that_a_full_disk_kept_from_the_channels_is_sent_by_the_next_look(tmp_path: Path) -> None:
    channels = "alerts: {channels: {desk: {webhook: http://127.0.0.1:9/}}, routes: {critical: [desk]}}\n"
    config = config_in(tmp_path, SETTINGS.replace("  floors:\n", "  floors:\n    tier: critical\n") + channels)
    keep(config, _scores(0, "policy", 0.5))
    spool = AlertSpool(config.store)
    spool.folder.write_text("a file stands where the folder should")
    with pytest.raises(StoreError):
        asyncio.run(raise_floor_alerts(config, _at(1)))
    spool.folder.unlink()
    for _ in range(2):
        assert asyncio.run(raise_floor_alerts(config, _at(1))).fired == (), "it is open already"
        assert [each.channel for each in spool.waiting()] == ["desk"]


def test_one_window_is_enough_where_the_floor_says_so_and_silence_is_not_bad(tmp_path: Path) -> None:
    config = config_in(tmp_path, SETTINGS)
    keep(config, _scores(0, "policy", 0.5))
    assert len(asyncio.run(raise_floor_alerts(config, _at(1))).fired) == 1
    later = asyncio.run(raise_floor_alerts(config, _at(6)))
    assert later.state.alarms == (), "without scores there is nothing under the floor"
    assert later.resolved == (), "nor anything above it"


def test_floors_of_the_release_policy_hold_in_production_too(tmp_path: Path) -> None:
    (tmp_path / "gate.yaml").write_text("floors: {all: {relevance: 0.8}}\nconsecutive: 2\n", encoding="utf-8")
    config = config_in(tmp_path)
    keep(config, [event for day in range(2) for event in _scores(day, "relevance", 0.7)])
    assert len(asyncio.run(raise_floor_alerts(config, _at(2))).fired) == 1


def test_a_high_alert_is_one_item_of_the_queue(tmp_path: Path) -> None:
    config = config_in(tmp_path, SETTINGS)
    assert queue_alerts(config).alerts == 0
    keep(config, _scores(0, "policy", 0.5))
    asyncio.run(raise_floor_alerts(config, _at(1)))
    assert queue_alerts(config).added == 1
    done = queue_alerts(config)
    assert (done.added, done.waiting) == (0, 1)
    with RunStore(config.store) as store:
        item = items(store, origin=ALERT)[0]
        assert (item.case_id, item.before) == ("alert-1", 0.9)
        assert item.after == pytest.approx(0.4945)
        resolve(store, item, verdict="right", person="kim")
    assert queue_alerts(config).added == 0, "what was reviewed is not added again"
    with RunStore(config.store) as store:
        assert alert_verdicts(store) == {"alert-1": True}
        assert open_count(store) == 0


@table(
    ("text", "message"),
    [
        ("monitor: {floors: {by_intent: {all: {relevance: 1.4}}}}", "a floor is from 0 to 1"),
        ("monitor: {floors: {window: soon}}", "expected a length of time"),
        ("monitor: {floors: {window: 10 s}}", "at least 1 min"),
        ("monitor: {floors: {relevance: 0.8}}", "unknown key"),
        ("monitor: {floors: {fewest: 0}}", "fewest must be at least 1"),
    ],
)
def test_wrong_settings_name_the_field(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(MalformedError) as caught:
        floor_settings(config_in(tmp_path, text))
    assert message in caught.value.problems[0].message
    assert caught.value.problems[0].where.startswith("monitor.floors")
