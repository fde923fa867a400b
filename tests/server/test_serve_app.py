from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path

import aiohttp
import pytest
from aiohttp import web

from proctor.core.event import Event
from proctor.core.verdict import Verdict
from proctor.store.guard_log import FOLDER, GuardLog
from proctor.store.guard_log_reader import read_rows
from tests.server.upstream import Upstream, chunk, running, streams

# A real proxy with a real log.
SERVED = """
import sys
from pathlib import Path
import proctor.server.serve_app as serving
from proctor.server.proxy.app import make_app
from proctor.store.guard_log import GuardLog
from proctor.wiring.guard import Guard
from tests.server.gates import make_guard
serving._GOODBYE = float(sys.argv[3])
runner = serving.web.AppRunner
serving.web.AppRunner = lambda app, **settings: runner(app, **{**settings, "shutdown_timeout": 3600.0})
plan = make_guard()[0].plan
guard = Guard(plan, recorder=GuardLog(Path(sys.argv[2]), every=0.001))
code = serving.run(
    make_app(guard, sys.argv[1]),
    started=lambda address: print(address, flush=True),
    stopping=lambda: print("stopping", flush=True),
)
guard.close()
print("ended", flush=True)
sys.exit(code)
"""


@asynccontextmanager
async def _proxy(
    store: Path, streamed: int, *, goodbye: float = 3600.0
) -> AsyncIterator[tuple[asyncio.subprocess.Process, str]]:
    """A proxy as a process of its own, with so many streams under way that never come to their end."""
    upstream = Upstream(say=streams([chunk({"content": "Here is one. And "})], then="silence"))
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", upstream.handle)
    async with running(app) as url, asyncio.timeout(60):
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-c",
            SERVED,
            url,
            str(store),
            str(goodbye),
            stdout=asyncio.subprocess.PIPE,
            cwd=Path(__file__).parents[2],
        )
        assert process.stdout is not None
        address = (await process.stdout.readline()).decode().strip()
        async with aiohttp.ClientSession(address) as client:
            opened = [await _begun(client, number) for number in range(streamed)]
            yield process, address
            for answer in opened:
                answer.close()
        await process.wait()


async def _begun(client: aiohttp.ClientSession, number: int) -> aiohttp.ClientResponse:
    said = [{"role": "user", "content": f"Question {number}"}]
    return await client.post("/v1/chat/completions", json={"model": "m", "stream": True, "messages": said})


async def test_a_second_signal_breaks_off_what_is_under_way_and_the_log_is_whole(tmp_path: Path) -> None:
    async with _proxy(tmp_path, 3) as (process, address):
        assert process.stdout is not None
        process.send_signal(signal.SIGINT)
        await _closed(address)
        process.send_signal(signal.SIGINT)
        assert (await process.stdout.read()).decode().split() == ["stopping", "ended"]
        assert await process.wait() == 130
    rows = list(read_rows(tmp_path / FOLDER))
    assert sorted(row["metadata"]["text"] for row in rows if row["name"] == "input") == [
        f"Question {number}" for number in range(3)
    ]


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 0)])
async def test_a_stream_that_does_not_end_is_broken_off_when_its_time_is_over(
    tmp_path: Path, number: signal.Signals, code: int
) -> None:
    # The server under it would wait for an hour.
    async with _proxy(tmp_path, 1, goodbye=0.5) as (process, _):
        assert process.stdout is not None
        process.send_signal(number)
        assert (await process.stdout.read()).decode().split() == ["stopping", "ended"]
        assert await process.wait() == code


async def test_a_proxy_that_is_killed_while_it_streams_leaves_a_log_that_is_read_and_goes_on(tmp_path: Path) -> None:
    async with _proxy(tmp_path, 5) as (process, _):
        while not list((tmp_path / FOLDER).glob("*.ndjson")):  # noqa: ASYNC110 - another process writes it
            await asyncio.sleep(0.01)
        os.kill(process.pid, signal.SIGKILL)
        await process.wait()
    before = [row["id"] for row in read_rows(tmp_path / FOLDER)]
    assert 1 <= len(before) <= 5
    log = GuardLog(tmp_path)
    log.record(Event(kind="gate", time=datetime.now(UTC), id="next", name="input", verdict=Verdict(action="allow")))
    log.close()
    assert [row["id"] for row in read_rows(tmp_path / FOLDER)] == [*before, "next"]


async def _closed(address: str) -> None:
    """Wait until nobody listens there any more."""
    host, _, port = address.removeprefix("http://").rpartition(":")
    while True:
        try:
            _, writer = await asyncio.open_connection(host, int(port))
        except OSError:
            return
        writer.close()
        await asyncio.sleep(0.01)
