"""The price table: the right family or nothing, and the user's own prices first."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proctor.core.chat import Usage
from proctor.core.errors import ConfigError
from proctor.models.prices import Price, Prices
from tests.tables import table

SHIPPED = Prices.default()


def input_price(name: str) -> float | None:
    price = SHIPPED.find(name)
    return price.input if price else None


@table(
    ("name", "expected"),
    [
        ("openai:gpt-4o", 2.5),
        ("openai:gpt-4o-2024-08-06", 2.5),
        ("openai:gpt-4o-2024-05-13", 5),  # this one date had a price of its own
        ("openai:gpt-4o-mini-2024-07-18", 0.15),
        ("openai:gpt-4", 30),
        ("openai:gpt-4-turbo-2024-04-09", 10),
        ("openai:gpt-4.1-nano", 0.1),
        ("anthropic:claude-3-5-sonnet-20241022", 3),
        ("anthropic:claude-3-5-haiku-latest", 0.8),
        ("anthropic:claude-opus-4-1-20250805", 15),
        ("google:gemini-2.0-flash-001", 0.1),
        ("gemini:gemini-2.5-pro", 1.25),
        ("bedrock:anthropic.claude-3-5-sonnet-20240620-v1:0", 3),
        ("bedrock:us.anthropic.claude-sonnet-4-20250514-v1:0", 3),
        ("bedrock:amazon.nova-lite-v1:0", 0.06),
        ("local:anything", 0),
    ],
)
def test_known_models_under_all_their_names(name: str, expected: float) -> None:
    assert input_price(name) == expected


@table(
    "name",
    [
        "openai:gpt-4o-audio-preview",
        "openai:gpt-4-vision-preview",
        "openai:gpt-4-1106-preview",
        "openai:gpt-5-codex",
        "openai:gpt-4.5",
        "openai:gpt",
        "openai:",
        "openai:o3-deep-research",
        "azure:gpt-4o",  # a deployment may have any name
        "compatible:gpt-4o",
        "ollama:llama3",
        "anthropic:claude-3",
        "anthropic:claude-opus-5",
        "bedrock:claude-3-haiku",
        "gpt-4o",
        "",
    ],
)
def test_a_near_name_is_not_the_same_model(name: str) -> None:
    assert SHIPPED.find(name) is None


def test_the_table_says_how_old_it_is() -> None:
    assert SHIPPED.as_of.count("-") == 2
    assert len(SHIPPED.table) > 40
    for name, price in SHIPPED.table.items():
        provider, _, model = name.partition(":")
        assert provider
        assert model
        assert 0 < price.input <= price.output, name
        assert price.cached_input is None or price.cached_input < price.input, name


def test_the_users_own_prices_win() -> None:
    prices = SHIPPED.extended({"openai:gpt-4o": {"input": 1, "output": 2}, "ollama:*": {"input": 0, "output": 0}})
    assert prices.find("openai:gpt-4o-2024-08-06") == Price(input=1.0, output=2.0)
    assert prices.find("openai:gpt-4o-mini") == SHIPPED.find("openai:gpt-4o-mini")
    free = prices.find("ollama:llama3.2")
    assert free is not None
    assert free.of(Usage(input=5)) == 0.0
    assert SHIPPED.find("ollama:llama3.2") is None  # the shipped table itself is not changed


def test_an_exact_name_wins_over_a_star() -> None:
    prices = SHIPPED.extended({"vllm:*": {"input": 1, "output": 1}, "vllm:big": {"input": 9, "output": 9}})
    assert prices.find("vllm:big") == Price(input=9.0, output=9.0)


@table(
    ("price", "field"),
    [
        ({"input": 1}, "prices.x:y.output"),
        ({"input": "much", "output": 1}, "prices.x:y.input"),
        ({"input": 1, "output": 1, "outptu": 2}, "prices.x:y.outptu"),
        ({"input": -1, "output": 1}, "prices.x:y"),
        (3, "prices.x:y"),
    ],
)
def test_a_wrong_price_is_named(price: object, field: str) -> None:
    with pytest.raises(ConfigError) as caught:
        SHIPPED.extended({"x:y": price})
    assert caught.value.field == field


@settings(deadline=None)
@given(
    asked=st.integers(0, 10**9),
    cached=st.integers(0, 10**9),
    answered=st.integers(0, 10**9),
    rates=st.tuples(st.floats(0.001, 100), st.floats(0.001, 100), st.none() | st.floats(0, 100)),
)
def test_a_cost_is_unknown_or_lies_between_all_cached_and_none_cached(
    asked: int, cached: int, answered: int, rates: tuple[float, float, float | None]
) -> None:
    price = Price(input=rates[0], output=rates[1], cached_input=rates[2])
    cost = price.of(Usage(input=asked, cached_input=cached, output=answered))
    if not asked and not answered:
        assert cost is None
        return
    assert cost is not None
    each = [rate for rate in (rates[0], rates[2]) if rate is not None]
    low = (asked * min(each) + answered * rates[1]) / 1e6
    high = (asked * max(each) + answered * rates[1]) / 1e6
    assert low * (1 - 1e-9) <= cost <= high * (1 + 1e-9)


@settings(deadline=None)
@given(st.text(max_size=40))
def test_any_name_has_a_price_or_none(name: str) -> None:
    found = SHIPPED.find(name)
    assert found is None or name.startswith("local:") or any(name.startswith(known) for known in SHIPPED.table)
