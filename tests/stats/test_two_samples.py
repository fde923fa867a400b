from __future__ import annotations

import pytest

from proctor.stats.interval import wilson
from proctor.stats.two_samples import Moments, mover_interval, welch_interval
from proctor.stats.two_shares import newcombe

NOW = [0.82, 0.91, 0.77, 1.0, 0.64, 0.9]
BEFORE = [0.7, 0.81, 0.66, 0.92, 0.58, 0.75, 0.69]


def _moments(values: list[float]) -> Moments:
    made = Moments()
    for value in values:
        made.add(value)
    return made


def test_means_agree_with_scipy() -> None:
    now, before = _moments(NOW), _moments(BEFORE)
    gap = welch_interval(now, before)  # scipy.stats.ttest_ind(equal_var=False).confidence_interval()
    assert gap is not None
    assert gap.low == pytest.approx(-0.03728759602036216)
    assert gap.high == pytest.approx(0.25728759602036233)
    own = now.interval()  # scipy.stats.t.interval
    assert own is not None
    assert own.low == pytest.approx(0.7077544527136423)
    assert own.high == pytest.approx(0.9722455472863576)
    assert now.total == pytest.approx(sum(NOW))


def test_nothing_counted_is_no_interval() -> None:
    assert welch_interval(_moments([1.0]), _moments(NOW)) is None
    assert Moments().interval() is None
    equal = welch_interval(_moments([1.0, 1.0]), _moments([0.5, 0.5]))
    assert equal is not None
    assert (equal.low, equal.high) == (0.5, 0.5)
    with pytest.raises(ValueError, match="cannot count nan"):
        Moments().add(float("nan"))


def test_combined_intervals_of_shares_are_newcombes() -> None:
    for counts in ((56, 70, 48, 80), (9, 10, 3, 10), (0, 10, 0, 10), (5, 56, 0, 29)):
        hits, total, before, total_before = counts
        one, other = wilson(hits, total), wilson(before, total_before)
        assert one is not None
        assert other is not None
        found = mover_interval((hits / total, one.low, one.high), (before / total_before, other.low, other.high))
        expected = newcombe(*counts)
        assert expected is not None
        assert found.low == pytest.approx(expected.low)
        assert found.high == pytest.approx(expected.high)
