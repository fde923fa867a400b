from __future__ import annotations

import asyncio
import json
import socket
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import aiohttp
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proctor.core.errors import InputError
from proctor.server.mcp import stdio as mcp_stdio
from proctor.server.mcp.gateway import Gateway
from proctor.server.mcp.http import make_app
from proctor.server.mcp.stdio import bridge, lines
from proctor.wiring.guard import Guard
from proctor.wiring.server_settings import McpSettings
from tests.lazy_module import lazy_module
from tests.profiles import examples
from tests.server.gates import make_guard
from tests.server.upstream import running

if TYPE_CHECKING:
    import mcp
else:
    mcp = lazy_module("mcp")

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda deep: st.lists(deep) | st.dictionaries(st.sampled_from(["a", "b c", "", "鍵", "text"]), deep),
    max_leaves=8,
)
ROOT = Path(__file__).parents[3]
SERVER = str(Path(__file__).with_name("tool_server.py"))


def _line(method: str, id: Any = 1, **params: Any) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).encode() + b"\n"


def _result(id: Any = 1, **result: Any) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": id, "result": result}).encode() + b"\n"


def _gateway(**settings: Any) -> Gateway:
    guard, _ = make_guard()
    return Gateway(guard=guard, session=guard.session(), settings=McpSettings(**settings))


def _text(result: Any) -> str:
    return "".join(part.text for part in result.content if isinstance(part, mcp.types.TextContent))


async def _tried(client: mcp.Client) -> None:
    """What an agent sees of the small server behind a gateway."""
    assert {tool.name for tool in (await client.list_tools()).tools} == {"get_faq", "drop_all", "made", "failing"}
    assert client.instructions is None
    assert (await client.list_prompts()).prompts == []
    dropped = await client.call_tool("poisoned", {"topic": "x"})
    assert dropped.is_error
    assert "removed from the list of tools" in _text(dropped)
    assert "ATTACK" not in (await client.call_tool("failing", {})).model_dump_json()
    fine = await client.call_tool("get_faq", {"topic": "hours"})
    assert _text(fine) == "The shop opens at 9. The key of hours is [SECRET]."
    assert "SECRET-a" not in fine.model_dump_json()
    refused = await client.call_tool("drop_all", {"sure": True})
    assert refused.is_error
    assert "the tool destroys things" in _text(refused)
    bad = await client.call_tool("get_faq", {"topic": "bad"})
    assert bad.is_error
    assert "ATTACK" not in bad.model_dump_json()
    long = await client.call_tool("get_faq", {"topic": "long"})
    assert len(_text(long)) == 2_000_000
    made = _text(await client.call_tool("made", {}))
    assert "drop_all" not in made
    assert "poisoned" not in made
    note = await client.read_resource("file:///notes")
    assert "SECRET-b" not in note.model_dump_json()


async def test_a_real_agent_and_a_real_server_over_standard_input_and_output() -> None:
    command = ["-m", "tests.server.mcp.stdio_gateway", sys.executable, SERVER]
    async with mcp.Client(mcp.StdioServerParameters(command=sys.executable, args=command, cwd=ROOT)) as client:
        await _tried(client)


@pytest.fixture
async def http_server() -> AsyncIterator[str]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = await asyncio.create_subprocess_exec(
        sys.executable, SERVER, str(port), stderr=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.DEVNULL
    )
    async with asyncio.timeout(60):  # on a busy machine it takes its time to start
        while True:
            try:
                (await asyncio.open_connection("127.0.0.1", port))[1].close()
                break
            except OSError:
                await asyncio.sleep(0.05)
    yield f"http://127.0.0.1:{port}"
    process.terminate()
    await process.wait()


async def test_a_real_agent_and_a_real_server_over_http(http_server: str) -> None:
    guard, kept = make_guard()
    async with running(make_app(guard, http_server)) as address, mcp.Client(f"{address}/mcp") as client:
        await _tried(client)
    guard.close()
    assert len({event.session for event in kept.events}) == 1


