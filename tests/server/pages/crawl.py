"""Walks through the dashboard as somebody who follows every link, and knows which page each address is."""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from urllib.parse import urljoin, urlsplit

from proctor.server.pages.app import pages
from proctor.server.pages.sign_in import cookie_name
from tests.server.pages.http_client import HttpClient
from tests.server.pages.served import ServedDashboard

__all__ = ["addresses", "route_of"]

_VARIABLE = re.compile(r"\{(\w+)(?::((?:[^{}]|\{[^{}]*\})+))?\}")


@cache  # an address is looked up for every link of every page, and the pages are found by reading their files
def _patterns() -> list[tuple[str, re.Pattern[str]]]:
    found = []
    for page in pages():
        for route in page.routes:
            if route.method == "GET":
                made, last = "", 0
                for match in _VARIABLE.finditer(route.path):
                    made += re.escape(route.path[last : match.start()]) + f"(?:{match[2] or '[^/]+'})"
                    last = match.end()
                found.append((route.path, re.compile(f"/ui{made}{re.escape(route.path[last:])}")))
    return found


def route_of(address: str) -> str:
    """Return the route that answers an address; the one without variables first."""
    path = urlsplit(address).path
    found = [name for name, pattern in _patterns() if pattern.fullmatch(path)]
    return min(found, key=lambda name: name.count("{")) if found else ""


class _Links(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag == "a" and given.get("href") and "download" not in given:
            self.found.append(str(given["href"]))


def addresses(dashboard: ServedDashboard, *, each: int = 3, most: int = 150) -> Iterator[tuple[str, str]]:
    """Yield addresses below the server with their routes, at most ``each`` of every route, beginning with the pages."""
    client = HttpClient(dashboard.url)
    client.cookies[cookie_name(dashboard.store)] = dashboard.session()
    waiting = deque(f"/ui{page.path}" for page in pages())
    seen: set[str] = set()
    count: Counter[str] = Counter()
    while waiting and len(seen) < most:
        address = waiting.popleft()
        if address in seen or count[route := route_of(address)] >= each:
            continue
        seen.add(address)
        count[route] += 1
        answer = client.get(address)
        if answer.status == 303:
            waiting.append(answer.to)
            continue
        if answer.status != 200:
            dashboard.dead.append(f"{answer.status} {address}")
            continue
        yield address, route
        links = _Links()
        links.feed(answer.text)
        for href in links.found:
            where = urlsplit(urljoin(f"{dashboard.url}{address}", href))
            assert where.netloc == urlsplit(dashboard.url).netloc, f"{address} links to {href}"
            if where.path.startswith("/ui/"):
                waiting.append(where.path + (f"?{where.query}" if where.query else ""))
