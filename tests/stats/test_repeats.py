from __future__ import annotations

import random

import pytest

from proctor.stats.repeats import chance_flips, poisson_tail


def test_the_bound_covers_what_chance_really_gives() -> None:
    source = random.Random(0)
    for share in (0.1, 0.3, 0.5, 0.7):
        clean = mixed = 0
        for _ in range(20_000):
            before = [source.random() < share for _ in range(3)]
            after = [source.random() < share for _ in range(3)]
            clean += not any(before) and all(after)
            mixed += 0 < sum(after) < 3
        assert clean <= chance_flips(mixed, 3, 3) * 1.1


def test_more_samples_leave_less_to_chance() -> None:
    assert chance_flips(1, 2, 2) == pytest.approx(1 / 8)
    assert chance_flips(1, 3, 3) == pytest.approx(1 / 48)
    assert chance_flips(0, 3, 3) == 0.0
    assert chance_flips(1, 1, 3) > chance_flips(1, 3, 3)
    with pytest.raises(ValueError, match="one sample"):
        chance_flips(1, 1, 1)


def test_the_tail_of_poisson() -> None:
    assert poisson_tail(0, 1.0) == 1.0
    assert poisson_tail(1, 0.0) == 0.0
    assert poisson_tail(1, 1.0) == pytest.approx(1 - 0.36787944)
    assert poisson_tail(3, 1.0) == pytest.approx(0.0803014)
