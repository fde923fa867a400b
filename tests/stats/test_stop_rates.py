from __future__ import annotations

import pytest

from proctor.stats.stop_rates import THRESHOLDS, lowest_threshold, stop_rates


def test_a_text_is_stopped_if_its_score_reaches_the_threshold() -> None:
    rates = stop_rates([0.0] * 8 + [0.6, 0.96], [0.97, 0.7])
    by_threshold = {each.threshold: each for each in rates}
    assert [each.threshold for each in rates] == list(THRESHOLDS)
    assert (by_threshold[0.6].share, by_threshold[0.65].share, by_threshold[0.98].share) == (0.2, 0.1, 0.0)
    assert (by_threshold[0.7].recall, by_threshold[0.75].recall) == (1.0, 0.5)
    assert by_threshold[0.6].interval.low < 0.2 < by_threshold[0.6].interval.high


def test_the_lowest_threshold_that_stops_few_enough_is_chosen() -> None:
    rates = stop_rates([0.0] * 8 + [0.6, 0.96])
    assert [lowest_threshold(rates, most) for most in (0.5, 0.1, 0.05)] == [0.5, 0.65, 0.98]
    assert lowest_threshold(stop_rates([1.0]), 0.5) is None
    assert all(each.recall is None and each.recall_interval is None for each in rates)


def test_without_harmless_texts_nothing_can_be_said() -> None:
    with pytest.raises(ValueError, match="no harmless text"):
        stop_rates([])
