from __future__ import annotations

from dataclasses import replace

from proctor.release.compare import compare
from proctor.release.decide import ReleaseDecision, decide
from proctor.release.floors import Floor
from proctor.release.measures import Baseline, CaseMeasure
from proctor.release.policy import Policy
from proctor.release.trend import TrendPoint, points
from tests.release.making import case, even, run
from tests.tables import table

INTENTS = ("faq", "recommendation", "promotion", "chitchat")
GOOD = run("good", even(200, INTENTS))


def _decided(after: Baseline, policy: Policy | None = None, history: tuple[TrendPoint, ...] = ()) -> ReleaseDecision:
    policy = policy or Policy()
    return decide(compare(GOOD, after, policy.settings), policy, history)


def _worse(relevance: float, intent: str = "recommendation") -> Baseline:
    changed = {"relevance": relevance, "relevance__intent": relevance}
    return run("worse", even(200, INTENTS, lambda place, name: changed if name == intent else {}))


def test_the_same_ships() -> None:
    found = _decided(GOOD)
    assert (found.outcome, found.exit_code, found.reasons) == ("ship", 0, ())


def test_a_proven_drop_holds_and_names_dimension_sub_score_and_cases() -> None:
    found = _decided(_worse(0.5))
    assert (found.outcome, found.exit_code) == ("hold", 1)
    reason = next(each for each in found.reasons if (each.intent, each.dimension) == ("recommendation", "relevance"))
    assert reason.kind == "regression"
    assert reason.parts == ("relevance.intent",)
    assert len(reason.cases) == 50
    assert "from 0.900 to 0.500" in reason.message
    assert "relevance.intent" in reason.message
    assert "and 45 more" in reason.message
    assert set(found.cases) == set(reason.cases)


def test_a_proven_drop_that_is_allowed_ships_and_is_told() -> None:
    found = _decided(_worse(0.85), Policy(largest_drop={"relevance": 0.06, "default": 0.1}))
    assert found.outcome == "ship"
    assert {warning.dimension for warning in found.warnings} == {"relevance", "quality"}
    assert _decided(_worse(0.85), Policy(largest_drop=0.01)).outcome == "hold"


def test_a_mean_under_its_floor_holds() -> None:
    policy = Policy(floors={"recommendation": {"relevance": Floor(least=0.95)}}, largest_drop=1.0)
    found = _decided(GOOD, policy)
    assert found.outcome == "hold"
    (reason,) = found.reasons
    assert (reason.kind, reason.intent, reason.dimension) == ("floor", "recommendation", "relevance")
    assert reason.parts == ("relevance.intent",)
    assert len(reason.cases) == 50


def test_the_default_floor_is_for_intents_that_are_not_named() -> None:
    floors = {"default": {"relevance": Floor(least=0.95)}, "faq": {"relevance": Floor(least=0.5)}}
    found = _decided(GOOD, Policy(floors=floors))
    assert {reason.intent for reason in found.reasons} == {"recommendation", "promotion", "chitchat"}


def test_a_floor_of_a_sub_score_names_it() -> None:
    found = _decided(GOOD, Policy(floors={"all": {"relevance.intent": Floor(least=0.95)}}))
    assert found.reasons[0].dimension == "relevance"
    assert found.reasons[0].parts == ("relevance.intent",)


def test_three_runs_in_a_row_are_needed_where_the_floor_says_so() -> None:
    policy = Policy(floors={"recommendation": {"relevance": Floor(least=0.95, consecutive=3)}})
    one, two = points(replace(GOOD, run="1")), points(replace(GOOD, run="2"))
    assert _decided(GOOD, policy).outcome == "ship"
    first = _decided(GOOD, policy, one)
    assert first.outcome == "ship"
    assert "2 runs in a row (3 hold)" in first.warnings[0].message
    assert _decided(GOOD, policy, (*one, *two)).outcome == "hold"
    # The run itself may be in the history already; it counts once.
    assert _decided(GOOD, policy, (*one, *points(GOOD))).outcome == "ship"


