from __future__ import annotations

import itertools
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.stats.paired import mcnemar
from proctor.stats.paired_clusters import clustered_change

PAIRS = st.lists(st.tuples(st.integers(0, 5), st.booleans(), st.booleans()), max_size=60)


@given(PAIRS)
def test_the_counts_are_the_counts(pairs: list[tuple[int, bool, bool]]) -> None:
    found = clustered_change(pairs)
    assert found.pairs == len(pairs)
    assert found.clusters == len({cluster for cluster, _, _ in pairs})
    if not pairs:
        assert (found.difference, found.p, found.interval, found.mcnemar) == (None, None, None, None)
        return
    assert found.difference is not None
    assert found.difference == pytest.approx((found.hits_after - found.hits_before) / found.pairs)
    assert found.mcnemar is not None
    assert found.mcnemar.gained - found.mcnemar.lost == found.hits_after - found.hits_before
    if found.interval is not None:
        assert found.interval.low <= found.difference <= found.interval.high


@given(PAIRS)
def test_the_p_value_counts_every_exchange_of_before_and_after(pairs: list[tuple[int, bool, bool]]) -> None:
    sums: dict[int, int] = {}
    for cluster, before, after in pairs:
        sums[cluster] = sums.get(cluster, 0) + after - before
    values = list(sums.values())
    patterns = list(itertools.product((1, -1), repeat=len(values)))
    extreme = sum(abs(sum(s * v for s, v in zip(signs, values, strict=True))) >= abs(sum(values)) for signs in patterns)
    found = clustered_change(pairs)
    assert not pairs or found.p == pytest.approx(extreme / len(patterns))


@given(st.integers(0, 6), st.integers(0, 6))
def test_one_attempt_a_goal_is_mcnemars_test(lost: int, gained: int) -> None:
    pairs = [(number, True, False) for number in range(lost)]
    pairs += [(100 + number, False, True) for number in range(gained)]
    pairs.append((999, True, True))
    assert clustered_change(pairs).p == pytest.approx(mcnemar(lost, gained).exact)


def test_a_goal_tried_often_is_still_one_goal() -> None:
    found = clustered_change([("a", True, False)] * 40 + [("b", True, False)] * 40)
    assert found.p == 0.5
    assert found.mcnemar is not None
    assert found.mcnemar.exact < 1e-20
    alone = clustered_change([("a", True, False)] * 40)
    assert (alone.p, alone.interval) == (1.0, None)


def test_without_a_change_the_test_stays_quiet_where_mcnemars_does_not() -> None:
    """Goals whose attempts agree: how often each test calls no change a change, at 5 %."""
    dice = random.Random(4)
    runs, ours, theirs = 300, 0, 0
    for number in range(runs):
        pairs = []
        for goal in range(15):
            before, after = dice.random() < 0.5, dice.random() < 0.5
            pairs += [(goal, before, after)] * 8
        found = clustered_change(pairs, seed=number)
        assert found.p is not None
        assert found.mcnemar is not None
        ours += found.p < 0.05
        theirs += found.mcnemar.exact < 0.05
    assert ours / runs <= 0.08
    assert theirs / runs > 0.3
