"""What the gateway cannot parse: an error to the agent, and nothing of it goes on, in both directions."""

from __future__ import annotations

import json
import sys
from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import pytest
from aiohttp import web

from proctor.server.mcp.gateway import Gateway
from proctor.server.mcp.http import make_app
from proctor.server.mcp.messages import message_ids, written
from proctor.server.mcp.stdio import bridge
from tests.server.gates import make_guard
from tests.server.upstream import running
from tests.tables import table

ATTACK = b'"content":[{"type":"text","text":"ATTACK"}]'
# Each is the answer to request 1, and read as such by at least one reader in use.
ANSWERS = {
    "NaN": b'{"jsonrpc":"2.0","id":1,"result":{"x":NaN,%s}}' % ATTACK,
    "infinity": b'{"jsonrpc":"2.0","id":1,"result":{"x":1e999,%s}}' % ATTACK,
    "not UTF-8": b'{"jsonrpc":"2.0","id":1,"result":{"x":"\xff",%s}}' % ATTACK,
    "5,000 digits": b'{"jsonrpc":"2.0","id":1,"result":{"x":%s,%s}}' % (b"9" * 5_000, ATTACK),
    "400 digits": b'{"jsonrpc":"2.0","id":1,"result":{"x":%s,%s}}' % (b"9" * 400, ATTACK),
    "deep": b'{"jsonrpc":"2.0","id":1,"result":{"x":%s%s,%s}}' % (b"[" * 100_000, b"]" * 100_000, ATTACK),
    "deep for some": b'{"jsonrpc":"2.0","id":1,"result":{"x":%s%s,%s}}' % (b"[" * 150, b"]" * 150, ATTACK),
    "BOM": b'\xef\xbb\xbf{"jsonrpc":"2.0","id":1,"result":{%s}}' % ATTACK,
    "trailing": b'{"jsonrpc":"2.0","id":1,"result":{%s}} x' % ATTACK,
    "two objects": b'{"jsonrpc":"2.0","id":1,"result":{}}{"jsonrpc":"2.0","id":1,"result":{%s}}' % ATTACK,
    "half a character": b'{"jsonrpc":"2.0","id":1,"result":{"x":"\\ud800",%s}}' % ATTACK,
    "key twice": b'{"jsonrpc":"2.0","id":1,"result":{},"result":{%s}}' % ATTACK,
    "a control character": b'{"jsonrpc":"2.0","id":1,"result":{"x":"\x01",%s}}' % ATTACK,
    "a comma too many": b'{"jsonrpc":"2.0","id":1,"result":{%s,}}' % ATTACK,
}


def _call(id: Any = 1, name: str = "get") -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": name, "arguments": {}}}


def _gateway() -> Gateway:
    guard, _ = make_guard()
    return Gateway(guard=guard, session=guard.session())


@table("kind", ANSWERS)
async def test_an_answer_that_cannot_be_read_is_an_error_for_its_request(kind: str) -> None:
    gateway = _gateway()
    for id in (1, 2):
        await gateway.from_agent(json.dumps(_call(id)).encode())
    passed = await gateway.from_server(ANSWERS[kind])
    assert passed.on is None
    (error,) = map(json.loads, passed.errors)
    assert (error["id"], error["error"]["code"]) == (1, -32700)
    assert b"ATTACK" not in passed.errors[0]
    assert list(gateway.left("over")) != []  # the other request still waits
    gateway.guard.close()


@table("kind", ANSWERS)
async def test_a_message_of_the_agent_that_cannot_be_read_is_an_error_with_its_id(kind: str) -> None:
    gateway = _gateway()
    raw = ANSWERS[kind].replace(b'"result"', b'"method":"tools/call","params"')
    passed = await gateway.from_agent(raw)
    assert passed.on is None
    error = json.loads(passed.back or b"")
    assert (error["id"], error["error"]["code"]) == (1, -32700)
    gateway.guard.close()


@table(
    "raw",
    [
        b'{"jsonrpc":"2.0","id":NaN,"result":{}}',
        b'{"jsonrpc":"2.0","result":{"x":NaN}}',
        b'{"jsonrpc":"2.0","id":1,"id":2,"result":{}}',
        b'[{"jsonrpc":"2.0","id":',
    ],
)
async def test_an_answer_to_nobody_knows_what_is_an_error_for_every_request(raw: bytes) -> None:
    gateway = _gateway()
    for id in (1, "two"):
        await gateway.from_agent(json.dumps(_call(id)).encode())
    passed = await gateway.from_server(raw)
    assert passed.on is None
    assert [json.loads(each)["id"] for each in passed.errors] == [1, "two"]
    assert gateway.left("over") == []
    gateway.guard.close()


