from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proctor.core.report import Fingerprint
from proctor.release.compare import compare
from proctor.release.compare_settings import CompareSettings
from proctor.release.measures import ALL, Baseline, CaseMeasure
from tests.profiles import examples
from tests.release.making import case, even, run
from tests.tables import table

INTENTS = ("faq", "recommendation", "promotion", "chitchat")
scores = st.floats(0, 1)


def test_the_same_run_twice_is_no_change() -> None:
    cases = even(200, INTENTS)
    found = compare(run("a", cases), run("b", cases))
    assert {change.verdict for change in found.changes} == {"no change"}
    assert not found.worse
    assert {change.dimension for change in found.overall} == {"relevance", "factual_accuracy", "quality", "pass_rate"}


def test_a_fault_in_one_intent_is_found_there() -> None:
    after = even(200, INTENTS, lambda place, intent: {"relevance": 0.6} if intent == "recommendation" else {})
    found = compare(run("a", even(200, INTENTS)), run("b", after))
    change = found.change("relevance", "recommendation")
    assert change is not None
    assert change.verdict == "regression"
    assert change.difference == pytest.approx(-0.3)
    assert change.interval is not None
    assert change.interval.low <= -0.3 <= change.interval.high
    assert (change.fell, change.rose) == (50, 0)
    assert {each.intent for each in found.regressions} == {"recommendation", ALL}
    other = found.change("factual_accuracy", "recommendation")
    assert other is not None
    assert other.verdict == "no change"


def test_better_is_called_better() -> None:
    before = even(60, INTENTS, lambda place, intent: {"relevance": 0.5})
    found = compare(run("a", before), run("b", even(60, INTENTS))).change("relevance")
    assert found is not None
    assert found.verdict == "improvement"


def test_eight_cases_of_two_hundred_that_fail_now_are_proof_and_three_are_not() -> None:
    def worse(count: int) -> Baseline:
        return run("b", even(200, INTENTS, lambda place, intent: {"relevance": 0.2} if place < count else {}))

    before = run("a", even(200, INTENTS))
    assert [each.dimension for each in compare(before, worse(8)).regressions] == ["relevance", "quality", "pass_rate"]
    assert not compare(before, worse(3)).regressions
    assert len(compare(before, worse(3)).worse) == 3


def test_a_handful_of_cases_is_not_enough() -> None:
    found = compare(run("a", even(4)), run("b", even(4)))
    assert {change.verdict for change in found.changes} == {"not enough data"}
    assert {change.detectable for change in found.changes} == {None}


def test_rows_that_no_number_of_changes_could_decide_are_marked() -> None:
    fell = compare(run("a", even(8, ("faq",))), run("b", even(8, ("faq",), lambda place, intent: {"relevance": 0.2})))
    few = compare(run("a", even(3, ("faq",))), run("b", even(3, ("faq",), lambda place, intent: {"relevance": 0.2})))
    assert {each.dimension for each in fell.overall if each.is_testable} == {"relevance", "quality", "pass_rate"}
    assert not any(each.is_testable for each in few.changes)


def test_noise_that_would_hide_a_drop_is_not_enough_either() -> None:
    source = np.random.default_rng(1)

    def noisy() -> Baseline:
        return run("r", even(30, ("faq",), lambda place, intent: {"relevance": float(source.random())}))

    found = compare(noisy(), noisy()).change("relevance")
    assert found is not None
    assert found.verdict == "not enough data"
    assert found.detectable is not None
    assert found.detectable > 0.1


def test_one_intent_is_tested_once_and_told_twice() -> None:
    found = compare(run("a", even(40)), run("b", even(40, ("faq",), lambda place, intent: {"relevance": 0.4})))
    everything, faq = found.change("relevance"), found.change("relevance", "faq")
    assert everything is not None
    assert faq == replace(everything, intent="faq")


