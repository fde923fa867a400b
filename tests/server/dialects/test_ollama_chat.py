from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import pytest
from aiohttp import web

from tests.lazy_module import lazy_module
from tests.server.gates import REPLY, Kept, make_guard
from tests.server.upstream import Answer, Upstream, proxied, says
from tests.tables import table

if TYPE_CHECKING:
    import ollama
else:
    ollama = lazy_module("ollama")

HEAD = {"model": "m", "created_at": "2026-11-15T10:00:00.123Z"}
BOTH = pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])


def _call(name: str, **arguments: Any) -> dict[str, Any]:
    return {"function": {"name": name, "arguments": arguments}}


def _lines(*rows: dict[str, Any], media: str = "application/x-ndjson") -> Answer:
    raw = b"".join(json.dumps({**HEAD, **row}, ensure_ascii=False).encode() + b"\n" for row in rows)

    async def answer(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": media})
        await response.prepare(request)
        for at in range(0, len(raw), 11):
            await response.write(raw[at : at + 11])
        return response

    return answer


class Desk:
    """A client of the official library before the proxy, and the upstream behind it."""

    def __init__(self, upstream: Upstream, client: ollama.AsyncClient, kept: Kept, stream: bool) -> None:
        self.upstream, self.client, self.kept, self.stream = upstream, client, kept, stream

    def says(self, content: str = "", calls: tuple[dict[str, Any], ...] = (), thinking: str = "") -> None:
        end = {"done": True, "done_reason": "stop"}
        rest = {"tool_calls": list(calls)} if calls else {}
        if not self.stream:
            message = {"role": "assistant", "content": content, "thinking": thinking, **rest}
            self.upstream.say = says({**HEAD, "message": message, **end})
            return
        rows: list[dict[str, Any]] = [
            {"thinking": thinking[at : at + 3], "content": ""} for at in range(0, len(thinking), 3)
        ]
        rows += [{"content": content[at : at + 3]} for at in range(0, len(content), 3)]
        rows += [{"content": "", "tool_calls": [call]} for call in calls]
        told = [{"message": {"role": "assistant", **row}, "done": False} for row in rows]
        self.upstream.say = _lines(*told, {"message": {"role": "assistant", "content": ""}, **end})

    async def ask(self, *said: Any) -> dict[str, Any]:
        talk = [{"role": "user", "content": each} if isinstance(each, str) else each for each in said]
        if not self.stream:
            answer = await self.client.chat("m", talk)
            return {**answer.message.model_dump(exclude_none=True), "end": answer.done_reason}
        told: dict[str, Any] = {"content": "", "thinking": "", "tool_calls": []}
        async for part in await self.client.chat("m", talk, stream=True):
            told["content"] += part.message.content or ""
            told["thinking"] += part.message.thinking or ""
            told["tool_calls"] += part.message.model_dump(exclude_none=True).get("tool_calls", [])
            told["end"] = part.done_reason
        return told


@asynccontextmanager
async def _desk(stream: bool) -> AsyncIterator[Desk]:
    guard, kept = make_guard()
    async with proxied(guard) as (upstream, address, _), _client(address) as client:
        yield Desk(upstream, client, kept, stream)


@asynccontextmanager
async def _client(address: str) -> AsyncIterator[ollama.AsyncClient]:
    client = ollama.AsyncClient(host=address)
    try:
        yield client
    finally:
        await client._client.aclose()


@BOTH
async def test_a_conversation_is_guarded_and_goes_on(stream: bool) -> None:
    async with _desk(stream) as desk:
        desk.says("It is SECRET-a. Good.", thinking="Hm, SECRET-b.")
        first = await desk.ask("I am SECRET-a")
        assert (first["content"], first["thinking"], first["end"]) == ("It is [SECRET]. Good.", "Hm, [SECRET].", "stop")
        desk.says("Fine.")
        await desk.ask("I am SECRET-a", {"role": "assistant", "content": first["content"]}, "more")
        assert desk.upstream.body()["messages"][0]["content"] == "I am [SECRET]"
        assert desk.kept.texts("input") == ["I am SECRET-a", "more"]
        assert len({each.session for each in desk.kept.events}) == 1


@BOTH
async def test_what_must_not_pass_is_replaced_by_the_reply(stream: bool) -> None:
    async with _desk(stream) as desk:
        answer = await desk.ask("ATTACK")
        assert (answer["content"], answer["end"]) == (REPLY, "content_filter")
        assert desk.upstream.asked == []
        desk.says("All is well. An ATTACK.", (_call("get"),))
        answer = await desk.ask("hi")
        assert answer["content"] in ((f"All is well. \n\n{REPLY}", REPLY) if stream else (REPLY,))
        assert (answer["end"], answer.get("tool_calls") or []) == ("content_filter", [])


@BOTH
async def test_calls_and_results_are_judged(stream: bool) -> None:
    async with _desk(stream) as desk:
        desk.says("", (_call("drop_all", a=1), _call("get_faq", id=7, deep={"x": [1]})))
        answer = await desk.ask("hi")
        assert [each["function"]["name"] for each in answer["tool_calls"]] == ["get_faq"]
        assert answer["tool_calls"][0]["function"]["arguments"] == {"id": 7, "deep": {"x": [1]}}
        talk = ["hi", {"role": "assistant", "content": "", "tool_calls": answer["tool_calls"]}]
        desk.says("At 9.")
        await desk.ask(*talk, {"role": "tool", "tool_name": "get_faq", "content": "Open for SECRET-a."})
        assert desk.upstream.body()["messages"][2]["content"] == "Open for [SECRET]."
        assert desk.kept.texts("input") == ["hi"]
        stopped = await desk.ask(*talk, {"role": "tool", "tool_name": "get_faq", "content": "ATTACK"})
        assert stopped["content"] == REPLY
        desk.says("", (_call("drop_all"),))
        answer = await desk.ask("hello")
        assert (answer["content"], answer["end"], answer.get("tool_calls") or []) == (REPLY, "content_filter", [])


@BOTH
async def test_generate_is_guarded_and_its_tokens_do_not_leave(stream: bool) -> None:
    guard, _ = make_guard()
    async with proxied(guard) as (upstream, address, _), _client(address) as client:
        for said, told in (("It is SECRET-a.", "It is [SECRET]."), ("An ATTACK.", REPLY)):
            end = {"done": True, "done_reason": "stop", "context": [1, 2]}
            parts = [{"response": said[:5], "done": False}, {"response": said[5:], "done": False}]
            upstream.say = (
                _lines(*parts, {"response": "", **end}) if stream else says({**HEAD, "response": said, **end})
            )
            if stream:
                rows = [each async for each in await client.generate("m", "I am SECRET-a", stream=True)]
            else:
                rows = [await client.generate("m", "I am SECRET-a")]
            assert "".join(each.response or "" for each in rows) == told
            assert all(each.context is None for each in rows)
            assert upstream.body()["prompt"] == "I am [SECRET]"
        with pytest.raises(ollama.ResponseError, match="tokens, which cannot be read"):
            await client.generate("m", "hi", context=[1, 2])


async def test_lines_are_read_whatever_the_upstream_calls_them() -> None:
    guard, _ = make_guard()
    async with proxied(guard) as (upstream, address, client):
        row = {"message": {"role": "assistant", "content": "Fine.", "tool_calls": [_call("drop_all")]}, "done": True}
        for media in ("application/json", "text/plain", "application/x-ndjson"):
            upstream.say = _lines(row, media=media)
            async with client.post(
                f"{address}/api/chat", json={"messages": [{"role": "user", "content": "hi"}]}
            ) as answer:
                assert "drop_all" not in await answer.text()


@table(
    "message",
    [
        {"role": "user", "content": ["ATTACK"]},
        {"role": "user", "content": {"text": "ATTACK"}},
        {"role": "user", "content": "hi", "more": "ATTACK"},
        {"role": "user", "content": "hi", "images": ["ATTACK them with this"]},
        {"role": "visitor", "content": "ATTACK"},
        "ATTACK",
    ],
)
async def test_no_field_of_a_message_leads_around_the_gates(message: Any) -> None:
    guard, _ = make_guard()
    async with proxied(guard) as (upstream, address, client):
        async with client.post(f"{address}/api/chat", json={"messages": [message], "stream": False}) as answer:
            assert answer.status == 400 or REPLY in await answer.text()
        assert upstream.asked == []


async def test_failures_have_the_shape_that_the_client_reads() -> None:
    async with _desk(False) as desk:
        desk.upstream.say = says({"error": "model not found"}, 404)
        with pytest.raises(ollama.ResponseError, match="model not found"):
            await desk.ask("hi")
        with pytest.raises(ollama.ResponseError, match="not guarded"):
            await desk.client.pull("m")
        desk.upstream.say = says({"models": []})
        assert (await desk.client.list()).models == []
