from __future__ import annotations

import pytest

from proctor.core.case import Ask, Case, Expectation
from proctor.core.codec import encode
from proctor.core.decode import decode
from proctor.core.errors import InputError
from proctor.core.report import Result
from proctor.core.score import Score
from proctor.core.trajectory import Trajectory
from proctor.release.measures import ALL, Baseline, CaseMeasure, cells, measure, measures


def _result(*scores: Score, case: Case | None = None, target: str = "shop", **fields: object) -> Result:
    known = {"outcome": "pass", "value": 0.9} | fields
    made = case or Case(id="one", input="Where is it?", intent="faq")
    return Result(case=made, target=target, trajectory=Trajectory(), scores=scores, **known)  # type: ignore[arg-type]


def test_the_parts_of_quality_are_the_dimensions() -> None:
    relevance = Score(name="relevance", value=0.8, parts=(Score(name="intent_relevance", value=0.7),))
    broken = Score(name="fluency", status="error", reason="no model")
    skipped = Score(name="consistency", status="skipped", parts=())
    found = measure(
        _result(Score(name="quality", value=0.8, parts=(relevance, broken, skipped)), Score(name="x", value=1))
    )
    assert found.dimensions == {"relevance": 0.8, "fluency": None}
    assert found.parts == {"relevance.intent_relevance": 0.7}
    assert found.value == 0.8
    assert found.unscored


def test_without_quality_scores_named_as_dimensions_are_taken() -> None:
    found = measure(_result(Score(name="relevance", value=0.8), Score(name="length", value=1.0)))
    assert found.dimensions == {"relevance": 0.8}
    assert found.value == 0.9
    assert not found.unscored


def test_without_either_every_scorer_is_a_dimension() -> None:
    found = measure(_result(Score(name="contains", value=0.0), Score(name="length", value=1.0)))
    assert found.dimensions == {"contains": 0.0, "length": 1.0}


def test_a_case_without_intent_and_one_named_all_keep_apart_from_the_total() -> None:
    assert measure(_result(case=Case(id="one"))).intent == "other"
    assert measure(_result(case=Case(id="one", intent=ALL))).intent != ALL


def test_figures_are_found_by_name() -> None:
    found = CaseMeasure(case="a", outcome="fail", value=0.5, dimensions={"fluency": None}, parts={"fluency.tone": 0.2})
    assert found.figure("pass_rate") == 0.0
    assert found.figure("quality") == 0.5
    assert found.figure("fluency") is None
    assert found.figure("fluency.tone") == 0.2
    assert found.figure("nothing") is None
    assert CaseMeasure(case="a", outcome="unscored").figure("pass_rate") is None


def test_rewriting_a_case_changes_its_content_and_tagging_it_does_not() -> None:
    plain = Case(id="one", input="Where is it?")
    tagged = Case(id="one", input="Where is it?", tags=("slow",), intent="faq", description="a note")
    asked = Case(id="one", input="Where is it now?")
    expected = Case(id="one", input="Where is it?", expect=Expectation(facts=("15 days",)))
    turned = Case(id="one", turns=(Ask(text="Where is it?"),))
    contents = [measure(_result(case=case)).content for case in (plain, tagged, asked, expected, turned)]
    assert contents[0] == contents[1]
    assert len(set(contents)) == 4


def test_samples_become_their_mean_and_the_greater_part_decides() -> None:
    samples = [
        _result(Score(name="relevance", value=value), outcome=outcome, sample=place, value=value)
        for place, (value, outcome) in enumerate([(1.0, "pass"), (0.4, "fail"), (0.7, "pass")])
    ]
    (found,) = measures(samples)
    assert found.outcome == "pass"
    assert found.dimensions["relevance"] == pytest.approx(0.7)
    assert found.samples == 3


def test_a_sample_that_could_not_be_scored_does_not_lower_the_others() -> None:
    broken = Score(name="relevance", status="error", reason="no reply")
    (found,) = measures([_result(Score(name="relevance", value=0.8)), _result(broken, outcome="unscored", value=None)])
    assert found.dimensions == {"relevance": 0.8}
    assert found.outcome == "pass"
    (lost,) = measures([_result(broken, outcome="unscored", value=None)] * 2)
    assert lost.outcome == "unscored"
    assert lost.dimensions == {"relevance": None}


def test_several_targets_must_be_told_apart() -> None:
    results = [_result(target="old"), _result(target="new")]
    with pytest.raises(InputError, match="several targets"):
        measures(results)
    assert len(measures(results, target="new")) == 1


def test_a_baseline_goes_to_json_and_back() -> None:
    cases = measures([_result(Score(name="relevance", value=0.8), case=Case(id=name)) for name in "ba"])
    made = Baseline(name="golden", run="r1", suite="store", cases=cases)
    assert [each.case for each in made.cases] == ["a", "b"]
    assert decode(Baseline, encode(made)) == made


def test_a_case_twice_is_refused() -> None:
    each = CaseMeasure(case="a", outcome="pass")
    with pytest.raises(ValueError, match="twice"):
        Baseline(run="r", cases=(each, each))


def test_cases_by_intent_and_all_together() -> None:
    found = cells([CaseMeasure(case=name, intent=name[0], outcome="pass") for name in ("b1", "a1", "b2")])
    assert {name: len(cases) for name, cases in found.items()} == {ALL: 3, "a": 1, "b": 2}
