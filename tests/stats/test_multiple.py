from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.stats.multiple import holm, holm_reachable, reachable

VALUES = st.lists(st.floats(0, 1), max_size=30)


def test_holm_agrees_with_the_worked_example() -> None:
    # statsmodels.stats.multitest.multipletests(method="holm")
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])


def test_nothing_to_adjust() -> None:
    assert holm([]) == []
    assert holm_reachable([], [], alpha=0.05) == []


@pytest.mark.parametrize("wrong", [-0.1, 1.1, float("nan")])
def test_what_is_no_p_value_is_refused(wrong: float) -> None:
    with pytest.raises(ValueError, match="p-value"):
        holm([0.5, wrong])


@given(VALUES)
def test_adjusting_only_raises_keeps_the_order_and_stays_a_share(values: list[float]) -> None:
    adjusted = holm(values)
    assert all(value <= new <= 1.0 for value, new in zip(values, adjusted, strict=True))
    by_value = sorted(range(len(values)), key=values.__getitem__)
    assert [adjusted[place] for place in by_value] == sorted(adjusted)
    assert max(adjusted, default=0) <= min(1.0, len(values) * max(values, default=0)) + 1e-12


@given(VALUES)
def test_with_every_test_able_it_is_holm(values: list[float]) -> None:
    assert holm_reachable(values, [0.0] * len(values), alpha=0.05) == holm(values)


def test_tests_that_can_never_come_out_cost_the_others_nothing() -> None:
    adjusted = holm_reachable([0.004, 1.0, 1.0, 1.0], [0.001, 1.0, 0.5, 0.25], alpha=0.05)
    assert adjusted == [0.004, 1.0, 1.0, 1.0]


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30), st.floats(0.001, 0.2))
def test_at_most_as_many_are_able_as_are_paid_for(smallest: list[float], alpha: float) -> None:
    able = reachable(smallest, alpha)
    count = sum(able)
    assert all(value <= alpha for value, yes in zip(smallest, able, strict=True) if yes)
    families = range(max(1, count), len(smallest) + 1)
    assert any([value <= alpha / family for value in smallest] == able for family in families)


def test_any_false_call_happens_as_rarely_as_promised() -> None:
    source = np.random.default_rng(3)
    called = np.mean([min(holm(list(source.random(20)))) <= 0.05 for _ in range(4000)])
    assert called <= 0.05 + 3 * (0.05 * 0.95 / 4000) ** 0.5


def test_bad_alpha_and_uneven_lists_are_refused() -> None:
    with pytest.raises(ValueError, match="alpha"):
        reachable([0.1], 0.0)
    with pytest.raises(ValueError, match="smallest"):
        holm_reachable([0.1], [], alpha=0.05)
