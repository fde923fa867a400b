from __future__ import annotations

import random

import pytest

from proctor.stats.two_samples import Moments, mean_difference, share_difference

NOW = [0.82, 0.91, 0.77, 1.0, 0.64, 0.9]
BEFORE = [0.7, 0.81, 0.66, 0.92, 0.58, 0.75, 0.69]


def _moments(values: list[float]) -> Moments:
    made = Moments()
    for value in values:
        made.add(value)
    return made


# statsmodels.stats.proportion.confint_proportions_2indep(method="newcomb", compare="diff")
@pytest.mark.parametrize(
    ("counts", "low", "high"),
    [
        ((56, 70, 48, 80), 0.05243147240236498, 0.33387265403690614),
        ((9, 10, 3, 10), 0.1705227239345029, 0.809017973535488),
        ((0, 10, 0, 10), -0.27753279986288926, 0.27753279986288926),
        ((5, 56, 0, 29), -0.038137147903536936, 0.19256001385511165),
    ],
)
def test_a_difference_of_shares_agrees_with_statsmodels(
    counts: tuple[int, int, int, int], low: float, high: float
) -> None:
    found = share_difference(*counts)
    assert found is not None
    assert (found.low, found.high) == (pytest.approx(low), pytest.approx(high))


def test_means_agree_with_scipy() -> None:
    now, before = _moments(NOW), _moments(BEFORE)
    gap = mean_difference(now, before)  # scipy.stats.ttest_ind(equal_var=False).confidence_interval()
    assert gap is not None
    assert (gap.low, gap.high) == (pytest.approx(-0.03728759602036216), pytest.approx(0.25728759602036233))
    own = now.interval()  # scipy.stats.t.interval
    assert own is not None
    assert (own.low, own.high) == (pytest.approx(0.7077544527136423), pytest.approx(0.9722455472863576))
    assert now.total == pytest.approx(sum(NOW))


def test_nothing_counted_is_no_interval() -> None:
    assert share_difference(0, 0, 1, 2) is None
    assert share_difference(1, 2, 0, 0) is None
    assert mean_difference(_moments([1.0]), _moments(NOW)) is None
    assert Moments().interval() is None
    equal = mean_difference(_moments([1.0, 1.0]), _moments([0.5, 0.5]))
    assert equal is not None
    assert (equal.low, equal.high) == (0.5, 0.5)
    with pytest.raises(ValueError, match="cannot count nan"):
        Moments().add(float("nan"))


def test_the_interval_of_a_difference_covers_the_truth() -> None:
    rng = random.Random(5)
    covered = 0
    for _ in range(400):
        hits = sum(rng.random() < 0.12 for _ in range(150))
        before = sum(rng.random() < 0.08 for _ in range(120))
        found = share_difference(hits, 150, before, 120)
        assert found is not None
        covered += found.low <= 0.04 <= found.high
    assert covered / 400 > 0.92