def test_zero_tolerance_needs_one_case() -> None:
    policy = Policy(zero_tolerance={"faq": ("factual_accuracy",)})

    def after(value: float, intent: str) -> Baseline:
        cases = list(GOOD.cases)
        place = next(place for place, each in enumerate(cases) if each.intent == intent)
        dimensions = {**cases[place].dimensions, "factual_accuracy": value}
        cases[place] = replace(cases[place], dimensions=dimensions)
        return run("b", cases)

    found = _decided(after(0.6, "faq"), policy)
    assert found.outcome == "hold"
    assert (found.reasons[0].kind, found.reasons[0].cases) == ("zero tolerance", ("faq-000",))
    assert _decided(after(0.6, "promotion"), policy).outcome == "ship"
    assert _decided(after(0.94, "faq"), replace(policy, tolerance=0.05)).outcome == "ship"


def test_missing_cases_hold() -> None:
    after = run("b", GOOD.cases[:-1])
    found = _decided(after)
    assert found.outcome == "hold"
    assert found.reasons[0].kind == "missing"
    assert found.reasons[0].cases == (GOOD.cases[-1].case,)
    assert _decided(after, Policy(missing=1)).outcome == "ship"


def test_unscored_cases_count_against_a_budget() -> None:
    def after(count: int) -> Baseline:
        lost = [CaseMeasure(case=each.case, intent=each.intent, outcome="unscored") for each in GOOD.cases[:count]]
        return run("b", [*lost, *GOOD.cases[count:]])

    assert _decided(after(10)).outcome == "ship"
    found = _decided(after(11))
    assert found.outcome == "hold"
    assert found.reasons[0].kind == "unscored"
    assert "5.5%" in found.reasons[0].message


def test_too_few_cases_do_not_ship() -> None:
    few = run("a", even(4))
    found = decide(compare(few, few), Policy())
    assert (found.outcome, found.exit_code) == ("not enough data", 3)
    assert "too few" in found.reasons[0].message
    assert sum("too few" in reason.message for reason in found.reasons) == 1  # said once, for all figures
    nothing = decide(compare(run("a", []), run("b", [])), Policy())
    assert nothing.outcome == "not enough data"


def test_a_reason_to_hold_outweighs_too_little_data() -> None:
    found = decide(compare(run("a", even(4)), run("b", even(3))), Policy())
    assert found.outcome == "hold"
    assert any(warning.kind == "data" for warning in found.warnings)


def test_a_rule_that_nothing_answers_to_does_not_pass_in_silence() -> None:
    typing_error = _decided(GOOD, Policy(floors={"faq": {"relevence": Floor(least=0.5)}}))
    assert typing_error.outcome == "not enough data"
    assert "relevence" in typing_error.reasons[0].message


@table(
    ("policy", "named"),
    [
        (Policy(zero_tolerance={"returns": ("relevance",)}), "the intent returns"),
        (Policy(zero_tolerance={"faq": ("nosuch",)}), "no case of this run has a value of nosuch"),
        (Policy(zero_tolerance={"default": ("nosuch",)}), "no case of this run has a value of nosuch"),
        (Policy(zero_tolerance={"all": ("nosuch",)}), "no case of this run has a value of nosuch"),
        (Policy(floors={"returns": {"relevance": Floor(least=0.1)}}), "the intent returns"),
        (Policy(floors={"default": {"nosuch": Floor(least=0.1)}}), "no case of this run has a value of nosuch"),
        (Policy(largest_drop={"relevence": 0.1}), "largest_drop for relevence"),
        (Policy(newly_failing={"containz": 1}), "newly_failing for containz"),
    ],
)
def test_every_rule_that_nothing_answers_to_is_named_and_does_not_ship(policy: Policy, named: str) -> None:
    found = _decided(GOOD, policy)
    assert (found.outcome, found.exit_code) == ("not enough data", 3)
    (reason,) = found.reasons
    assert reason.kind == "rule"
    assert named in reason.message