async def test_an_agent_behind_http_is_told_when_there_is_no_server() -> None:
    guard, _ = make_guard()
    async with running(make_app(guard, "http://127.0.0.1:1")) as address, aiohttp.ClientSession() as client:
        async with client.post(f"{address}/mcp", data=_line("ping")) as answer:
            assert answer.status == 502
        async with client.post(f"{address}/mcp", data=_line("tools/call", name="drop_all")) as answer:
            assert (await answer.json())["result"]["isError"]
    guard.close()


@settings(max_examples=examples(25))
@given(JSON)
async def test_whatever_else_is_said_goes_on_with_the_same_meaning(data: Any) -> None:
    gateway = _gateway()
    for message in (
        {"jsonrpc": "2.0", "method": "notifications/x", "params": data},
        {"id": 3, "method": "x", "y": data},
    ):
        raw = json.dumps(message, indent=1).encode()
        assert json.loads((await gateway.from_agent(raw)).on or b"") == message
    for message in ({"method": "notifications/progress", "params": data}, {"id": 7, "error": {"data": data}}):
        raw = json.dumps(message, indent=1).encode()
        assert json.loads((await gateway.from_server(raw)).on or b"") == message
    gateway.guard.close()


async def test_a_call_is_judged_with_the_intents_it_is_made_for() -> None:
    guard, kept = make_guard()
    gateway = Gateway(guard=guard, session=guard.session(), settings=McpSettings(intents=("faq",)))
    await gateway.from_agent(_line("tools/call", name="get", arguments={}))
    meta = {"proctor/intents": ["booking"], "proctor/confirmed": True}
    await gateway.from_agent(_line("tools/call", name="get", arguments={}, _meta=meta))
    assert [event.metadata["intents"] for event in kept.events] == [["faq"], ["booking"]]
    guard.close()


@pytest.mark.parametrize("raw", [b"{oops\n", b'{"method":"ping","method":"tools/call"}\n', b"\xff\n"])
async def test_what_cannot_be_read_in_one_way_is_not_passed_on(raw: bytes) -> None:
    gateway = _gateway()
    passed = await gateway.from_agent(raw)
    assert passed.on is None
    assert json.loads(passed.back or b"")["error"]["code"] == -32700
    gateway.guard.close()


async def test_a_call_that_asks_for_no_answer_is_judged_too() -> None:
    gateway = _gateway()
    raw = json.dumps({"jsonrpc": "2.0", "method": "tools/call", "params": {"name": "drop_all"}}).encode()
    passed = await gateway.from_agent(raw)
    assert (passed.on, passed.back) == (None, None)
    odd = await gateway.from_agent(_line("tools/call", name="get", arguments=["x"]))
    assert odd.on is None
    gateway.guard.close()


async def test_a_refused_call_in_a_batch_is_answered_and_the_rest_goes_on() -> None:
    gateway = _gateway()
    batch = [json.loads(_line("tools/call", 1, name="drop_all")), json.loads(_line("ping", 2)), "x"]
    passed = await gateway.from_agent(json.dumps(batch).encode())
    assert [each["id"] for each in json.loads(passed.on or b"")] == [2]
    refused, odd = json.loads(passed.back or b"")
    assert (refused["id"], refused["result"]["isError"]) == (1, True)
    assert (odd["id"], odd["error"]["code"]) == (None, -32600)
    gateway.guard.close()


async def test_results_are_masked_where_they_stand_and_withheld_where_they_order() -> None:
    gateway = _gateway()
    await gateway.from_agent(_line("tools/call", 1, name="get"))
    content = [{"type": "text", "text": "a SECRET-a"}, {"type": "image", "data": "SECRET-b", "mimeType": "image/png"}]
    passed = await gateway.from_server(_result(1, content=content, structuredContent={"type": "SECRET-c", "n": 1}))
    told = json.loads(passed.on or b"")["result"]
    assert [part.get("text", part.get("data")) for part in told["content"]] == ["a [SECRET]", "SECRET-b"]
    assert told["structuredContent"] == {"type": "[SECRET]", "n": 1}
    for id, method in ((2, "resources/read"), (3, "prompts/get"), (4, "tools/call")):
        await gateway.from_agent(_line(method, id, name="x"))
        key = {"resources/read": "contents", "prompts/get": "messages", "tools/call": "content"}[method]
        passed = await gateway.from_server(_result(id, **{key: [{"type": "text", "text": "ATTACK"}]}))
        assert b"ATTACK" not in (passed.on or b"")
        assert key in json.loads(passed.on or b"")["result"]
    gateway.guard.close()


