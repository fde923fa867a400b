"""Figures of many resamples at once are those of one resample after the other."""

from __future__ import annotations

import math
from itertools import combinations
from random import Random

import numpy as np
import pytest

from proctor.stats.agreement import (
    Weighting,
    gwet_ac1,
    kappa_of_table,
    krippendorff_alpha,
    rating_counts,
)
from proctor.stats.bootstrap import interval_of, interval_of_all
from proctor.stats.resampled_agreement import UnitRatings, kappas_of_pairs
from tests.lazy_module import lazy_module

inter_rater = lazy_module("statsmodels.stats.inter_rater")

LEVELS = (1, 2, 3, 4, 5)


def _units(count: int, raters: int, seed: int = 1) -> list[list[int]]:
    draw = Random(seed)
    return [[draw.choice((1, 2, 4, 5, 5)) for _ in range(raters)] for _ in range(count)]


@pytest.mark.parametrize("raters", [2, 3])
def test_each_resample_has_the_figures_of_its_units(raters: int) -> None:
    units = _units(30, raters)
    counts = rating_counts(units, LEVELS)
    draws = np.random.default_rng(3).integers(0, len(units), size=(20, len(units)))
    found = UnitRatings(counts)
    for row, at in enumerate(draws):
        chosen = [units[place] for place in at]
        same = [one == other for unit in chosen for one, other in combinations(unit, 2)]
        assert found.observed(draws)[row] == pytest.approx(np.mean(same))
        assert found.fleiss(draws)[row] == pytest.approx(inter_rater.fleiss_kappa(counts[at]))
        assert found.ac1(draws)[row] == pytest.approx(gwet_ac1(counts[at]))
        assert found.ordinal_alpha(draws)[row] == pytest.approx(krippendorff_alpha(chosen, level="ordinal"))


@pytest.mark.parametrize("weighting", ["none", "linear", "quadratic"])
def test_each_resample_has_the_kappa_of_its_table(weighting: Weighting) -> None:
    units = _units(40, 2)
    codes = np.array([LEVELS.index(one) * 5 + LEVELS.index(other) for one, other in units])

    def one(at: np.ndarray) -> float | None:
        return kappa_of_table(np.bincount(codes[at], minlength=25).reshape(5, 5).astype(float), weighting=weighting)

    figures = kappas_of_pairs(codes, 5, weighting)
    draws = np.random.default_rng(3).integers(0, len(units), size=(20, len(units)))
    assert figures(draws) == pytest.approx([one(at) for at in draws])
    each, together = interval_of(40, one, seed=7), interval_of_all(40, figures, seed=7)
    assert each is not None
    assert together is not None
    assert (each.low, each.high) == pytest.approx((together.low, together.high), abs=1e-12)


def test_where_chance_explains_all_there_is_no_value() -> None:
    same = UnitRatings(rating_counts([[5, 5]] * 10, LEVELS))
    draws = np.zeros((3, 10), dtype=np.int64)
    assert np.isnan(same.fleiss(draws)).all()
    assert np.isnan(same.ordinal_alpha(draws)).all()
    assert math.isnan(kappas_of_pairs(np.full(10, 24), 5)(draws)[0])
    assert interval_of_all(10, same.fleiss) is None
    assert interval_of_all(1, same.observed) is None
