from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.stats.clustered import ClusterSums, effective_count
from proctor.stats.clustered_rate import any_of_first, any_of_n, clustered_count, clustered_interval
from proctor.stats.interval import wilson, wilson_of_share

clusters = st.lists(
    st.integers(0, 8).flatmap(lambda total: st.tuples(st.integers(0, total), st.just(total))), max_size=40
)


@given(clusters)
def test_the_interval_holds_the_rate_and_never_leaves_the_unit(pairs: list[tuple[int, int]]) -> None:
    hits, total = sum(hits for hits, _ in pairs), sum(total for _, total in pairs)
    found = clustered_interval(pairs)
    if not total:
        assert found is None
        return
    assert found is not None
    assert 0.0 <= found.low <= hits / total <= found.high <= 1.0


@given(clusters)
def test_few_clusters_never_count_for_more_than_the_effective_count(pairs: list[tuple[int, int]]) -> None:
    sums = ClusterSums.of(pairs)
    count = clustered_count(pairs)
    assert count <= max(1.0, effective_count(sums)) + 1e-9
    assert (count > 0) == (sums.total > 0)


@given(st.lists(st.booleans(), min_size=2, max_size=100))
def test_one_attempt_a_goal_is_the_plain_wilson_interval(hit: list[bool]) -> None:
    found, plain = clustered_interval((int(each), 1) for each in hit), wilson(sum(hit), len(hit))
    assert found is not None
    assert plain is not None
    assert (found.low, found.high) == pytest.approx((plain.low, plain.high))


@given(st.integers(1, 30), st.integers(1, 9))
def test_none_and_all_count_each_goal_once(goals: int, tries: int) -> None:
    assert clustered_interval([(0, tries)] * goals) == wilson(0, goals)
    assert clustered_interval([(tries, tries)] * goals) == wilson(goals, goals)


def test_one_goal_says_next_to_nothing_about_others() -> None:
    found = clustered_interval([(50, 100)])
    assert found is not None
    assert found == wilson_of_share(0.5, 1.0)
    assert found.high - found.low > 0.8


def test_korn_and_graubard_by_hand() -> None:
    # share 10/20; deviations 3, 0, -1, -2 -> design effect 14 / 5; t(0.975, 19) = 2.093024, t(0.975, 3) = 3.182446
    pairs = [(8, 10), (1, 2), (1, 4), (0, 4)]
    assert clustered_count(pairs) == pytest.approx(20 * 5 / 14 * (2.093024 / 3.182446) ** 2, rel=1e-6)


def test_intervals_cover_the_rate_over_goals() -> None:
    """Goals of unlike difficulty, ten attempts each, eight goals only: the share of runs whose interval holds 0.3."""
    dice = random.Random(3)
    plain = clustered = 0
    runs = 400
    for _ in range(runs):
        chances = [dice.betavariate(0.6, 1.4) for _ in range(8)]
        pairs = [(sum(dice.random() < chance for _ in range(10)), 10) for chance in chances]
        alone, together = wilson(sum(hits for hits, _ in pairs), 80), clustered_interval(pairs)
        assert alone is not None
        assert together is not None
        plain += alone.low <= 0.3 <= alone.high
        clustered += together.low <= 0.3 <= together.high
    assert clustered / runs > 0.93
    assert plain / runs < 0.75


@given(clusters)
def test_any_of_n_is_over_goals(pairs: list[tuple[int, int]]) -> None:
    hit, total, interval = any_of_n(pairs)
    assert total == sum(tries > 0 for _, tries in pairs)
    assert hit == sum(hits > 0 for hits, _ in pairs)
    assert (interval is None) == (total == 0)


tries = st.lists(st.lists(st.booleans(), max_size=12), max_size=12)


@given(tries)
def test_more_tries_never_reach_fewer_goals(outcomes: list[list[bool]]) -> None:
    found = any_of_first(outcomes, range(1, 13))
    shares = [hit for hit, _ in found.values()]
    assert shares == sorted(shares)
    assert len({total for _, total in found.values()}) <= 1
    lacking = [len(each) for each in outcomes if each and True not in each]
    assert not lacking or max(found, default=0) <= min(lacking)


def test_a_goal_that_stopped_at_its_hit_counts_later_too() -> None:
    found = any_of_first([[True], [False, False, True], [False] * 4, []], (1, 2, 3, 4, 5))
    assert found == {1: (1, 3), 2: (1, 3), 3: (2, 3), 4: (2, 3)}
    assert any_of_first([], (1, 2)) == {}
    assert any_of_first([[False, True], [True]], (1, 2, 3)) == {1: (1, 2), 2: (2, 2)}
