"""The learnt pace, as arithmetic."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proctor.models.wrap.learned_rate import LearnedRate


def burst(rhythm: LearnedRate, at: float, *, through: int, refused: int, told: bool = True, busy: bool = True) -> None:
    for index in range(through + refused):
        started = at + index / 10_000
        rhythm.started(started)
        if index >= through:
            rhythm.refused(started, 1.0, told=told, busy=busy)


def test_free_until_something_is_refused() -> None:
    rhythm = LearnedRate()
    for index in range(1000):
        rhythm.started(index / 1e6)
    assert rhythm.rate(1.0) is None
    assert rhythm.wait(1.0) == 0.0


def test_learns_what_got_through_in_the_window() -> None:
    rhythm = LearnedRate()
    burst(rhythm, 0.0, through=30, refused=20)
    assert rhythm.resume(1.005)
    assert rhythm.rate(1.005) == pytest.approx(30, rel=0.06)


def test_calls_start_one_after_the_other_at_the_learnt_pace() -> None:
    rhythm = LearnedRate()
    burst(rhythm, 0.0, through=30, refused=20)
    rhythm.resume(1.005)
    now, starts = 1.005, 0
    while now < 2.005:
        now += max(0.0, rhythm.wait(now))
        rhythm.started(now)
        starts += 1
    assert starts <= 31


def test_a_pace_stands_for_a_while_then_a_faster_one_is_tried() -> None:
    rhythm = LearnedRate()
    burst(rhythm, 0.0, through=30, refused=20)
    rhythm.resume(1.0)
    learnt = rhythm.rate(1.0)
    assert learnt is not None
    assert rhythm.rate(15.9) == learnt
    tried = rhythm.rate(25.0)
    assert tried is not None
    assert tried > 2 * learnt


def test_a_server_that_names_no_wait_is_tried_again_sooner() -> None:
    rates = []
    for told in (True, False):
        rhythm = LearnedRate()
        burst(rhythm, 0.0, through=30, refused=20, told=told)
        rhythm.resume(1.0)
        rates.append(rhythm.rate(5.0))
    assert rates[0] is not None
    assert rates[1] is not None
    assert rates[1] > 2 * rates[0]


def test_after_a_failed_try_the_proven_pace_comes_back() -> None:
    rhythm = LearnedRate()
    burst(rhythm, 0.0, through=30, refused=20)
    rhythm.resume(1.0)
    proven = rhythm.rate(1.0)
    now = 1.0
    while now < 20.0:
        now += max(1e-6, rhythm.wait(now))
        rhythm.started(now)
    rhythm.refused(now, 1.0, told=True, busy=True)
    assert rhythm.resume(now + 1.0)  # it was the pace that was refused
    back = rhythm.rate(now + 1.0)
    assert proven is not None
    assert back is not None
    assert back >= proven


def test_a_quiet_hour_teaches_nothing() -> None:
    rhythm = LearnedRate()
    burst(rhythm, 0.0, through=1, refused=1, busy=False)
    assert not rhythm.resume(1.0)
    assert rhythm.rate(1.0) is None


def test_when_nothing_gets_through_it_knocks() -> None:
    rhythm = LearnedRate()
    burst(rhythm, 0.0, through=0, refused=50)
    rhythm.resume(1.0)
    assert rhythm.rate(1.0) == pytest.approx(1.0)
    now = rhythm.rate(8.0)
    assert now is not None
    assert now > 10.0


@settings(deadline=None)
@given(
    through=st.integers(0, 200),
    refused=st.integers(1, 200),
    pause=st.floats(0, 120),
    told=st.booleans(),
    later=st.floats(0, 1000),
)
def test_a_learnt_pace_is_always_above_nothing(
    through: int, refused: int, pause: float, told: bool, later: float
) -> None:
    rhythm = LearnedRate()
    for index in range(through + refused):
        rhythm.started(index / 1000)
        if index >= through:
            rhythm.refused(index / 1000, pause, told=told, busy=True)
    rhythm.resume(1.0 + pause)
    rate = rhythm.rate(1.0 + pause + later)
    assert rate is not None
    assert 0 < rate < float("inf")
    assert rhythm.wait(1.0 + pause) <= 0


def test_waits_do_not_grow_beyond_what_the_server_asks() -> None:
    """Each estimate includes the pauses of the one before, so without a bound the calls drift apart."""
    rhythm, now, gaps = LearnedRate(), 0.0, []
    for _ in range(30):  # one call gets through, the next is refused, with a pause of a second
        for passes in (True, False):
            wait = max(0.0, rhythm.wait(now))
            gaps.append(wait)
            now += wait
            rhythm.started(now)
            if not passes:
                rhythm.refused(now, 1.0, told=True, busy=True)
                now += 1.0
                rhythm.resume(now)
    assert max(gaps) <= 1.01
