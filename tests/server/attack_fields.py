"""Puts an attack into every field of a published type and sends it through the proxy: which fields nobody reads."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from proctor.core.step import POINTS
from proctor.core.verdict import Verdict
from proctor.guard.chain import Chain, Post
from proctor.guard.engine import Plan
from proctor.guard.step import Step
from proctor.wiring.guard import Guard
from tests.profiles import scaled
from tests.server.gates import REPLY
from tests.server.schema_walk import ATTACK
from tests.server.upstream import proxied, says, streams

# Why a field may pass unread.
SETTING = "a setting that the developer writes, not the customer"
ID = "names an account or a stored object; the model does not read it"
PROMPT = "the developer's own instructions and tools"
ASSISTANT = "what the model said itself: it was read as output and as tool calls when it left"
ECHO = "repeats what the developer sent"


@dataclass(frozen=True, slots=True, kw_only=True)
class Attacks:
    """Blocks every step that has the attack in its text, or in the name or the arguments of its call."""

    name: ClassVar[str] = "attacks"
    version: ClassVar[str] = "1"
    points: ClassVar[tuple[str, ...]] = POINTS
    pure: ClassVar[bool] = False

    async def check(self, step: Step) -> Verdict:
        call = json.dumps([step.call.name, dict(step.call.arguments)], default=str) if step.call is not None else ""
        found = ATTACK in step.text or ATTACK in call
        return Verdict(action="block" if found else "allow", gate=self.name)


def make_attack_guard() -> Guard:
    """A guard with the gate at every point."""
    chains = {
        point: Chain(point=point, posts=(Post(gate=Attacks(), name="attacks", timeout=30.0),)) for point in POINTS
    }
    return Guard(Plan(chains=chains, replies={"block": REPLY}, log="none"))


_EVERY = 100 // scaled(100)  # a field of so many is sent, since a request takes its time: every one in the long profile


async def unread_requests(path: str, bodies: Iterator[tuple[str, Any]], answer: Any) -> tuple[list[str], int]:
    """Fields in which an attack reached the upstream, and how many there were."""
    leaked: list[str] = []
    count = 0
    async with proxied(make_attack_guard()) as (upstream, address, client):
        upstream.say = says(answer)
        for name, body in bodies:
            count += 1
            if count % _EVERY:
                continue
            upstream.asked.clear()
            async with client.post(address + path, json=body) as reply:
                assert reply.status in (200, 400), (name, reply.status, await reply.text())
            if any(ATTACK.encode() in raw for *_, raw in upstream.asked):
                leaked.append(name)
    return leaked, count


async def passed_answers(
    path: str, asked: Any, answers: Iterator[tuple[str, Any]], words: str = ATTACK
) -> tuple[list[str], int]:
    """Fields in which the upstream's words reached the client, and how many there were; a list is a stream."""
    passed: list[str] = []
    count = 0
    async with proxied(make_attack_guard()) as (upstream, address, client):
        for name, given in answers:
            count += 1
            if words == ATTACK and count % _EVERY:
                continue
            upstream.say = streams(given) if isinstance(given, list) else says(given)
            async with client.post(address + path, json=asked) as reply:
                text = await reply.text()
                assert reply.status in (200, 502), (name, reply.status, text)
            if words in text:
                passed.append(name)
    return passed, count
