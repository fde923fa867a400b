"""The responses API through the official client, which keeps its own account of every stream."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import pytest

from tests.lazy_module import lazy_module
from tests.server.dialects.responses_upstream import call, events, message, response
from tests.server.gates import HANDOFF, REPLY, make_guard
from tests.server.upstream import proxied, says, streams
from tests.tables import table

if TYPE_CHECKING:
    import openai
else:
    openai = lazy_module("openai")


def _client(address: str) -> openai.AsyncOpenAI:
    return openai.AsyncOpenAI(base_url=f"{address}/v1", api_key="sk-x", max_retries=0)


async def _streamed(output: Sequence[dict[str, Any]], size: int = 4, **settings: Any) -> tuple[Any, str]:
    """The final answer as the client sees it, and the text it was told piece by piece."""
    guard, _ = make_guard()
    async with proxied(guard, **settings) as (upstream, address, _):
        upstream.say = streams(events(output, size))
        said = ""
        async with _client(address) as client, client.responses.stream(model="m", input="hi") as stream:
            async for event in stream:
                if event.type == "response.output_text.delta":
                    said += event.delta
            return await stream.get_final_response(), said


async def test_a_whole_answer_passes_or_is_masked_or_replaced() -> None:
    guard, kept = make_guard()
    async with proxied(guard) as (upstream, address, _), _client(address) as client:
        upstream.say = says(response([message("Hello.")]))
        assert (await client.responses.create(model="m", input="hi")).output_text == "Hello."
        upstream.say = says(response([message("It is SECRET-a.")]))
        assert (await client.responses.create(model="m", input="hi")).output_text == "It is [SECRET]."
        upstream.say = says(response([message("An ATTACK.")]))
        answer = await client.responses.create(model="m", input="hi")
        assert (answer.output_text, answer.status) == (REPLY, "completed")
    assert kept.texts("output") == ["Hello.", "It is SECRET-a.", "An ATTACK."]


@pytest.mark.parametrize(
    "given",
    [
        "an ATTACK",
        [{"role": "user", "content": "an ATTACK"}],
        [{"role": "user", "content": [{"type": "input_text", "text": "an ATTACK"}]}],
    ],
)
async def test_a_blocked_input_never_reaches_the_upstream(given: Any) -> None:
    guard, _ = make_guard()
    async with proxied(guard) as (upstream, address, _), _client(address) as client:
        answer = await client.responses.create(model="m", input=given)
        assert answer.output_text == REPLY
        async with client.responses.stream(model="m", input=given) as stream:
            assert (await stream.get_final_response()).output_text == REPLY
        variables = await client.responses.create(model="m", prompt={"id": "p", "variables": {"city": "my LAWYER"}})
        assert variables.output_text == HANDOFF
        assert upstream.asked == []


async def test_the_model_reads_what_was_masked() -> None:
    guard, _ = make_guard()
    async with proxied(guard) as (upstream, address, _), _client(address) as client:
        upstream.say = says(response([message("Hello.")]))
        await client.responses.create(model="m", input="I am SECRET-a")
        assert upstream.body()["input"] == "I am [SECRET]"


async def test_a_conversation_goes_on_from_an_answer() -> None:
    guard, kept = make_guard()
    async with proxied(guard) as (upstream, address, _), _client(address) as client:
        upstream.say = says(response([call("get_faq", "{}")]))
        await client.responses.create(model="m", input="hi")
        upstream.say = says(response([message("At 9.")], id="resp_2"))
        result: Any = {"type": "function_call_output", "call_id": "call_1", "output": "Open at 9, SECRET-a."}
        await client.responses.create(model="m", input=[result], previous_response_id="resp_1")
        assert upstream.body()["input"][0]["output"] == "Open at 9, [SECRET]."
    assert len({event.session for event in kept.events}) == 1
    assert [event.metadata["tool"] for event in kept.events if event.name == "tool_result"] == ["get_faq"]


async def test_a_conversation_that_repeats_its_items_is_looked_at_once() -> None:
    guard, kept = make_guard()
    async with proxied(guard) as (upstream, address, _), _client(address) as client:
        upstream.say = streams(events([message("Hello you. And all.")]))
        talk: list[Any] = [{"role": "user", "content": "hi"}]
        for turn in ("more", "and more"):
            async with client.responses.stream(model="m", input=talk) as stream:
                answer = await stream.get_final_response()
            talk += [item.to_dict() for item in answer.output] + [{"role": "user", "content": turn}]
        await client.responses.create(model="m", input=talk, stream=True)
    assert kept.texts("input") == ["hi", "more", "and more"]
    assert len({event.session for event in kept.events}) == 1


async def test_calls_that_are_refused_are_taken_out() -> None:
    guard, _ = make_guard()
    async with proxied(guard) as (upstream, address, _), _client(address) as client:
        upstream.say = says(response([call("drop_all", "{}", "c1"), call("get", "{}", "c2")]))
        answer = await client.responses.create(model="m", input="hi")
        assert [item.name for item in answer.output if item.type == "function_call"] == ["get"]
        upstream.say = says(response([call("drop_all", "{}")]))
        answer = await client.responses.create(model="m", input="hi")
        assert [item.type for item in answer.output] == ["message"]
        assert answer.output_text == REPLY


@pytest.mark.parametrize("size", [1, 5, 300])
async def test_a_stream_passes_byte_for_byte(size: int) -> None:
    guard, kept = make_guard()
    raw = events([message("One thing. Another thing. The end"), call("get", '{"a": 1}')], size)
    async with proxied(guard) as (upstream, address, client):
        upstream.say = streams(raw)
        body = {"model": "m", "input": "hi", "stream": True}
        async with client.post(f"{address}/v1/responses", json=body) as answer:
            assert await answer.read() == b"".join(raw)
    assert kept.texts("output") == ["One thing. Another thing. The end"]


@table("size", [1, 5, 300])
@table("mode", ["sentence", "whole"])
async def test_a_stream_is_masked_in_every_place_that_repeats_its_text(size: int, mode: str) -> None:
    answer, said = await _streamed([message("It is known. SECRET-a is the word. Bye")], size, stream=mode)
    assert said == answer.output_text == "It is known. [SECRET] is the word. Bye"
    assert "SECRET-" not in answer.to_json()


@pytest.mark.parametrize("text", ["An ATTACK.", "All is well. Then an ATTACK. And more."])
async def test_a_stream_that_must_stop_ends_in_good_order(text: str) -> None:
    answer, said = await _streamed([message(text)], 1)
    assert said == answer.output_text
    assert said.endswith(REPLY)
    assert "ATTACK" not in answer.to_json()
    assert said.startswith("All is well. ") == text.startswith("All")


async def test_a_refused_call_leaves_a_stream_and_the_rest_closes_ranks() -> None:
    output = [call("drop_all", '{"a": 1}', "c1"), call("get", '{"b": 2}', "c2"), message("I look. It up.")]
    answer, said = await _streamed(output)
    assert [item.type for item in answer.output] == ["function_call", "message"]
    assert json.loads(answer.output[0].arguments) == {"b": 2}
    assert said == "I look. It up."


@pytest.mark.parametrize("before", [[], [message("I look. It up.")]])
async def test_where_no_call_is_left_in_a_stream_the_reply_is_said(before: list[dict[str, Any]]) -> None:
    answer, said = await _streamed([*before, call("drop_all", "{}")])
    assert said == answer.output_text == ("I look. It up." if before else "") + REPLY


async def test_a_text_that_only_the_end_of_a_stream_tells_is_looked_at() -> None:
    guard, _ = make_guard()
    raw = [events([message("It is SECRET-a.")])[each] for each in (0, -1)]
    async with proxied(guard) as (upstream, address, client):
        upstream.say = streams(raw)
        async with client.post(f"{address}/v1/responses", json={"input": "hi", "stream": True}) as answer:
            text = await answer.text()
    assert "SECRET-a" not in text
    assert "[SECRET]" in text
