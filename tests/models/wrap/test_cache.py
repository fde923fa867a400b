"""The cache wrapper: right keys, asked once, errors never kept, and a broken cache breaks no run."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, field, replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.models.wrap.staging import Told, ask, in_virtual_time, overload
from tests.profiles import examples

from proctor.core.chat import Message, Reply, Request, Sampling, Tool
from proctor.core.errors import OverloadedError, RejectedError, StoreError
from proctor.models.wrap.cache import Cached, Sharing, request_key


@dataclass
class Kept:
    """A cache in memory that can be told to fail."""

    replies: dict[str, Reply] = field(default_factory=dict)
    broken: str | None = None

    def get(self, key: str) -> Reply | None:
        if self.broken == "get":
            raise StoreError("damaged", hint="clear it")
        return self.replies.get(key)

    def put(self, key: str, request: Request, reply: Reply, *, model: str) -> None:
        if self.broken == "put":
            raise StoreError("the disk is full", hint="free some space")
        self.replies[key] = reply


async def test_the_second_time_it_is_not_asked() -> None:
    model = Told(answers=[Reply(text="fresh", cost=0.5)])
    cached = Cached(model=model, cache=Kept(), identity="a")
    first = await cached.complete(ask())
    second = await cached.complete(ask())
    assert (first.cached, second.cached) == (False, True)
    assert replace(second, cached=False) == first
    assert len(model.asked) == 1
    assert cached.name == "told:model"


async def test_samples_and_models_are_told_apart() -> None:
    kept, model = Kept(), Told()
    for identity in ("a", "b"):
        for sample in range(3):
            await Cached(model=model, cache=kept, identity=identity).complete(ask(sample=sample))
    assert len(model.asked) == 6
    assert len(kept.replies) == 6


def test_everything_that_decides_an_answer_is_in_the_key() -> None:
    plain = ask()
    others = [
        ask("other"),
        ask(sample=1),
        replace(plain, messages=(*plain.messages, Message(role="assistant", content="x"))),
        replace(plain, tools=(Tool(name="search"),)),
        replace(plain, schema={"type": "object"}),
        replace(plain, sampling=Sampling(temperature=0.5)),
        replace(plain, sampling=Sampling(seed=1)),
        replace(plain, sampling=Sampling(extra={"reasoning_effort": "low"})),
    ]
    keys = {request_key("model", request) for request in [plain, *others]} | {request_key("another", plain)}
    assert len(keys) == len(others) + 2


def test_the_key_does_not_depend_on_the_order_of_keys() -> None:
    first = replace(ask(), schema={"type": "object", "properties": {}})
    second = replace(ask(), schema={"properties": {}, "type": "object"})
    assert request_key({"a": 1, "b": 2}, first) == request_key({"b": 2, "a": 1}, second)


async def test_errors_are_never_kept() -> None:
    kept = Kept()
    model = Told(answers=[overload(), Reply(text="better")])
    cached = Cached(model=model, cache=kept)
    with pytest.raises(OverloadedError):
        await cached.complete(ask())
    assert kept.replies == {}
    assert (await cached.complete(ask())).text == "better"


async def test_equal_questions_under_way_are_asked_once() -> None:
    model = Told(answers=[Reply(text="one")], gate=asyncio.Event())
    cached = Cached(model=model, cache=Kept())
    tasks = [asyncio.ensure_future(cached.complete(ask())) for _ in range(10)]
    await asyncio.sleep(0)
    assert model.gate is not None
    model.gate.set()
    replies = await asyncio.gather(*tasks)
    assert len(model.asked) == 1
    assert {reply.text for reply in replies} == {"one"}
    assert [reply.cached for reply in replies].count(False) == 1  # paid for once
    assert cached.sharing.waiting == {}


async def test_an_error_reaches_everyone_who_waits() -> None:
    model = Told(answers=[overload()], gate=asyncio.Event())
    cached = Cached(model=model, cache=Kept())
    tasks = [asyncio.ensure_future(cached.complete(ask())) for _ in range(4)]
    await asyncio.sleep(0)
    assert model.gate is not None
    model.gate.set()
    outcomes = await asyncio.gather(*tasks, return_exceptions=True)
    assert all(isinstance(each, OverloadedError) for each in outcomes)
    assert len(model.asked) == 1


async def test_when_the_one_that_asked_is_cancelled_another_asks() -> None:
    model = Told(gate=asyncio.Event())
    cached = Cached(model=model, cache=Kept())
    tasks = [asyncio.ensure_future(cached.complete(ask())) for _ in range(3)]
    await asyncio.sleep(0)
    tasks[0].cancel()
    await asyncio.sleep(0.01)
    assert model.gate is not None
    model.gate.set()
    outcomes = await asyncio.gather(*tasks, return_exceptions=True)
    assert isinstance(outcomes[0], asyncio.CancelledError)
    assert [each.text for each in outcomes[1:] if isinstance(each, Reply)] == ["ok", "ok"]
    assert len(model.asked) == 2


async def test_refresh_asks_anew_and_keeps_the_new_answer() -> None:
    kept = Kept()
    await Cached(model=Told(answers=[Reply(text="old")]), cache=kept).complete(ask())
    model = Told(answers=[Reply(text="new")])
    reply = await Cached(model=model, cache=kept, mode="refresh").complete(ask())
    assert (reply.text, reply.cached) == ("new", False)
    assert [each.text for each in kept.replies.values()] == ["new"]


async def test_two_equal_questions_in_refresh_are_two_questions() -> None:
    model = Told(gate=asyncio.Event())
    cached = Cached(model=model, cache=Kept(), mode="refresh")
    tasks = [asyncio.ensure_future(cached.complete(ask())) for _ in range(2)]
    await asyncio.sleep(0)
    assert len(model.asked) == 2
    assert model.gate is not None
    model.gate.set()
    await asyncio.gather(*tasks)


async def test_only_replays_and_names_what_is_missing() -> None:
    kept, model = Kept(), Told()
    await Cached(model=model, cache=kept).complete(ask("known"))
    replaying = Cached(model=model, cache=kept, mode="only")
    assert (await replaying.complete(ask("known"))).cached
    with pytest.raises(RejectedError, match="the recording has no answer to 'unknown', sample 2") as caught:
        await replaying.complete(ask("unknown", sample=2))
    assert "record it" in str(caught.value.hint)
    assert len(model.asked) == 1


async def test_a_long_question_is_shortened_in_the_message() -> None:
    with pytest.raises(RejectedError) as caught:
        await Cached(model=Told(), cache=Kept(), mode="only").complete(ask("x" * 5000))
    assert len(caught.value.message) < 250


@pytest.mark.parametrize("what", ["get", "put"])
async def test_a_broken_cache_is_noted_once_and_the_run_goes_on(what: str, caplog: pytest.LogCaptureFixture) -> None:
    sharing = Sharing()
    model = Told()
    cached = Cached(model=model, cache=Kept(broken=what), sharing=sharing)
    with caplog.at_level(logging.WARNING):
        for number in range(5):
            assert (await cached.complete(ask(str(number)))).text == "ok"
    assert len(model.asked) == 5
    assert len(sharing.notes) == 1
    assert "could not be" in sharing.notes[0]
    assert len(caplog.records) == 1


async def test_a_broken_recording_is_not_asked_around() -> None:
    with pytest.raises(StoreError):
        await Cached(model=Told(), cache=Kept(broken="get"), mode="only").complete(ask())


@settings(max_examples=examples(60))
@given(
    plan=st.lists(st.tuples(st.integers(0, 2), st.floats(0, 2), st.none() | st.floats(0, 2)), min_size=1, max_size=25)
)
def test_nobody_waits_for_ever_whoever_is_cancelled(plan: list[tuple[int, float, float | None]]) -> None:
    async def work() -> None:
        loop = asyncio.get_running_loop()
        asked: list[int] = []

        class Slow:
            name = "slow"

            async def complete(self, request: Request) -> Reply:
                asked.append(int(request.messages[0].content))
                await asyncio.sleep(0.5)
                return Reply(text=request.messages[0].content)

        cached = Cached(model=Slow(), cache=Kept())

        async def call(question: int, at: float) -> str:
            await asyncio.sleep(at)
            return (await cached.complete(ask(str(question)))).text

        tasks = [asyncio.ensure_future(call(question, at)) for question, at, _ in plan]
        for task, (_, _, cancelled) in zip(tasks, plan, strict=True):
            if cancelled is not None:
                loop.call_later(cancelled, task.cancel)
        outcomes = await asyncio.wait_for(asyncio.gather(*tasks, return_exceptions=True), 3600)
        for (question, _, cancelled), each in zip(plan, outcomes, strict=True):
            assert each == str(question) or (cancelled is not None and isinstance(each, asyncio.CancelledError))
        assert cached.sharing.waiting == {}
        if all(cancelled is None for _, _, cancelled in plan):
            assert len(asked) == len(set(asked))

    in_virtual_time(work)
