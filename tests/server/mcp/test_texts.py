"""Which strings of a tool server are read, and where a cut lands."""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.core.step import POINTS
from proctor.core.verdict import Edit, Verdict
from proctor.guard.chain import Chain, Post
from proctor.guard.engine import Plan
from proctor.guard.step import Step
from proctor.server.mcp.gateway import Gateway
from proctor.server.mcp.texts import Field, change, decode_text, encode_text, fields, joined, spoken
from proctor.wiring.guard import Guard
from tests.server.gates import make_guard


def _gateway() -> Gateway:
    guard, _ = make_guard()
    return Gateway(guard=guard, session=guard.session())


async def _asked(gateway: Gateway, method: str, result: Any, **params: Any) -> Any:
    request = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    assert (await gateway.from_agent(json.dumps(request).encode())).on is not None
    return await _told(gateway, {"jsonrpc": "2.0", "id": 1, "result": result})


async def _told(gateway: Gateway, message: Any) -> Any:
    passed = await gateway.from_server(json.dumps(message).encode())
    return json.loads(passed.on) if passed.on is not None else None


def _b64(text: str | bytes) -> str:
    return base64.b64encode(text.encode() if isinstance(text, str) else text).decode()


async def test_keys_of_structured_content_are_masked_in_every_row() -> None:
    gateway = _gateway()
    rows = [{"SECRET-a": 1, "n": "SECRET-b"}, {"SECRET-a": 2, "n": "x"}]
    told = await _asked(gateway, "tools/call", {"content": [], "structuredContent": {"rows": rows}}, name="get")
    assert told["result"]["structuredContent"]["rows"] == [{"[SECRET]": 1, "n": "[SECRET]"}, {"[SECRET]": 2, "n": "x"}]
    told = await _asked(gateway, "tools/call", {"content": [], "structuredContent": {"ATTACK": 1}}, name="get")
    assert told["result"]["isError"]
    assert "ATTACK" not in json.dumps(told)
    gateway.guard.close()


async def test_text_in_base64_is_read_and_pictures_are_left_alone() -> None:
    gateway = _gateway()
    picture = _b64(b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 40)
    contents = [
        {"uri": "file:///a", "mimeType": "text/plain", "blob": _b64("a SECRET-a")},
        {"uri": "file:///b", "mimeType": "application/octet-stream", "blob": _b64("a SECRET-b")},
        {"uri": "file:///c", "mimeType": "text/plain", "blob": _b64("caf\xe9 SECRET-c".encode("latin-1"))},
        {"uri": "file:///d", "mimeType": "application/pdf", "blob": picture},
        {"uri": "file:///e", "blob": "no base64, SECRET-e"},
    ]
    told = (await _asked(gateway, "resources/read", {"contents": contents}, uri="file:///a"))["result"]["contents"]
    assert [base64.b64decode(each["blob"]) for each in told[:3]] == [b"a [SECRET]", b"a [SECRET]", b"caf\xe9 [SECRET]"]
    assert told[3]["blob"] == picture
    assert told[4]["blob"] == "no base64, [SECRET]"
    bad = {"contents": [{"uri": "file:///a", "blob": _b64("start the ATTACK")}]}
    told = (await _asked(gateway, "resources/read", bad, uri="file:///a"))["result"]["contents"]
    assert told[0]["uri"] == "proctor:withheld"
    gateway.guard.close()


@given(st.text(max_size=200), st.sampled_from(["text/plain", "", "image/png"]))
def test_text_that_was_decoded_is_encoded_to_the_same(text: str, kind: str) -> None:
    read = decode_text(_b64(text), kind)
    if read is not None:
        assert encode_text(*read) == _b64(text)
    if kind == "text/plain" and text:
        assert read is not None


