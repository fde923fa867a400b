"""Stored cross-site scripting: markup in every field is text on every page. Nothing runs, nothing is asked for."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.server.pages.crawl import addresses
from tests.server.pages.hostile_store import MARKS, make_hostile
from tests.server.pages.served import ServedDashboard, served

_LOOK = """() => ({
    ran: window.xssRan ?? null,
    scripts: [...document.scripts].filter(s => s.type !== "application/json" && !s.src.startsWith(location.origin))
        .length,
    handlers: [...document.querySelectorAll("*")].filter(e => [...e.attributes].some(a => /^on/i.test(a.name))).length,
    styles: document.querySelectorAll("main [style]:not(.uplot, .uplot *), style").length,
    foreign: document.querySelectorAll("iframe, object, embed, base, img, video, audio, form[action^='http']").length,
    links: [...document.querySelectorAll("a[href]")].filter(a => !a.href.startsWith(location.origin)).length,
    text: document.body.innerText,
    title: document.title,
})"""


@pytest.fixture(scope="session")
def hostile_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """For the session: made before the browser, beside which no other event loop can run."""
    return make_hostile(tmp_path_factory.mktemp("hostile") / "project")


@pytest.fixture(scope="module")
def hostile(hostile_store: Path) -> Iterator[ServedDashboard]:
    with served(hostile_store) as running:
        yield running


def test_markup_is_text_on_every_page(browser: Browser, hostile: ServedDashboard) -> None:
    page = hostile.page(browser)
    shown: dict[str, str] = {}
    for address, route in addresses(hostile, each=2):
        page.goto(f"{hostile.url}{address}")
        found = page.evaluate(_LOOK)
        shown[route] = shown.get(route, "") + found.pop("text")
        found.pop("title")
        assert found == {"ran": None, "scripts": 0, "handlers": 0, "styles": 0, "foreign": 0, "links": 0}, address
        assert hostile.problems == [], address
    assert hostile.dead == []
    everything = "\n".join(shown.values())
    assert MARKS[0] in everything, "the markup is shown as text somewhere, or this test sees nothing"
    assert "49" not in {line.strip() for line in everything.splitlines() if "7*7" in line}


def test_files_of_hostile_text_are_files(hostile: ServedDashboard) -> None:
    from proctor.server.pages.sign_in import cookie_name
    from tests.server.pages.http_client import HttpClient

    client = HttpClient(hostile.url)
    client.cookies[cookie_name(hostile.store)] = hostile.session()
    found = 0
    for address, _ in list(addresses(hostile, each=1)):
        body = client.get(address).text
        for kind in ("csv", "svg"):
            for name in {part.split('"')[0].split("&")[0] for part in body.split(f"{kind}=")[1:] if part[:1].isalpha()}:
                answer = client.get(f"{address}{'&' if '?' in address else '?'}{kind}={name}")
                assert answer.status == 200, f"{address} {kind}={name}"
                assert answer.headers["Content-Disposition"].startswith("attachment")
                assert answer.headers["Content-Type"].startswith(("text/csv", "image/svg+xml"))
                assert b"<script" not in answer.body or kind == "csv"
                found += 1
    assert found
