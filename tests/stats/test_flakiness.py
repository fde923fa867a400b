from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as some

from proctor.stats.flakiness import entropy, pass_hat
from proctor.stats.interval import wilson, wilson_of_share


@given(some.lists(some.booleans(), min_size=1, max_size=8), some.integers(1, 8))
def test_pass_hat_is_the_share_of_draws_that_all_pass(tries: list[bool], k: int) -> None:
    found = pass_hat(sum(tries), len(tries), k)
    if k > len(tries):
        assert found is None
        return
    draws = [all(draw) for draw in combinations(tries, k)]
    assert found == pytest.approx(sum(draws) / len(draws))


def test_pass_hat_of_all_and_of_none() -> None:
    assert pass_hat(3, 3, 3) == 1.0
    assert pass_hat(2, 3, 3) == 0.0
    assert pass_hat(2, 3, 1) == pytest.approx(2 / 3)
    assert pass_hat(0, 0, 1) is None


@pytest.mark.parametrize(("passed", "tried", "k"), [(4, 3, 1), (-1, 3, 1), (1, 3, 0)])
def test_what_cannot_be_is_refused(passed: int, tried: int, k: int) -> None:
    with pytest.raises(ValueError, match=r"cannot be|1 or more"):
        pass_hat(passed, tried, k)


def test_entropy_is_least_for_the_steady_and_most_for_half_and_half() -> None:
    assert (entropy(0, 0), entropy(3, 0), entropy(0, 5)) == (0.0, 0.0, 0.0)
    assert entropy(2, 2) == 1.0
    assert 0 < entropy(1, 9) < entropy(1, 2) < 1
    assert entropy(1, 2) == entropy(2, 1)


@given(some.integers(0, 50), some.integers(1, 50))
def test_the_interval_of_a_share_is_that_of_a_count_where_there_is_one(hits: int, more: int) -> None:
    total = hits + more
    assert wilson_of_share(hits / total, total) == wilson(hits, total)


@given(some.floats(0, 1), some.integers(1, 10_000))
def test_the_interval_holds_its_share_and_stays_in_bounds(share: float, count: int) -> None:
    found = wilson_of_share(share, count)
    assert found is not None
    assert 0 <= found.low <= share <= found.high <= 1
