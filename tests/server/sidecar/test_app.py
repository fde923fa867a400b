from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import jsonschema_rs
import pytest
from openapi_spec_validator import OpenAPIV31SpecValidator
from yarl import URL

from proctor.guard.chain import Chain, Post
from proctor.guard.constraints import Constraints
from proctor.guard.engine import Plan
from proctor.guard.gates.arguments import Arguments
from proctor.guard.gates.pii import Pii
from proctor.server.sidecar.app import make_app
from proctor.server.sidecar.openapi import description
from proctor.wiring.guard import Guard
from tests.server.gates import HANDOFF, REPLY, make_guard
from tests.server.upstream import running
from tests.tables import table


@asynccontextmanager
async def _sidecar(guard: Guard | None = None, **options: Any) -> AsyncIterator[aiohttp.ClientSession]:
    guard = guard or make_guard()[0]
    async with running(make_app(guard, **options)) as address, aiohttp.ClientSession(address) as client:
        yield client
    guard.close()


async def _told(client: aiohttp.ClientSession, point: str, **asked: Any) -> dict[str, Any]:
    async with client.post(f"/v1/{point}", json=asked) as answer:
        assert answer.status == 200, await answer.text()
        told: dict[str, Any] = await answer.json()
        return told


async def test_each_point_gives_its_verdict_in_one_session() -> None:
    guard, kept = make_guard()
    async with _sidecar(guard) as client:
        first = await _told(client, "input", text="I am SECRET-a", customer="c1")
        assert (first["action"], first["text"]) == ("redact", "I am [SECRET]")
        assert first["findings"][0] == {"kind": "secret", "start": 5, "end": 13, "text": "SECRET-a"}
        session = first["session"]
        call = await _told(client, "tool_call", name="get", arguments={"id": 1}, intents=["faq"], session=session)
        assert call["action"] == "allow"
        refused = await _told(client, "tool_call", name="drop_all", session=session)
        assert (refused["action"], refused["reply"], refused["by"]) == ("block", REPLY, "words")
        result = await _told(client, "tool_result", name="get", result={"key": "SECRET-b"}, session=session)
        assert "[SECRET]" in result["text"]
        sources = ["The shop opens at 9.", {"id": "faq", "text": "And at 8 on Sundays."}]
        answer = await _told(client, "output", draft="My LAWYER says 9.", sources=sources, session=session)
        assert (answer["action"], answer["reply"]) == ("escalate", HANDOFF)
        async with client.get("/v1/stats") as stats:
            counts = await stats.json()
        assert counts["decisions"]["tool_call"] == {"allow": 1, "block": 1}
        assert counts["sessions"] == 1
        async with client.delete(f"/v1/sessions/{session}") as gone:
            assert gone.status == 204
        async with client.get("/v1/health") as health:
            told = await health.json()
        assert (told["status"], told["sessions"]) == ("ok", 0)
    assert {event.session for event in kept.events} == {session}


async def test_a_call_that_needs_a_yes_says_so() -> None:
    gate = Post(gate=Arguments(tools={"refund": Constraints(confirm=True)}), name="a", timeout=5.0)
    async with _sidecar(Guard(Plan(chains={"tool_call": Chain(point="tool_call", posts=(gate,))}))) as client:
        asked = await _told(client, "tool_call", name="refund", arguments={"amount": 5}, session="s")
        assert (asked["action"], asked["confirm"], "anomaly" in asked) == ("block", True, False)
        again = await _told(client, "tool_call", name="refund", arguments={"amount": 5}, session="s", confirmed=True)
        assert (again["action"], "confirm" in again) == ("allow", False)
    gate = Post(gate=Arguments(read_only=True), name="a", timeout=5.0)
    async with _sidecar(Guard(Plan(chains={"tool_call": Chain(point="tool_call", posts=(gate,))}))) as client:
        refused = await _told(client, "tool_call", name="delete_account", session="s")
        assert (refused["action"], refused["anomaly"], "confirm" in refused) == ("block", True, False)


