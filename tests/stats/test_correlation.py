from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.stats.correlation import partial, pearson, ranks, slope, spearman

numbers = st.lists(st.integers(-50, 50).map(float), min_size=3, max_size=40)


def test_places_are_shared_by_equals() -> None:
    assert ranks([10, 20, 20, 30]).tolist() == [1.0, 2.5, 2.5, 4.0]


@given(numbers)
def test_places_add_up(values: list[float]) -> None:
    assert ranks(values).sum() == pytest.approx(len(values) * (len(values) + 1) / 2)


@given(numbers, st.data())
def test_correlation_is_that_of_numpy(values: list[float], data: st.DataObject) -> None:
    others = data.draw(st.lists(st.integers(-50, 50).map(float), min_size=len(values), max_size=len(values)))
    found = pearson(values, others)
    if len(set(values)) == 1 or len(set(others)) == 1:
        assert found is None
    else:
        assert found is not None
        assert found == pytest.approx(float(np.corrcoef(values, others)[0, 1]), abs=1e-9)
        assert -1 <= found <= 1


@given(st.lists(st.integers(-1000, 1000), min_size=3, max_size=30, unique=True))
def test_only_the_order_counts_for_places(values: list[int]) -> None:
    assert spearman(values, [value**3 for value in values]) == pytest.approx(1.0)
    assert spearman(ranks(values), np.exp(ranks(values))) == pytest.approx(1.0)
    assert spearman(ranks(values), -ranks(values)) == pytest.approx(-1.0)


def test_too_little_or_nothing_that_varies() -> None:
    assert pearson([1, 2], [1, 2]) is None
    assert pearson([1, 1, 1], [1, 2, 3]) is None
    with pytest.raises(ValueError, match="beside"):
        pearson([1, 2, 3], [1, 2])


def test_what_both_owe_to_a_third_is_taken_out() -> None:
    source = np.random.default_rng(1)
    third = source.normal(size=4000)
    one, other = third + source.normal(size=4000), third + source.normal(size=4000)
    assert pearson(one, other) == pytest.approx(0.5, abs=0.05)
    assert partial(one, other, third) == pytest.approx(0.0, abs=0.05)
    assert partial(one, other, np.ones(4000)) == pearson(one, other)
    assert partial(one, other, one) is None


def test_a_slope_with_a_third_held_still() -> None:
    source = np.random.default_rng(2)
    length, people = source.normal(size=500), source.normal(size=500)
    assert slope(0.3 * length + 2 * people, length, people) == pytest.approx(0.3)
    assert slope(0.3 * length, length, np.ones(500)) == pytest.approx(0.3)
    assert slope(length, np.ones(500), people) is None
    assert slope(length, people, people) is None
