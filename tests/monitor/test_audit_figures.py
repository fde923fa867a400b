"""Quality by weights, final verdicts, splits, pairs, drift of raters."""

from __future__ import annotations

import numpy as np
import pytest

from proctor.core.audit import (
    AuditedConversation,
    AuditItem,
    AuditRating,
    AuditSample,
    AuditSettings,
    AuditStratum,
    Settlement,
)
from proctor.monitor.audit_figures import (
    RatedItem,
    final_pass,
    final_value,
    find_splits,
    quality_of,
    rated_items,
    rater_drift,
    rater_pairs,
)
from proctor.monitor.rater_agreement import agreement_in
from proctor.stats.two_means import mean_difference
from tests.lazy_module import lazy_module

scipy_stats = lazy_module("scipy.stats")

SETTINGS = AuditSettings(dimensions=("correctness", "tone"))


def item(number: int, *, week: str = "2026-W40", stratum: str = "rest", probability: float = 0.1) -> AuditItem:
    about = AuditedConversation(id=f"s{number}", first=0, last=0)
    return AuditItem(
        id=f"a{number}",
        week=week,
        conversation=f"s{number}",
        stratum=stratum,
        probability=probability,
        is_core=stratum == "rest",
        about=about,
    )


def rated(number: int, *values: int | None, week: str = "2026-W40", stratum: str = "rest") -> RatedItem:
    said = {f"r{place}": {"correctness": value} for place, value in enumerate(values)}
    return RatedItem(item=item(number, week=week, stratum=stratum), ratings=said, settled={})


def test_ratings_are_put_to_their_items() -> None:
    found = rated_items(
        [item(1), item(2)],
        [AuditRating(item="a1", rater="ann", values={"tone": 3})],
        [Settlement(item="a1", dimension="tone", value=2, by="cem")],
    )
    assert found[0].ratings == {"ann": {"tone": 3}}
    assert final_value(found[0], "tone") == 2
    assert found[1].ratings == {}


def test_a_final_verdict_is_settled_or_unanimous_and_never_guessed() -> None:
    assert final_pass(rated(1, 4, 5), "correctness", 4) is True
    assert final_pass(rated(1, 3, 4), "correctness", 4) is None
    assert final_pass(rated(1, None, None), "correctness", 4) is None
    assert final_value(rated(1, None, None), "correctness") is None
    assert final_value(rated(1, 3, 4), "correctness") == 3.5
    open_ = RatedItem(item=item(1), ratings=rated(1, 3, 5).ratings, settled={"correctness": None})
    assert final_pass(open_, "correctness", 4) is None


def test_splits_are_about_passing_or_more_than_a_step() -> None:
    found = find_splits([rated(1, 4, 5), rated(2, 3, 4), rated(3, 1, 3), rated(4, 1, 2), rated(5, 2)], SETTINGS)
    assert [each.item for each in found] == ["a2", "a3"]
    assert sorted(found[1].ratings) == [1, 3]


def test_quality_counts_a_conversation_by_its_chance() -> None:
    # 10 of 100 are flagged and all bad; 90 are fine. Five of each are rated.
    rows = [rated(number, 1, 1, stratum="flagged") for number in range(5)]
    rows += [rated(10 + number, 5, 5) for number in range(5)]
    sample = AuditSample(
        week="2026-W40",
        strata=(
            AuditStratum(name="flagged", population=10, drawn=5),
            AuditStratum(name="rest", population=90, drawn=5),
        ),
    )
    quality = quality_of(rows, [sample], SETTINGS)[0]
    assert quality.share.value == pytest.approx(0.9)
    assert quality.mean.value == pytest.approx(0.9 * 5 + 0.1 * 1)
    assert quality.core.value == 1
    assert quality.share.low is not None
    assert quality.share.low < 0.9
    tone = quality_of(rows, [sample], SETTINGS)[1]
    assert (tone.share.value, tone.rated, tone.unscored) == (None, 0, 10)


def test_unsettled_splits_are_counted_and_not_guessed() -> None:
    sample = AuditSample(week="2026-W40", strata=(AuditStratum(name="rest", population=90, drawn=3),))
    quality = quality_of([rated(1, 5, 5), rated(2, 5, 2), rated(3)], [sample], SETTINGS)[0]
    assert (quality.splits, quality.rated, quality.share.value) == (1, 2, 1.0)