@pytest.mark.parametrize(
    "raw", [b"[INFO] the server has started", b"ready\x07", b'{"method":"notifications/x","params":NaN}']
)
async def test_noise_and_notifications_leave_the_requests_open(raw: bytes) -> None:
    gateway = _gateway()
    await gateway.from_agent(json.dumps(_call(1)).encode())
    passed = await gateway.from_server(raw)
    assert passed.on is None
    assert [json.loads(each)["id"] for each in passed.errors] == [None]
    assert len(gateway.left("over")) == 1
    gateway.guard.close()


async def test_a_request_of_the_server_that_cannot_be_read_is_answered_to_the_server() -> None:
    gateway = _gateway()
    raw = b'{"jsonrpc":"2.0","id":"s1","method":"sampling/createMessage","params":{"temperature":NaN}}'
    passed = await gateway.from_server(raw)
    assert passed.on is None
    assert json.loads(passed.back or b"")["id"] == "s1"
    gateway.guard.close()


@table(
    "message",
    [
        {"jsonrpc": "2.0", "id": 1, "result": {}, "method": "sampling/createMessage", "params": {}},
        {"jsonrpc": "2.0", "id": 1, "result": {}, "error": {"code": 1, "message": "x"}},
        {"jsonrpc": "1.0", "id": 1, "result": {}},
        {"jsonrpc": "2.0", "id": 1},
    ],
)
async def test_a_message_of_two_kinds_or_none_does_not_go_on(message: dict[str, Any]) -> None:
    gateway = _gateway()
    await gateway.from_agent(json.dumps(_call(1)).encode())
    passed = await gateway.from_server(json.dumps(message).encode())
    error = json.loads(passed.on or b"")
    assert (error["id"], error["error"]["code"]) == (1, -32600)
    assert "result" not in error
    gateway.guard.close()


async def test_a_null_beside_the_result_is_taken_for_nothing() -> None:
    gateway = _gateway()
    passed = await gateway.from_server(b'{"jsonrpc":"2.0","id":1,"result":{"a":1},"error":null}')
    assert json.loads(passed.on or b"") == {"jsonrpc": "2.0", "id": 1, "result": {"a": 1}}
    gateway.guard.close()


async def test_what_goes_on_is_one_line_for_every_reader_and_never_the_bytes_that_came() -> None:
    gateway = _gateway()
    raw = (
        '{ "jsonrpc" : "2.0",\r"method":"notifications/x", "params":{"t":"a\u2028b\u0085c\u2029d", "n": 1e2}}'.encode()
    )
    for passed in (await gateway.from_agent(raw), await gateway.from_server(raw)):
        told = (passed.on or b"").decode()
        assert len(told.splitlines()) == 1
        assert json.loads(told)["params"] == {"t": "a\u2028b\u0085c\u2029d", "n": 100.0}
    gateway.guard.close()


async def test_the_error_quotes_nothing_that_the_server_wrote() -> None:
    gateway = _gateway()
    passed = await gateway.from_server(b'{"ATTACK now":1,"ATTACK now":2}')
    assert b"ATTACK" not in b"".join(passed.errors)
    gateway.guard.close()


def test_written_messages_keep_their_meaning() -> None:
    assert json.loads(written({"a": "\u2028\u0085é"})) == {"a": "\u2028\u0085é"}
    assert message_ids(b"").unknown is False


async def _agent() -> AsyncIterator[bytes]:
    yield json.dumps(_call(1)).encode() + b"\n \n"


async def test_over_standard_output_the_request_gets_its_error() -> None:
    gateway = _gateway()
    told: list[bytes] = []

    async def write(line: bytes) -> None:
        told.append(line)

    code = (
        "import sys; sys.stdin.readline(); out = sys.stdout.buffer\n"
        'out.write(b\'{"jsonrpc":"2.0","id":1,"result":{"x":NaN,"content":[{"type":"text","text":"ATTACK"}]}}\\n\\n\')'
    )
    assert await bridge(gateway, [sys.executable, "-c", code], _agent(), write) == 0
    (line,) = told
    assert json.loads(line)["id"] == 1
    assert b"ATTACK" not in line
    gateway.guard.close()


@table("kind", ["application/json", "text/event-stream", "text/html"])
@table("status", [200, 400])
async def test_over_http_the_request_gets_its_error(kind: str, status: int) -> None:
    guard, _ = make_guard()

    async def answer(request: web.Request) -> web.Response:
        body = ANSWERS["not UTF-8"]
        if kind == "text/event-stream":
            body = b"id: 7\ndata: " + body + b"\n\n"
        return web.Response(status=status, body=body, headers={"Content-Type": kind})

    server = web.Application()
    server.router.add_route("*", "/mcp", answer)
    async with (
        running(server) as upstream,
        running(make_app(guard, upstream)) as address,
        aiohttp.ClientSession() as client,
        client.post(f"{address}/mcp", json=_call(1)) as got,
    ):
        raw = await got.read()
        assert got.status == status
    assert b"ATTACK" not in raw
    assert b'"id":1' in raw
    assert b"-32700" in raw
    guard.close()
