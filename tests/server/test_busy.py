"""A guard over capacity answers 503, says so in its health, and remembers no verdict that no gate gave."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, ClassVar

import aiohttp
import pytest

from proctor.core.step import POINTS, Point
from proctor.core.verdict import Verdict
from proctor.core.work_clock import CURRENT_CLOCK
from proctor.guard.capacity import QueueLimits
from proctor.guard.chain import Chain, Post
from proctor.guard.deadline import Deadline
from proctor.guard.engine import Plan
from proctor.guard.step import Step
from proctor.server.asgi import GuardMiddleware, Route
from proctor.server.conversation import Record
from proctor.server.sidecar.app import make_app
from proctor.wiring.guard import Guard
from tests.server.upstream import completion, proxied, running, says
from tests.tables import table

CHAT = "/v1/chat/completions"
LONG = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Flaky:
    """Waits in a queue, or for too long by itself, for as often as ``times`` says, and then allows all."""

    name: ClassVar[str] = "flaky"
    version: ClassVar[str] = "1"
    points: ClassVar[tuple[str, ...]] = POINTS
    pure: ClassVar[bool] = False

    point: Point = "input"
    queued: bool = True
    times: list[int] = field(default_factory=lambda: [1])

    async def check(self, step: Step) -> Verdict:
        if step.point == self.point and step.text.startswith("hi") and self.times[0] > 0:
            self.times[0] -= 1
            clock = CURRENT_CLOCK.get()
            assert clock is not None
            if not self.queued:
                await asyncio.sleep(LONG)
            with clock.queued():
                await asyncio.sleep(LONG)
        return Verdict(action="allow")


@asynccontextmanager
async def guarded(gate: Flaky, timeout: float = LONG) -> AsyncIterator[Guard]:  # noqa: ASYNC109
    deadline = Deadline(limits=QueueLimits(seconds=0.2))
    posts = (Post(gate=gate, name="flaky", timeout=timeout),)
    chains = {point: Chain(point=point, posts=posts, deadline=deadline) for point in POINTS}
    guard = Guard(Plan(chains=chains), deadline=deadline)
    yield guard
    guard.close()


async def test_the_sidecar_answers_503_and_counts_it() -> None:
    async with guarded(Flaky()) as guard:
        app = make_app(guard)
        async with running(app) as address, aiohttp.ClientSession(address) as client:
            async with client.post("/v1/input", json={"text": "hi"}) as answer:
                told = await answer.json()
                assert (answer.status, answer.headers["Retry-After"]) == (503, "1")
            assert (told["action"], told["broken"], told["busy"]) == ("block", True, True)
            assert "over capacity" in told["reason"]
            async with client.post("/v1/input", json={"text": "hi"}) as answer:
                assert (answer.status, (await answer.json())["action"]) == (200, "allow")
            async with client.get("/v1/health") as answer:
                health = await answer.json()
            assert (health["busy"], health["waiting"]) == (1, 0)
            async with client.get("/v1/stats") as answer:
                assert (await answer.json())["decisions"]["input"] == {"allow": 1, "busy": 1}


@table("point", ["input", "output"])
@table("stream", [False, True])
async def test_the_proxy_answers_503_and_asks_again(point: Any, stream: bool) -> None:
    body = {"model": "m", "messages": [{"role": "user", "content": "hi"}], "stream": stream and point == "input"}
    async with guarded(Flaky(point=point)) as guard, proxied(guard) as (upstream, address, client):
        upstream.say = says(completion("hi there"))
        async with client.post(address + CHAT, json=body, headers={"X-Proctor-Session": "s"}) as answer:
            assert (answer.status, answer.headers["Retry-After"]) == (503, "1")
            assert (await answer.json())["error"]["type"] == "over_capacity"
        body["stream"] = False
        async with client.post(address + CHAT, json=body, headers={"X-Proctor-Session": "s"}) as answer:
            assert answer.status == 200
            assert (await answer.json())["choices"][0]["message"]["content"] == "hi there"


async def test_the_middleware_answers_503() -> None:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        raise AssertionError("the application must not be asked")

    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b'{"message": "hi"}', "more_body": False}

    async def send(message: Any) -> None:
        sent.append(message)

    async with guarded(Flaky()) as guard:
        made = GuardMiddleware(app, guard, [Route(path="/chat", text="/message", answer="/reply")])
        await made({"type": "http", "method": "POST", "path": "/chat", "headers": []}, receive, send)
    assert sent[0]["status"] == 503
    assert (b"retry-after", b"1") in sent[0]["headers"]


async def test_a_timeout_is_not_remembered_as_the_verdict_on_a_text() -> None:
    """The very same request again: the gate is asked again, now it answers, and the text goes on."""
    gate = Flaky(queued=False)
    body = {"model": "m", "messages": [{"role": "user", "content": "hi"}]}
    async with guarded(gate, timeout=0.1) as guard, proxied(guard) as (upstream, address, client):
        upstream.say = says(completion("Fine."))
        async with client.post(address + CHAT, json=body, headers={"X-Proctor-Session": "s"}) as answer:
            assert answer.headers["X-Proctor-Verdict"].startswith("block")
        for _ in range(2):
            async with client.post(address + CHAT, json=body, headers={"X-Proctor-Session": "s"}) as answer:
                assert (await answer.json())["choices"][0]["message"]["content"] == "Fine."
        longer = [*body["messages"], {"role": "assistant", "content": "Fine."}, {"role": "user", "content": "ok"}]
        async with client.post(address + CHAT, json={**body, "messages": longer}) as answer:
            assert answer.status == 200
        assert upstream.body()["messages"] == longer


@pytest.mark.parametrize("action", ["block", "allow", "escalate"])
def test_a_broken_verdict_is_never_kept(action: Any) -> None:
    record = Record(id="r")
    record.keep(b"key", Verdict(action="block", reason="an attack"))
    record.keep(b"key", Verdict(action=action, broken=True))
    assert record.known == {}