async def test_a_result_that_nobody_asked_for_is_scanned_too() -> None:
    gateway = _gateway()
    passed = await gateway.from_server(_result(99, content=[{"type": "text", "text": "ATTACK"}]))
    assert b"ATTACK" not in (passed.on or b"")
    await gateway.from_agent(_line("tools/call", 5, name="get"))
    cancelled = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 5}}
    raw = json.dumps(cancelled).encode()
    assert json.loads((await gateway.from_agent(raw)).on or b"") == cancelled
    assert gateway.left("over") == []
    gateway.guard.close()


async def test_a_server_that_wants_the_model_to_read_an_order_is_refused() -> None:
    gateway = _gateway()
    said = {"role": "user", "content": {"type": "text", "text": "ATTACK"}}
    passed = await gateway.from_server(_line("sampling/createMessage", 3, messages=[said]))
    assert passed.on is None
    assert json.loads(passed.back or b"")["id"] == 3
    gateway.guard.close()


async def test_tools_that_the_matrix_does_not_permit_can_be_left_out_of_the_list(tmp_path: Path) -> None:
    file = tmp_path / "proctor.yaml"
    file.write_text(
        "guard:\n  input: []\n  output: []\n  tool_result: []\n"
        "  tool_call: [{permissions: {matrix: {faq: [get_faq], booking: [get_faq, drop_all]}}}]\n"
    )
    guard = Guard.from_config(file, record=False)
    tools: list[Any] = [{"name": name, "inputSchema": {}} for name in ("get_faq", "drop_all")]
    for intents, names in ((("faq",), ["get_faq"]), (("booking",), ["get_faq", "drop_all"])):
        gateway = Gateway(guard=guard, session=guard.session(), settings=McpSettings(intents=intents, hide=True))
        await gateway.from_agent(_line("tools/list"))
        passed = await gateway.from_server(_result(1, tools=tools))
        assert [tool["name"] for tool in json.loads(passed.on or b"")["result"]["tools"]] == names
        refused = await gateway.from_agent(_line("tools/call", 2, name="drop_all", arguments={}))
        assert (refused.on is None) == (intents == ("faq",))
    guard.close()


async def _never() -> AsyncIterator[bytes]:
    yield _line("tools/call", 1, name="get")
    await asyncio.sleep(60)


async def test_a_server_that_crashes_leaves_an_error_for_every_open_request() -> None:
    gateway = _gateway()
    written: list[bytes] = []

    async def write(told: bytes) -> None:
        written.append(told)

    code = "import sys; sys.stdin.readline(); print('not JSON', flush=True); sys.exit(7)"
    assert await bridge(gateway, [sys.executable, "-c", code], _never(), write) == 7
    assert json.loads(written[0])["error"]["code"] == -32700
    assert b"not JSON\n" not in written
    error = json.loads(written[1])
    assert (error["id"], error["error"]["message"]) == (1, "the server ended with exit code 7")
    gateway.guard.close()


async def test_a_command_that_is_not_there_is_a_clear_error() -> None:
    gateway = _gateway()
    with pytest.raises(InputError, match="no_such_command cannot be started"):
        await bridge(gateway, ["no_such_command"], _never(), lambda told: asyncio.sleep(0))
    gateway.guard.close()


@given(st.lists(st.binary(max_size=20), max_size=20))
async def test_lines_are_put_together_from_any_pieces(pieces: list[bytes]) -> None:
    async def given_() -> AsyncIterator[bytes]:
        for piece in pieces:
            yield piece

    found = [line async for line in lines(given_())]
    assert b"".join(found) == b"".join(pieces)
    assert all(line.count(b"\n") == 1 and line.endswith(b"\n") for line in found[:-1])


async def test_a_line_without_end_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mcp_stdio, "MOST_BYTES", 100)

    async def endless() -> AsyncIterator[bytes]:
        for _ in range(10):
            yield b"x" * 50

    with pytest.raises(InputError, match="more than 100 bytes"):
        [line async for line in lines(endless())]