async def test_values_are_given_back_only_where_the_settings_say_so() -> None:
    gate = Post(gate=Pii(names=False), name="pii", timeout=5.0)
    said = {"text": "Sent to [EMAIL] and [EMAIL_2].", "session": "s-1", "customer": "c-1"}
    for restore in (False, True):
        guard = Guard(Plan(chains={"input": Chain(point="input", posts=(gate,))}))
        async with _sidecar(guard, restore=restore) as client:
            heard = await _told(client, "input", text="I am anna@berg-mail.com", session="s-1", customer="c-1")
            assert heard["text"] == "I am [EMAIL]"
            async with client.post("/v1/restore", json=said) as answer:
                told = await answer.json()
                assert answer.status == (200 if restore else 403)
            if not restore:
                assert "restore: true" in told["error"]["hint"]
                continue
            assert told == {"session": "s-1", "text": "Sent to anna@berg-mail.com and [EMAIL_2]."}
            assert (await _told(client, "restore", text="[EMAIL]", session="s-2"))["text"] == "[EMAIL]"
            nobody = {"text": "[EMAIL]", "session": "s-1"}
            made = await _told(client, "input", text="I am anna@berg-mail.com", customer="c-1")
            unnamed = {"text": "[EMAIL]", "session": made["session"]}
            for wrong, status in (
                ({"text": "[EMAIL]"}, 400),
                (nobody, 200),  # a session of nobody, in which nothing was said
                ({**said, "customer": "c-2"}, 200),
                (unnamed, 403),
            ):
                async with client.post("/v1/restore", json=wrong) as answer:
                    assert answer.status == status
                    assert "anna" not in await answer.text()


@table(
    ("path", "raw", "words", "field"),
    [
        ("input", b"{", "not JSON", None),
        ("input", b"[1]", "not a JSON object", None),
        ("input", b"{}", "text", "text"),
        ("input", b'{"text": 1}', "text", "text"),
        ("input", b'{"text": "a", "txt": "b"}', "txt", "txt"),
        ("input", b'{"text": "a", "text": "b"}', "twice", None),
        ("tool_call", b'{"name": "a", "arguments": []}', "", "arguments"),
        ("output", b'{"draft": "a", "sources": [1]}', "", "sources[0]"),
        ("input", b'{"text": "a", "offsets": "utf8"}', "one of code_points, utf16", "offsets"),
        ("input", b"\xff\xfe", "UTF-8", None),
    ],
)
async def test_a_wrong_question_is_told_its_field_and_its_mend(
    path: str, raw: bytes, words: str, field: str | None
) -> None:
    async with _sidecar() as client, client.post(f"/v1/{path}", data=raw) as answer:
        assert answer.status == 400
        error = (await answer.json())["error"]
        assert words in error["message"] + error.get("field", "")
        assert error.get("field") == field
        assert field is not None or error["hint"]


@table(
    ("path", "asked", "message", "hint"),
    [
        ("input", {}, "is missing", 'add "text" to the object'),
        ("input", {"text": None}, "expected a string, found null", None),
        ("tool_call", {"name": "a", "arguments": []}, "expected an object, found an array", None),
        ("output", {"draft": "a", "sources": "b"}, 'expected an array, found "b"', "write it as an array: [ … ]"),
    ],
)
async def test_mistakes_are_told_in_the_words_of_json(
    path: str, asked: dict[str, Any], message: str, hint: str | None
) -> None:
    async with _sidecar() as client, client.post(f"/v1/{path}", json=asked) as answer:
        error = (await answer.json())["error"]
        assert (error["message"], error.get("hint")) == (message, hint)
        assert error.get("mend") == hint  # its old name, for one more version


