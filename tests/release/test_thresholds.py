from __future__ import annotations

import numpy as np
import pytest

from proctor.release.measures import Baseline
from proctor.release.thresholds import suggest
from tests.release.making import case, even, run


def _noisy(source: np.random.Generator, count: int, spread: float) -> Baseline:
    cases = [
        case(f"c{place}", "faq", relevance=float(np.clip(0.8 + 0.1 * (place % 3 - 1) + spread * noise, 0, 1)))
        for place, noise in enumerate(source.standard_normal(count))
    ]
    return run("r", cases)


def test_many_cases_with_little_noise_get_one_standard_deviation() -> None:
    source = np.random.default_rng(1)
    runs = [_noisy(source, 100, 0.02) for _ in range(4)]
    found = suggest(runs, figures=["relevance"], rate=0.025)
    (proposal, faq) = found.proposals
    assert (found.over, found.runs) == ("runs", 4)
    assert (proposal.intent, faq.intent) == ("all", "faq")
    assert faq.floor == pytest.approx(faq.best - faq.spread, abs=0.0011)
    assert found.false_positives <= 0.025


def test_few_noisy_cases_get_a_lower_floor() -> None:
    source = np.random.default_rng(2)
    runs = [_noisy(source, 4, 0.25) for _ in range(5)]
    found = suggest(runs, figures=["relevance"], rate=0.025)
    assert found.start > 0.025
    assert all(each.floor < each.best - each.spread for each in found.proposals)


def test_floors_hold_good_runs_as_rarely_as_promised() -> None:
    source = np.random.default_rng(3)
    broken = 0
    for attempt in range(200):
        runs = [_noisy(source, 12, 0.1) for _ in range(5)]
        floor = (
            suggest(runs, rate=0.025, figures=["relevance"], resamples=400, seed=attempt)
            .floors["faq"]["relevance"]
            .least
        )
        values = [each.dimensions["relevance"] or 0.0 for each in _noisy(source, 12, 0.1).cases]
        broken += float(np.mean(values)) < floor
    assert broken <= 10


def test_one_run_is_enough_to_begin_with() -> None:
    found = suggest([run("a", even(40, ("faq", "chitchat")))])
    assert found.over == "cases"
    assert set(found.floors) == {"all", "faq", "chitchat"}
    assert all(0 <= each.floor <= each.best for each in found.proposals)


def test_cases_without_a_value_are_left_out() -> None:
    cases = [case("a", relevance=None, fluency=0.9), case("b", relevance=None, fluency=0.8)]
    found = suggest([run("a", cases)], figures=["relevance", "fluency"])
    assert {each.dimension for each in found.proposals} == {"fluency"}


def test_nothing_to_go_by_is_refused() -> None:
    with pytest.raises(ValueError, match="no scored case"):
        suggest([])
    with pytest.raises(ValueError, match="rate"):
        suggest([run("a", even(3))], rate=0.0)


def test_steady_scores_get_the_best_mean_minus_one_standard_deviation() -> None:
    runs = [run(name, [case(f"c{place}", "faq", relevance=1.0) for place in range(8)]) for name in "abc"]
    found = suggest(runs, figures=["relevance"])
    assert [each.floor for each in found.proposals] == [0.99, 0.99]
    assert (found.rate, found.start, found.false_positives) == (None, 0.0, 0.0)


def test_without_a_rate_noise_lowers_nothing() -> None:
    source = np.random.default_rng(2)
    runs = [_noisy(source, 4, 0.25) for _ in range(5)]
    found = suggest(runs, figures=["relevance"])
    assert all(each.floor == pytest.approx(each.best - each.spread, abs=0.0011) for each in found.proposals)
    assert found.false_positives > 0
