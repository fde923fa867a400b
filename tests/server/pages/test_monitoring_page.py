"""The monitoring page: rollups as they happen, digests as they turned out."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from proctor.config import Config
from proctor.core.errors import InputError
from proctor.server.pages.page import Redirect, View
from proctor.server.pages.page_stores import PageStores
from proctor.server.pages.table import Link, Share, csv_lines
from proctor.server.pages.views.production import PAGE
from proctor.workflows.monitor.measure_process import MeasureTask, checked_task, measure, measure_progress
from tests.server.pages.production_store import add_traffic, ask, make_project


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Config:
    config = make_project(tmp_path_factory.mktemp("monitoring"))
    add_traffic(config, hours=30.0, rate=0.5)
    day = (datetime.now(UTC) - timedelta(days=1)).date().isoformat()
    task = checked_task(config, MeasureTask(what="digest", kind="daily", period=day))
    asyncio.run(measure(config, task))
    return config


@pytest.fixture
def desk(project: Config) -> Iterator[PageStores]:
    made = PageStores(project)
    yield made
    made.close()


def view(desk: PageStores, **query: str) -> View:
    found = ask(desk, PAGE.routes, "/monitoring", query=query)
    assert isinstance(found, View)
    return found


def test_charts_and_intents_as_they_happen(desk: PageStores) -> None:
    shown = view(desk, days="1")
    assert {"traffic", "latency", "shares", "csat", "scores"} <= set(shown.charts)
    rows = shown.tables["intents"].rows
    assert {row[0].text for row in rows if isinstance(row[0], Link)} == {
        "faq",
        "order_tracking",
        "product_question",
        "chitchat",
    }
    assert isinstance(rows[0][3], Share)
    assert rows[0][3].low is not None


def test_the_newest_digest_is_shown_with_its_intervals(desk: PageStores) -> None:
    shown = view(desk)
    names = [each["section"].name for each in shown.data["sections"]]
    assert names == ["completion", "escalations", "ratings", "consistency"]
    assert {"completion-1", "completion-2", "escalations-1", "ratings-1"} <= set(shown.tables)
    repeat = shown.tables["completion-1"].rows
    assert repeat[0][0] == "all"
    assert "–" in str(repeat[0][2])
    assert isinstance(repeat[1][0], Link)
    assert "intent=" in repeat[1][0].to
    assert len(list(csv_lines(shown.tables["completion-2"]))) == len(repeat) + 1
    assert {"completion-1", "completion-2", "escalations-1"} <= set(shown.charts)


def test_a_period_that_was_not_measured(desk: PageStores) -> None:
    assert view(desk, digest="weekly 2020-W01").data["digest"] is None
    assert view(desk, kind="daily", period="../../etc").data["digest"] is None
    kind, name = view(desk).data["kept"][0]
    assert view(desk, digest=f"{kind} {name}").data["digest"].period.name == name


def test_wrong_periods_are_refused(desk: PageStores) -> None:
    for form in ({"kind": "yearly"}, {"kind": "daily", "period": "soon"}):
        with pytest.raises(InputError):
            ask(desk, PAGE.routes, "/monitoring/measure", form=form)


def test_measure_in_the_background(desk: PageStores) -> None:
    today = datetime.now(UTC).date().isoformat()
    done = ask(desk, PAGE.routes, "/monitoring/measure", form={"kind": "daily", "period": today}, role="auditor")
    assert isinstance(done, Redirect)
    assert today in done.to
    running = measure_progress(desk.config)
    assert running is not None
    assert running.is_running
    with pytest.raises(InputError, match="is being measured"):
        ask(desk, PAGE.routes, "/monitoring/measure", form={"kind": "daily"})
    waited = _wait(desk.config)
    assert waited == ""
    assert view(desk, kind="daily", period=today).data["digest"].period.name == today


def _wait(config: Config) -> str:
    for _ in range(600):
        progress = measure_progress(config)
        if progress is not None and progress.finished is not None:
            return progress.failure
        time.sleep(0.1)
    return "it did not end"


def test_without_anything(tmp_path: Path) -> None:
    desk = PageStores(make_project(tmp_path))
    shown = view(desk)
    assert (shown.data["digest"], shown.data["kept"], dict(shown.charts)) == (None, [], {})
    with pytest.raises(InputError, match="no event log"):
        ask(desk, PAGE.routes, "/monitoring/measure", form={"kind": "daily"})
    desk.close()
