"""The frame of the dashboard in a real browser."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module

from playwright.sync_api import Browser, expect

from proctor.server.pages.app import pages
from tests.server.pages.served import ServedDashboard


def test_somebody_who_is_signed_in_sees_the_first_page(browser: Browser, dashboard: ServedDashboard) -> None:
    page = dashboard.page(browser)
    expect(page.get_by_role("navigation", name="Pages")).to_be_visible()
    expect(page.get_by_text("ada")).to_be_visible()


def test_an_empty_project_has_pages_too(browser: Browser, empty_dashboard: ServedDashboard) -> None:
    expect(empty_dashboard.page(browser).get_by_role("navigation", name="Pages")).to_be_visible()


def test_every_handler_that_is_loaded_later_is_there() -> None:
    found = 0
    for page in pages():
        for route in page.routes:
            module, _, name = route.answer.__qualname__.partition(".")
            if route.answer.__module__ == "proctor.server.pages.page":
                assert callable(getattr(import_module(f"proctor.server.pages.views.{module}"), name))
                found += 1
    assert found


def test_the_start_loads_no_page_that_nobody_has_asked_for() -> None:
    program = "import sys; from proctor.server.pages.app import pages; print(len(pages()), *sorted(sys.modules))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    count, *loaded = done.stdout.split()
    assert int(count) == len(pages())
    heavy = {"onnxruntime", "duckdb", "scipy", "proctor.workflows.run.job", "proctor.scorers.conversation.cross_turn",
             "proctor.workflows.redteam.campaign_report"}  # fmt: skip
    assert heavy & set(loaded) == set()
