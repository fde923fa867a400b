"""Every page can be used with a keyboard and a screen reader: axe-core finds nothing serious, light and dark."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]
from playwright.sync_api import Browser

from proctor.cli.demo_project import fill_demo, write_demo
from proctor.server.pages.app import pages
from tests.server.pages.crawl import addresses
from tests.server.pages.served import ServedDashboard, served

_GRAVE = ("serious", "critical")


@pytest.fixture(scope="session")
def demo_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project of `proctor serve --demo`, shorter; made before the browser, which has its own event loop."""
    config = write_demo(tmp_path_factory.mktemp("demo") / "project")
    fill_demo(config, days=16, tell=lambda line: None)
    return config.folder


@pytest.fixture(scope="module")
def demo(demo_store: Path) -> Iterator[ServedDashboard]:
    with served(demo_store) as running:
        yield running


def _grave(axe: Axe, page: Any) -> list[str]:
    found = axe.run(
        page, options={"resultTypes": ["violations"], "rules": {"scrollable-region-focusable": {"enabled": True}}}
    )
    return [
        f"{each['id']} ({each['impact']}): {each['nodes'][0]['target']} {each['nodes'][0]['html'][:160]}"
        for each in found.response["violations"]
        if each["impact"] in _GRAVE
    ]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_serious(browser: Browser, demo: ServedDashboard, theme: Any) -> None:
    page = demo.page(browser, color_scheme=theme)
    axe = Axe()
    wrong: dict[str, list[str]] = {}
    for address, _ in addresses(demo, each=1):
        page.goto(f"{demo.url}{address}")
        if found := _grave(axe, page):
            wrong[address] = found
    page.context.clear_cookies()
    page.goto(f"{demo.url}/ui/sign-in")
    if found := _grave(axe, page):
        wrong["/ui/sign-in"] = found
    assert wrong == {}
    assert demo.problems == []


def test_every_page_has_one_heading_a_title_and_fits_a_phone(browser: Browser, demo: ServedDashboard) -> None:
    page = demo.page(browser, viewport={"width": 390, "height": 800})
    wide = []
    for address, _ in addresses(demo, each=1):
        page.goto(f"{demo.url}{address}")
        assert page.locator("h1").count() == 1, address
        assert page.title().endswith("· Proctor"), address
        if page.evaluate("document.documentElement.scrollWidth") > 390:
            wide.append(address)
    assert wide == []
    assert demo.problems == []


def test_the_demo_shows_every_page(demo: ServedDashboard) -> None:
    seen = {route for _, route in addresses(demo, each=1)}
    assert {page.path for page in pages()} <= seen
    details = {route.path for page in pages() for route in page.routes if route.method == "GET" and "{" in route.path}
    assert details - seen == set(), "a page that no link leads to, or that the demo has nothing for"
