"""Overview, alerts, monitoring and drift in a real browser."""

from __future__ import annotations

import asyncio
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

from playwright.sync_api import Browser, expect

from proctor.config import Config, open_config
from proctor.store.alert_state import AlertState
from proctor.workflows.monitor.measure_process import MeasureTask, measure
from tests.server.pages.accessibility import violations
from tests.server.pages.production_store import alert
from tests.server.pages.served import ServedDashboard

PAGES = ("/", "/alerts", "/alerts/1", "/monitoring?days=30", "/drift")
HOSTILE = "<img src=x onerror=alert(1)><script>alert(2)</script>"


def test_take_over_and_end_an_alert(browser: Browser, dashboard: ServedDashboard) -> None:
    page = dashboard.page(browser, "/alerts", name="eve", role="admin")
    page.get_by_role("region", name="Alerts").get_by_role("link").first.click()
    page.get_by_role("heading", name="Acknowledge").wait_for()
    page.get_by_label("Note").first.fill("I look at it")
    page.get_by_role("button", name="Acknowledge").click()
    expect(page.get_by_text("Acknowledged by eve.")).to_be_visible()
    expect(page.locator("#alert-facts").get_by_text("I look at it")).to_be_visible()
    page.get_by_role("button", name="Silence").click()
    expect(page.get_by_text("nobody is notified about")).to_be_visible()
    page.get_by_role("button", name="Resolve").click()
    expect(page.get_by_text("Resolved. Its rule counts from zero again.")).to_be_visible()
    expect(page.get_by_role("button", name="Resolve")).to_have_count(0)


def test_what_one_person_does_another_sees_without_loading_the_page_again(
    browser: Browser, dashboard: ServedDashboard
) -> None:
    other = dashboard.page(browser, "/alerts/1", name="vic", role="viewer")
    expect(other.locator("#alert-facts").get_by_text("firing", exact=True)).to_be_visible()
    other.wait_for_timeout(2500)  # the feed has looked once
    page = dashboard.page(browser, "/alerts/1", name="ben", role="auditor")
    page.get_by_role("button", name="Acknowledge").click()
    expect(page.get_by_text("Acknowledged by ben.")).to_be_visible()
    expect(other.locator("#alert-facts").get_by_text("by ben")).to_be_visible(timeout=15_000)


def test_an_example_becomes_a_regression_case(browser: Browser, dashboard: ServedDashboard) -> None:
    page = dashboard.page(browser, "/alerts/1", name="ben", role="auditor")
    expect(page.get_by_role("button", name="Resolve")).to_have_count(0)  # an auditor does not end alerts
    page.get_by_text("Make regression cases of examples").click()
    page.get_by_role("button", name="Add to the suite").click()
    expect(page.get_by_text("suites/regressions.yaml: 1 added")).to_be_visible()
    assert (dashboard.folder / "suites" / "regressions.yaml").exists()


def test_a_viewer_looks_only(browser: Browser, dashboard: ServedDashboard) -> None:
    page = dashboard.page(browser, "/alerts/1", name="vic", role="viewer")
    expect(page.get_by_role("button", name="Acknowledge")).to_have_count(0)
    answer = page.request.post(f"{dashboard.url}/ui/alerts/1/resolve", form={"note": "no"})
    assert answer.status == 403
    with AlertState(dashboard.store) as state:
        assert state.find("1").is_open


def test_a_new_alert_appears_by_itself(browser: Browser, dashboard: ServedDashboard) -> None:
    page = dashboard.page(browser, "/alerts")
    expect(page.get_by_role("region", name="Alerts")).to_be_visible()
    page.wait_for_timeout(2500)  # the feed has looked once
    with AlertState(dashboard.store) as state:
        state.open_alert(alert("escalation", message="a new problem"), again_within=0.0)
    expect(page.get_by_text("a new problem")).to_be_visible(timeout=15_000)


def test_pages_are_accessible_and_fit_a_phone(browser: Browser, dashboard: ServedDashboard) -> None:
    _measure(dashboard.folder)
    page = dashboard.page(browser, "/", viewport={"width": 390, "height": 800})
    for path in PAGES:
        page.goto(f"{dashboard.url}/ui{path}")
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0, path
        assert violations(page) == [], path


def test_markup_in_an_alert_is_text(browser: Browser, dashboard: ServedDashboard) -> None:
    made = alert("escalation", message=HOSTILE, slice={"intent": HOSTILE}, examples=(HOSTILE,), note=HOSTILE)
    with AlertState(dashboard.store) as state:
        kept, _ = state.open_alert(made, again_within=0.0)
        state.acknowledge(kept.number, by=HOSTILE, now=time.time(), note=HOSTILE)
    page = dashboard.page(browser, f"/alerts/{kept.number}")
    expect(page.get_by_text(HOSTILE).first).to_be_visible()
    page.goto(f"{dashboard.url}/ui/alerts")
    expect(page.get_by_text(HOSTILE).first).to_be_visible()
    assert page.locator("img").count() == 0


def test_measure_a_day_from_the_page(browser: Browser, dashboard: ServedDashboard) -> None:
    page = dashboard.page(browser, "/monitoring", name="ben", role="auditor")
    day = (datetime.now(UTC) - timedelta(days=2)).date().isoformat()
    page.get_by_label("Period (empty: the last one)").fill(day)
    page.get_by_role("button", name="Measure").click()
    expect(page.get_by_text(f"Measuring the daily digest of {day}").first).to_be_visible()
    expect(page.get_by_text("Last measured: the daily digest")).to_be_visible(timeout=60_000)
    page.reload()
    expect(page.get_by_role("heading", name="Task completion by intent")).to_be_visible()


def _measure(folder: Path) -> None:
    """Measure on another thread: the browser's driver has a loop on this one."""
    config = open_config(folder)
    day = (datetime.now(UTC) - timedelta(days=3)).date().isoformat()
    tasks = (
        MeasureTask(what="digest", kind="daily", period=day),
        MeasureTask(what="calibration", labels="score/grounded"),
    )
    with ThreadPoolExecutor(1) as other:
        for task in tasks:
            other.submit(_run, config, task).result()


def _run(config: Config, task: MeasureTask) -> None:
    asyncio.run(measure(config, task))
