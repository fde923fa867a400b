"""Bounds by order statistics against scipy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.stats.quantile_bound import binomial_tail, breach_count, smallest_breach
from tests.lazy_module import lazy_module

oracle = lazy_module("scipy.stats")


@given(st.integers(0, 400), st.integers(1, 400), st.floats(0.001, 0.999))
def test_the_tail_is_that_of_scipy(count: int, total: int, share: float) -> None:
    assert binomial_tail(count, total, share) == pytest.approx(oracle.binom.sf(count - 1, total, share), abs=1e-9)


@given(st.integers(20, 3000), st.floats(0.5, 0.99), st.floats(1e-6, 0.05))
def test_the_fewest_that_show_a_breach(total: int, quantile: float, alpha: float) -> None:
    needed = breach_count(total, quantile, alpha)
    if needed is None:
        assert oracle.binom.sf(total - 1, total, 1 - quantile) > alpha * 0.999
        return
    assert oracle.binom.sf(needed - 1, total, 1 - quantile) <= alpha * 1.000001
    assert oracle.binom.sf(needed - 2, total, 1 - quantile) > alpha * 0.999999


def test_the_rank_is_a_lower_bound_with_its_coverage() -> None:
    rng = np.random.default_rng(3)
    total, runs = 200, 4_000
    breaches = breach_count(total, 0.95, 0.05)
    assert breaches is not None
    values = np.sort(rng.exponential(size=(runs, total)), axis=1)
    above = (values[:, total - breaches] > -np.log(0.05)).mean()  # the bound is above the true P95
    assert above <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / runs)


def test_what_share_of_slow_answers_is_seen() -> None:
    share = smallest_breach(500, 0.95, 2.5e-5)
    assert share is not None
    assert 0.09 < share < 0.16
    needed = breach_count(500, 0.95, 2.5e-5)
    assert needed is not None
    assert oracle.binom.sf(needed - 1, 500, share) == pytest.approx(0.99, abs=0.001)
    assert smallest_breach(0, 0.95, 0.01) is None
    assert smallest_breach(2, 0.95, 1e-6) is None
    with pytest.raises(ValueError, match="no bound"):
        breach_count(10, 1.0, 0.1)
