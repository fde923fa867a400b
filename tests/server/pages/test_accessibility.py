"""Every page works with a keyboard, a screen reader and a phone: axe-core finds nothing serious in both themes."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, TimeoutError, expect

from proctor.cli.demo_project import fill_demo, write_demo
from proctor.server.pages.app import pages
from tests.server.pages.accessibility import violations
from tests.server.pages.crawl import addresses
from tests.server.pages.served import ServedDashboard, served


@pytest.fixture(scope="session")
def demo_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project of `proctor serve --demo`, shorter; made before the browser, which has its own event loop."""
    config = write_demo(tmp_path_factory.mktemp("demo") / "project")
    begun = datetime.now(UTC) - timedelta(days=3)  # the drift of its month is compared with the month before
    fill_demo(config, days=max(16, begun.day + 5), tell=lambda line: None)
    return config.folder


@pytest.fixture(scope="module")
def demo(demo_store: Path) -> Iterator[ServedDashboard]:
    with served(demo_store) as running:
        yield running


@pytest.fixture(scope="module")
def crawled(demo: ServedDashboard) -> list[tuple[str, str]]:
    """One address of every route that a page leads to."""
    return list(addresses(demo, each=1))


def test_every_page_is_for_everybody(browser: Browser, demo: ServedDashboard, crawled: list[tuple[str, str]]) -> None:
    """No serious finding of axe in light and dark, one heading, a title, nothing wider than a phone."""
    page = demo.page(browser, "/no-such-page", color_scheme="light")  # it asks for nothing while the next page loads
    wrong: dict[str, list[str]] = {}
    scripts: list[str] = []
    page.on("request", lambda made: scripts.append(made.url) if made.resource_type == "script" else None)
    for address in [*(address for address, _ in crawled), "/ui/sign-in", "/ui/no-such-page"]:
        page.set_viewport_size({"width": 1280, "height": 800})
        scripts.clear()
        page.goto(f"{demo.url}{address}")
        found = violations(page)
        names = [each.rpartition("/")[2].partition("?")[0] for each in scripts]
        if twice := {each for each in names if names.count(each) > 1}:
            found.append(f"{', '.join(twice)} is loaded twice: what it listens to happens twice")
        page.set_viewport_size({"width": 390, "height": 800})
        if (wide := _settled_width(page)) > 390:
            found.append(f"{wide} pixels wide on a phone")
        if (heads := page.locator("h1").count()) != 1:
            found.append(f"{heads} headings of the first level")
        if not page.title().endswith("· Proctor"):
            found.append(f"the title {page.title()!r}")
        if found:
            wrong[address] = found
    assert wrong == {}
    assert [each for each in demo.problems if "404" not in each] == []


def test_the_demo_shows_every_page(demo: ServedDashboard, crawled: list[tuple[str, str]]) -> None:
    seen = {route for _, route in crawled}
    assert {page.path for page in pages()} <= seen
    routes = [route.path for page in pages() for route in page.routes if route.method == "GET"]
    details = {path for path in routes if "{" in path and not path.endswith("/file")}
    assert details - seen == set(), "a page that no link leads to, or that the demo has nothing for"
    assert demo.dead == []


def test_the_demo_leads_from_an_alert_to_the_attack_and_its_conversation(
    browser: Browser, demo: ServedDashboard
) -> None:
    page = demo.page(browser, "/alerts?state=all&rule=attacks")
    page.locator("main td a[href^='/ui/alerts/']").first.click()
    page.get_by_role("link", name="its gate decisions").click()
    page.goto(f"{page.url}&action=block")
    page.locator("#decisions td a[href*='event=']").first.click()
    leads = page.get_by_role("list", name="Where this leads")
    for start in ("/ui/conversations/", "/ui/alerts/", "/ui/redteam/desk"):
        expect(leads.locator(f"a[href^='{start}']").first).to_be_visible()
    leads.get_by_role("button", name="Make a case").click()
    expect(page.get_by_role("status").first).to_contain_text("suites/regressions.yaml")


def _settled_width(page: Page) -> int:
    """The width of the page once charts have followed the new size of the window, which takes them a moment."""
    with contextlib.suppress(TimeoutError):
        page.wait_for_function("document.documentElement.scrollWidth <= innerWidth", timeout=3000)
    return int(page.evaluate("document.documentElement.scrollWidth"))
