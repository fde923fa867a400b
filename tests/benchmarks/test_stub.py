"""The measuring stub counts, fails and limits as told: a benchmark is worth no more than its server."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
import pytest
from benchmarks.bare import run as bare_loop
from benchmarks.replies import question, reply_to, true_passes
from benchmarks.stub import Limit, Stub, serve


@asynccontextmanager
async def running(stub: Stub) -> AsyncIterator[tuple[aiohttp.ClientSession, str]]:
    runner, address = await serve(stub)
    try:
        async with aiohttp.ClientSession() as session:
            yield session, address
    finally:
        await runner.cleanup()


async def ask(session: aiohttp.ClientSession, address: str, number: int) -> tuple[int, Any, Any]:
    body = {"model": "stub", "messages": [{"role": "user", "content": question(number)}]}
    async with session.post(f"{address}/v1/chat/completions", json=body) as response:
        return response.status, await response.json(), response.headers


async def stats(session: aiohttp.ClientSession, address: str) -> Any:
    async with session.get(f"{address}/stats") as response:
        return await response.json()


async def test_the_bare_loop_gets_the_true_count_and_is_counted() -> None:
    async with running(Stub(latency=0.02)) as (session, address):
        assert await bare_loop(f"{address}/v1/", 40, 8) == true_passes(40) == 36
        seen = await stats(session, address)
        assert (seen["requests"], seen["answered"], seen["distinct"], seen["answered_again"]) == (80, 80, 80, 0)
        assert seen["in_flight"] == 0
        assert 1 < seen["mean_in_flight"] <= seen["most_in_flight"] == 8
        assert seen["loop"] >= 2 * 0.02 * 40 / 8

        async with session.post(f"{address}/reset") as response:
            assert response.status == 200
        assert (await stats(session, address))["requests"] == 0


async def test_a_request_answered_twice_is_told() -> None:
    async with running(Stub()) as (session, address):
        for number in (1, 2, 1):
            assert (await ask(session, address, number))[0] == 200
        seen = await stats(session, address)
        assert (seen["answered"], seen["distinct"], seen["answered_again"]) == (3, 2, 1)


async def test_the_share_of_faults_is_near_what_was_told_and_does_not_depend_on_order() -> None:
    async def failing(order: list[int]) -> set[int]:
        async with running(Stub(fail_share=0.05, fail_status=503)) as (session, address):
            statuses = {number: (await ask(session, address, number))[0] for number in order}
            seen = await stats(session, address)
            assert seen["faults"] == sum(status == 503 for status in statuses.values())
            return {number for number, status in statuses.items() if status == 503}

    numbers = list(range(400))
    failed = await failing(numbers)
    assert 5 <= len(failed) <= 50
    assert await failing(numbers[::-1]) == failed


async def test_a_fault_passes_when_tried_again() -> None:
    async with running(Stub(fail_share=0.5)) as (session, address):
        statuses = [(await ask(session, address, 1))[0] for _ in range(40)]
        assert set(statuses) == {200, 503}


@pytest.mark.parametrize("window", ["fixed", "sliding"])
async def test_more_calls_than_allowed_are_told_to_wait(window: Any) -> None:
    async with running(Stub(limit=Limit(rate=5, window=window))) as (session, address):
        answers = await asyncio.gather(*(ask(session, address, number) for number in range(12)))
        waiting = [headers for status, _, headers in answers if status == 429]
        assert len(waiting) >= 2  # 5 pass, or 10 when a second ends in their midst
        assert {headers["Retry-After"] for headers in waiting} == {"1"}
        assert (await stats(session, address))["limited"] == len(waiting)
        await asyncio.sleep(1.05)
        assert (await ask(session, address, 99))[0] == 200


def test_a_sliding_second_never_admits_more_than_its_rate() -> None:
    limit = Limit(rate=3, window="sliding")
    assert [limit.admits(100 + tenth / 10) for tenth in range(12)] == [True] * 3 + [False] * 7 + [True] * 2


def test_a_fixed_second_begins_anew() -> None:
    limit = Limit(rate=3)
    times = [100.0, 100.1, 100.8, 100.9, 101.05, 101.1, 101.2, 101.3, 105.0]
    assert [limit.admits(time) for time in times] == [True, True, True, False, True, True, True, False, True]


@pytest.mark.parametrize(("number", "passed"), [(8, True), (9, False)])
def test_the_judge_knows_right_from_wrong_in_every_dialect(number: int, passed: bool) -> None:
    answer = reply_to({"messages": [{"role": "user", "content": question(number)}]})["content"]
    shown = [{"role": "user", "content": f"{question(number)}\n{answer}"}]
    fields = {"reason": {"type": "string"}, "pass": {"type": "boolean"}, "grade": {"enum": ["wrong", "right"]}}
    schema = {"type": "object", "properties": fields}
    wanted = {"type": "json_schema", "json_schema": {"name": "verdict", "schema": schema}}
    verdict = json.loads(reply_to({"messages": shown, "response_format": wanted})["content"])
    assert list(verdict) == ["reason", "pass", "grade"]
    assert (verdict["pass"], verdict["grade"]) == (passed, "right" if passed else "wrong")

    tool = {"type": "function", "function": {"name": "choose", "parameters": schema}}
    call = reply_to({"messages": shown, "tools": [tool]})["tool_calls"][0]["function"]
    assert json.loads(call["arguments"])["pass"] is passed

    graded = [{"role": "user", "content": f"{shown[0]['content']}\nEnd with GRADE: C or GRADE: I"}]
    assert reply_to({"messages": graded})["content"].endswith("GRADE: C" if passed else "GRADE: I")
    assert json.loads(reply_to({"messages": shown})["content"])["pass"] is passed


async def test_what_is_no_chat_request_is_refused() -> None:
    async with running(Stub()) as (session, address):
        async with session.post(f"{address}/v1/chat/completions", data=b"[]") as response:
            assert response.status == 400
        async with session.get(f"{address}/nothing") as response:
            assert response.status == 404
