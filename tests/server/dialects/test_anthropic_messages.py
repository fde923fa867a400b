from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import pytest
from aiohttp import web

from tests.lazy_module import lazy_module
from tests.server.dialects.anthropic_upstream import call, event, events, message
from tests.server.gates import REPLY, Kept, make_guard
from tests.server.upstream import Upstream, proxied, says, streams
from tests.tables import table

if TYPE_CHECKING:
    import anthropic
    from anthropic.types import Message
else:
    anthropic = lazy_module("anthropic")

KEY = "sk-ant-very-secret"
BOTH = pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])


class Desk:
    """A client of the official library before the proxy, and the upstream behind it."""

    def __init__(self, upstream: Upstream, client: anthropic.AsyncAnthropic, kept: Kept, stream: bool) -> None:
        self.upstream, self.client, self.kept, self.stream = upstream, client, kept, stream
        self.pieces: list[str] = []

    def says(self, *blocks: str | dict[str, Any], **more: Any) -> None:
        whole = message(*blocks, **more)
        self.upstream.say = streams(events(whole)) if self.stream else says(whole)

    async def ask(self, *said: Any, **more: Any) -> Message:
        talk = [{"role": "user", "content": each} if isinstance(each, (str, list)) else each for each in said]
        told: dict[str, Any] = {"model": "claude", "max_tokens": 9, "messages": talk, **more}
        if not self.stream:
            whole: Message = await self.client.messages.create(**told)
            return whole
        async with self.client.messages.stream(**told) as stream:
            self.pieces = [text async for text in stream.text_stream]
            return await stream.get_final_message()


@asynccontextmanager
async def _desk(stream: bool, **settings: Any) -> AsyncIterator[Desk]:
    guard, kept = make_guard()
    async with (
        proxied(guard, **settings) as (upstream, address, _),
        anthropic.AsyncAnthropic(base_url=address, api_key=KEY, max_retries=0) as client,
    ):
        yield Desk(upstream, client, kept, stream)


def _texts(answer: Message) -> str:
    return "".join(block.text for block in answer.content if block.type == "text")


@BOTH
async def test_what_is_harmless_passes_with_its_key_and_is_one_conversation(stream: bool) -> None:
    async with _desk(stream) as desk:
        talk: list[Any] = []
        for turn in ("I am SECRET-a", "how are you"):
            desk.says("Hello. You are fine.", {"type": "thinking", "thinking": "Well.", "signature": "sig="})
            talk.append({"role": "user", "content": turn})
            headers = {"X-Api-Key": KEY}  # as clients of older versions send it
            answer = await desk.ask(*talk, system="ATTACK is what you are told about", extra_headers=headers)
            assert _texts(answer) == "Hello. You are fine."
            assert answer.stop_reason == "end_turn"
            talk.append({"role": "assistant", "content": answer.content})
        assert desk.upstream.body()["messages"][0]["content"] == "I am [SECRET]"
        sent = {name.lower(): value for name, value in desk.upstream.asked[0][2].items()}
        assert (sent["authorization"], sent["x-api-key"]) == (f"Bearer {KEY}", KEY)
        assert sent["anthropic-version"]
        assert desk.kept.texts("input") == ["I am SECRET-a", "how are you"]
        assert len({each.session for each in desk.kept.events}) == 1
        assert KEY not in repr(desk.kept.events)


async def test_a_harmless_stream_passes_byte_for_byte() -> None:
    whole = message("One thing. Another. 日本語です。The end.", call("get", {"id": 1}))
    raw = b": hi\n\n" + b"".join(events(whole, 3))
    guard, _ = make_guard()
    async with proxied(guard) as (upstream, address, client):
        upstream.say = streams([raw[at : at + 7] for at in range(0, len(raw), 7)])
        body = {"model": "m", "max_tokens": 1, "messages": [{"role": "user", "content": "hi"}], "stream": True}
        async with client.post(f"{address}/v1/messages", json=body) as answer:
            assert await answer.read() == raw


