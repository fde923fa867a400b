"""Targets that stream: server-sent events, JSON lines, and generators."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
from aiohttp import web

from proctor.core.case import Case
from proctor.core.trajectory import Trajectory
from proctor.scorers.answer.latency import Latency
from proctor.targets.http import connect
from proctor.targets.python import target_of
from tests.targets.conftest import Agent, KitOf

CASE = Case(id="c", input="How long?")
OPENAI = {"shape": "openai", "stream": True}
OWN = {"request": {"q": "{{ text }}"}, "reply": {"answer": "delta.text", "sources": "sources", "session": "session"}}


def _streams(
    agent: Agent, *parts: str | bytes, kind: str = "text/event-stream; charset=utf-8", pause: int = -1
) -> None:
    """Answer with these parts, one after the other; ``pause`` is the part that a moment passes before."""

    async def answer(request: web.Request) -> web.StreamResponse:
        made = web.StreamResponse(headers={"Content-Type": kind})
        await made.prepare(request)
        for place, part in enumerate(parts):
            if place == pause:
                await asyncio.sleep(0.05)
            await made.write(part.encode() if isinstance(part, str) else part)
        await made.write_eof()
        return made

    agent.handler = lambda request, body: answer(request)


def _delta(**delta: Any) -> str:
    return "data: " + json.dumps({"choices": [{"delta": delta}]}) + "\n\n"


async def _run(agent: Agent, kit_of: KitOf, pool: Any, settings: dict[str, Any]) -> Trajectory:
    return await connect(kit_of({"http": agent.url, **settings})).run(CASE)


async def test_the_openai_format_in_pieces(agent: Agent, kit_of: KitOf, pool: Any) -> None:
    call = {"index": 0, "id": "t1", "function": {"name": "find", "arguments": '{"q": '}}
    rest = {"index": 0, "function": {"arguments": '"tea"}'}}
    usage = "data: " + json.dumps({"choices": [], "usage": {"prompt_tokens": 5, "completion_tokens": 2}}) + "\n\n"
    _streams(
        agent,
        ": hello\n\n",
        _delta(role="assistant", content=""),
        _delta(tool_calls=[call]),
        _delta(tool_calls=[rest]),
        _delta(content="You have "),
        _delta(content="15 days."),
        usage,
        "data: [DONE]\n\n",
        pause=4,
    )
    run = await _run(agent, kit_of, pool, OPENAI)
    assert run.error is None
    assert run.answer == "You have 15 days."
    (made,) = run.tool_calls
    assert (made.name, made.arguments) == ("find", {"q": "tea"})
    assert (run.usage.input, run.usage.output) == (5, 2)
    turn = run.turns[0]
    assert turn.first_token is not None
    assert turn.latency is not None
    assert 0.05 <= turn.first_token <= turn.latency
    assert agent.bodies[0]["stream"] is True
    score = await Latency(at_most=0.01, per="first_token").score(CASE, run)
    assert (score.value, score.measured) == (0.0, turn.first_token)


async def test_paths_into_each_event_and_characters_cut_by_the_network(agent: Agent, kit_of: KitOf, pool: Any) -> None:
    body = (
        'event: start\r\ndata: {"session": "s9"}\r\n\r\n'
        'data: {"delta": {"text": "在庫が"}}\n\ndata: {"delta":\ndata:  {"text": "あります。"}}\n\n'
        'data: {"sources": ["Stock list of today, 12 copies left."]}'
    ).encode()
    _streams(agent, *(body[place : place + 7] for place in range(0, len(body), 7)))
    run = await _run(agent, kit_of, pool, OWN)
    assert (run.error, run.answer, run.session) == (None, "在庫があります。", "s9")
    assert run.sources[0].text == "Stock list of today, 12 copies left."


@pytest.mark.parametrize(
    ("parts", "settings", "answer"),
    [
        (["data: You\n\n", "data:  have\n\n", "data: [DONE]\n\n"], OPENAI, "You have"),
        (['data: {"t": "A"}\n\n', 'data: {"t": "A b"}\n\n'], {"request": {}, "reply": "t", "stream": "whole"}, "A b"),
        (['data: {"t": [{"text": "a"}, "b"]}\n\n'], {"request": {}, "reply": "t"}, "ab"),
    ],
)
async def test_other_ways_to_stream(
    agent: Agent, kit_of: KitOf, pool: Any, parts: list[str], settings: dict[str, Any], answer: str
) -> None:
    _streams(agent, *parts)
    assert (await _run(agent, kit_of, pool, settings)).answer == answer


async def test_json_lines(agent: Agent, kit_of: KitOf, pool: Any) -> None:
    _streams(agent, '{"delta": {"text": "a"}}\n', '{"delta": {"text": "b"}}\n', kind="application/x-ndjson")
    assert (await _run(agent, kit_of, pool, OWN)).answer == "ab"


@pytest.mark.parametrize(
    ("part", "told"),
    [
        ('data: {"error": {"message": "overloaded"}}\n\n', "the stream ended with an error: overloaded"),
        ("event: error\ndata: {}\n\n", "the stream ended with an error"),
        ('data: {"text": "hi"}\n\n', "not found in any of the 1 events of the stream (the first has: text)"),
        ("", "the stream has no event"),
        ('data: {"delta": {"text": 5}}\n\n', "the answer is int, not text"),
    ],
)
async def test_a_stream_without_an_answer_is_an_error(
    agent: Agent, kit_of: KitOf, pool: Any, part: str, told: str
) -> None:
    _streams(agent, part)
    run = await _run(agent, kit_of, pool, OWN)
    assert told in (run.error or "")


async def test_a_stream_that_breaks_off_is_an_error(agent: Agent, kit_of: KitOf, pool: Any) -> None:
    async def broken(request: web.Request) -> web.StreamResponse:
        made = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await made.prepare(request)
        await made.write(_delta(content="You").encode())
        assert request.transport is not None
        request.transport.close()
        return made

    agent.handler = lambda request, body: broken(request)
    run = await _run(agent, kit_of, pool, OPENAI)
    assert run.error is not None
    assert run.error_kind == "target"


async def test_an_async_generator_streams_its_answer() -> None:
    async def agent(text: str) -> AsyncIterator[Any]:
        yield {"sources": ["The return window is 15 days."]}
        yield ""
        await asyncio.sleep(0.02)
        yield "You have "
        await asyncio.sleep(0.02)
        yield "15 days."

    run = await target_of(agent).run(CASE)
    assert (run.error, run.answer) == (None, "You have 15 days.")
    turn = run.turns[0]
    assert turn.first_token is not None
    assert turn.latency is not None
    assert 0.02 <= turn.first_token < turn.latency
    assert turn.sources[0].text == "The return window is 15 days."


async def test_a_plain_generator_and_a_class_that_yields() -> None:
    def agent(text: str) -> Iterator[str]:
        yield from ("a", "b")

    class Speaker:
        def say(self, text: str) -> Iterator[Any]:
            yield text
            yield {"confidence": 0.5}

    assert (await target_of(agent).run(CASE)).answer == "ab"
    run = await target_of(Speaker).run(CASE)
    assert (run.answer, run.turns[0].confidence) == ("How long?", 0.5)


@pytest.mark.parametrize("wrong", [5, RuntimeError("broken in the middle")])
async def test_a_generator_that_fails_is_an_error(wrong: Any) -> None:
    async def agent(text: str) -> AsyncIterator[Any]:
        yield "You "
        if isinstance(wrong, Exception):
            raise wrong
        yield wrong

    run = await target_of(agent).run(CASE)
    assert ("yielded int" if wrong == 5 else "broken in the middle") in (run.error or "")


async def test_a_target_that_does_not_stream_has_no_first_token() -> None:
    run = await target_of(lambda text: "hi", "plain").run(CASE)
    assert run.turns[0].first_token is None
    score = await Latency(at_most=1, per="first_token").score(CASE, run)
    assert (score.status, score.reason) == (
        "error",
        "the time of the first words is not known: the target does not stream",
    )
