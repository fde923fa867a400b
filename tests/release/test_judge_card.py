"""The card of judges whose faults are known because they were made."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.core.judge_card import Band, Estimate
from proctor.release.judge_card import Judged, judge_card, length_bias, position_bias
from proctor.stats.agreement import cohen_kappa, krippendorff_alpha

values = st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0])


@st.composite
def items(draw: st.DrawFn) -> list[Judged]:
    found = []
    for number in range(draw(st.integers(0, 25))):
        judge = tuple(draw(st.lists(st.none() | values, max_size=3)))
        people = tuple(draw(st.lists(values, max_size=3)))
        reasons = tuple("no verdict" for value in judge if value is None)
        length = draw(st.none() | st.integers(0, 500))
        found.append(Judged(case=str(number), people=people, judge=judge, reasons=reasons, length=length))
    return found


@given(items())
def test_any_labels_make_a_card_with_figures_in_range(found: list[Judged]) -> None:
    card = judge_card(found, scorer="judge", resamples=50)
    assert card.cases == sum(bool(each.people) and each.said is not None for each in found)
    assert card.abstentions.missing == sum(value is None for each in found for value in each.judge)
    for estimate in (card.agreement.share, card.agreement.false_pass, card.agreement.false_fail):
        if estimate.value is not None and estimate.low is not None and estimate.high is not None:
            assert 0 <= estimate.low <= estimate.value <= estimate.high <= 1
    for estimate in (card.agreement.kappa, card.agreement.weighted, card.agreement.alpha, card.agreement.rank):
        assert estimate.value is None or -1 - 1e-9 <= estimate.value <= 1 + 1e-9


@given(st.lists(values, min_size=2, max_size=40))
def test_a_judge_that_says_what_people_say(said: list[float]) -> None:
    found = [Judged(case=str(n), people=(value,), judge=(value,)) for n, value in enumerate(said)]
    card = judge_card(found, scorer="judge", resamples=20)
    assert card.agreement.share.value == 1
    assert card.agreement.kappa.value in (None, 1.0)
    assert card.scores is not None
    assert card.scores.bias.value == pytest.approx(0)
    assert card.passes is not None
    assert card.passes.spread > 0  # no error among so few is no proof that there is none


def test_each_answer_passes_from_its_own_threshold() -> None:
    rows = [(0.72, 0.7), (0.72, 0.8), (0.6, None), (0.4, None)]
    found = [
        Judged(case=str(n), people=(1.0,), judge=(value,), threshold=least) for n, (value, least) in enumerate(rows)
    ]
    card = judge_card(found, scorer="quality", threshold=0.5)
    assert card.agreement.judge_pass == 0.5
    assert (card.threshold, card.thresholds) == (0.5, (0.5, 0.7, 0.8))
    asked_twice = [Judged(case="a", people=(1.0,), judge=(0.72, 0.78), threshold=0.75)]
    assert (card := judge_card(asked_twice, scorer="quality")).thresholds == ()
    assert card.threshold == 0.75
    assert card.repeats is not None
    assert card.repeats.same == 0


def _made(count: int, *, bias: float = 0.0, noise: float = 0.1, long: float = 0.0, seed: int = 0) -> list[Judged]:
    draw = random.Random(seed)
    found = []
    for number in range(count):
        human, length = draw.choice([0.0, 0.25, 0.5, 0.75, 1.0]), draw.choice([50, 100, 200, 400])
        judged = human + bias + draw.gauss(0, noise) + long * (length > 100)
        found.append(Judged(case=str(number), people=(human,), judge=(min(1, max(0, judged)),), length=length))
    return found


def test_a_kind_judge_is_called_kind() -> None:
    card = judge_card(_made(400, bias=0.15), scorer="judge")
    assert card.scores is not None
    assert card.scores.bias.low is not None
    assert card.scores.bias.low > 0.05
    assert card.agreement.weighted.value is not None
    assert card.agreement.weighted.value > 0.8
    assert card.length is not None
    assert card.length.seen == "none seen"


def test_a_judge_that_likes_it_long_is_found_out() -> None:
    card = judge_card(_made(400, long=0.15), scorer="judge")
    assert card.length is not None
    assert card.length.seen == "prefers longer"
    assert card.length.doubling is not None
    assert card.length.doubling > 0.02


def test_people_who_like_it_long_are_no_fault_of_the_judge() -> None:
    draw, found = random.Random(3), []
    for number in range(400):
        length = draw.choice([50, 100, 200, 400])
        human = min(1.0, max(0.0, 0.2 + 0.002 * length + draw.gauss(0, 0.1)))
        judge = min(1.0, max(0.0, human + draw.gauss(0, 0.02)))
        found.append(Judged(case=str(number), people=(human,), judge=(judge,), length=length))
    card = judge_card(found, scorer="judge")
    assert card.length is not None
    assert card.length.doubling == pytest.approx(0, abs=0.01)


def test_the_error_band_holds_what_people_say_of_other_answers() -> None:
    """Of many judges with labels of their own, the band holds the truth about as often as it says."""
    held = 0
    for seed in range(200):
        card = judge_card(_made(80, bias=0.05, seed=seed), scorer="judge", resamples=2)
        others = _made(120, bias=0.05, seed=seed + 10_000)
        judged = sum(each.said or 0.0 for each in others) / len(others)
        people = sum(each.people[0] for each in others) / len(others)
        assert card.scores is not None
        band = card.scores.around(judged, len(others))
        assert band.low is not None
        assert band.high is not None
        held += band.low <= people <= band.high
    assert held >= 180


def test_repeatability_over_several_samples() -> None:
    steady = [Judged(case=str(n), people=(1.0,), judge=(n % 2, n % 2, n % 2)) for n in range(20)]
    wild = [Judged(case=str(n), people=(1.0,), judge=(0.0, 1.0, None)) for n in range(20)]
    one, other = judge_card(steady, scorer="judge").repeats, judge_card(wild, scorer="judge").repeats
    assert one is not None
    assert other is not None
    assert (one.same, one.within, one.correlation, one.samples) == (1.0, 0.0, 1.0, 3)
    assert (other.same, other.samples) == (0.0, 2)
    assert judge_card(_made(5), scorer="judge").repeats is None


def test_what_was_not_judged_is_an_abstention_and_no_score() -> None:
    found = [Judged(case=str(n), people=(1.0,), judge=(None,), reasons=("timed  out",)) for n in range(3)]
    card = judge_card([*found, Judged(case="x", people=(1.0,), judge=(1.0,))], scorer="judge")
    assert card.cases == 1
    assert (card.abstentions.missing, card.abstentions.asked) == (3, 4)
    assert card.abstentions.reasons == {"timed out": 3}


def test_position_bias_is_told_from_chance() -> None:
    always_first = position_bias([("win", "loss")] * 12)
    assert always_first is not None
    assert (always_first.first, always_first.second, always_first.seen) == (12, 0, "prefers the first")
    assert always_first.consistent.value == 0
    fair = position_bias([("win", "win"), ("loss", "loss"), ("win", "loss"), ("loss", "win")] * 5)
    assert fair is not None
    assert fair.seen == "none seen"
    assert fair.p == 1.0
    assert position_bias([]) is None
    assert position_bias([("odd", "win")]) is None


def test_lengths_that_do_not_vary_say_nothing() -> None:
    assert length_bias([(0.5, 0.5, 3.0)] * 20) is None
    assert length_bias([None] * 20) is None


def test_a_base_rate_that_makes_kappa_useless_is_told() -> None:
    found = [Judged(case=str(n), people=(1.0,), judge=(1.0,)) for n in range(39)]
    card = judge_card([*found, Judged(case="x", people=(0.0,), judge=(1.0,))], scorer="judge")
    assert card.agreement.kappa.value == pytest.approx(0)
    assert card.agreement.adjusted == pytest.approx(0.95)
    assert any("kappa says little" in note for note in card.notes)


def test_several_people_are_a_ceiling() -> None:
    found = [Judged(case=str(n), people=(n % 2, n % 2), judge=(n % 2,)) for n in range(10)]
    card = judge_card(found, scorer="judge")
    assert card.people == pytest.approx(1)
    assert card.raters == 2


@given(st.lists(st.tuples(values, values), min_size=2, max_size=40))
def test_figures_are_those_of_the_statistics_room(pairs: list[tuple[float, float]]) -> None:
    found = [Judged(case=str(n), people=(one,), judge=(other,)) for n, (one, other) in enumerate(pairs)]
    card = judge_card([*found, *_LEVELS], scorer="judge", resamples=2)
    human, machine = (
        [*(one for one, _ in pairs), 0, 0.25, 0.5, 0.75, 1],
        [*(other for _, other in pairs), 0, 0.25, 0.5, 0.75, 1],
    )
    weighted = cohen_kappa(human, machine, weighting="quadratic")
    plain = cohen_kappa([each >= 0.5 for each in human], [each >= 0.5 for each in machine])
    assert weighted is not None
    assert plain is not None
    assert card.agreement.weighted.value == pytest.approx(weighted.kappa)
    assert card.agreement.kappa.value == pytest.approx(plain.kappa)
    alpha = krippendorff_alpha([list(pair) for pair in zip(human, machine, strict=True)], level="interval")
    assert card.agreement.alpha.value == pytest.approx(alpha)


_LEVELS = [Judged(case=f"l{value}", people=(value,), judge=(value,)) for value in (0.0, 0.25, 0.5, 0.75, 1.0)]


def test_a_band_of_nothing() -> None:
    assert Band(cases=1, bias=Estimate(value=0.0), spread=0.0, mean_error=0.0).around(0.5, 10) == Estimate()