@BOTH
async def test_a_blocked_message_is_answered_in_the_api_s_own_shape(stream: bool) -> None:
    async with _desk(stream) as desk:
        answer = await desk.ask("ATTACK now")
        assert (_texts(answer), answer.stop_reason, answer.role) == (REPLY, "refusal", "assistant")
        assert desk.upstream.asked == []
        talk = ["ATTACK now", {"role": "assistant", "content": answer.content}, "sorry, hello"]
        desk.says("Fine.")
        assert _texts(await desk.ask(*talk)) == "Fine."
        assert desk.upstream.body()["messages"][0]["content"] == "[withheld]"


@BOTH
async def test_what_must_not_leave_is_masked_or_stopped(stream: bool) -> None:
    async with _desk(stream) as desk:
        desk.says("It is SECRET-a. Good.", {"type": "thinking", "thinking": "Hm, SECRET-b.", "signature": "sig="})
        answer = await desk.ask("hi")
        assert _texts(answer) == "It is [SECRET]. Good."
        assert (answer.content[1].thinking, answer.content[1].signature) == ("Hm, [SECRET].", "")
        desk.says("All is well. An ATTACK.", call("get"))
        answer = await desk.ask("hi")
        assert _texts(answer) in ((f"All is well. \n\n{REPLY}", REPLY) if stream else (REPLY,))
        assert answer.stop_reason == "refusal"
        assert [block.type for block in answer.content] == ["text"]


async def test_a_stream_that_is_stopped_in_the_middle_ends_in_good_order() -> None:
    go_on = asyncio.Event()

    async def answer(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        made = events(message("All is well. And then an ATTACK."), 13)
        await response.write(b"".join(made[:5]))
        await asyncio.wait_for(go_on.wait(), 60)
        await response.write(b"".join(made[5:]))
        return response

    async with _desk(True) as desk:
        desk.upstream.say = answer
        said: list[Any] = [{"role": "user", "content": "hi"}]
        async with desk.client.messages.stream(model="m", max_tokens=9, messages=said) as stream:
            pieces = []
            async for text in stream.text_stream:
                pieces.append(text)
                go_on.set()
            whole = await stream.get_final_message()
        assert pieces == ["All is well. ", f"\n\n{REPLY}"]
        assert (whole.stop_reason, len(whole.content)) == ("refusal", 1)
        desk.stream = False
        desk.says("Fine.")
        await desk.ask("hi", {"role": "assistant", "content": whole.content}, "more")
        assert desk.kept.texts("input") == ["hi", "more"]


@BOTH
async def test_a_sentence_over_two_blocks_is_read_as_one(stream: bool) -> None:
    async with _desk(stream) as desk:
        desk.says("An ATT", "ACK is here", " and a SECRET", "-a too.")
        assert REPLY in _texts(await desk.ask("hi"))
        desk.says("A SECRET", "-a is here.")
        assert _texts(await desk.ask("hi")) == "A [SECRET] is here."


@BOTH
async def test_calls_are_judged_and_refused_ones_taken_out(stream: bool) -> None:
    async with _desk(stream) as desk:
        desk.says("Sure.", call("drop_all", {"a": 1}), call("get", {"id": 7, "deep": {"x": [1]}}, "toolu_2"))
        answer = await desk.ask("hi", extra_headers={"X-Proctor-Intents": "booking"})
        assert [block.type for block in answer.content] == ["text", "tool_use"]
        assert answer.content[1].input == {"id": 7, "deep": {"x": [1]}}
        assert answer.stop_reason == "tool_use"
        desk.says(call("drop_all", {"a": 1}))
        answer = await desk.ask("hi")
        assert (_texts(answer), answer.stop_reason, len(answer.content)) == (REPLY, "refusal", 1)
        made = [each.metadata for each in desk.kept.events if each.name == "tool_call"]
        assert made[0]["intents"] == ["booking"]


@BOTH
async def test_tools_of_the_provider_are_judged_and_leave_with_their_results(stream: bool) -> None:
    def search(name: str, id: str, title: str) -> list[dict[str, Any]]:
        found = {"type": "web_search_result", "title": title, "url": "https://x.example", "encrypted_content": "AAA="}
        used = {"type": "server_tool_use", "id": id, "name": name, "input": {"query": "q"}}
        return [used, {"type": "web_search_tool_result", "tool_use_id": id, "content": [found]}]

    async with _desk(stream) as desk:
        desk.says(*search("drop_search", "srv_1", "One"), *search("web_search", "srv_2", "See SECRET-a"), "Found.")
        answer = await desk.ask("hi")
        assert [block.type for block in answer.content] == ["server_tool_use", "web_search_tool_result", "text"]
        assert answer.content[1].content[0].title == "See [SECRET]"
        desk.says("Fine.")
        await desk.ask("hi", {"role": "assistant", "content": answer.content}, "more")
        assert desk.kept.texts("input") == ["hi", "more"]
        assert len({each.session for each in desk.kept.events}) == 1


@BOTH
async def test_blocks_that_nobody_knows_do_not_leave(stream: bool) -> None:
    async with _desk(stream) as desk:
        desk.says({"type": "hologram", "words": "ATTACK"}, "Fine.", {"type": "hologram", "words": "more"}, "Well.")
        answer = await desk.ask("hi")
        assert [block.type for block in answer.content] == ["text", "text"]
        assert _texts(answer) == "Fine.Well."


@BOTH
async def test_results_of_tools_are_looked_at_and_cut(stream: bool) -> None:
    async with _desk(stream) as desk:
        desk.says(call("get_faq"))
        first = await desk.ask("hi")
        talk: list[Any] = ["hi", {"role": "assistant", "content": first.content}]
        nested = [{"type": "text", "text": "Open at 9 for SECRET-a."}, {"type": "text", "text": "Bye."}]
        desk.says("At 9.")
        answer = await desk.ask(*talk, [{"type": "tool_result", "tool_use_id": "toolu_1", "content": nested}])
        assert _texts(answer) == "At 9."
        result = desk.upstream.body()["messages"][2]["content"][0]
        assert "".join(each["text"] for each in result["content"]) == "Open at 9 for [SECRET].Bye."
        assert result["tool_use_id"] == "toolu_1"
        bad = [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "ATTACK the user"}]
        answer = await desk.ask(*talk, bad)
        assert (_texts(answer), answer.stop_reason) == (REPLY, "refusal")
        assert len(desk.upstream.asked) == 2
        results = [each.metadata["tool"] for each in desk.kept.events if each.name == "tool_result"]
        assert results == ["get_faq", "get_faq"]


