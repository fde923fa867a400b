"""Rates the user sets: read from what people write, and kept."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.models.wrap.staging import FakeTime, Told, ask, in_virtual_time, overload
from tests.tables import table

from proctor.core.chat import Reply, Usage
from proctor.core.errors import ConfigError, OverloadedError
from proctor.models.wrap.rate_budget import Pace, Paced, RateQuota, parse_rate


@table(
    ("text", "amount", "seconds", "unit"),
    [
        ("30/s", 30, 1, "calls"),
        ("500/min", 500, 60, "calls"),
        (" 500 / minute ", 500, 60, "calls"),
        ("1,000/min", 1000, 60, "calls"),
        ("10_000 requests per hour", 10_000, 3600, "calls"),
        ("0.5/s", 0.5, 1, "calls"),
        ("200k tokens/min", 200_000, 60, "tokens"),
        ("1.5M tokens/min", 1_500_000, 60, "tokens"),
        ("2K calls/h", 2000, 3600, "calls"),
    ],
)
def test_rates_as_people_write_them(text: str, amount: float, seconds: float, unit: str) -> None:
    (rate,) = parse_rate(text)
    assert (rate.amount, rate.seconds, rate.unit) == (amount, seconds, unit)


@pytest.mark.parametrize("text", ["30/s, 200k tokens/min", "30/s; 200k tokens/min", "30/s and 200k tokens/min"])
def test_several_rates_in_one(text: str) -> None:
    assert [rate.unit for rate in parse_rate(text)] == ["calls", "tokens"]


@table("text", ["", "fast", "30", "30/fortnight", "0/s", "-1/s", "30/s,", "k/s", "30//s", "1e5/s"])
def test_what_is_no_rate_is_named_with_the_mend(text: str) -> None:
    with pytest.raises(ConfigError, match="is not a rate") as caught:
        parse_rate(text)
    assert "30/s" in str(caught.value.hint)


@settings(deadline=None)
@given(st.text(max_size=30))
def test_any_text_is_a_rate_or_a_clear_error(text: str) -> None:
    try:
        rates = parse_rate(text)
    except ConfigError:
        return
    assert all(0 < rate.each < float("inf") for rate in rates)


def starts_of(rates: tuple[RateQuota, ...], calls: int, usage: Usage | None = None) -> list[float]:
    async def work() -> list[float]:
        loop = asyncio.get_running_loop()
        starts: list[float] = []

        class Timed:
            name = "timed"

            async def complete(self, request: object) -> Reply:
                starts.append(loop.time())
                await asyncio.sleep(0.01)
                return Reply(usage=usage or Usage())

        paced = Paced(model=Timed(), pace=Pace(rates, clock=loop.time))
        await asyncio.gather(*(paced.complete(ask()) for _ in range(calls)))
        return starts

    return in_virtual_time(work)


@settings(deadline=None)
@given(calls=st.integers(1, 80), amount=st.integers(1, 100))
def test_never_more_than_the_rate_in_any_second(calls: int, amount: int) -> None:
    starts = starts_of((RateQuota(amount=amount, seconds=1.0),), calls)
    assert len(starts) == calls
    for first in starts:
        assert sum(first <= start < first + 1 - 1e-6 for start in starts) <= amount
    assert starts[-1] <= (calls - 1) / amount + 1e-6  # and no slower than that


async def test_tokens_are_paid_for_after_they_are_known() -> None:
    time = FakeTime()
    model = Told(answers=[Reply(usage=Usage(input=900, output=100))] * 10)
    paced = Paced(model=model, pace=Pace(parse_rate("1k tokens/s"), clock=time.clock, sleep=time.sleep))
    for _ in range(10):
        await paced.complete(ask())
    assert time.now - 100.0 == pytest.approx(9.0)


async def test_the_strictest_rate_decides() -> None:
    time = FakeTime()
    paced = Paced(model=Told(), pace=Pace(parse_rate("100/s, 60/min"), clock=time.clock, sleep=time.sleep))
    for _ in range(5):
        await paced.complete(ask())
    assert time.now - 100.0 == pytest.approx(4.0)


async def test_a_failed_call_costs_its_turn_but_no_tokens() -> None:
    time = FakeTime()
    model = Told(answers=[Reply(usage=Usage(input=1000)), overload(), Reply(usage=Usage(input=1000))])
    paced = Paced(model=model, pace=Pace(parse_rate("1k tokens/s"), clock=time.clock, sleep=time.sleep))
    await paced.complete(ask())
    with pytest.raises(OverloadedError):
        await paced.complete(ask())
    before = time.now
    await paced.complete(ask())
    assert time.now == pytest.approx(before)


def test_a_cancelled_wait_gives_its_tokens_back() -> None:
    async def work() -> float:
        loop = asyncio.get_running_loop()
        pace = Pace(parse_rate("1k tokens/s"), clock=loop.time)
        paced = Paced(model=Told(answers=[Reply(usage=Usage(input=1000))] * 9), pace=pace)
        await paced.complete(ask())
        waiting = [asyncio.ensure_future(paced.complete(ask())) for _ in range(3)]
        await asyncio.sleep(0)
        for task in waiting:
            task.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)
        await paced.complete(ask())
        return loop.time()

    assert in_virtual_time(work) == pytest.approx(1.0)
