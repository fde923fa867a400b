"""Trying again: what, how often, and never sooner than the server said."""

from __future__ import annotations

import asyncio
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.models.wrap.staging import FakeTime, Told, ask, overload, refusal
from tests.tables import table

from proctor.core.chat import Reply
from proctor.core.errors import (
    BudgetError,
    ModelError,
    OverloadedError,
    RateLimitedError,
    RefusedError,
    RejectedError,
    ReplyError,
    TimedOutError,
    UnknownModelError,
    UnreachableError,
)
from proctor.core.sockets import Model
from proctor.models.wrap.retry import Retrying


def retrying(model: Model, time: FakeTime, **more: float) -> Retrying:
    return Retrying(model=model, sleep=time.sleep, clock=time.clock, random=random.Random(7), **more)  # type: ignore[arg-type]


async def test_a_first_success_passes_through_untouched() -> None:
    reply = Reply(text="at once")
    model = Told(answers=[reply])
    assert await Retrying(model=model).complete(ask()) is reply
    assert Retrying(model=model).name == "told:model"


@pytest.mark.parametrize("error", [UnreachableError("gone"), TimedOutError("slow"), overload()])
async def test_what_may_pass_is_tried_again(error: ModelError) -> None:
    time = FakeTime()
    model = Told(answers=[error, error, Reply(text="third")])
    reply = await retrying(model, time).complete(ask())
    assert (reply.text, reply.attempts, len(model.asked)) == ("third", 3, 3)


@table(
    "error",
    [
        RefusedError("key"),
        RejectedError("bad"),
        UnknownModelError("none"),
        BudgetError("spent"),
        ReplyError("junk"),
        ValueError("a bug"),
    ],
)
async def test_what_will_not_pass_is_told_at_once(error: Exception) -> None:
    model = Told(answers=[error])
    with pytest.raises(type(error)) as caught:
        await retrying(model, FakeTime()).complete(ask())
    assert caught.value is error
    assert len(model.asked) == 1


async def test_the_last_error_says_how_often_and_how_long() -> None:
    time = FakeTime()
    failure = UnreachableError("no connection", field="models.x", hint="start the server")
    with pytest.raises(UnreachableError, match=r"no connection \(tried 4 times in \d+\.\d s\)") as caught:
        await retrying(Told(answers=[failure] * 9), time, attempts=4).complete(ask())
    assert (caught.value.field, caught.value.hint) == ("models.x", "start the server")
    assert vars(caught.value)["attempts"] == 4
    assert caught.value.__cause__ is failure


async def test_status_and_raw_words_survive_giving_up() -> None:
    failure = overload()
    failure.status = 529
    with pytest.raises(OverloadedError) as caught:
        await retrying(Told(answers=[failure] * 9), FakeTime(), attempts=2).complete(ask())
    assert caught.value.status == 529


async def test_waits_double_up_to_the_cap() -> None:
    time = FakeTime()
    with pytest.raises(OverloadedError):
        await retrying(Told(answers=[overload()] * 20), time, attempts=12, base=1.0, cap=8.0).complete(ask())
    assert len(time.slept) == 11
    for index, wait in enumerate(time.slept):
        assert 0 <= wait <= min(8.0, 2.0**index)


async def test_the_same_seed_waits_the_same() -> None:
    waits = []
    for _ in range(2):
        time = FakeTime()
        with pytest.raises(OverloadedError):
            await retrying(Told(answers=[overload()] * 9), time).complete(ask())
        waits.append(time.slept)
    assert waits[0] == waits[1]


async def test_a_429_uses_up_no_try() -> None:
    time = FakeTime()
    model = Told(answers=[refusal(1.0)] * 50 + [Reply(text="at last")])
    reply = await retrying(model, time, attempts=2).complete(ask())
    assert (reply.text, reply.attempts) == ("at last", 51)
    assert time.slept == [1.0] * 50


async def test_patience_ends() -> None:
    time = FakeTime()
    with pytest.raises(RateLimitedError, match="tried 6 times"):
        await retrying(Told(answers=[refusal(10.0)] * 99), time, patience=55.0).complete(ask())
    assert time.now <= 100.0 + 55.0


async def test_a_wait_longer_than_patience_is_not_begun() -> None:
    time = FakeTime()
    with pytest.raises(RateLimitedError, match=r"tried once, and the server asks to wait 3600 s more"):
        await retrying(Told(answers=[refusal(3600.0)]), time).complete(ask())
    assert time.slept == []


async def test_an_overloaded_server_may_name_its_wait_too() -> None:
    time = FakeTime()
    await retrying(Told(answers=[overload(7.0)]), time).complete(ask())
    assert time.slept == [7.0]


async def test_a_cancelled_wait_stays_cancelled() -> None:
    model = Told(answers=[overload(60.0)])
    task = asyncio.ensure_future(Retrying(model=model).complete(ask()))
    await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert len(model.asked) == 1


@settings(deadline=None)
@given(
    waits=st.lists(st.none() | st.floats(0, 100), max_size=12),
    kinds=st.lists(st.sampled_from([refusal, overload]), min_size=12, max_size=12),
)
def test_never_sooner_than_the_server_said(waits: list[float | None], kinds: list[type]) -> None:
    time = FakeTime()
    failures = [kind(wait) for wait, kind in zip(waits, kinds, strict=False)]
    model = Told(answers=[*failures, Reply(text="done")])
    reply = asyncio.run(retrying(model, time, attempts=99, patience=1e9).complete(ask()))
    assert reply.text == "done"
    assert len(time.slept) == len(waits)
    for slept, asked in zip(time.slept, waits, strict=True):
        assert asked is None or slept >= asked
