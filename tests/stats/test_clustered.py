from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.stats.clustered import ClusterSums, effective_count
from proctor.stats.interval import wilson, wilson_of_share

clusters = st.lists(
    st.integers(1, 8).flatmap(lambda total: st.tuples(st.integers(0, total), st.just(total))), min_size=1, max_size=60
)


@given(clusters)
def test_the_effective_count_lies_between_one_case_and_all_results(pairs: list[tuple[int, int]]) -> None:
    sums = ClusterSums.of(pairs)
    count = effective_count(sums)
    assert 0 < count <= sums.total


@given(st.lists(st.booleans(), min_size=1, max_size=200))
def test_one_result_for_each_case_counts_in_full(passed: list[bool]) -> None:
    assert effective_count(ClusterSums.of((int(each), 1) for each in passed)) == pytest.approx(len(passed))


@given(st.lists(st.booleans(), min_size=2, max_size=100), st.integers(2, 10))
def test_samples_that_always_agree_count_as_one(passed: list[bool], samples: int) -> None:
    sums = ClusterSums.of((samples * each, samples) for each in passed)
    assert effective_count(sums) == pytest.approx(len(passed))


def test_the_variance_is_the_textbook_one() -> None:
    pairs = [(3, 5), (5, 5), (0, 4), (2, 3)]
    sums = ClusterSums.of(pairs)
    share = sums.hits / sums.total
    variance = sum((hits - share * total) ** 2 for hits, total in pairs) / sums.total**2
    assert effective_count(sums) == pytest.approx(share * (1 - share) / variance)


def test_intervals_cover_the_truth_where_plain_ones_do_not() -> None:
    """Cases of unlike difficulty, five samples each: the share of runs whose interval holds the true pass rate."""
    dice = random.Random(7)
    plain = clustered = 0
    runs = 400
    for _ in range(runs):
        chances = [dice.betavariate(0.9, 0.3) for _ in range(60)]
        pairs = [(sum(dice.random() < chance for _ in range(5)), 5) for chance in chances]
        sums = ClusterSums.of(pairs)
        truth = 0.75
        alone = wilson(sums.hits, sums.total)
        together = wilson_of_share(sums.hits / sums.total, effective_count(sums))
        assert alone is not None
        assert together is not None
        plain += alone.low <= truth <= alone.high
        clustered += together.low <= truth <= together.high
    assert clustered / runs > 0.91
    assert plain / runs < 0.80


def test_impossible_counts_are_refused() -> None:
    with pytest.raises(ValueError, match="cannot be"):
        ClusterSums().add(3, 2)
    assert effective_count(ClusterSums()) == 0.0
