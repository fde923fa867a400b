"""The gateway before a tool server behind HTTP: one state for each session, every answer read."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import aiohttp
import pytest
from aiohttp import web
from multidict import CIMultiDict, CIMultiDictProxy

from proctor.server.mcp.http import make_app
from proctor.server.mcp.sessions import HttpSessions
from proctor.wiring.guard import Guard
from proctor.wiring.server_settings import McpSettings
from tests.server.gates import Kept, make_guard
from tests.server.upstream import running

TOKEN = {"Authorization": "Bearer shared"}


@dataclass
class Server:
    """A tool server that says what the test tells it to, and keeps what it was asked."""

    say: Callable[[web.Request, Any], Awaitable[web.StreamResponse]]
    asked: list[tuple[str, Any, dict[str, str]]] = field(default_factory=list)

    async def handle(self, request: web.Request) -> web.StreamResponse:
        raw = await request.read()
        message = json.loads(raw) if raw else None
        self.asked.append((request.method, message, dict(request.headers)))
        return await self.say(request, message)


@asynccontextmanager
async def guarded(server: Server) -> AsyncIterator[tuple[str, aiohttp.ClientSession, Guard, Kept]]:
    guard, kept = make_guard()
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", server.handle)
    async with (
        running(app) as upstream,
        running(make_app(guard, upstream)) as address,
        aiohttp.ClientSession() as client,
    ):
        yield f"{address}/mcp", client, guard, kept
    guard.close()


def _call(id: Any, name: str = "get", **arguments: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": name, "arguments": arguments}}


def _content(id: Any, text: str) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": id, "result": {"content": [{"type": "text", "text": text}]}}


async def test_agents_with_one_token_and_colliding_ids_never_share_anything() -> None:
    held: dict[str, asyncio.Event] = {name: asyncio.Event() for name in ("a", "b")}

    async def say(request: web.Request, message: Any) -> web.StreamResponse:
        who = message["params"]["arguments"]["who"]
        if who == "a":  # the first waits until the second, with the same id, has its answer
            await held["a"].wait()
            return web.json_response(_content(message["id"], "for a: ATTACK"))
        return web.json_response(_content(message["id"], "for b: SECRET-b"))

    async with guarded(Server(say)) as (address, client, _, _):
        first = asyncio.create_task(client.post(address, json=_call(1, who="a"), headers=TOKEN))
        await asyncio.sleep(0.05)
        async with client.post(address, json={**_call(1, who="b")}, headers=TOKEN) as answer:
            assert "for b: [SECRET]" in await answer.text()
        held["a"].set()
        async with await first as answer:
            told = await answer.text()
            assert "ATTACK" not in told
            assert "for b" not in told
            assert json.loads(told)["result"]["isError"]


async def test_a_request_of_another_agent_with_the_same_id_hides_no_result() -> None:
    """One calls with id 1, then another pings with id 1: the first answer is that of the call."""
    came, pinged, called = asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def say(request: web.Request, message: Any) -> web.StreamResponse:
        if message["method"] == "ping":
            pinged.set()
            await called.wait()
            return web.json_response({"jsonrpc": "2.0", "id": 1, "result": {}})
        came.set()
        await pinged.wait()
        return web.json_response(_content(1, "ATTACK"))

    async with guarded(Server(say)) as (address, client, _, _):
        calling = asyncio.create_task(client.post(address, json=_call(1), headers=TOKEN))
        await came.wait()
        ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
        pinging = asyncio.create_task(client.post(address, json=ping, headers=TOKEN))
        async with await calling as answer:
            assert "ATTACK" not in await answer.text()
        called.set()
        async with await pinging as answer:
            assert (await answer.json())["result"] == {}


async def _stateful(request: web.Request, message: Any) -> web.StreamResponse:
    if request.method == "DELETE":
        return web.Response(status=204)
    if message["method"] == "initialize":
        name = f"s{message['params']['n']}"
        result = {"protocolVersion": "2025-11-25", "capabilities": {}, "serverInfo": {"name": "x", "version": "1"}}
        body = {"jsonrpc": "2.0", "id": message["id"], "result": result}
        return web.json_response(body, headers={"Mcp-Session-Id": name})
    if message["method"] == "tools/list":
        poisoned = request.headers["Mcp-Session-Id"] == "s1"
        tools: list[Any] = [{"name": "get", "description": "ATTACK" if poisoned else "fine", "inputSchema": {}}]
        return web.json_response({"jsonrpc": "2.0", "id": message["id"], "result": {"tools": tools}})
    return web.json_response(_content(message["id"], "done"))


async def test_each_session_of_the_server_has_a_state_of_its_own() -> None:
    server = Server(_stateful)
    async with guarded(server) as (address, client, _, kept):

        async def said(message: Any, session: str | None = None) -> Any:
            headers = {**TOKEN, **({"Mcp-Session-Id": session} if session else {})}
            async with client.post(address, json=message, headers=headers) as answer:
                return await answer.json(), answer.headers.get("Mcp-Session-Id")

        for n in (1, 2):
            ask = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"n": n}}
            assert (await said(ask))[1] == f"s{n}"
        ask = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
        assert (await said(ask, "s1"))[0]["result"]["tools"] == []
        assert len((await said(ask, "s2"))[0]["result"]["tools"]) == 1
        refused = (await said(_call(2), "s1"))[0]["result"]
        assert refused["isError"]
        assert "removed from the list" in refused["content"][0]["text"]
        assert (await said(_call(2), "s2"))[0]["result"]["content"][0]["text"] == "done"
        calls = {
            event.session for event in kept.events if event.name == "tool_result" and event.metadata["text"] == "done"
        }
        assert (await said(_call(3), "s2"))[0]["result"]["content"][0]["text"] == "done"
        again = {
            event.session for event in kept.events if event.name == "tool_result" and event.metadata["text"] == "done"
        }
        assert calls == again  # one session goes on
        async with client.delete(address, headers={**TOKEN, "Mcp-Session-Id": "s1"}) as answer:
            assert answer.status == 204
        assert (await said(_call(2), "s1"))[0]["result"]["content"][0]["text"] == "done"  # a new state


async def test_a_session_has_a_state_once_the_server_has_accepted_it() -> None:
    guard, _ = make_guard()
    sessions = HttpSessions(guard=guard, settings=McpSettings())
    headers = CIMultiDictProxy(CIMultiDict({"Mcp-Session-Id": "made-up"}))
    first, second = (sessions.gateway(headers, "127.0.0.1", "/mcp", begins=False) for _ in range(2))
    assert first.state is not second.state
    sessions.accepted(first, "made-up", None)
    assert sessions.gateway(headers, "127.0.0.1", "/mcp", begins=False).state is first.state
    alone = CIMultiDictProxy(CIMultiDict(TOKEN))
    callers = sessions.gateway(alone, "127.0.0.1", "/mcp", begins=False)
    sessions.accepted(callers, None, "given")  # a session of one agent is not the state that callers share
    given = CIMultiDictProxy(CIMultiDict({"Mcp-Session-Id": "given"}))
    assert sessions.gateway(given, "127.0.0.1", "/mcp", begins=False).state is not callers.state
    guard.close()


async def test_the_body_of_an_error_is_read_too() -> None:
    async def say(request: web.Request, message: Any) -> web.StreamResponse:
        return web.json_response({"detail": "ATTACK"}, status=404)

    async with guarded(Server(say)) as (address, client, _, _), client.post(address, json=_call(1)) as answer:
        assert answer.status == 404
        assert "ATTACK" not in await answer.text()


async def test_a_stream_that_is_resumed_is_read_like_any_other() -> None:
    async def say(request: web.Request, message: Any) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream; charset=utf-16"})
        await response.prepare(request)
        for number, text in enumerate(("fine", "ATTACK"), 1):
            data = json.dumps(_content(number, text))
            await response.write(f"id: e{number}\n: ATTACK in a comment\nevent: message\ndata: {data}\n\n".encode())
        asks = {"jsonrpc": "2.0", "id": "s9", "method": "elicitation/create", "params": {"message": "ATTACK"}}
        await response.write(f"id: e3\ndata: {json.dumps(asks)}\n\n".encode())
        return response

    async def both(request: web.Request, message: Any) -> web.StreamResponse:
        return web.Response(status=202) if request.method == "POST" else await say(request, message)

    server = Server(both)
    async with guarded(server) as (address, client, _, _):
        headers = {"Mcp-Session-Id": "s1", "Last-Event-ID": "e0", "Accept": "text/event-stream"}
        async with client.get(address, headers=headers) as answer:
            told = await answer.text()
            assert answer.headers["Content-Type"] == "text/event-stream"
    assert "ATTACK" not in told
    assert '"fine"' in told
    assert [line for line in told.split("\n") if line.startswith("id:")] == ["id: e1", "id: e2", "id: e3"]
    assert server.asked[0][2]["Last-Event-ID"] == "e0"
    method, refusal, sent = server.asked[1]  # the server is told that its question was refused
    assert (method, refusal["id"], sent["Mcp-Session-Id"]) == ("POST", "s9", "s1")
    assert "error" in refusal


@pytest.mark.parametrize("streams", [True, False])
async def test_the_refused_entry_of_a_batch_comes_back_beside_the_answers(streams: bool) -> None:
    async def say(request: web.Request, message: Any) -> web.StreamResponse:
        body = json.dumps([_content(each["id"], "done") for each in message])
        if streams:
            return web.Response(text=f"data: {body}\n\n", content_type="text/event-stream")
        return web.Response(text=body, content_type="application/json")

    server = Server(say)
    async with guarded(server) as (address, client, _, _):
        async with client.post(address, json=[_call(1), _call(2, "drop_all")]) as answer:
            raw = await answer.text()
        lines = (
            [line.removeprefix("data: ") for line in raw.split("\n") if line.startswith("data: ")] if streams else [raw]
        )
        told = {each["id"]: each["result"] for line in lines for each in json.loads(line)}
        assert told[1]["content"][0]["text"] == "done"
        assert told[2]["isError"]
        assert [each["id"] for each in server.asked[0][1]] == [1]


async def test_a_caller_without_a_session_keeps_its_limits_and_its_dropped_tools() -> None:
    async def say(request: web.Request, message: Any) -> web.StreamResponse:
        if message["method"] == "tools/list":
            result = {"tools": [{"name": "get", "description": "ATTACK", "inputSchema": {}}]}
            return web.json_response({"jsonrpc": "2.0", "id": message["id"], "result": result})
        return web.json_response(_content(message["id"], "done"))

    async with guarded(Server(say)) as (address, client, _, _):
        async with client.post(
            address, json={"jsonrpc": "2.0", "id": 1, "method": "tools/list"}, headers=TOKEN
        ) as answer:
            assert (await answer.json())["result"]["tools"] == []
        async with client.post(address, json=_call(1, note="initialize"), headers=TOKEN) as answer:
            assert (await answer.json())["result"]["isError"]
        other = {**TOKEN, "X-Proctor-Session": "another conversation"}
        async with client.post(address, json=_call(1), headers=other) as answer:
            assert (await answer.json())["result"]["content"][0]["text"] == "done"


@pytest.mark.parametrize(("place", "goes"), [("/mcp/", True), ("https://elsewhere.example/mcp", False)])
async def test_a_redirect_does_not_lead_around_the_guard(place: str, goes: bool) -> None:
    async def say(request: web.Request, message: Any) -> web.StreamResponse:
        raise web.HTTPTemporaryRedirect(place)

    async with (
        guarded(Server(say)) as (address, client, _, _),
        client.post(address, json=_call(1), allow_redirects=False) as answer,
    ):
        assert answer.status == (307 if goes else 502)
        assert answer.headers.get("Location") == (place if goes else None)


async def test_documents_beside_the_messages_are_read_too() -> None:
    async def say(request: web.Request, message: Any) -> web.StreamResponse:
        if request.path.endswith("bad"):
            return web.json_response({"resource": "x", "ATTACK": True})
        if request.path.endswith("html"):
            return web.Response(text="<p>ATTACK</p>", content_type="text/html")
        return web.json_response({"resource": "https://x.example"})

    async with guarded(Server(say)) as (address, client, _, _):
        async with client.get(f"{address}/.well-known/oauth-protected-resource") as answer:
            assert await answer.json() == {"resource": "https://x.example"}
        for path in ("bad", "html"):
            async with client.get(f"{address}/{path}") as answer:
                assert "ATTACK" not in await answer.text()
        async with client.put(address, data=b"x") as answer:
            assert answer.status == 405


async def test_an_agent_of_the_transport_of_2024_is_guarded_too() -> None:
    """The server says first where messages go; answers come by the event stream."""
    queue: asyncio.Queue[Any] = asyncio.Queue()

    async def say(request: web.Request, message: Any) -> web.StreamResponse:
        if request.method == "POST":
            await queue.put(message)
            return web.Response(status=202, text="Accepted")
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        await response.write(f"event: endpoint\ndata: {request.url.origin()}/messages?session_id=1\n\n".encode())
        while True:
            asked = await queue.get()
            if "id" not in asked:
                continue
            info = {"name": "x", "version": "1"}
            first = {"protocolVersion": "2024-11-05", "capabilities": {}, "serverInfo": info}
            body = (
                _content(asked["id"], "ATTACK")
                if asked["method"] == "tools/call"
                else {"id": asked["id"], "result": first}
            )
            await response.write(f"event: message\ndata: {json.dumps({'jsonrpc': '2.0', **body})}\n\n".encode())

    async with guarded(Server(say)) as (address, _, _, kept):
        from mcp import ClientSession
        from mcp.client.sse import sse_client

        async with sse_client(address) as (read, write), ClientSession(read, write) as session:
            await session.initialize()
            result = await session.call_tool("get", {})
            assert result.is_error
            assert "ATTACK" not in result.model_dump_json()
        assert [event.name for event in kept.events if event.metadata.get("tool") == "get"] == [
            "tool_call",
            "tool_result",
        ]
