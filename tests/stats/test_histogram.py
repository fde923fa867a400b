from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.stats.histogram import RatioHistogram, linear_bin
from tests.tables import table

numbers = st.lists(st.floats(1e-6, 1e6) | st.just(0.0), min_size=1, max_size=200)


def filled(values: list[float]) -> RatioHistogram:
    histogram = RatioHistogram()
    for value in values:
        histogram.add(value)
    return histogram


@given(numbers, st.floats(0, 1))
def test_a_quantile_is_within_one_percent_of_the_exact_one(values: list[float], share: float) -> None:
    exact = sorted(values)[max(1, math.ceil(share * len(values))) - 1]
    found = filled(values).quantile(share)
    assert found == pytest.approx(exact, rel=0.011)


@given(numbers)
def test_bins_between_edges_hold_every_number_once(values: list[float]) -> None:
    assert sum(filled(values).counts_between([0.0, 0.1, 1.0, 10.0])) == len(values)


def test_numbers_fall_between_the_right_edges() -> None:
    assert filled([0.0, 0.05, 0.5, 0.6, 5.0, 50.0]).counts_between([0.0, 0.1, 1.0, 10.0]) == [2, 2, 2]


def test_nothing_counted_has_no_quantile() -> None:
    assert RatioHistogram().quantile(0.5) is None


def test_memory_depends_on_the_span_and_not_on_the_count() -> None:
    histogram = filled([0.1 + (step % 1000) / 1000 for step in range(20_000)])
    assert histogram.count == 20_000
    assert len(histogram._bins) < 150


@pytest.mark.parametrize("value", [-1.0, math.nan, math.inf])
def test_what_is_no_length_of_time_is_refused(value: float) -> None:
    with pytest.raises(ValueError, match="cannot count"):
        RatioHistogram().add(value)


@given(numbers)
def test_many_at_once_are_counted_as_one_by_one(values: list[float]) -> None:
    one, many = filled(values), RatioHistogram()
    many.extend(values[: len(values) // 2])
    many.extend(values[len(values) // 2 :])
    assert (many.count, many.least, many.most) == (one.count, one.least, one.most)
    for share in (0.0, 0.5, 0.9, 1.0):
        found, wanted = many.quantile(share), one.quantile(share)
        assert found == pytest.approx(wanted, rel=0.021)  # a number on the edge of two bins may fall into either


def test_of_many_one_that_is_no_number_is_refused_with_all() -> None:
    histogram = filled([1.0])
    with pytest.raises(ValueError, match="cannot count"):
        histogram.extend([2.0, math.nan])
    with pytest.raises(ValueError, match="cannot count"):
        histogram.extend([2.0, -1.0])
    histogram.extend([])
    assert histogram.count == 1


def test_a_share_outside_the_unit_range_is_refused() -> None:
    with pytest.raises(ValueError, match="share"):
        filled([1.0]).quantile(1.5)


@table(("value", "place"), [(0.0, 0), (0.09, 0), (0.1, 1), (0.95, 9), (1.0, 9), (-0.1, 0)])
def test_linear_bin(value: float, place: int) -> None:
    assert linear_bin(value, 10) == place
