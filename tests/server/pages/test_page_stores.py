"""Desks: each has a thread of its own, and is free again whatever happens."""

from __future__ import annotations

import asyncio
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from proctor.config import open_config
from proctor.server.pages.page_stores import PageStorePool, PageStores


def _pool(folder: Path, **more: Any) -> PageStorePool:
    (folder / "proctor.yaml").write_text("")
    return PageStorePool(open_config(folder), **more)


async def test_a_database_stays_on_its_thread(tmp_path: Path) -> None:
    pool = _pool(tmp_path, size=2)
    threads: dict[int, set[int]] = {}

    def work(desk: PageStores) -> None:
        desk.people.list()  # SQLite refuses another thread
        threads.setdefault(id(desk), set()).add(threading.get_ident())
        time.sleep(0.01)

    await asyncio.gather(*(pool.run(work) for _ in range(12)))
    assert [len(each) for each in threads.values()] == [1, 1]
    await pool.close()


async def test_a_desk_is_free_again_after_a_failure_and_after_somebody_went_away(tmp_path: Path) -> None:
    pool = _pool(tmp_path, size=1)

    def fails(desk: PageStores) -> None:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        await pool.run(fails)
    is_running, go = threading.Event(), threading.Event()

    def slow(desk: PageStores) -> str:
        is_running.set()
        go.wait(10)
        return "done"

    task = asyncio.create_task(pool.run(slow))
    await asyncio.to_thread(is_running.wait, 10)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    waits = asyncio.create_task(pool.run(lambda desk: "next"))
    await asyncio.sleep(0.02)
    assert not waits.done()  # the query goes on: nobody else sits there
    go.set()
    assert await waits == "next"
    await pool.close()


async def test_the_rules_are_asked_on_the_thread_that_owns_them(tmp_path: Path) -> None:
    asked: list[int] = []

    def limits() -> list[Any]:
        asked.append(threading.get_ident())
        return []

    pool = _pool(tmp_path, limits=limits)
    assert await pool.run(lambda desk: list(desk.limits()) if desk.limits is not None else None) == []
    assert asked == [threading.get_ident()]
    await pool.close()
    assert await _without(tmp_path) is None


async def _without(folder: Path) -> Any:
    pool = _pool(folder)
    found = await pool.run(lambda desk: desk.limits)
    await pool.close()
    return found
