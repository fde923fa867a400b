from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.stats.detector_error import corrected_rate
from proctor.stats.interval import wilson

SHARES = st.floats(0.0, 1.0)


# Point estimates of epiR's epi.prev examples (brucellosis, Helicobacter pylori): Rogan and Gladen 1978
@pytest.mark.parametrize(
    ("hits", "total", "sensitivity", "specificity", "expected"),
    [(23, 150, 0.96, 0.89, 0.0510), (6, 151, 0.964, 0.927, 0.0)],
)
def test_the_published_examples(hits: int, total: int, sensitivity: float, specificity: float, expected: float) -> None:
    found = corrected_rate(hits / total, total, sensitivity=(sensitivity, 100_000), specificity=(specificity, 100_000))
    assert found is not None
    assert found.value == pytest.approx(expected, abs=5e-5)
    assert found.interval.high == pytest.approx({23: 0.13, 6: 0.013}[hits], abs=0.01)
    assert found.interval.low <= 0.0005


@given(
    SHARES, st.integers(1, 5000), st.floats(0.5, 1.0), st.integers(1, 5000), st.floats(0.5, 1.0), st.integers(1, 5000)
)
def test_the_interval_holds_the_rate(share: float, count: int, se: float, of_se: int, sp: float, of_sp: int) -> None:
    found = corrected_rate(share, count, sensitivity=(se, of_se), specificity=(sp, of_sp))
    if found is not None:
        assert 0.0 <= found.interval.low <= found.value <= found.interval.high <= 1.0


@given(st.integers(0, 200), st.integers(200, 4000))
def test_a_detector_without_errors_changes_next_to_nothing(hits: int, total: int) -> None:
    found = corrected_rate(hits / total, total, sensitivity=(1.0, 10**7), specificity=(1.0, 10**7))
    plain = wilson(hits, total)
    assert found is not None
    assert plain is not None
    assert found.value == pytest.approx(hits / total)
    # Agresti and Coull's interval: centred as Wilson's, never narrower
    assert found.interval.low <= plain.low + 1e-4
    assert found.interval.high >= plain.high - 1e-4


def test_a_detector_measured_on_few_examples_says_less() -> None:
    wide = corrected_rate(0.4, 500, sensitivity=(0.9, 20), specificity=(0.9, 20))
    narrow = corrected_rate(0.4, 500, sensitivity=(0.9, 2000), specificity=(0.9, 2000))
    assert wide is not None
    assert narrow is not None
    assert wide.interval.high - wide.interval.low > 2 * (narrow.interval.high - narrow.interval.low)


def test_a_detector_no_better_than_chance_says_nothing() -> None:
    assert corrected_rate(0.3, 100, sensitivity=(0.5, 50), specificity=(0.5, 50)) is None
    assert corrected_rate(0.3, 0, sensitivity=(0.9, 50), specificity=(0.9, 50)) is None
    with pytest.raises(ValueError, match="cannot be"):
        corrected_rate(0.3, 10, sensitivity=(1.1, 50), specificity=(0.9, 50))
    with pytest.raises(ValueError, match="cannot be"):
        corrected_rate(1.3, 10, sensitivity=(0.9, 50), specificity=(0.9, 50))
    with pytest.raises(ValueError, match="confidence"):
        corrected_rate(0.3, 10, sensitivity=(0.9, 50), specificity=(0.9, 50), confidence=1.0)


@pytest.mark.parametrize("truth", [0.02, 0.2, 0.6])
def test_the_corrected_interval_covers_the_truth_where_the_plain_one_does_not(truth: float) -> None:
    dice = random.Random(5)
    sense, spec, runs = 0.8, 0.85, 400
    plain = corrected = 0
    for _ in range(runs):
        hits = sum(dice.random() < (sense if dice.random() < truth else 1 - spec) for _ in range(200))
        measured = [sum(dice.random() < share for _ in range(100)) / 100 for share in (sense, spec)]
        alone = wilson(hits, 200)
        found = corrected_rate(hits / 200, 200, sensitivity=(measured[0], 100), specificity=(measured[1], 100))
        assert alone is not None
        assert found is not None
        plain += alone.low <= truth <= alone.high
        corrected += found.interval.low <= truth <= found.interval.high
    assert corrected / runs > 0.93
    assert plain / runs < 0.9
