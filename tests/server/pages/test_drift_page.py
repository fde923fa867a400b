"""The page of drift and calibration."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from importlib.resources import files
from pathlib import Path

import pytest

from proctor.config import Config
from proctor.core.drift_report import TopicShift
from proctor.core.errors import InputError
from proctor.report.reliability_diagram import RELIABILITY_STYLES
from proctor.server.pages.page import Redirect, View
from proctor.server.pages.page_stores import PageStores
from proctor.server.pages.table import Link
from proctor.server.pages.views.drift import PAGE
from proctor.workflows.monitor.kept_reports import keep_drift, kept_drift
from proctor.workflows.monitor.measure_process import MeasureTask, measure, measure_progress
from tests.server.pages.production_store import add_traffic, ask, make_project

MONTH, BEFORE = "2026-05", "2026-04"


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Config:
    config = make_project(tmp_path_factory.mktemp("drift"))
    add_traffic(config, hours=96.0, rate=0.3, until=datetime(2026, 5, 3, tzinfo=UTC))
    asyncio.run(measure(config, MeasureTask(what="drift", period=MONTH, labels="score/grounded")))
    asyncio.run(measure(config, MeasureTask(what="calibration", labels="score/grounded")))
    found = kept_drift(config, MONTH)
    assert found is not None
    topic = TopicShift(
        question="<script>alert(1)</script>",
        count=9,
        before_count=0,
        share=0.1,
        before_share=0.0,
        adjusted=0.001,
        is_new=True,
        examples=("a", "b"),
        conversations=("x/y",),
    )
    keep_drift(config, replace(found, topics=(topic,)))
    return config


@pytest.fixture
def desk(project: Config) -> Iterator[PageStores]:
    made = PageStores(project)
    yield made
    made.close()


def view(desk: PageStores, **query: str) -> View:
    found = ask(desk, PAGE.routes, "/drift", query=query)
    assert isinstance(found, View)
    return found


def test_intents_against_the_months_before(desk: PageStores) -> None:
    shown = view(desk)
    assert shown.data["month"] == MONTH
    rows = shown.tables["intents"].rows
    assert {row[0].text for row in rows if isinstance(row[0], Link)} >= {"faq", "order_tracking"}
    assert shown.tables["test"].rows[0][0] == "all"
    assert "before" in shown.charts["intents"].svg()


def test_new_topics_lead_to_conversations(desk: PageStores) -> None:
    shown = view(desk)
    assert shown.data["topics"][0].is_new
    link = shown.tables["topics"].rows[0][7]
    assert isinstance(link, Link)
    assert link.to == "/ui/conversations/x%2Fy"


def test_reliability_before_and_after(desk: PageStores) -> None:
    charts = view(desk).charts
    for name in ("before", "after"):
        assert "<style" not in charts[name].svg()  # the policy refuses it
        assert "<style" in charts[name].svg(inline=False)
    rules = files("proctor.server.pages").joinpath("static", "drift.css").read_text("utf-8")
    assert RELIABILITY_STYLES.strip() in rules


def test_error_over_time(desk: PageStores) -> None:
    shown = view(desk)
    assert [row[0] for row in shown.tables["months"].rows] == [MONTH, BEFORE]
    course = shown.charts["errors"].data()
    assert course is not None
    assert len(course["times"]) == 2
    assert shown.data["whole"].count > 30


def test_a_month_that_was_not_measured(desk: PageStores) -> None:
    assert view(desk, month="2020-01").data["report"] is None
    assert view(desk, month="../state").data["report"] is None


def test_measure_a_month_without_conversations(desk: PageStores) -> None:
    with pytest.raises(InputError):
        ask(desk, PAGE.routes, "/drift/measure", form={"what": "drift", "month": "May"})
    done = ask(desk, PAGE.routes, "/drift/measure", form={"what": "drift", "month": "2025-01"}, role="auditor")
    assert isinstance(done, Redirect)
    assert done.to == "/ui/drift?month=2025-01"
    end = datetime.now(UTC) + timedelta(seconds=60)
    while datetime.now(UTC) < end:
        progress = measure_progress(desk.config)
        if progress is not None and progress.finished is not None:
            break
        time.sleep(0.1)
    assert progress is not None
    assert "no conversation began in 2025-01" in progress.failure


def test_without_anything(tmp_path: Path) -> None:
    desk = PageStores(make_project(tmp_path))
    shown = view(desk)
    assert (shown.data["report"], shown.data["calibration"], dict(shown.tables)) == (None, None, {})
    desk.close()