async def test_several_mistakes_are_told_together_as_described() -> None:
    schema = {"$ref": "#/components/schemas/Error", "components": description()["components"]}
    async with _sidecar() as client, client.post("/v1/input", json={"txt": "hi", "session": 5}) as answer:
        told = await answer.json()
    jsonschema_rs.validate(schema, told)
    assert {each["field"] for each in told["error"]["problems"]} == {"text", "txt", "session"}
    assert told["error"]["message"] == told["error"]["problems"][0]["message"]


@table(
    ("point", "field", "sent"),
    [
        ("input", "text", "😀 I am SECRET-a"),
        ("output", "draft", "né 𝒳 SECRET-a 😀 and SECRET-b"),
        ("tool_result", "result", "👩‍👩‍👧 SECRET-a"),
        ("tool_result", "result", {"key": "😀 SECRET-a"}),
    ],
)
async def test_places_are_counted_as_the_caller_counts(point: str, field: str, sent: Any) -> None:
    text = sent if isinstance(sent, str) else json.dumps(sent, ensure_ascii=False)
    units = text.encode("utf-16-le")
    asked = {field: sent, **({"name": "get"} if point == "tool_result" else {})}
    async with _sidecar() as client:
        plain = (await _told(client, point, **asked))["findings"]
        java = (await _told(client, point, **asked, offsets="utf16"))["findings"]
    assert plain
    assert len(plain) == len(java)
    for one, other in zip(plain, java, strict=True):
        assert text[one["start"] : one["end"]] == one["text"]
        assert units[2 * other["start"] : 2 * other["end"]].decode("utf-16-le") == one["text"]
        assert other["start"] > one["start"]


async def test_calls_take_the_same_field() -> None:
    async with _sidecar() as client:
        assert (await _told(client, "tool_call", name="drop_all", offsets="utf16"))["action"] == "block"


async def test_two_customers_may_use_one_name_and_have_two_sessions() -> None:
    async with _sidecar() as client:
        for customer in ("ann", "bob", None):
            assert (await _told(client, "input", text="hi", session="s", customer=customer))["action"] == "allow"
        async with client.get("/v1/health") as health:
            assert (await health.json())["sessions"] == 3
        async with client.delete("/v1/sessions/s?customer=ann") as gone:
            assert gone.status == 204
        async with client.get("/v1/health") as health:
            assert (await health.json())["sessions"] == 2


async def test_a_large_body_and_a_wrong_path_are_refused() -> None:
    async with _sidecar(most_bytes=1000) as client:
        async with client.post("/v1/input", json={"text": "x" * 2000}) as answer:
            assert answer.status == 413
        async with client.get("/v1/input") as answer:
            assert (answer.status, answer.headers["Allow"]) == (405, "POST")
        async with client.get("/v1/nothing") as answer:
            assert answer.status == 404
            assert "openapi.json" in (await answer.json())["error"]["hint"]


async def test_with_a_token_only_who_shows_it_is_answered() -> None:
    async with _sidecar(token="t0ken") as client:
        for headers in ({}, {"Authorization": "Bearer no"}, {"Authorization": "Basic t0ken"}):
            async with client.post("/v1/input", json={"text": "hi"}, headers=headers) as answer:
                assert answer.status == 401
        async with client.post("/v1/input", json={"text": "hi"}, headers={"Authorization": "Bearer t0ken"}) as answer:
            assert answer.status == 200
        async with client.get("/v1/health") as answer:
            assert answer.status == 200
        async with client.get("/openapi.json") as answer:
            assert (await answer.json())["security"] == [{"token": []}]


@pytest.mark.parametrize("secured", [True, False])
def test_the_description_is_valid_openapi(secured: bool) -> None:
    document = description(secured=secured)
    OpenAPIV31SpecValidator(document).validate()
    assert set(document["paths"]) >= {"/v1/input", "/v1/tool_call", "/v1/tool_result", "/v1/output", "/v1/reload"}


async def test_verdicts_have_the_shape_that_is_described() -> None:
    document = description()
    schema = {"$ref": "#/components/schemas/Verdict", "components": document["components"]}
    async with _sidecar() as client:
        for text in ("hi", "ATTACK", "SECRET-a", "LAWYER"):
            jsonschema_rs.validate(schema, await _told(client, "input", text=text))