@table(
    "block",
    [
        {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "ATTACK"}},
        {"type": "document", "source": {"type": "content", "content": [{"type": "text", "text": "ATTACK"}]}},
        {"type": "document", "title": "ATTACK", "source": {"type": "file", "file_id": "f1"}},
        {"type": "search_result", "title": "t", "source": "s", "content": [{"type": "text", "text": "ATTACK"}]},
        {"type": "TEXT", "text": "ATTACK"},
        {"type": "text", "text": "hi", "citations": [{"type": "char_location", "cited_text": "ATTACK"}]},
        {"type": "hologram", "deep": [[{"words": ["ATTACK"]}]]},
        {"type": "tool_result", "tool_use_id": "t", "content": {"rows": [["ATTACK"]]}},
        {"type": "tool_result", "tool_use_id": "t", "content": [{"type": "text", "text": {"value": "ATTACK"}}]},
        {"type": "mcp_tool_result", "tool_use_id": "t", "content": [{"type": "text", "text": "ATTACK"}]},
    ],
)
async def test_every_block_of_a_question_is_read(block: dict[str, Any]) -> None:
    async with _desk(False) as desk:
        answer = await desk.ask([{"type": "text", "text": "hello"}, block])
        assert _texts(answer) == REPLY
        assert desk.upstream.asked == []


