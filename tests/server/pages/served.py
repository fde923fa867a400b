"""A real dashboard for the tests: the server of `proctor serve` on a thread, over the store of a project."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aiohttp import web

from proctor.config import Config, open_config
from proctor.core.person import Person, Role
from proctor.project import Project
from proctor.server.ingest.app import make_app
from proctor.server.ingest.read_api import ReadApi
from proctor.server.pages.app import add_dashboard, make_dashboard
from proctor.server.pages.page import PageRequest
from proctor.server.pages.page_stores import PageStores
from proctor.server.pages.sign_in import cookie_name
from proctor.store.people import People
from proctor.wiring.history_settings import open_history
from proctor.wiring.ingest_settings import read_ingest
from proctor.workflows.monitor.open_intake import open_intake

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

__all__ = ["ServedDashboard", "asked", "served"]


class ServedDashboard:
    """A running dashboard: where it is, its project, and how somebody signs in."""

    def __init__(self, folder: Path, url: str) -> None:
        self.folder = folder
        self.url = url
        self.config: Config = open_config(folder)
        self._contexts: list[BrowserContext] = []
        self.problems: list[str] = []
        self.dead: list[str] = []  # addresses that a page links to and that do not answer

    @property
    def store(self) -> Path:
        return self.config.store

    def session(self, name: str = "ada", role: Role = "admin") -> str:
        """Return the key of a new session of somebody, who is added if they are not there."""
        with People(self.store) as people:
            if name not in {each.name for each in people.list()}:
                people.add(name, role, None, time.time())
            key = people.begin_session(people.find(name), time.time())
        assert key is not None
        return key

    def page(self, browser: Browser, path: str = "/", *, name: str = "ada", role: Role = "admin", **more: Any) -> Page:
        """Return a page in a browser of its own, signed in, at an address below /ui.

        Errors of scripts, what the Content-Security-Policy refuses, failed requests of our own and requests to
        anywhere else are kept in ``problems``; the fixture fails if there are any. ``more`` goes to the browser's
        context, such as ``color_scheme="dark"`` or ``viewport={"width": 390, "height": 800}``.
        """
        context = browser.new_context(**more)
        self._contexts.append(context)
        context.add_cookies(
            [{"name": cookie_name(self.store), "value": self.session(name, role), "url": f"{self.url}/ui"}]
        )
        page = context.new_page()
        self.watch(page)
        page.goto(f"{self.url}/ui{path}")
        return page

    def watch(self, page: Page) -> None:
        """Keep what goes wrong on a page."""
        page.on("pageerror", lambda error: self.problems.append(f"script: {error}"))
        page.on("console", lambda said: self.problems.append(f"console: {said.text}") if said.type == "error" else None)
        page.on("dialog", self._refuse)
        page.on("request", lambda made: self._check_request(made.url))

    def _refuse(self, dialog: Any) -> None:
        if dialog.type == "confirm":
            dialog.accept()
            return
        self.problems.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def _check_request(self, url: str) -> None:
        if not url.startswith((self.url, "data:,")):
            self.problems.append(f"request: {url}")

    def close(self) -> None:
        for context in self._contexts:
            context.close()
        self._contexts.clear()


@contextmanager
def served(folder: Path) -> Iterator[ServedDashboard]:
    """Serve a project with its dashboard on a free port."""
    started = threading.Event()
    told: dict[str, Any] = {}

    def work() -> None:
        try:
            asyncio.run(_serve(folder, told, started))
        except BaseException as error:
            told["error"] = error
            started.set()

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    started.wait(60)
    if "error" in told:
        raise told["error"]
    dashboard = ServedDashboard(folder, told["url"])
    try:
        yield dashboard
    finally:
        dashboard.close()
        told["loop"].call_soon_threadsafe(told["stop"].set)
        thread.join(60)


async def _serve(folder: Path, told: dict[str, Any], started: threading.Event) -> None:
    config = open_config(folder)
    settings = read_ingest(config)
    async with Project(config) as project:
        with open_intake(config, settings, http=project.http) as watched, open_history(config) as history:
            state = watched.watch.state if watched.watch is not None else None
            reader = ReadApi(watched.intake, history, alerts=state, limits=watched.limits, metrics=watched.metrics)
            app = make_app(watched.intake, settings, reader=reader, tick=watched.tick)
            add_dashboard(app, make_dashboard(config, limits=watched.limits))
            runner = web.AppRunner(app, access_log=None, handler_cancellation=True, shutdown_timeout=1.0)
            await runner.setup()
            try:
                await web.TCPSite(runner, "127.0.0.1", 0).start()
                stop = asyncio.Event()
                told |= {
                    "url": f"http://127.0.0.1:{runner.addresses[0][1]}",
                    "loop": asyncio.get_running_loop(),
                    "stop": stop,
                }
                started.set()
                await stop.wait()
            finally:
                await runner.cleanup()


@contextmanager
def open_desk(folder: Path) -> Iterator[PageStores]:
    """Open the stores of a project on this thread, for the test of a handler as a function."""
    desk = PageStores(open_config(folder))
    try:
        yield desk
    finally:
        desk.close()


def asked(
    at: str = "/", *, role: Role = "admin", name: str = "ada", now: float | None = None, **more: Any
) -> PageRequest:
    """Return a request as a handler gets it; ``query``, ``form`` and ``path`` may have plain texts as values."""
    given = {
        key: {word: [value] if isinstance(value, str) else value for word, value in more.get(key, {}).items()}
        for key in ("query", "form")
    }
    return PageRequest(
        at=f"/ui{at}",
        path=more.get("path", {}),
        query=given["query"],
        form=given["form"],
        visitor=Person(name=name, role=role),
        now=time.time() if now is None else now,
    )
