"""Distribution shift and its parts, against scipy and statsmodels."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from proctor.stats.chi_square import chi_square_tail
from proctor.stats.distribution_shift import (
    cramer_v,
    distribution_shift,
    js_divergence,
    minimum_cramer_v,
    psi,
)
from proctor.stats.multiple import benjamini_hochberg
from proctor.stats.two_shares import minimum_difference, newcombe, share_difference_p
from tests.lazy_module import lazy_module

distances, scipy_stats = lazy_module("scipy.spatial.distance"), lazy_module("scipy.stats")
multitest, proportion = lazy_module("statsmodels.stats.multitest"), lazy_module("statsmodels.stats.proportion")

TABLES = st.integers(2, 12).flatmap(
    lambda size: st.tuples(
        st.lists(st.integers(0, 400), min_size=size, max_size=size),
        st.lists(st.integers(0, 400), min_size=size, max_size=size),
    )
)


@given(st.floats(0, 500), st.integers(1, 200))
def test_the_tail_is_that_of_scipy(value: float, freedom: int) -> None:
    assert chi_square_tail(value, freedom) == pytest.approx(scipy_stats.chi2.sf(value, freedom), rel=1e-9, abs=1e-13)


@given(TABLES)
def test_effects_are_those_of_scipy(table: tuple[list[int], list[int]]) -> None:
    now, before = table
    assume(sum(now) and sum(before))
    used = np.array([[a, b] for a, b in zip(now, before, strict=True) if a or b]).T
    assume(used.shape[1] > 1)
    _, p, _, _ = scipy_stats.chi2_contingency(used, correction=False, lambda_="log-likelihood")
    assert cramer_v(now, before) == pytest.approx(scipy_stats.contingency.association(used, method="cramer"), abs=1e-9)
    distance = distances.jensenshannon(now, before, base=2)
    assert js_divergence(now, before) == pytest.approx(np.nan_to_num(distance) ** 2, abs=1e-9)
    shift = distribution_shift(now, before, shuffles=20)
    assert shift is not None
    assert shift.p_asymptotic == pytest.approx(p, rel=1e-6, abs=1e-6)


def test_shuffles_agree_with_the_g_test_where_that_holds() -> None:
    shift = distribution_shift([300, 320, 380], [1000, 1000, 1000], shuffles=4000)
    assert shift is not None
    assert shift.p == pytest.approx(shift.p_asymptotic, abs=0.01)


def test_the_excess_of_the_psi_is_about_0_without_a_shift() -> None:
    source = np.random.default_rng(7)
    shares = source.dirichlet(np.ones(15) * 3)
    raw, excess = [], []
    for _ in range(60):
        shift = distribution_shift(source.multinomial(500, shares), source.multinomial(500, shares), shuffles=100)  # type: ignore[arg-type]
        assert shift is not None
        raw.append(shift.psi)
        excess.append(shift.psi - shift.psi_chance)
    assert np.mean(raw) > 0.03
    assert abs(np.mean(excess)) < 0.01


def test_a_true_shift_is_seen() -> None:
    shift = distribution_shift([200, 400, 400], [50, 475, 475])
    assert shift is not None
    assert shift.p < 0.01
    assert shift.v > shift.v_chance
    assert shift.psi_excess == pytest.approx(psi([200, 400, 400], [50, 475, 475]), abs=0.02)


def test_nothing_to_compare() -> None:
    assert distribution_shift([5, 0], [5, 0]) is None
    assert distribution_shift([0, 0], [5, 3]) is None
    assert cramer_v([0], [3]) is None
    assert js_divergence([0], [3]) is None
    assert psi([0], [3]) is None
    assert minimum_cramer_v(1, 5, 5) is None
    assert minimum_cramer_v(10, 2, 2) is None


@pytest.mark.parametrize(("categories", "count", "other"), [(2, 100, 100), (15, 5000, 15000), (5, 400, 1200)])
def test_the_smallest_v_is_that_of_the_noncentral_distribution(categories: int, count: int, other: int) -> None:
    found = minimum_cramer_v(categories, count, other)
    assert found is not None
    limit = scipy_stats.chi2.isf(0.05, categories - 1)
    power = scipy_stats.ncx2.sf(limit, categories - 1, (count + other) * found**2)
    assert power == pytest.approx(0.8, abs=1e-6)


@given(st.lists(st.floats(0, 1), max_size=40))
def test_benjamini_hochberg_is_that_of_statsmodels(values: list[float]) -> None:
    theirs = multitest.multipletests(values, method="fdr_bh")[1] if values else []
    assert benjamini_hochberg(values) == pytest.approx(list(theirs), abs=1e-12)


def test_what_is_no_p_value_is_refused() -> None:
    with pytest.raises(ValueError, match="p-value"):
        benjamini_hochberg([0.2, 1.2])


@given(st.integers(1, 500), st.integers(1, 500), st.floats(0, 1), st.floats(0, 1))
def test_newcombe_is_that_of_statsmodels(total: int, other: int, share: float, other_share: float) -> None:
    hits, other_hits = round(total * share), round(other * other_share)
    found = newcombe(hits, total, other_hits, other)
    low, high = proportion.confint_proportions_2indep(hits, total, other_hits, other, method="newcomb", compare="diff")
    assert found is not None
    assert (found.low, found.high) == pytest.approx((low, high), abs=1e-9)
    table = np.array([[hits, total - hits], [other_hits, other - other_hits]])
    p = share_difference_p(hits, total, other_hits, other)
    if (table.sum(axis=0) == 0).any():
        assert p == 1
    else:
        # near 0 the tail goes with the root of G, which is a rounding error for equal shares
        assert p == pytest.approx(
            scipy_stats.chi2_contingency(table, correction=False, lambda_="log-likelihood")[1], abs=1e-6
        )


def test_the_smallest_difference_is_seen_as_often_as_it_says() -> None:
    rise = minimum_difference(0.05, 2000, 6000)
    assert rise is not None
    source = np.random.default_rng(3)
    hits, before = source.binomial(2000, 0.05 + rise, 400), source.binomial(6000, 0.05, 400)
    seen = [share_difference_p(int(a), 2000, int(b), 6000) < 0.05 for a, b in zip(hits, before, strict=True)]
    assert np.mean(seen) == pytest.approx(0.8, abs=0.07)
    assert minimum_difference(0.5, 0, 5) is None
    assert minimum_difference(0.5, 1, 1) is None
    assert newcombe(0, 0, 1, 2) is None
    assert share_difference_p(0, 0, 1, 2) == 1