def test_two_raters_have_cohen_and_three_have_fleiss() -> None:
    source = np.random.default_rng(1)
    truth = source.integers(1, 6, 60)
    units = [[("ann", int(t)), ("bob", int(min(5, t + source.integers(0, 2))))] for t in truth]
    two = agreement_in("tone", units, levels=(1, 2, 3, 4, 5), pass_at=4, limit=0.7, resamples=200)
    assert two is not None
    assert (two.raters, two.is_fleiss, two.items) == (2, False, 60)
    for each in (two.observed, two.kappa, two.linear, two.quadratic, two.ac1, two.alpha, two.passing):
        assert each.value is not None
        assert each.low is not None
        assert each.high is not None
        assert each.low <= each.value <= each.high
    assert two.quadratic.value > two.linear.value > two.kappa.value  # type: ignore[operator]
    three = agreement_in(
        "tone", [[*unit, ("cem", 3)] for unit in units], levels=(1, 2, 3, 4, 5), pass_at=4, resamples=50
    )
    assert three is not None
    assert three.is_fleiss
    assert three.linear.value is None
    assert agreement_in("tone", [[("ann", 3)], []], levels=(1, 2, 3), pass_at=2) is None


def test_how_many_conversations_would_decide_the_limit() -> None:
    units = [[("ann", 1 + n % 2), ("bob", 1 + (n + (n % 10 == 0)) % 2)] for n in range(60)]
    found = agreement_in("tone", units, levels=(1, 2), pass_at=2, limit=0.7, resamples=300)
    assert found is not None
    assert found.kappa.value == pytest.approx(0.8, abs=0.01)
    assert found.needed is not None
    assert found.needed > 60
    sure = agreement_in("tone", units, levels=(1, 2), pass_at=2, limit=0.2, resamples=300)
    assert sure is not None
    assert sure.needed is None


def test_pairs_of_people_with_enough_in_common() -> None:
    rows = [rated(number, 3, 4, 3) for number in range(6)] + [rated(9, 2, 2)]
    found = rater_pairs(rows, SETTINGS)
    assert [(each.one, each.other, each.items) for each in found] == [("r0", "r1", 7), ("r0", "r2", 6), ("r1", "r2", 6)]
    assert found[0].bias == pytest.approx(-6 / 7)


def test_a_rater_who_becomes_milder_is_found() -> None:
    source = np.random.default_rng(2)
    rows = []
    for number in range(240):
        week = number // 30
        truth = int(source.integers(2, 5))
        mild = int(week >= 4)
        values = [min(5, truth + mild), truth, max(1, truth - int(source.integers(0, 2)))]
        rows.append(rated(number, *values, week=f"2026-W{30 + week}"))
    found = {each.rater: each for each in rater_drift(rows, SETTINGS)}
    assert found["r0"].is_seen
    assert found["r0"].change.value == pytest.approx(1.0, abs=0.3)
    assert found["r0"].minimum is not None
    assert found["r0"].minimum < 0.5
    assert rater_drift([rated(1, 3, 3)], SETTINGS) == ()


def test_the_difference_of_means_is_that_of_scipy() -> None:
    source = np.random.default_rng(3)
    for _ in range(20):
        one, other = source.normal(0, 2, 12).tolist(), source.normal(1, 1, 30).tolist()
        found = mean_difference(one, other)
        test = scipy_stats.ttest_ind(one, other, equal_var=False)
        assert found is not None
        assert found.p == pytest.approx(test.pvalue, rel=1e-6)
        assert (found.interval.low, found.interval.high) == pytest.approx(tuple(test.confidence_interval()), rel=1e-6)
        twice = mean_difference(one, other, weights=([2.0] * 12, [0.5] * 30))
        assert twice is not None
        assert twice.p == pytest.approx(found.p, rel=1e-9), "equal weights change nothing"
    assert mean_difference([1.0], [1.0, 2.0]) is None
    same = mean_difference([1.0, 1.0], [1.0, 1.0])
    assert same is not None
    assert (same.p, same.minimum) == (1.0, 0.0)