@table(
    ("said", "words"),
    [
        ({"messages": [{"role": "user", "content": {"text": "ATTACK"}}]}, "messages[0].content"),
        ({"messages": [{"role": "user", "content": [["ATTACK"]]}]}, "messages[0].content"),
        ({"messages": ["ATTACK"]}, "no list of messages"),
        ({"messages": [], "system": {"text": "x"}}, "system"),
        ({"messages": [{"role": "user", "content": [{"type": "x", "ATTACK them now": 1}]}]}, "no name"),
        (
            {
                "messages": [
                    {
                        "role": "user",
                        "content": [
                            {
                                "type": "document",
                                "source": {"type": "base64", "media_type": "text/plain", "data": "QVRUQUNL"},
                            }
                        ],
                    }
                ]
            },
            "text/plain",
        ),
    ],
)
async def test_what_cannot_be_read_is_refused_in_the_api_s_error_format(said: dict[str, Any], words: str) -> None:
    async with _desk(False) as desk:
        with pytest.raises(anthropic.BadRequestError) as told:
            await desk.client.post("/v1/messages", cast_to=object, body={"model": "m", **said})
        assert words in told.value.message
        assert told.value.body["type"] == "error"
        assert told.value.body["error"]["type"] == "invalid_request_error"
        assert desk.upstream.asked == []


@BOTH
async def test_failures_of_the_upstream_pass_and_its_absence_is_told(stream: bool) -> None:
    async with _desk(stream, timeout=0.2) as desk:
        wrong = {"type": "error", "error": {"type": "rate_limit_error", "message": "slow down"}}
        desk.upstream.say = says(wrong, 429, {"Retry-After": "7"})
        with pytest.raises(anthropic.RateLimitError, match="slow down") as told:
            await desk.ask("hi")
        assert told.value.response.headers["Retry-After"] == "7"
        desk.upstream.say = _silent
        with pytest.raises(anthropic.InternalServerError, match="no answer in time") as late:
            await desk.ask("hi")
        assert late.value.body["error"]["type"] == "timeout_error"


async def _silent(request: web.Request) -> web.StreamResponse:
    await asyncio.sleep(60)
    return web.Response()


async def test_an_error_in_mid_stream_reaches_the_client() -> None:
    async with _desk(True) as desk:
        failed = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
        desk.upstream.say = streams([*events(message("First one. Second"))[:6], event(failed)])
        with pytest.raises(anthropic.APIStatusError, match="Overloaded"):
            await desk.ask("hi")


async def test_tokens_are_counted_without_the_gates() -> None:
    async with _desk(False) as desk:
        desk.upstream.say = says({"input_tokens": 3})
        counted = await desk.client.messages.count_tokens(model="m", messages=[{"role": "user", "content": "hi"}])
        assert counted.input_tokens == 3
        with pytest.raises(anthropic.PermissionDeniedError, match="allow"):
            await desk.client.messages.batches.list()


@table(
    "body",
    [
        {"type": "content_block_start", "index": [], "content_block": {"type": "text", "text": "ATTACK"}},
        {"type": "content_block_delta", "index": 9, "delta": {"type": "text_delta", "text": "ATTACK"}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "hologram_delta", "text": "ATTACK"}},
        {"type": "hologram", "text": "ATTACK"},
        {"type": "message_start", "message": {"id": "m", "content": [{"type": "text", "text": "ATTACK"}]}},
        {"type": "ping", "text": "ATTACK"},
        {"type": "error", "error": {"type": "api_error", "message": "ATTACK"}},
    ],
)
async def test_no_event_of_a_stream_leads_around_the_gates(body: dict[str, Any]) -> None:
    guard, _ = make_guard()
    async with proxied(guard) as (upstream, address, client):
        made = events(message("Fine."))
        upstream.say = streams([*made[:4], event(body), *made[4:]])
        asked = {"model": "m", "messages": [{"role": "user", "content": "hi"}], "stream": True}
        async with client.post(f"{address}/v1/messages", json=asked) as answer:
            raw = await answer.text()
        assert "ATTACK" not in raw
        upstream.say = streams(
            [f"event: ping\ndata: {json.dumps({**body, 'type': 'content_block_delta'})}\n\n".encode()]
        )
        async with client.post(f"{address}/v1/messages", json=asked) as answer:
            assert "ATTACK" not in await answer.text()
