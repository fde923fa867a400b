"""Costs set on replies."""

from __future__ import annotations

import pytest
from tests.models.wrap.staging import Told, ask

from proctor.core.chat import Reply, Usage
from proctor.models.prices import Price, Prices
from proctor.models.wrap.price import Priced

PRICES = Prices(table={"told:model": Price(input=1.0, output=10.0, cached_input=0.1)})


async def cost_of(reply: Reply, prices: Prices = PRICES, name: str = "told:model") -> float | None:
    return (await Priced(model=Told(answers=[reply], name=name), prices=prices).complete(ask())).cost


async def test_input_cached_input_and_output_each_have_their_price() -> None:
    usage = Usage(input=1_000_000, cached_input=400_000, output=100_000)
    assert await cost_of(Reply(usage=usage)) == pytest.approx(0.6 + 0.04 + 1.0)


async def test_what_the_provider_says_is_kept() -> None:
    assert await cost_of(Reply(usage=Usage(input=1_000_000), cost=0.123)) == 0.123


async def test_an_unknown_price_is_none_and_not_zero() -> None:
    assert await cost_of(Reply(usage=Usage(input=10)), name="told:other") is None


async def test_a_server_that_counts_no_tokens_leaves_the_cost_unknown() -> None:
    assert await cost_of(Reply(usage=Usage())) is None


async def test_a_local_model_costs_nothing() -> None:
    assert await cost_of(Reply(usage=Usage()), name="local:smollm2") == 0.0


def test_the_name_passes_through() -> None:
    assert Priced(model=Told(), prices=PRICES).name == "told:model"
