from __future__ import annotations

from dataclasses import replace

import pytest

from proctor.core.case import Case
from proctor.core.chat import Message
from proctor.core.report import Counts, Result
from proctor.core.score import Evidence, Score
from proctor.core.trajectory import Trajectory, Turn
from proctor.report.failure_causes import causes, label, troubles
from proctor.report.overview import overview_of

from .conftest import Run
from .sample import report_of

_ANSWER = Trajectory(turns=(Turn(messages=(Message(role="assistant", content="the answer"),)),))


def result(*scores: Score, outcome: str = "fail", trajectory: Trajectory = _ANSWER) -> Result:
    return Result(
        case=Case(id="c"),
        target="t",
        trajectory=trajectory,
        scores=scores,
        outcome=outcome,  # type: ignore[arg-type]
        reason="the reason given",
    )


def test_a_score_under_its_threshold_with_its_evidence() -> None:
    low = Score(name="facts", value=0.4, threshold=0.7, reason="wrong", evidence=(Evidence(quote="said so"),))
    fine = Score(name="tone", value=0.1)
    (cause,) = causes(result(fine, low))
    assert cause.text == "facts 0.40 < 0.7: wrong"
    assert cause.quote == "said so"


def test_without_evidence_the_answer_is_quoted() -> None:
    (cause,) = causes(result(Score(name="facts", value=0.4, threshold=0.7)))
    assert cause.quote == "the answer"
    assert cause.text == "facts 0.40 < 0.7"


def test_rounding_never_makes_a_failure_look_like_a_pass() -> None:
    (cause,) = causes(result(Score(name="facts", value=0.6999, threshold=0.7)))
    assert cause.text == "facts 0.6999 < 0.7"


def test_what_was_measured_is_said() -> None:
    slow = Score(name="latency", value=0.2, threshold=0.5, measured=4.2, unit="s")
    assert causes(result(slow))[0].text == "latency 0.20 < 0.5 (4.2 s)"


def test_a_score_that_could_not_be_given() -> None:
    broken = Score(name="policy", status="error", reason="reply was not JSON")
    (cause,) = causes(result(broken, outcome="unscored"))
    assert cause.text == "policy could not be judged: reply was not JSON"


def test_when_the_target_failed_that_is_the_cause() -> None:
    broken = Score(name="policy", status="error", reason="nothing to judge")
    dead = Trajectory(error="connection refused", error_kind="target")
    (cause,) = causes(result(broken, outcome="unscored", trajectory=dead))
    assert cause.text == "target error: connection refused"


@pytest.mark.parametrize("reason", ["the reason given", ""])
def test_a_result_without_scores_still_has_a_cause(reason: str) -> None:
    (cause,) = causes(replace(result(outcome="unscored"), reason=reason))
    assert cause.reason == (reason or "nothing was there to judge")


def test_a_pass_has_none() -> None:
    assert causes(result(Score(name="facts", value=1.0, threshold=0.7), outcome="pass")) == []


def test_a_label_names_the_sample_from_the_second_on() -> None:
    assert label(result()) == "c"
    assert label(replace(result(), sample=2)) == "c#2"


def test_troubles_are_the_first_few_of_each_kind(sample: Run) -> None:
    found = troubles(sample.report, sample.results, 3)
    assert [each.outcome for each in found.failed] == ["fail"] * 3
    assert [each.outcome for each in found.unscored] == ["unscored"] * 2


def test_a_run_without_trouble_is_not_read_at_all() -> None:
    def never() -> list[Result]:
        raise AssertionError("the results were read")

    assert troubles(report_of([], counts=Counts(passed=9)), never, 10).failed == ()


def test_failures_of_different_rules_share_the_list() -> None:
    def broken(case: str, *rules: str) -> Result:
        parts = tuple(
            Score(name=rule, label="err", value=0.0, evidence=(Evidence(quote=rule, where="rule"),)) for rule in rules
        )
        score = Score(name="rules", value=0.0, threshold=1.0, parts=parts, reason="broken")
        return replace(result(score), case=Case(id=case))

    failed = [broken(f"a{number}", "one") for number in range(20)] + [broken("b", "two"), broken("c", "one", "two")]
    report = replace(report_of(failed), overview=overview_of(failed), counts=Counts(failed=len(failed)))
    shown = [each.case.id for each in troubles(report, lambda: failed, 5).failed]
    assert shown == ["a0", "a1", "a2", "b", "c"]
