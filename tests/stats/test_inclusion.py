"""Estimates from samples with known probabilities."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.stats.inclusion import SampledStratum, stratified_mean, stratified_share
from tests.lazy_module import lazy_module

proportion = lazy_module("statsmodels.stats.proportion")

STRATA = st.lists(
    st.tuples(st.lists(st.booleans(), min_size=1, max_size=20), st.integers(0, 200)), min_size=1, max_size=5
)


@given(STRATA)
def test_stratified_is_horvitz_thompson(drawn: list[tuple[list[bool], int]]) -> None:
    strata = [SampledStratum(population=len(values) + more, values=tuple(map(float, values))) for values, more in drawn]
    size = sum(each.population for each in strata)
    # Each value counts 1 / the probability with which it was drawn.
    expected = sum(value * each.population / len(each.values) for each in strata for value in each.values) / size
    for found in (stratified_share(strata), stratified_mean(strata)):
        assert found is not None
        assert found.value == pytest.approx(expected)
        assert found.covered == 1
    share = stratified_share(strata)
    assert share is not None
    assert share.interval is not None
    assert 0 <= share.interval.low <= share.interval.high <= 1
    assert share.interval.low - 1e-9 <= share.value <= share.interval.high + 1e-9


def test_one_large_stratum_is_wilson() -> None:
    strata = [SampledStratum(population=10**9, values=(1.0,) * 70 + (0.0,) * 30)]
    found = stratified_share(strata)
    assert found is not None
    assert found.interval is not None
    low, high = proportion.proportion_confint(70, 100, method="wilson")
    assert (found.interval.low, found.interval.high) == pytest.approx((low, high), abs=0.006)
    assert found.effective == pytest.approx(100, rel=0.05)


def test_a_census_has_no_error() -> None:
    found = stratified_share([SampledStratum(population=4, values=(1.0, 0.0, 1.0, 1.0))])
    assert found is not None
    assert found.interval is not None
    assert (found.value, found.interval.low, found.interval.high) == (0.75, 0.75, 0.75)
    assert math.isinf(found.effective)


def test_a_stratum_nobody_rated_is_not_guessed() -> None:
    found = stratified_share(
        [SampledStratum(population=90, values=(1.0, 0.0)), SampledStratum(population=10, values=())]
    )
    assert found is not None
    assert found.covered == pytest.approx(0.9)
    assert stratified_share([SampledStratum(population=5, values=())]) is None
    assert stratified_mean([]) is None


def test_the_mean_of_many_samples_is_the_truth() -> None:
    source = np.random.default_rng(5)
    rare, rest = source.random(200) < 0.4, source.random(3000) < 0.9
    truth = (rare.sum() + rest.sum()) / 3200
    means = [
        stratified_share(
            [
                SampledStratum(population=200, values=tuple(source.choice(rare, 30, replace=False).astype(float))),
                SampledStratum(population=3000, values=tuple(source.choice(rest, 60, replace=False).astype(float))),
            ]
        )
        for _ in range(400)
    ]
    assert np.mean([each.value for each in means if each]) == pytest.approx(truth, abs=0.006)


def test_wrong_input_is_refused() -> None:
    with pytest.raises(ValueError, match="stratum of 1"):
        SampledStratum(population=1, values=(1.0, 1.0))
    one = stratified_mean([SampledStratum(population=9, values=(3.0,))])
    assert one is not None
    assert one.interval is None
