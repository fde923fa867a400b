from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.stats.bootstrap import interval_of, mean_interval, mean_intervals, ratio_interval

VALUES = st.lists(st.floats(-1, 1), min_size=2, max_size=60)


@given(VALUES)
def test_the_interval_holds_the_mean_and_stays_among_the_values(values: list[float]) -> None:
    found = mean_interval(values, resamples=200)
    assert found is not None
    assert min(values) - 1e-9 <= found.low <= np.mean(values) + 1e-9
    assert np.mean(values) - 1e-9 <= found.high <= max(values) + 1e-9


@given(VALUES)
def test_the_same_seed_gives_the_same_interval(values: list[float]) -> None:
    assert mean_interval(values, resamples=100, seed=4) == mean_interval(values, resamples=100, seed=4)


def test_fewer_than_two_values_have_no_interval() -> None:
    assert mean_interval([]) is None
    assert mean_interval([0.4]) is None
    assert interval_of(1, lambda places: 1.0) is None


@pytest.mark.parametrize("count", [10, 25, 100])
def test_the_true_mean_is_inside_as_often_as_promised(count: int) -> None:
    """Skewed scores near the top, as scores are: 95 % is promised, and a few points are lost to the skew."""
    source = np.random.default_rng(count)
    table = source.beta(4, 1, size=(count, 800))
    found = mean_intervals(table, resamples=600, seed=1)
    inside = np.mean([each is not None and each.low <= 0.8 <= each.high for each in found])
    assert 0.91 <= inside <= 0.985


def test_holes_are_left_out() -> None:
    table = np.array([[1.0, np.nan], [0.0, 1.0], [1.0, np.nan], [0.5, np.nan]])
    first, second = mean_intervals(table, resamples=200)
    assert first is not None
    assert second is None


def test_the_interval_of_any_figure() -> None:
    values = np.random.default_rng(1).normal(size=200)
    found = interval_of(200, lambda places: float(np.median(values[places])), resamples=400)
    assert found is not None
    assert found.low < np.median(values) < found.high
    assert found.high - found.low < 0.5


def test_a_figure_that_mostly_has_no_value_has_no_interval() -> None:
    assert interval_of(10, lambda places: None, resamples=50) is None
    assert interval_of(10, lambda places: float("nan"), resamples=50) is None


def test_impossible_confidence_is_refused() -> None:
    with pytest.raises(ValueError, match="confidence"):
        mean_interval([0.1, 0.2], confidence=1.0)


def test_a_ratio_of_single_results_is_their_mean() -> None:
    values = [0.0, 1.0, 1.0, 0.0, 1.0, 0.0, 0.0, 0.0]
    assert ratio_interval(values, [1.0] * 8) == mean_interval(values)


def test_a_ratio_weighs_cases_by_their_results() -> None:
    found = ratio_interval([9, 0, 0, 1], [10, 1, 1, 10])
    assert found is not None
    assert found.low < 10 / 22 < found.high
    assert ratio_interval([1.0], [2.0]) is None
    with pytest.raises(ValueError, match="more than 0"):
        ratio_interval([1.0, 1.0], [1.0, 0.0])
