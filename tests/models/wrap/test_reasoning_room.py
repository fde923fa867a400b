from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from proctor.core.chat import Message, Reply, Request, Sampling, Usage
from proctor.models.wrap.reasoning_room import ReasoningRoom

ASK = Request(messages=(Message(role="user", content="?"),), sampling=Sampling(max_tokens=300))


@dataclass
class Thinker:
    """Needs so many tokens for its thoughts before it says anything."""

    thoughts: int
    name: str = "thinker"
    limits: list[int | None] = field(default_factory=list)

    async def complete(self, request: Request) -> Reply:
        limit = request.sampling.max_tokens
        self.limits.append(limit)
        used = Usage(input=5, output=min(limit or 10**6, self.thoughts), reasoning=min(limit or 10**6, self.thoughts))
        if limit is not None and limit <= self.thoughts:
            return Reply(text="", finish="length", usage=used, cost=1.0)
        return Reply(text="{}", usage=used, cost=1.0)


async def test_room_is_made_once_and_kept() -> None:
    thinker = Thinker(thoughts=1_000)
    model = ReasoningRoom(thinker)
    reply = await model.complete(ASK)
    assert (reply.text, reply.usage.input, reply.cost) == ("{}", 10, 2.0)
    await model.complete(ASK)
    assert thinker.limits == [300, 8_300, 8_300]


async def test_a_model_that_never_stops_is_asked_a_few_times_only() -> None:
    thinker = Thinker(thoughts=10**9)
    assert (await ReasoningRoom(thinker).complete(ASK)).finish == "length"
    assert thinker.limits == [300, 8_300, 32_300]


@pytest.mark.parametrize("thoughts", [0, 100])
async def test_other_models_are_left_alone(thoughts: int) -> None:
    thinker = Thinker(thoughts=thoughts)
    await ReasoningRoom(thinker).complete(ASK)
    await ReasoningRoom(thinker).complete(Request(messages=ASK.messages))
    assert thinker.limits == [300, None]


async def test_a_plain_answer_that_is_cut_is_not_asked_for_again() -> None:
    class Wordy:
        name = "wordy"
        calls = 0

        async def complete(self, request: Request) -> Reply:
            self.calls += 1
            return Reply(text="la la la", finish="length", usage=Usage(output=300))

    wordy = Wordy()
    assert (await ReasoningRoom(wordy).complete(ASK)).finish == "length"
    assert wordy.calls == 1
