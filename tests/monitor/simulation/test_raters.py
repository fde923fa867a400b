"""Simulated raters agree as much as is expected of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import pytest

from proctor.monitor.simulation.raters import QUALITY, RaterProfile, rated, true_quality
from proctor.monitor.simulation.traffic import simulate
from proctor.monitor.simulation.traffic_truth import ConversationTruth, TrafficTruth
from proctor.monitor.simulation.travel_desk import travel_desk
from proctor.stats.agreement import cohen_kappa


def expected_kappa(one: RaterProfile, other: RaterProfile, prevalence: Mapping[str, float], *, week: int = 0) -> float:
    """Return Cohen's kappa that two raters have over endless conversations with this share of each true label."""
    size = len(QUALITY)
    left, right = one.confusion(week=week), other.confusion(week=week)
    total = sum(prevalence.get(name, 0.0) for name in QUALITY)
    joint = [[0.0] * size for _ in range(size)]
    for true, name in enumerate(QUALITY):
        weight = prevalence.get(name, 0.0) / total
        for a in range(size):
            for b in range(size):
                joint[a][b] += weight * left[true][a] * right[true][b]
    agree = sum(joint[at][at] for at in range(size))
    chance = sum(sum(joint[at]) * sum(row[at] for row in joint) for at in range(size))
    return (agree - chance) / (1.0 - chance)


@pytest.fixture(scope="module")
def told() -> list[ConversationTruth]:
    truth = TrafficTruth()
    for _ in simulate(travel_desk(hours=24, texts=False, turns_per_minute=10), 3, truth=truth):
        pass
    return truth.conversations


def test_kappa_over_many_conversations_is_the_expected_one(told: list[ConversationTruth]) -> None:
    raters = (RaterProfile(name="ada", accuracy=0.9, lenient=0.8), RaterProfile(name="ben", accuracy=0.8))
    labels = rated(told, raters)
    by = {rater.name: [label.value for label in labels if label.by == rater.name] for rater in raters}
    found = cohen_kappa(by["ada"], by["ben"])
    shares = Counter(true_quality(each) for each in told)
    assert set(shares) == set(QUALITY)
    assert found is not None
    assert found.kappa == pytest.approx(expected_kappa(*raters, shares), abs=0.03)


def test_rows_are_probabilities_and_a_drift_loses_accuracy() -> None:
    tired = RaterProfile(name="eve", accuracy=0.9, drift=0.1, lenient=1.0)
    for week in (0, 3, 20):
        assert all(sum(row) == pytest.approx(1.0) for row in tired.confusion(week=week))
    assert tired.confusion(week=3)[1] == pytest.approx((0.0, 0.6, 0.4))


def test_a_perfect_pair_has_a_kappa_of_one() -> None:
    both = RaterProfile(name="one", accuracy=1.0), RaterProfile(name="two", accuracy=1.0)
    assert expected_kappa(*both, {"bad": 0.1, "poor": 0.2, "good": 0.7}) == pytest.approx(1.0)
