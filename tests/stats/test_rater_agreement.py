"""More than two raters, and agreement that survives a skewed base rate, against statsmodels and worked examples."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.stats.agreement import (
    cohen_kappa,
    gwet_ac1,
    kappa_of_table,
    rating_counts,
)
from tests.lazy_module import lazy_module

metrics = lazy_module("sklearn.metrics")

LEVELS = (1, 2, 3, 4, 5)
RATINGS = st.integers(2, 5).flatmap(
    lambda raters: st.lists(
        st.lists(st.sampled_from(LEVELS), min_size=raters, max_size=raters), min_size=2, max_size=40
    )
)
PAIRS = st.lists(st.tuples(st.sampled_from(LEVELS), st.sampled_from(LEVELS)), min_size=2, max_size=60)


@given(PAIRS, st.sampled_from(["none", "linear", "quadratic"]))
def test_kappa_of_a_table_is_that_of_scikit_learn(pairs: list[tuple[int, int]], weighting: str) -> None:
    table = np.zeros((5, 5))
    for one, other in pairs:
        table[one - 1, other - 1] += 1
    found = kappa_of_table(table, weighting=weighting)  # type: ignore[arg-type]
    own = cohen_kappa([a for a, _ in pairs], [b for _, b in pairs], weighting=weighting, order=LEVELS)  # type: ignore[arg-type]
    assert own is not None
    assert (found is None) == (own.kappa is None)
    if found is not None:
        asked = None if weighting == "none" else weighting
        theirs = metrics.cohen_kappa_score([a for a, _ in pairs], [b for _, b in pairs], labels=LEVELS, weights=asked)
        assert found == pytest.approx(theirs, abs=1e-9)
        assert own.kappa == pytest.approx(found, abs=1e-12)


def test_ac1_is_not_fooled_by_a_base_rate() -> None:
    # Gwet 2008: 91 ok/ok, 1 flag/flag, 8 split: agreement 0.92, kappa 0.16, AC1 0.91
    units = [["ok", "ok"]] * 91 + [["flag", "flag"]] + [["ok", "flag"]] * 4 + [["flag", "ok"]] * 4
    counts = rating_counts(units, ("ok", "flag"))
    assert gwet_ac1(counts) == pytest.approx((0.92 - 0.095) / 0.905)
    kappa = cohen_kappa([a for a, _ in units], [b for _, b in units])
    assert kappa is not None
    assert kappa.kappa == pytest.approx(0.16, abs=0.01)


def test_ac1_of_a_worked_example_with_missing_ratings() -> None:
    # by hand: unit agreements 1, 1/3, 0; base (5/9, 4/9); expected 2 * 5/9 * 4/9
    counts = rating_counts([["a", "a"], ["a", "a", "b"], ["b", "a"], ["b"]], ("a", "b"))
    base = np.array([1 + 2 / 3 + 1 / 2, 1 / 3 + 1 / 2]) / 3
    observed, expected = (1 + 1 / 3 + 0) / 3, 2 * base[0] * base[1]
    assert gwet_ac1(counts) == pytest.approx((observed - expected) / (1 - expected))


@given(RATINGS)
def test_full_agreement_is_1_and_nothing_exceeds_it(units: list[list[int]]) -> None:
    counts = rating_counts(units, LEVELS)
    figure = gwet_ac1(counts)
    assert figure is None or figure <= 1 + 1e-12
    same = rating_counts([[unit[0]] * len(unit) for unit in units], LEVELS)
    assert gwet_ac1(same) == pytest.approx(1)


def test_nothing_rated_twice_has_no_agreement() -> None:
    counts = rating_counts([[1], [], [3]], LEVELS)
    assert gwet_ac1(counts) is None
    assert kappa_of_table(np.zeros((2, 2))) is None
    with pytest.raises(ValueError, match="not in the order"):
        rating_counts([[9]], LEVELS)
