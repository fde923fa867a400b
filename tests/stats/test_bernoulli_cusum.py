"""The charts against exact run lengths, simulation and the table of spikes."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proctor.stats.bernoulli_cusum import (
    RATIOS,
    chart,
    detection_probability,
    run_length,
    smallest_spike,
    thresholds,
)
from tests.tables import table


def exact_run_length(rate: float, ups: int, states: int) -> tuple[float, float, float]:
    """Return the ratio, the threshold and the exact run length of a chart whose rise is a multiple of its fall.

    It is a Markov chain on whole numbers: down by one, up by ``ups``; it rings at ``states``.
    """
    low, high = 1e-6, 10.0
    for _ in range(200):  # the step for which the two are log-likelihoods: their mean exponential is 1
        step = (low + high) / 2
        mean = rate * math.exp(min(600.0, ups * step)) + (1 - rate) * math.exp(-step)
        low, high = (step, high) if mean < 1 else (low, step)
    chain = np.eye(states)
    for state in range(states):
        chain[state, max(0, state - 1)] -= 1 - rate
        if state + ups < states:
            chain[state, state + ups] -= rate
    return math.exp(ups * step), states * step, float(np.linalg.solve(chain, np.ones(states))[0])


@table(("rate", "ups", "states"), [(0.04, 17, 180), (0.04, 17, 240), (0.2, 3, 45), (0.01, 70, 900), (0.02, 18, 220)])
def test_the_run_length_is_that_of_the_markov_chain(rate: float, ups: int, states: int) -> None:
    ratio, threshold, exact = exact_run_length(rate, ups, states)
    assert run_length(chart(rate, ratio), threshold) == pytest.approx(exact, rel=0.01)


@given(st.floats(1e-4, 0.4), st.floats(1.2, 10), st.floats(4, 15))
def test_a_higher_threshold_rings_later(rate: float, ratio: float, threshold: float) -> None:
    of = chart(rate, ratio)
    assert of.fall > 0
    assert of.rise > 0
    assert run_length(of, threshold + 1) > run_length(of, threshold) > 0


@given(st.floats(1e-4, 0.999), st.floats(1.01, 100))
def test_a_chart_is_the_logarithm_of_two_likelihoods(rate: float, ratio: float) -> None:
    of = chart(rate, ratio)
    assert rate < of.spiked < 1
    assert of.up == pytest.approx(math.log(of.spiked / rate))
    # The likelihood ratio has mean 1 under the normal rate.
    assert rate * math.exp(of.up) + (1 - rate) * math.exp(-of.down) == pytest.approx(1.0)


@settings(max_examples=30)
@given(st.lists(st.tuples(st.floats(10, 1e5), st.floats(0.001, 0.3)), min_size=1, max_size=168), st.floats(0.01, 5))
def test_thresholds_give_the_false_alarms_asked_for(hours: list[tuple[float, float]], alarms: float) -> None:
    (level,) = thresholds(hours, alarms, ratios=(2.0,))
    given_by = sum(count / run_length(chart(rate, 2.0), level) for count, rate in hours)
    least = max(chart(rate, 2.0).up for _, rate in hours)
    assert given_by == pytest.approx(alarms, rel=0.01) or (level <= least * 1.01 and given_by <= alarms * 1.01)


def test_charts_of_a_bank_together_ring_as_seldom_as_asked() -> None:
    """Draw the gaps between bad events; count rings of the four charts at the normal rate."""
    rate, alarms_wanted = 0.04, 60.0
    period = 200_000.0  # events in which so many alarms are allowed
    levels = thresholds([(period, rate)], alarms_wanted)
    charts = [chart(rate, ratio) for ratio in RATIOS]
    rng = random.Random(5)
    alarms, events, evidence = 0, 0.0, [0.0] * len(RATIOS)
    scale = math.log1p(-rate)
    while events < 10 * period:
        gap = int(math.log(1 - rng.random()) / scale)  # good events before the next bad one
        events += gap + 1
        evidence = [max(0.0, each - gap * of.down) + of.up for each, of in zip(evidence, charts, strict=True)]
        if any(each >= level for each, level in zip(evidence, levels, strict=True)):
            alarms += 1
            evidence = [0.0] * len(RATIOS)
    assert 0.7 * alarms_wanted <= alarms / 10 <= 1.1 * alarms_wanted


@pytest.mark.parametrize(("spike", "bad"), [(2.0, 16.0), (3.0, 4.2), (4.0, 2.1)])
def test_the_table_of_spikes(spike: float, bad: float) -> None:
    """A spike is found within five minutes with 99 % from so many bad events a minute on."""
    levels = thresholds([(bad / 0.04 * 60, 0.04)] * 168, 0.25)
    assert detection_probability(bad, spike, 5.0, levels) >= 0.985
    assert detection_probability(bad / 4, spike, 5.0, levels) < 0.8
    found = smallest_spike(bad, 5.0, levels)
    assert found is not None
    assert found == pytest.approx(spike, rel=0.05)


def test_the_probability_of_detection_is_that_of_a_simulation() -> None:
    bad, spike, minutes, ratio, level = 3.0, 3.0, 5.0, 3.0, 9.0
    rng = random.Random(1)
    found = 0
    for _ in range(4_000):
        time, count = 0.0, 0
        while True:
            time += rng.expovariate(bad * spike)
            count += 1
            if time > minutes:
                break
            if count * math.log(ratio) - bad * (ratio - 1) * time >= level:
                found += 1
                break
    expected = detection_probability(bad, spike, minutes, (level,), ratios=(ratio,))
    assert found / 4_000 == pytest.approx(expected, abs=0.03)


def test_what_cannot_be() -> None:
    for rate, ratio in ((0.0, 2.0), (1.0, 2.0), (0.1, 1.0)):
        with pytest.raises(ValueError, match=r"rate|spike"):
            chart(rate, ratio)
    with pytest.raises(ValueError, match="never rings"):
        thresholds([(100, 0.1)], 0.0)
    assert thresholds([], 1.0) == (math.inf,) * 4
    assert detection_probability(0.0, 5.0, 5.0, (9.0,) * 4) == 0.0
    assert smallest_spike(1e-6, 5.0, (9.0,) * 4) is None
