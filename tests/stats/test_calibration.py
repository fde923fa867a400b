"""Calibration error and mappings, against scikit-learn, statsmodels and simulation."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from proctor.stats.calibration import brier, calibration_error, minimum_shift
from proctor.stats.calibration_fit import compare_methods, fit_map
from tests.lazy_module import lazy_module
from tests.tables import table

calibration, isotonic, metrics = map(lazy_module, ("sklearn.calibration", "sklearn.isotonic", "sklearn.metrics"))
models = lazy_module("statsmodels.api")

PAIRS = st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=80)


def _drawn(count: int, *, over: float = 0.0, seed: int = 0) -> tuple[list[float], list[bool]]:
    source = np.random.default_rng(seed)
    given_ = source.uniform(0.3, 1.0, count)
    return given_.tolist(), (source.random(count) < given_ - over).tolist()


@given(PAIRS, st.integers(1, 20))
def test_every_pair_is_in_one_bin_and_equal_confidences_in_the_same(pairs: list[tuple[float, bool]], bins: int) -> None:
    error = calibration_error([c for c, _ in pairs], [y for _, y in pairs], bins=bins, draws=2)
    assert error is not None
    found = error.bins
    assert sum(each.count for each in found) == len(pairs)
    assert len(found) <= bins
    assert sum(each.weight for each in found) == pytest.approx(1)
    for before, after in pairwise(found):
        assert before.high < after.low
    for each in found:
        assert each.interval.low - 1e-12 <= each.accuracy <= each.interval.high + 1e-12


def test_bins_are_the_quantile_bins_of_scikit_learn() -> None:
    confidence, correct = _drawn(600)
    right, said = calibration.calibration_curve(correct, confidence, n_bins=10, strategy="quantile")
    error = calibration_error(confidence, correct, bins=10)
    assert error is not None
    found = error.bins
    assert [each.confidence for each in found] == pytest.approx(said, abs=0.01)
    assert [each.accuracy for each in found] == pytest.approx(right, abs=0.03)


@given(PAIRS)
def test_brier_is_that_of_scikit_learn(pairs: list[tuple[float, bool]]) -> None:
    confidence, correct = [c for c, _ in pairs], [y for _, y in pairs]
    assert brier(confidence, correct) == pytest.approx(
        metrics.brier_score_loss(correct, confidence, labels=[False, True])
    )


def test_a_calibrated_model_shows_an_error_and_it_is_taken_off() -> None:
    # the mean of |normal| is sqrt(2 / pi) of its deviation, in each of fifteen bins
    for count in (100, 500, 2000):
        confidence, correct = _drawn(count, seed=count)
        found = calibration_error(confidence, correct, draws=400)
        assert found is not None
        spread = [math.sqrt(2 / math.pi * each.confidence * (1 - each.confidence) / each.count) for each in found.bins]
        expected = sum(each.weight * size for each, size in zip(found.bins, spread, strict=True))
        assert found.chance == pytest.approx(expected, rel=0.1)
        assert found.excess == pytest.approx(max(0.0, found.ece - found.chance))
        assert found.interval.low <= found.debiased <= found.interval.high
        assert found.debiased < found.ece


def test_p_values_of_a_calibrated_model_are_even() -> None:
    found = [calibration_error(*_drawn(200, seed=seed), draws=200) for seed in range(60)]
    p = [each.p for each in found if each is not None]
    assert 0.3 < np.mean(p) < 0.7
    # 0 is in the interval exactly where the error is not significant, up to the draws at the edge
    for each in found:
        assert each is not None
        if each.p > 0.05:
            assert each.interval.low == 0
        if each.p < 0.01:
            assert each.interval.low > 0


def test_overconfidence_is_found_with_its_size() -> None:
    found = calibration_error(*_drawn(3000, over=0.15), draws=400)
    assert found is not None
    assert found.p < 0.01
    assert found.gap == pytest.approx(0.15, abs=0.02)
    assert found.debiased == pytest.approx(0.15, abs=0.03)
    assert found.interval.low < 0.15 < found.interval.high


def test_weights_count_a_pair_as_often_as_they_say() -> None:
    confidence, correct = [0.2, 0.4, 0.6, 0.8], [False, True, True, True]
    weighted = calibration_error(confidence, correct, weights=[1, 2, 3, 1], bins=4, draws=50)
    repeated = calibration_error([0.2] + [0.4] * 2 + [0.6] * 3 + [0.8], [False] + [True] * 6, bins=4, draws=50)
    assert weighted is not None
    assert repeated is not None
    assert weighted.ece == pytest.approx(repeated.ece)
    assert weighted.gap == pytest.approx(repeated.gap)
    assert weighted.brier == pytest.approx(repeated.brier)


def test_many_pairs_are_measured_by_sums() -> None:
    few = calibration_error(*_drawn(3_000), draws=200)
    many = calibration_error(*_drawn(3_001), draws=200)
    assert few is not None
    assert many is not None
    assert many.chance == pytest.approx(few.chance, rel=0.1)


def test_what_n_can_show_grows_with_it() -> None:
    small, large = minimum_shift(_drawn(100)[0]), minimum_shift(_drawn(2000)[0])
    assert small is not None
    assert large is not None
    assert small > 0.1
    assert large < 0.06
    assert minimum_shift([]) is None
    assert minimum_shift([0.5]) is None


def test_no_variance_and_no_data() -> None:
    assert calibration_error([], []) is None
    sure = calibration_error([1.0, 1.0], [True, True])
    assert sure is not None
    assert (sure.ece, sure.interval.low) == (0, 0)
    half = calibration_error([0.5] * 10, [True, False] * 5)
    assert half is not None
    assert half.ece == 0
    assert half.interval.high > 0.1, "ten pairs do not prove calibration"


@table(
    ("confidence", "correct", "weights", "said"),
    [
        ([1.2], [True], None, r"\[0, 1\]"),
        ([0.5], [True, False], None, "beside"),
        ([0.5], [True], [0.0], "above 0"),
        ([float("nan")], [True], None, r"\[0, 1\]"),
    ],
)
def test_wrong_input_is_refused(
    confidence: list[float], correct: list[bool], weights: list[float] | None, said: str
) -> None:
    with pytest.raises(ValueError, match=said):
        calibration_error(confidence, correct, weights=weights)
    with pytest.raises(ValueError, match="bin"):
        calibration_error([0.5, 0.6], [True, False], bins=0)


# --- mappings -----------------------------------------------------------------------------------------


@given(PAIRS)
def test_isotonic_is_that_of_scikit_learn(pairs: list[tuple[float, bool]]) -> None:
    # confidences nearer than rounding are one to scikit-learn
    confidence = [round(c, 6) for c, _ in pairs]
    correct = [y for _, y in pairs]
    ours = fit_map("isotonic", confidence, correct).apply(confidence)
    theirs = isotonic.IsotonicRegression(y_min=0, y_max=1, out_of_bounds="clip").fit_transform(confidence, correct)
    assert ours == pytest.approx(theirs, abs=1e-9)


@given(st.integers(0, 10_000), st.floats(-0.2, 0.2))
def test_platt_and_temperature_are_the_likelihoods_maximum(seed: int, over: float) -> None:
    confidence, correct = _drawn(150, over=over, seed=seed)
    assume(len(set(correct)) == 2)
    logits = np.log(np.array(confidence) / (1 - np.array(confidence)))
    exact = models.Logit(np.array(correct, dtype=float), models.add_constant(logits)).fit(disp=0)
    platt = fit_map("platt", confidence, correct)
    assume(exact.params[1] > 0.01)
    assert (platt.intercept, platt.slope) == pytest.approx(tuple(exact.params), abs=1e-4)
    alone = models.Logit(np.array(correct, dtype=float), logits).fit(disp=0)
    assume(alone.params[0] > 0.01)
    assert fit_map("temperature", confidence, correct).slope == pytest.approx(alone.params[0], abs=1e-4)


def test_weights_are_repetitions_to_every_method() -> None:
    confidence, correct = _drawn(60)
    weights = [1 + place % 3 for place in range(60)]
    repeated = [(c, y) for c, y, w in zip(confidence, correct, weights, strict=True) for _ in range(w)]
    for method in ("isotonic", "platt", "temperature"):
        one = fit_map(method, confidence, correct, weights).apply(confidence)
        other = fit_map(method, [c for c, _ in repeated], [y for _, y in repeated]).apply(confidence)
        assert one == pytest.approx(other, abs=1e-5)


@table("correct", [[True] * 8, [False] * 8, [False] * 4 + [True] * 4, [True] * 4 + [False] * 4])
def test_separated_and_constant_outcomes_have_a_finite_mapping(correct: list[bool]) -> None:
    confidence = [0.0, 0.1, 0.2, 0.3, 0.7, 0.8, 0.9, 1.0]
    for method in ("isotonic", "platt", "temperature", "identity"):
        said = fit_map(method, confidence, correct).apply(confidence)
        assert np.isfinite(said).all()
        assert (np.diff(said) >= -1e-12).all(), "a higher confidence never means less"


def test_cross_validation_prefers_a_mapping_only_where_it_helps() -> None:
    helped = compare_methods(*_drawn(1500, over=0.2))
    calm = compare_methods(*_drawn(1500))
    assert helped is not None
    assert calm is not None
    by_name = {each.method: each for each in helped}
    assert by_name["platt"].interval.low > 0
    assert by_name["platt"].log_loss < by_name["identity"].log_loss
    assert {each.method: each for each in calm}["isotonic"].interval.low <= 0.001
    assert by_name["identity"].gain == 0
    assert compare_methods([0.5] * 9, [True] * 9) is None
