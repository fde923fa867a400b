"""Budgets: kept however many calls run at once, and never in silence."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.models.wrap.staging import Told, ask, in_virtual_time, outcome
from tests.profiles import examples

from proctor.core.chat import Reply, Usage
from proctor.core.errors import BudgetError, ModelError, RejectedError
from proctor.models.wrap.budget import Budget, Budgeted


def costing(cost: float | None, *, tokens: int = 10) -> Reply:
    return Reply(text="ok", cost=cost, usage=Usage(input=tokens))


def spend(budget: Budget, costs: list[float], *, fails: frozenset[int] = frozenset()) -> list[Reply | ModelError]:
    """All calls at once; the n-th takes a while and costs its cost."""

    async def work() -> list[Reply | ModelError]:
        left = iter(enumerate(costs))

        class Endpoint:
            name = "endpoint"

            async def complete(self, request: object) -> Reply:
                number, cost = next(left)
                await asyncio.sleep(1 + number % 7 / 10)
                if number in fails:
                    raise RejectedError("bad")
                return costing(cost)

        budgeted = Budgeted(model=Endpoint(), budget=budget)
        return list(await asyncio.gather(*(outcome(budgeted.complete(ask())) for _ in costs)))

    return in_virtual_time(work)


def test_fifty_at_once_overshoot_by_no_more_than_one_call() -> None:
    budget = Budget(money=1.0)
    outcomes = spend(budget, [0.1] * 50)
    assert sum(isinstance(each, Reply) for each in outcomes) in (10, 11)
    assert budget.spent <= 1.1 + 1e-9
    assert sum(isinstance(each, BudgetError) for each in outcomes) >= 39


def test_a_budget_that_is_enough_refuses_nothing() -> None:
    outcomes = spend(Budget(money=5.2), [0.1] * 50)
    assert all(isinstance(each, Reply) for each in outcomes)


async def test_the_error_says_what_is_spent_and_the_mend() -> None:
    budgeted = Budgeted(model=Told(answers=[costing(2.5)]), budget=Budget(money=2.0))
    await budgeted.complete(ask())
    with pytest.raises(BudgetError, match=r"told:model: the money budget is spent \(2.5 of 2\)") as caught:
        await budgeted.complete(ask())
    assert "raise the budget" in str(caught.value.hint)


async def test_a_budget_of_nothing_allows_nothing() -> None:
    model = Told()
    with pytest.raises(BudgetError):
        await Budgeted(model=model, budget=Budget(money=0.0)).complete(ask())
    assert model.asked == []


async def test_an_unknown_price_cannot_keep_a_money_budget() -> None:
    model = Told(answers=[costing(None)] * 9)
    budgeted = Budgeted(model=model, budget=Budget(money=2.0))
    outcomes = await asyncio.gather(*(outcome(budgeted.complete(ask())) for _ in range(9)))
    assert len(model.asked) == 1  # nothing is known before the first, so it goes alone
    assert isinstance(outcomes[0], Reply)  # an answer that was paid for is not thrown away
    for refused in outcomes[1:]:
        assert isinstance(refused, BudgetError)
        assert "price of told:model is not known" in refused.message
        assert "prices:" in str(refused.hint)


async def test_without_a_money_budget_an_unknown_price_is_no_trouble() -> None:
    budgeted = Budgeted(model=Told(answers=[costing(None)] * 5), budget=Budget(calls=3))
    outcomes = [await outcome(budgeted.complete(ask())) for _ in range(5)]
    assert [isinstance(each, Reply) for each in outcomes] == [True] * 3 + [False] * 2


async def test_calls_are_counted_exactly_even_at_once() -> None:
    model = Told(gate=asyncio.Event())
    budgeted = Budgeted(model=model, budget=Budget(calls=7))
    tasks = [asyncio.ensure_future(outcome(budgeted.complete(ask()))) for _ in range(20)]
    await asyncio.sleep(0)
    assert model.gate is not None
    model.gate.set()
    assert sum(isinstance(each, Reply) for each in await asyncio.gather(*tasks)) == 7


async def test_tokens_too() -> None:
    budgeted = Budgeted(model=Told(answers=[costing(0.0, tokens=40)] * 9), budget=Budget(tokens=100))
    outcomes = [await outcome(budgeted.complete(ask())) for _ in range(5)]
    assert sum(isinstance(each, Reply) for each in outcomes) == 3
    assert budgeted.budget.used == 120


async def test_a_cached_reply_costs_nothing() -> None:
    reply = Reply(text="ok", cost=5.0, cached=True)
    budgeted = Budgeted(model=Told(answers=[reply] * 3), budget=Budget(money=1.0))
    for _ in range(3):
        await budgeted.complete(ask())
    assert budgeted.budget.spent == 0


async def test_a_cancelled_call_leaves_nothing_reserved() -> None:
    model = Told(gate=asyncio.Event())
    budget = Budget(money=1.0)
    budgeted = Budgeted(model=model, budget=budget)
    tasks = [asyncio.ensure_future(budgeted.complete(ask())) for _ in range(3)]
    await asyncio.sleep(0)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    assert budget.in_flight == 0
    assert model.gate is not None
    model.gate.set()
    assert (await budgeted.complete(ask())).text == "ok"


@settings(max_examples=examples(60))
@given(
    costs=st.lists(st.floats(0.01, 0.5), min_size=1, max_size=40),
    money=st.floats(0.1, 5.0),
    fails=st.frozensets(st.integers(0, 39), max_size=10),
)
def test_every_call_is_answered_or_refused_and_the_overshoot_is_small(
    costs: list[float], money: float, fails: frozenset[int]
) -> None:
    budget = Budget(money=money)
    outcomes = spend(budget, costs, fails=fails)
    assert len(outcomes) == len(costs)
    assert budget.in_flight == 0
    refused = any(isinstance(each, BudgetError) for each in outcomes)
    assert not refused or budget.spent >= money  # none is refused while there is money left
