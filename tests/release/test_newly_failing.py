"""Flips of checks from pass to fail: what holds, what asks for more samples, what is only listed."""

from __future__ import annotations

from dataclasses import replace

from proctor.core.case import Case
from proctor.core.report import Fingerprint, Outcome, Result
from proctor.core.score import Score
from proctor.core.trajectory import Trajectory
from proctor.release.compare import compare
from proctor.release.decide import ReleaseDecision, decide
from proctor.release.measures import Baseline, CaseMeasure, CheckCount, measures
from proctor.release.policy import Policy
from tests.release.making import run


def checked(place: int, *, passed: int = 1, failed: int = 0, exact: bool = True) -> CaseMeasure:
    value = passed / (passed + failed)
    return CaseMeasure(
        case=f"c{place:03d}",
        intent="faq",
        outcome="pass" if passed > failed else "fail",
        value=value,
        dimensions={"contains": value},
        samples=passed + failed,
        checks={"contains": CheckCount(passed=passed, failed=failed, exact=exact)},
    )


def decided(
    before: list[CaseMeasure], after: list[CaseMeasure], policy: Policy | None = None, *, sampled: bool = False
) -> ReleaseDecision:
    rules = policy or Policy()
    return decide(compare(run("a", before), run("b", after), rules.settings), rules, sampled=sampled)


def cases(count: int = 200, samples: int = 1) -> list[CaseMeasure]:
    return [checked(place, passed=samples) for place in range(count)]


def test_one_flip_of_an_exact_check_holds() -> None:
    found = decided(cases(), [checked(0, passed=0, failed=1), *cases()[1:]])
    assert found.outcome == "hold"
    (reason,) = found.reasons
    assert (reason.kind, reason.cases) == ("newly failing", ("c000",))


def test_a_flip_of_a_judged_check_is_listed_and_the_statistics_decide() -> None:
    flipped = checked(0, passed=0, failed=1, exact=False)
    found = decided(cases(), [flipped, *cases()[1:]])
    assert found.outcome == "ship"
    assert found.warnings[0].kind == "newly failing"
    assert found.warnings[0].cases == ("c000",)


def test_one_answer_of_a_sampling_target_leaves_it_open() -> None:
    after = [checked(0, passed=0, failed=1), *cases()[1:]]
    found = decided(cases(), after, sampled=True)
    assert (found.outcome, found.exit_code) == ("not enough data", 3)
    assert "-k 3" in found.reasons[0].message
    assert decided(cases(), after, Policy(sampled_target=True)).outcome == "not enough data"
    assert decided(cases(), after, Policy(sampled_target=False), sampled=True).outcome == "hold"


def test_a_flip_in_all_of_three_samples_holds_also_for_a_sampling_target() -> None:
    found = decided(cases(samples=3), [checked(0, passed=0, failed=3), *cases(samples=3)[1:]], sampled=True)
    assert found.outcome == "hold"


def test_samples_that_disagree_are_listed() -> None:
    found = decided(cases(samples=3), [checked(0, passed=1, failed=2), *cases(samples=3)[1:]], sampled=True)
    assert found.outcome == "ship"
    assert "samples disagree" in found.warnings[0].message


def test_among_many_wobbly_cases_one_flip_may_be_chance_and_many_may_not() -> None:
    wobbly = [checked(place, passed=2, failed=1) for place in range(100, 130)]
    before = [*cases(100, samples=3), *wobbly]

    def after(flips: int) -> list[CaseMeasure]:
        return [*(checked(place, passed=0, failed=3) for place in range(flips)), *before[flips:]]

    found = decided(before, after(1), sampled=True)
    assert found.outcome == "not enough data"
    assert "-k 5" in found.reasons[0].message
    assert decided(before, after(6), sampled=True).outcome == "hold"


def test_the_limit_may_be_a_number_a_share_or_by_check() -> None:
    after = [*(checked(place, passed=0, failed=1) for place in range(4)), *cases()[4:]]
    for limit, outcome in ((4, "ship"), (3, "hold"), (0.02, "ship"), (0.01, "hold"), ({"contains": 4}, "ship")):
        assert decided(cases(), after, Policy(newly_failing=limit, largest_drop=1.0)).outcome == outcome


def test_a_baseline_without_verdicts_by_check_knows_the_cases_that_passed() -> None:
    before = [replace(each, checks={}) for each in cases()]
    found = decided(before, [checked(0, passed=0, failed=1), *cases()[1:]])
    assert found.outcome == "hold"
    failing = [replace(before[0], outcome="fail"), *before[1:]]
    assert decided(failing, [checked(0, passed=0, failed=1), *cases()[1:]]).outcome == "ship"


def test_a_second_check_that_fails_in_a_case_that_failed_before_is_a_flip() -> None:
    other = {"regex": CheckCount(passed=1, exact=True)}
    before = [replace(checked(0, passed=0, failed=1), checks={**checked(0, passed=0, failed=1).checks, **other})]
    after = [replace(before[0], checks={**before[0].checks, "regex": CheckCount(failed=1, exact=True)})]
    found = decided([*before, *cases()[1:]], [*after, *cases()[1:]])
    assert found.outcome == "hold"
    assert "(regex)" in found.reasons[0].message


def result(sample: int, *scores: Score) -> Result:
    outcome: Outcome = "fail" if any(score.passed is False for score in scores) else "pass"
    return Result(case=Case(id="c"), target="t", sample=sample, trajectory=Trajectory(), scores=scores, outcome=outcome)


def test_only_what_rules_alone_decide_is_exact() -> None:
    (case,) = measures(
        [
            result(
                sample,
                Score(name="contains", value=1.0, threshold=1.0),
                Score(name="contains", value=float(sample), threshold=1.0),
                Score(name="rules", value=1.0, threshold=1.0, producer="predicate"),
                Score(name="quality", value=1.0, threshold=0.7, producer="rule+local model"),
                Score(name="latency", value=1.0, threshold=1.0, producer="meter"),
                Score(name="judge", value=1.0, threshold=0.5, producer="judge:openai:gpt"),
                Score(name="told", value=0.2),
            )
            for sample in (0, 1)
        ]
    )
    assert case.checks["contains"] == CheckCount(passed=1, failed=1, exact=True)
    assert {name for name, count in case.checks.items() if count.exact} == {"contains", "rules"}
    assert "told" not in case.checks


def test_changed_scorers_are_not_decided_on() -> None:
    old = Fingerprint(scorers={"contains": "1"}, scorer_hashes={"contains": "x", "": "s"})
    new = Fingerprint(scorers={"contains": "1"}, scorer_hashes={"contains": "y", "": "s"})
    worse = [checked(place, passed=0, failed=1) for place in range(200)]

    def sides(before: Fingerprint, after: Fingerprint) -> ReleaseDecision:
        first = Baseline(run="a", fingerprint=before, cases=tuple(cases()))
        return decide(compare(first, Baseline(run="b", fingerprint=after, cases=tuple(worse))), Policy())

    found = sides(old, new)
    assert found.exit_code == 3
    assert "scorers changed since the baseline (contains); re-score" in found.reasons[0].message
    assert sides(old, old).outcome == "hold"
    settings = replace(old, scorer_hashes={"contains": "x", "": "t"})
    assert "the settings of the suite's checks" in sides(old, settings).reasons[0].message
    # A narrowed run uses fewer scorers, and a new case may bring another: neither changes what is compared.
    fewer = replace(old, scorers={}, scorer_hashes={})
    assert sides(replace(old, scorers={"contains": "1", "regex": "1"}), old).outcome == "hold"
    assert sides(old, fewer).outcome == "hold"