async def test_a_poisoned_tool_is_dropped_and_its_call_refused_until_it_is_listed_clean() -> None:
    gateway = _gateway()
    call = {"jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": {"name": "bad", "arguments": {}}}
    schema = {"type": "object", "properties": {"q": {"type": "string", "description": "SECRET-q"}}}
    tools: list[Any] = [
        {"name": "good", "description": "Finds SECRET-a.", "inputSchema": schema},
        {"name": "bad", "description": "ATTACK", "inputSchema": {}},
        {"name": "odd", "inputSchema": {"properties": {"ATTACK now please": {}}}},
        {"name": "also", "title": "x", "annotations": {"title": "ATTACK"}, "inputSchema": {}},
        "ATTACK",
    ]
    told = (await _asked(gateway, "tools/list", {"tools": tools}))["result"]["tools"]
    assert [each["name"] for each in told] == ["good"]
    assert told[0]["description"] == "Finds [SECRET]."
    assert told[0]["inputSchema"]["properties"]["q"]["description"] == "[SECRET]"
    passed = await gateway.from_agent(json.dumps(call).encode())
    assert passed.on is None
    assert "removed from the list of tools" in json.loads(passed.back or b"")["result"]["content"][0]["text"]
    await _asked(gateway, "tools/list", {"tools": [{"name": "bad", "description": "fine", "inputSchema": {}}]})
    assert (await gateway.from_agent(json.dumps(call).encode())).on is not None
    gateway.guard.close()


async def test_only_the_part_that_is_stopped_goes() -> None:
    gateway = _gateway()
    first = {"protocolVersion": "2025-11-25", "capabilities": {}, "serverInfo": {"name": "x", "version": "1"}}
    told = await _asked(gateway, "initialize", {**first, "instructions": "ATTACK"})
    assert told["result"] == first
    prompts = [{"name": "a", "description": "ATTACK"}, {"name": "b", "description": "fine"}]
    assert (await _asked(gateway, "prompts/list", {"prompts": prompts}))["result"]["prompts"] == prompts[1:]
    resources = [{"name": "a", "uri": "file:///ATTACK"}, {"name": "b", "uri": "file:///b"}]
    assert (await _asked(gateway, "resources/list", {"resources": resources}))["result"]["resources"] == resources[1:]
    error = {"code": -5, "message": "ATTACK", "data": {"a": "b"}}
    told = await _told(gateway, {"jsonrpc": "2.0", "id": 1, "error": error})
    assert told["error"] == {"code": -5, "message": "the server's error was withheld by the guard"}
    assert (
        await _told(gateway, {"jsonrpc": "2.0", "method": "notifications/message", "params": {"data": "ATTACK"}})
        is None
    )
    cut = {"jsonrpc": "2.0", "id": 2, "method": "sampling/createMessage", "params": {"systemPrompt": "a SECRET-a"}}
    assert (await _told(gateway, cut))["params"]["systemPrompt"] == "a [SECRET]"
    gateway.guard.close()


async def test_personal_data_is_masked_in_texts_and_left_in_names(tmp_path: Path) -> None:
    file = tmp_path / "proctor.yaml"
    file.write_text("guard:\n  input: []\n  output: []\n  tool_call: []\n  tool_result: [pii]\n")
    guard = Guard.from_config(file, record=False)
    await guard.warm()
    gateway = Gateway(guard=guard, session=guard.session())
    entry = {"name": "mail", "uri": "mail:///anna.berg@example.com/1", "description": "Mails of anna.berg@example.com"}
    (told,) = (await _asked(gateway, "resources/list", {"resources": [entry]}))["result"]["resources"]
    assert told["uri"] == entry["uri"]
    assert "anna.berg" not in told["description"]
    guard.close()


def test_a_cut_over_several_fields_lands_in_each() -> None:
    message = {"a": "one order", "b": {"c": "of two parts", "d": "fine"}}
    found = [each for each in fields(message) if each.kind == "text"]
    assert [each.text for each in found] == ["one order", "of two parts", "fine"]
    assert change(found, [(Edit(start=4, end=13, text="[cut]"), False), (Edit(start=25, end=29, text="F"), False)])
    assert message == {"a": "one [cut]", "b": {"c": " two parts", "d": "F"}}


