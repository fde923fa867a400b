from __future__ import annotations

import pytest

from proctor.core.trajectory import Trajectory, Turn
from proctor.scorers.answer.cost import Cost
from tests.scorers.staging import BROKEN, case


def spent(*costs: float | None) -> Trajectory:
    return Trajectory(turns=tuple(Turn(cost=each) for each in costs))


async def test_all_turns_count_together() -> None:
    score = await Cost(at_most=0.01).score(case(), spent(0.004, 0.005))
    assert score.value == 1.0
    assert score.measured == pytest.approx(0.009)
    assert (await Cost(at_most=0.01).score(case(), spent(0.01, 0.01))).value == 0.0


async def test_without_a_limit_it_only_measures() -> None:
    score = await Cost().score(case(), spent(0.5))
    assert (score.status, score.measured) == ("skipped", 0.5)


async def test_an_unknown_price_is_not_judged() -> None:
    score = await Cost(at_most=1).score(case(), spent(0.1, None))
    assert score.status == "error"
    assert "not known" in score.reason
    assert (await Cost(at_most=1).score(case(), BROKEN)).status == "error"


def test_a_negative_limit_is_refused() -> None:
    with pytest.raises(ValueError, match="negative"):
        Cost(at_most=-0.1)
