"""Presets that only ever add, and numbers that go before them."""

from __future__ import annotations

from dataclasses import fields
from itertools import pairwise

import pytest
from tests.tables import table

from proctor.core.errors import InputError
from proctor.generate.effort import DEFAULT, PRESETS, Effort, choose_effort


def thoroughness(effort: Effort) -> dict[str, float]:
    """Each number so that more is more: fewer rules in a call make better tests."""
    numbers = {each.name: getattr(effort, each.name) for each in fields(Effort)}
    numbers["most_rules"] = float("inf") if effort.most_rules is None else effort.most_rules
    numbers["rules_per_call"] = -effort.rules_per_call
    return numbers


def test_each_preset_is_at_least_as_thorough_as_the_one_before() -> None:
    assert list(PRESETS) == ["min", "low", "medium", "high"]
    for one, other in pairwise(PRESETS.values()):
        less, more = thoroughness(one), thoroughness(other)
        assert all(less[name] <= more[name] for name in less)
        assert less != more


def test_a_given_number_goes_before_the_preset_and_the_preset_before_the_default() -> None:
    assert choose_effort() == PRESETS[DEFAULT]
    chosen = choose_effort("min", tests_per_rule=7, expansions=None)
    assert (chosen.tests_per_rule, chosen.expansions) == (7, PRESETS["min"].expansions)
    assert chosen.rules_per_call == PRESETS["min"].rules_per_call


def test_an_unknown_preset_is_refused_with_the_likely_one() -> None:
    with pytest.raises(InputError, match="did you mean 'medium'"):
        choose_effort("medum")


@table(("name", "value"), [("tests_per_rule", 0), ("expansions", 6), ("generations", 11), ("most_rules", 0)])
def test_a_number_out_of_bounds_is_refused(name: str, value: int) -> None:
    with pytest.raises(InputError, match="out of bounds") as caught:
        choose_effort("low", **{name: value})
    assert caught.value.field == name.replace("_", "-")
