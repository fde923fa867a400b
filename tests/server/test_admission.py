from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Literal

import aiohttp
import pytest
from aiohttp import web

from proctor.server.admission import is_loopback
from proctor.server.mcp import http as mcp_http
from proctor.server.proxy import app as proxy
from proctor.server.sidecar import app as sidecar
from proctor.wiring.server_settings import McpSettings, ProxySettings
from tests.server.gates import make_guard
from tests.server.upstream import Upstream, completion, running, says
from tests.tables import table

Door = Literal["proxy", "sidecar", "mcp"]
DOORS = pytest.mark.parametrize("door", ["proxy", "sidecar", "mcp"])
PATHS: dict[Door, tuple[str, dict[str, Any]]] = {
    "proxy": ("/v1/chat/completions", {"messages": [{"role": "user", "content": "hi"}]}),
    "sidecar": ("/v1/input", {"text": "hi"}),
    "mcp": ("/mcp", {"jsonrpc": "2.0", "id": 1, "method": "ping"}),
}


@asynccontextmanager
async def _asking(door: Door, token: str | None = None, **settings: Any) -> AsyncIterator[Any]:
    """A function that asks such a server with these headers, and gives back the status and the text."""
    guard, _ = make_guard()
    upstream = Upstream()
    upstream.say = says({"jsonrpc": "2.0", "id": 1, "result": {}} if door == "mcp" else completion())
    behind = web.Application()
    behind.router.add_route("*", "/{path:.*}", upstream.handle)
    async with running(behind) as url:
        if door == "proxy":
            app = proxy.make_app(guard, url, ProxySettings(**settings), token=token)
        elif door == "mcp":
            app = mcp_http.make_app(guard, url, McpSettings(**settings), token=token)
        else:
            app = sidecar.make_app(guard, token=token, **settings)
        async with running(app) as address, aiohttp.ClientSession() as client:
            path, body = PATHS[door]

            async def ask(**headers: str) -> tuple[int, str]:
                named = {name.replace("_", "-"): value for name, value in headers.items()}
                before = len(upstream.asked)
                async with client.post(address + path, json=body, headers=named) as answer:
                    if answer.status in (401, 403):
                        assert len(upstream.asked) == before
                    return answer.status, await answer.text()

            ask.address = address  # type: ignore[attr-defined]
            ask.upstream = upstream  # type: ignore[attr-defined]
            yield ask
    guard.close()


@DOORS
async def test_a_name_that_was_led_to_this_machine_is_turned_away(door: Door) -> None:
    async with _asking(door, hosts=("guard.example.com",)) as ask:
        for host in (
            "evil.example",
            "evil.example:8088",
            "127.0.0.1.evil.example",
            "localhost.evil.example",
            "0.0.0.0",
        ):
            status, text = await ask(Host=host)
            assert (status, "hosts" in text) == (403, True), host
        for host in (
            "localhost",
            "LOCALHOST:8088",
            "127.0.0.1:1",
            "[::1]:8088",
            "app.localhost",
            "guard.example.com:80",
        ):
            assert (await ask(Host=host))[0] == 200, host


@DOORS
async def test_a_host_with_an_impossible_port_is_a_bad_request(door: Door) -> None:
    async with _asking(door, hosts=("guard.example.com",)) as ask:
        for host in ("localhost:65536", "127.0.0.1:99999", "localhost:x", "guard.example.com:70000"):
            status, text = await ask(Host=host)
            assert (status, "Host" in text) == (400, True), host


@DOORS
async def test_a_page_of_another_origin_is_turned_away(door: Door) -> None:
    async with _asking(door, origins=("https://desk.example.com",)) as ask:
        for origin in (
            "https://evil.example",
            "null",
            "http://127.0.0.1:1",
            "file://",
            "https://desk.example.com.evil.x",
        ):
            status, text = await ask(Origin=origin)
            assert (status, "origins" in text) == (403, True), origin
        assert (await ask(Sec_Fetch_Site="cross-site"))[0] == 403
        assert (await ask(Origin=ask.address))[0] == 200
        assert (await ask(Origin="https://desk.example.com", Sec_Fetch_Site="cross-site"))[0] == 200


@DOORS
async def test_with_a_token_only_who_shows_it_is_answered(door: Door) -> None:
    async with _asking(door, token="t0ken") as ask:
        for shown in ("", "t0ke", "t0kenn", "tökén"):
            status, text = await ask(X_Proctor_Token=shown)
            assert (status, "X-Proctor-Token" in text) == (401, True)
        assert (await ask(X_Proctor_Token="t0ken", Authorization="Bearer sk"))[0] == 200
        assert (await ask(Authorization="Bearer t0ken"))[0] == (200 if door == "sidecar" else 401)
        assert not any("X-Proctor-Token" in headers for *_, headers, _ in ask.upstream.asked)


@table(
    ("host", "here"),
    [
        ("127.0.0.1", True),
        ("127.9.9.9", True),
        ("::1", True),
        ("[::1]", True),
        ("::ffff:127.0.0.1", True),
        ("localhost.", True),
        ("0.0.0.0", False),
        ("::", False),
        ("192.168.1.4", False),
        ("example.com", False),
        ("", False),
    ],
)
def test_which_names_are_this_machine(host: str, here: bool) -> None:
    assert is_loopback(host) is here


async def test_health_tells_that_anybody_can_ask() -> None:
    guard, _ = make_guard()
    async with (
        running(sidecar.make_app(guard, warning="without a token")) as address,
        aiohttp.ClientSession() as client,
        client.get(f"{address}/v1/health") as answer,
    ):
        assert (await answer.json())["warning"] == "without a token"
    guard.close()