async def test_settings_are_read_again_and_bad_ones_are_not_taken(tmp_path: Path) -> None:
    file = tmp_path / "proctor.yaml"
    file.write_text("guard:\n  input: [{banned: [apple]}]\n  tool_result: []\n  output: []\n")
    guard = Guard.from_config(file, record=False, reload=False)
    async with _sidecar(guard) as client:
        assert (await _told(client, "input", text="a pear"))["action"] == "allow"
        file.write_text(file.read_text().replace("apple", "pear"))
        async with client.post("/v1/reload") as answer:
            assert (answer.status, await answer.json()) == (200, {"reloaded": True, "trouble": None})
        assert (await _told(client, "input", text="a pear"))["action"] == "block"
        file.write_text("guard: {input: [nothing_such]}\n")
        async with client.post("/v1/reload") as answer:
            assert answer.status == 409
            assert "nothing_such" in (await answer.json())["trouble"]
        assert (await _told(client, "input", text="a pear"))["action"] == "block"


@table("name", ["F%0AG%C2%B2%F3%92%9D%93", "a%2Fb", "%00", "..%2F..", "a%0D%0AX:%201", "%F0%9F%98%80"])
async def test_a_session_of_any_name_can_be_forgotten(name: str) -> None:
    async with _sidecar() as client, client.delete(URL(f"/v1/sessions/{name}", encoded=True)) as gone:
        assert (gone.status, await gone.read()) == (204, b"")


SERVED = """
import sys
from proctor.server.serve_app import run
from proctor.server.sidecar.app import make_app
from tests.server.gates import make_guard
guard, _ = make_guard()
run(make_app(guard), started=lambda address: print(address, flush=True))
guard.close()
print("ended", flush=True)
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
async def test_it_ends_in_good_order_when_it_is_told_to(number: int) -> None:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", SERVED, stdout=asyncio.subprocess.PIPE, cwd=Path(__file__).parents[3]
    )
    assert process.stdout is not None
    address = (await process.stdout.readline()).decode().strip()
    async with aiohttp.ClientSession(address) as client:
        assert (await _told(client, "input", text="ATTACK"))["action"] == "block"
    os.kill(process.pid, number)
    assert (await process.stdout.read()).decode().strip() == "ended"
    assert await process.wait() == 0


def test_a_port_that_is_taken_is_said() -> None:
    import socket

    from proctor.core.errors import InputError
    from proctor.server.serve_app import run

    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        guard, _ = make_guard()
        with pytest.raises(InputError, match="listens there already"):
            run(make_app(guard), "127.0.0.1", taken.getsockname()[1])
        guard.close()


@table("field", ["session", "customer"])
@table("name", ["a\r\nb", "a\x00b", "x" * 257, "x" * 1_000_000, "\ud800"])
async def test_a_name_is_short_and_can_be_printed(field: str, name: str) -> None:
    guard, _ = make_guard()
    async with _sidecar(guard) as client:
        async with client.post("/v1/input", json={"text": "hi", field: name}) as answer:
            told = (await answer.json())["error"]
        assert (answer.status, told["field"]) == (400, field)
        assert "256 printable characters" in told["hint"]
        assert guard.health["sessions"] == 0


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        (b'{"text": "hi", "Text": "other"}', "differ in case only"),
        (b'{"text": "hi", "metadata": {"a": ' + b"9" * 5000 + b"}}", "4,300 digits"),
        (b'{"text": "hi", "metadata": {"a": ' + b"[" * 300 + b"]" * 300 + b"}}", "nested"),
    ],
)
async def test_a_body_with_two_readings_or_none_is_refused(raw: bytes, words: str) -> None:
    async with _sidecar() as client, client.post("/v1/input", data=raw) as answer:
        assert answer.status == 400
        assert words in (await answer.json())["error"]["message"]
