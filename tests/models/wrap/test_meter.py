"""What a run spent, by model and role."""

from __future__ import annotations

import pytest
from tests.models.wrap.staging import FakeTime, Told, ask, overload

from proctor.core.chat import Reply, Usage
from proctor.core.errors import OverloadedError
from proctor.models.wrap.meter import Meter, Metered
from proctor.models.wrap.retry import Retrying

USAGE = Usage(input=100, output=20, cached_input=40, reasoning=5)


async def test_calls_tokens_and_money_add_up() -> None:
    meter = Meter()
    model = Metered(model=Told(answers=[Reply(usage=USAGE, cost=0.25, attempts=3)] * 4), meter=meter, role="judge")
    for _ in range(4):
        await model.complete(ask())
    (spend,) = meter.spend()
    assert (spend.model, spend.role, spend.calls, spend.retries) == ("told:model", "judge", 4, 8)
    assert spend.usage == Usage(input=400, output=80, cached_input=160, reasoning=20)
    assert spend.cost == pytest.approx(1.0)
    assert model.name == "told:model"


async def test_roles_are_counted_apart() -> None:
    meter = Meter()
    for role in ("target", "judge", "target"):
        await Metered(model=Told(), meter=meter, role=role).complete(ask())
    assert [(spend.role, spend.calls) for spend in meter.spend()] == [("judge", 1), ("target", 2)]


async def test_a_kept_reply_costs_nothing_again() -> None:
    meter = Meter()
    reply = Reply(usage=USAGE, cost=0.25, attempts=3, cached=True)
    await Metered(model=Told(answers=[reply]), meter=meter).complete(ask())
    (spend,) = meter.spend()
    assert (spend.calls, spend.cached, spend.retries, spend.cost) == (1, 1, 0, 0.0)
    assert spend.usage == Usage()


async def test_one_unknown_price_makes_the_sum_unknown() -> None:
    meter = Meter()
    model = Metered(model=Told(answers=[Reply(cost=0.25), Reply(cost=None), Reply(cost=0.25)]), meter=meter)
    for _ in range(3):
        await model.complete(ask())
    assert meter.spend()[0].cost is None


async def test_a_kept_reply_of_unknown_price_leaves_the_sum_known() -> None:
    meter = Meter()
    model = Metered(model=Told(answers=[Reply(cost=0.25), Reply(cost=None, cached=True)]), meter=meter)
    for _ in range(2):
        await model.complete(ask())
    assert meter.spend()[0].cost == 0.25


async def test_failures_are_counted_with_their_tries() -> None:
    meter, time = Meter(), FakeTime()
    retrying = Retrying(model=Told(answers=[overload()] * 9), attempts=4, sleep=time.sleep, clock=time.clock)
    with pytest.raises(OverloadedError):
        await Metered(model=retrying, meter=meter).complete(ask())
    (spend,) = meter.spend()
    assert (spend.calls, spend.errors, spend.retries) == (1, 1, 3)


def test_an_unused_meter_has_nothing_to_say() -> None:
    assert Meter().spend() == ()