def test_missing_new_and_rewritten_cases_are_told() -> None:
    before = [*even(20), replace(case("old", relevance=0.9), content="x"), case("gone", relevance=0.9)]
    after = [*even(20), replace(case("old", relevance=0.1), content="y"), case("new", relevance=None)]
    found = compare(run("a", before), run("b", after))
    assert found.missing == ("gone",)
    assert found.added == ("new",)
    assert found.rewritten == ("old",)
    assert found.unscored == ("new",)
    assert all(change.pairs == 20 for change in found.overall)


def test_other_scorers_and_suites_are_told() -> None:
    before = replace(run("a", even(10)), suite="one", fingerprint=Fingerprint(scorers={"quality": "1"}))
    after = replace(run("b", even(10)), suite="two", fingerprint=Fingerprint(scorers={"quality": "2"}))
    found = compare(before, after)
    assert found.scorers.names == ("quality",)
    assert "scorers changed since the baseline (quality)" in found.scorers.message
    assert any("another suite" in note for note in found.notes)


def test_nothing_in_common_is_told() -> None:
    found = compare(run("a", even(3)), run("b", []))
    assert found.notes == ("the two runs have no case in common",)
    assert all(change.pairs == 0 for change in found.changes)
    assert compare(run("a", []), run("b", [])).worse == ()


def test_what_got_worse_is_listed_the_lost_ones_first() -> None:
    before = [
        case("a", relevance=0.9, relevance__intent=1.0),
        case("b", relevance=0.9),
        case("c", relevance=0.9),
        case("d", relevance=0.72),
    ]
    after = [
        case("a", relevance=0.75, relevance__intent=0.5),
        case("b", relevance=0.1, outcome="fail"),
        case("c", relevance=0.85),
        case("d", relevance=0.69, outcome="fail"),
    ]
    found = compare(run("a", before), run("b", after)).worse
    assert [(each.case, each.lost) for each in found] == [("b", True), ("d", True), ("a", False)]
    assert list(found[2].parts) == ["relevance.intent"]
    assert found[0].drop == pytest.approx(0.8)


def test_parts_are_told_by_intent() -> None:
    before, after = [case("a", relevance__intent=1.0, relevance=1.0)], [case("a", relevance__intent=0.5, relevance=0.8)]
    rows = {(part.intent, part.part): part.difference for part in compare(run("a", before), run("b", after)).parts}
    assert rows == {(ALL, "relevance.intent"): -0.5, ("faq", "relevance.intent"): -0.5}


@st.composite
def pairs(draw: st.DrawFn) -> tuple[list[CaseMeasure], list[CaseMeasure]]:
    count = draw(st.integers(1, 25))
    figures = st.fixed_dictionaries({"relevance": st.none() | scores, "fluency": scores})

    def side() -> list[CaseMeasure]:
        drawn = [draw(figures) for _ in range(count)]
        return [
            case(f"c{place}", INTENTS[place % 2], relevance=each["relevance"], fluency=each["fluency"])
            for place, each in enumerate(drawn)
        ]

    return side(), side()


@settings(max_examples=examples(40))
@given(pairs())
def test_swapping_the_runs_turns_every_row_around(both: tuple[list[CaseMeasure], list[CaseMeasure]]) -> None:
    quick = CompareSettings(resamples=100, flips=999)
    before, after = run("a", both[0]), run("b", both[1])
    there, back = compare(before, after, quick), compare(after, before, quick)
    turned = {"regression": "improvement", "improvement": "regression"}
    for one, other in zip(there.changes, back.changes, strict=True):
        assert other.pairs == one.pairs
        assert other.p == one.p
        assert other.verdict == turned.get(one.verdict, one.verdict)
        if one.difference is not None:
            assert other.difference == pytest.approx(-one.difference)
            assert one.adjusted is not None
            assert one.p is not None
            assert one.adjusted >= one.p - 1e-12


@table(
    "wrong",
    [
        {"alpha": 0.0},
        {"power": 1.0},
        {"smallest_effect": 2.0},
        {"fewest_cases": 0},
        {"resamples": 1},
        {"case_drop": -1.0},
    ],
)
def test_settings_that_make_no_sense_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=next(iter(wrong))):
        CompareSettings(**wrong)  # type: ignore[arg-type]