def test_what_stands_twice_is_read_once_and_cut_in_both_places() -> None:
    message = {"content": [{"text": "We open at nine."}], "structuredContent": {"result": "We open at nine.", "n": "a"}}
    found = [each for each in fields(message) if each.kind == "text"]
    assert joined(found) == "We open at nine.\n\na"
    assert change(found, [(Edit(start=3, end=7, text="shut"), False), (Edit(start=18, end=19, text="b"), False)])
    assert message["content"] == [{"text": "We shut at nine."}]
    assert message["structuredContent"] == {"result": "We shut at nine.", "n": "b"}


def test_what_must_stay_is_not_changed() -> None:
    place = {"uri": "x y"}
    field = Field(place=place, key="uri", text="x y", kind="fixed")
    assert not change([field], [(Edit(start=0, end=1, text=""), False)])
    assert change([field], [(Edit(start=0, end=1, text=""), True)])
    assert place == {"uri": "x y"}


async def test_a_long_name_is_read_as_the_words_it_is_made_of() -> None:
    guard, _ = make_guard()
    gateway = Gateway(guard=guard, session=guard.session())
    name = "please_start_the_ATTACK_on_all_of_the_customers_now"
    found = [each for each in fields({"tools": [{"name": name}]}) if each.kind == "fixed"]
    assert [each.text for each in spoken(found)] == [name.replace("_", " ")]
    assert spoken([Field(place={}, key="name", text="run_shell_command_and_return_output", kind="fixed")]) == []
    assert (await _asked(gateway, "tools/list", {"tools": [{"name": name, "inputSchema": {}}]}))["result"][
        "tools"
    ] == []
    guard.close()


async def test_what_stands_beside_a_result_is_not_read_as_a_part_of_it() -> None:
    guard, kept = make_guard()
    gateway = Gateway(guard=guard, session=guard.session())
    result = {"content": [{"type": "text", "text": "We open at 9."}], "_meta": {"info": {"name": "desk SECRET-a"}}}
    told = await _asked(gateway, "tools/call", result, name="get")
    assert told["result"]["_meta"] == {"info": {"name": "desk [SECRET]"}}
    assert kept.texts("tool_result") == ["info", "desk SECRET-a", "We open at 9."]
    guard.close()


@dataclass
class Counting:
    """Counts what it is asked; fails as often as it is told to."""

    name: ClassVar[str] = "counting"
    version: ClassVar[str] = "1"
    points: ClassVar[tuple[str, ...]] = POINTS
    pure: ClassVar[bool] = False
    asked: int = 0
    fails: int = 0

    async def check(self, step: Step) -> Verdict:
        self.asked += 1
        if self.asked <= self.fails:
            raise TimeoutError
        return Verdict(action="allow", gate="counting")


@pytest.mark.parametrize(("fails", "asked"), [(0, 1), (1, 2)])
async def test_a_text_that_is_said_again_is_read_once_but_after_a_failure(fails: int, asked: int) -> None:
    gate = Counting(fails=fails)
    chains: Any = {"tool_result": Chain(point="tool_result", posts=(Post(gate=gate, name="counting", timeout=5.0),))}
    guard = Guard(Plan(chains=chains))
    gateway = Gateway(guard=guard, session=guard.session())
    for number in range(3):
        told = await _asked(gateway, "initialize", {"instructions": "Be kind."})
        assert ("instructions" in told["result"]) == (number >= fails)
    assert gate.asked == asked
    for _ in range(2):  # what a tool says is read each time, and remembered as the result of its call
        await _asked(gateway, "tools/call", {"content": [{"type": "text", "text": "Be kind."}]}, name="get")
    assert gate.asked == asked + 2
    assert [call.result for call in gateway.state.session.memory.calls] == ["Be kind.", "Be kind."]
    guard.close()