def test_a_rule_for_an_intent_of_another_suite_is_told_and_ships() -> None:
    policy = Policy(zero_tolerance={"returns": ("relevance",)})
    found = decide(compare(GOOD, GOOD, policy.settings), policy, elsewhere={"returns"})
    assert found.outcome == "ship"
    assert "the intent returns" in found.warnings[0].message


def test_a_zero_tolerance_figure_that_the_baseline_lacks_does_not_ship() -> None:
    before = run("old", [replace(each, parts={}) for each in GOOD.cases])
    policy = Policy(zero_tolerance={"faq": ("relevance.intent",)})
    found = decide(compare(before, GOOD, policy.settings), policy)
    assert found.outcome == "not enough data"
    assert "the baseline has no value of relevance.intent" in found.reasons[0].message


def test_the_default_of_zero_tolerance_is_for_intents_that_are_not_named() -> None:
    policy = Policy(zero_tolerance={"default": ("factual_accuracy",), "faq": ("relevance",)})

    def after(intent: str) -> Baseline:
        cases = list(GOOD.cases)
        place = next(place for place, each in enumerate(cases) if each.intent == intent)
        cases[place] = replace(cases[place], dimensions={**cases[place].dimensions, "factual_accuracy": 0.6})
        return run("b", cases)

    assert _decided(after("promotion"), policy).outcome == "hold"
    assert _decided(after("faq"), policy).outcome == "ship"


def test_rewritten_cases_are_told() -> None:
    before = run("a", [replace(each, content="x") for each in GOOD.cases])
    after = run("b", [replace(before.cases[0], content="y"), *before.cases[1:]])
    found = decide(compare(before, after), Policy())
    assert found.outcome == "ship"
    assert "rewritten" in found.warnings[0].message


def test_a_run_with_nothing_but_passes_can_be_compared() -> None:
    cases = [case(f"c{place}", contains=1.0) for place in range(30)]
    assert decide(compare(run("a", cases), run("b", cases)), Policy()).outcome == "ship"


def test_an_incident_that_happens_again_holds_also_if_the_baseline_does_not_have_it() -> None:
    incident = replace(case("manga-7", "faq", outcome="fail", relevance=0.9), is_incident=True)
    again = replace(GOOD, run="again", cases=(*GOOD.cases, incident))
    found = _decided(again)
    assert found.outcome == "hold"
    (reason,) = found.reasons
    assert (reason.kind, reason.cases) == ("incident", ("manga-7",))
    assert reason.message == "1 case made from alerts in production fails again: manga-7"
    assert _decided(again, Policy(incidents=1)).outcome == "ship"


def test_an_incident_that_the_baseline_fails_too_and_one_that_is_unscored_do_not_hold() -> None:
    incident = replace(case("manga-7", "faq", outcome="fail", relevance=0.9), is_incident=True)
    with_it = replace(GOOD, cases=(*GOOD.cases, incident))
    policy = Policy()
    assert decide(compare(with_it, replace(with_it, run="same"), policy.settings), policy).outcome == "ship"
    unscored = replace(GOOD, run="open", cases=(*GOOD.cases, replace(incident, outcome="unscored")))
    assert _decided(unscored).outcome == "ship"  # one in 201 is within `unscored`


def test_a_figure_that_only_incidents_have_needs_no_mean() -> None:
    incident = replace(case("manga-7", "faq", outcome="pass", grounded=1.0), is_incident=True)
    with_it = replace(GOOD, cases=(*GOOD.cases, incident))
    policy = Policy()
    assert decide(compare(with_it, replace(with_it, run="same"), policy.settings), policy).outcome == "ship"
    assert _decided(replace(with_it, run="new")).outcome == "ship"
    plain = replace(with_it, cases=(*GOOD.cases, replace(incident, is_incident=False)))
    assert decide(compare(plain, replace(plain, run="same"), policy.settings), policy).outcome == "not enough data"
