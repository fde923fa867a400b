"""Live pages: told when their topic changed, and only then."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from aiohttp import ClientSession, web
from aiohttp.test_utils import TestClient, TestServer

from proctor.config import open_config
from proctor.core.alert_record import Silence
from proctor.server.pages.live import LiveFeed
from proctor.server.pages.page_stores import PageStorePool
from proctor.store.alert_state import AlertState
from proctor.store.audit import AuditStore


@pytest.fixture
async def feed(tmp_path: Path) -> AsyncIterator[tuple[LiveFeed, Any, Path]]:
    (tmp_path / "proctor.yaml").write_text("")
    pool = PageStorePool(open_config(tmp_path), size=1)
    live = LiveFeed(pool, every=0.02)
    app = web.Application()
    app.router.add_get("/live", live.stream)
    client: Any = TestClient(TestServer(app))
    await client.start_server()
    yield live, client, tmp_path / ".proctor"
    await live.close()
    await client.close()
    await pool.close()


async def _heard(answer: Any) -> str:
    """Return the next topic."""
    while True:
        line: str = (await asyncio.wait_for(answer.content.readline(), 10)).decode()
        if line.startswith("data: "):
            return line.removeprefix("data: ").strip()
        assert line, "the stream ended"


async def test_a_page_hears_of_its_topics_only(feed: tuple[LiveFeed, Any, Path]) -> None:
    _, client, store = feed
    async with client.get("/live?topics=alerts,nonsense") as answer:
        assert answer.headers["Content-Type"] == "text/event-stream"
        await answer.content.readline()
        await asyncio.sleep(0.1)
        with AuditStore(store), AlertState(store) as state:
            state.save_all({"rule": {"a": 1}})  # what detectors learn is no news
            await asyncio.sleep(0.2)
            state.add_silence(Silence(match={"rule": "x"}, until=time.time() + 60, by="ada"))
        assert await _heard(answer) == "alerts"


async def test_listeners_who_leave_are_forgotten_and_nobody_looks_any_more(feed: tuple[LiveFeed, Any, Path]) -> None:
    live, client, _ = feed
    for _ in range(3):
        async with ClientSession() as browser, browser.get(client.make_url("/live?topics=runs")) as answer:
            await answer.content.readline()
            assert live._listeners
    for _ in range(100):
        if not live._listeners and live._task is not None and live._task.done():
            break
        await asyncio.sleep(0.05)
        for each in list(live._listeners):
            each.tell({"runs"})  # the next write finds that nobody is there
    assert not live._listeners


async def test_closing_lets_every_page_go(feed: tuple[LiveFeed, Any, Path]) -> None:
    live, client, _ = feed
    async with client.get("/live?topics=runs") as answer:
        await answer.content.readline()
        await live.close()
        await asyncio.wait_for(answer.content.read(), 5)
    async with client.get("/live?topics=runs") as answer:
        assert answer.status == 503


async def test_nothing_to_hear_is_no_stream(feed: tuple[LiveFeed, Any, Path]) -> None:
    async with feed[1].get("/live?topics=weather") as answer:
        assert answer.status == 204


async def test_what_changed_between_reading_and_listening_is_heard_at_once(feed: tuple[LiveFeed, Any, Path]) -> None:
    live, client, store = feed
    live.every = 60.0  # nothing is looked at meanwhile
    store.mkdir(exist_ok=True)
    read_at = time.time()
    (store / "guard.db").write_bytes(b"written after the page was read")
    async with client.get(f"/live?topics=guard,runs&since={read_at}") as answer:
        assert await _heard(answer) == "guard"


@pytest.mark.parametrize("since", ["", "soon", "nan", "0", "later"])
async def test_a_page_that_missed_nothing_hears_nothing(feed: tuple[LiveFeed, Any, Path], since: str) -> None:
    live, client, store = feed
    live.every = 60.0
    store.mkdir(exist_ok=True)
    (store / "guard.db").write_bytes(b"written before")
    told = str(time.time() + 1) if since == "later" else since
    async with client.get("/live", params={"topics": "guard", "since": told}) as answer:
        await answer.content.readline()
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(_heard(answer), 0.3)
