from __future__ import annotations

import pytest

from proctor.core.trajectory import Trajectory, Turn
from proctor.scorers.answer.latency import Latency
from tests.scorers.staging import BROKEN, case


def took(*seconds: float | None) -> Trajectory:
    return Trajectory(turns=tuple(Turn(latency=each) for each in seconds))


async def test_the_slowest_turn_counts() -> None:
    score = await Latency(at_most=2).score(case(), took(0.5, 3.0, 1.0))
    assert (score.value, score.measured, score.unit) == (0.0, 3.0, "s")
    assert score.reason == "turn 2: 3 s; at most 2 s"
    assert score.evidence[0].turn == 1
    assert (await Latency(at_most=3).score(case(), took(0.5, 3.0))).value == 1.0


async def test_or_all_turns_together() -> None:
    score = await Latency(at_most=3, per="total").score(case(), took(2.0, 2.0))
    assert (score.value, score.measured) == (0.0, 4.0)
    assert score.reason == "2 turns: 4 s; at most 3 s"


async def test_without_a_limit_it_only_measures() -> None:
    score = await Latency().score(case(), took(1.5))
    assert (score.status, score.value, score.measured, score.unit) == ("skipped", None, 1.5, "s")


async def test_an_unknown_time_is_not_judged() -> None:
    assert (await Latency(at_most=1).score(case(), took(1.0, None))).status == "error"
    assert (await Latency(at_most=1).score(case(), BROKEN)).status == "error"


def test_a_negative_limit_is_refused() -> None:
    with pytest.raises(ValueError, match="negative"):
        Latency(at_most=-1)
