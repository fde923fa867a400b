from __future__ import annotations

from typing import Any

from proctor.release.causes import causes_of
from proctor.release.compare import compare
from proctor.release.reason import Reason, listed
from tests.release.making import case, run


def _reason(kind: Any, intent: str, dimension: str | None, *cases: str) -> Reason:
    said = f"{intent} {dimension} {kind}"
    return Reason(
        kind=kind, message=said + listed(cases), short=said, intent=intent, dimension=dimension, cases=tuple(cases)
    )


FAQ = ("f1", "f2", "f3")
RETURNS = ("r1", "r2")


def test_one_fault_is_one_cause_however_many_rules_it_breaks() -> None:
    reasons = [
        _reason("newly failing", "all", "contains", "f1", "f2", "r1"),
        _reason("regression", "all", "accuracy", *FAQ, *RETURNS),
        _reason("regression", "all", "quality", *FAQ, *RETURNS),
        _reason("regression", "all", "pass_rate", *FAQ, *RETURNS),
        _reason("regression", "faq", "accuracy", *FAQ),
        _reason("regression", "faq", "quality", *FAQ),
        _reason("regression", "returns", "accuracy", *RETURNS),
        _reason("regression", "returns", "pass_rate", *RETURNS),
        _reason("floor", "faq", "accuracy", *FAQ),
        _reason("zero tolerance", "default", "accuracy", "f1", "f2"),
    ]
    first, second = causes_of(reasons)
    assert (first.reason.intent, first.cases) == ("faq", FAQ)
    assert (second.reason.intent, second.cases) == ("returns", RETURNS)
    assert first.reason.statement == "faq accuracy regression"
    assert sum(len(cause.reasons) for cause in (first, second)) == len(reasons), "no reason is lost"


def test_two_faults_of_one_intent_are_two_causes_if_their_cases_differ() -> None:
    reasons = [_reason("regression", "faq", "accuracy", "a", "b"), _reason("regression", "faq", "fluency", "c", "d")]
    assert [cause.cases for cause in causes_of(reasons)] == [("a", "b"), ("c", "d")]
    same = [_reason("regression", "faq", "accuracy", "a", "b"), _reason("regression", "faq", "fluency", "a", "b")]
    assert len(causes_of([_reason("regression", "all", "fluency", "a", "b"), *same])) == 1


def test_a_fall_over_all_intents_that_no_intent_shows_is_a_cause_of_its_own() -> None:
    reasons = [_reason("regression", "all", "tone", "a", "b", "c"), _reason("regression", "faq", "accuracy", "x")]
    assert [cause.reason.dimension for cause in causes_of(reasons)] == ["tone", "accuracy"]


def test_a_fault_in_most_intents_is_one_cause() -> None:
    rows = [_reason("regression", intent, "accuracy", f"{intent}-1") for intent in ("faq", "orders", "returns")]
    rows += [_reason("regression", intent, "quality", f"{intent}-1") for intent in ("faq", "orders", "returns")]
    whole = _reason("regression", "all", "accuracy", "faq-1", "orders-1", "returns-1")
    (cause,) = causes_of([whole, *rows], intents=4)
    assert cause.reason is whole
    assert cause.cases == ("faq-1", "orders-1", "returns-1")
    assert len(cause.reasons) == 7
    assert len(causes_of([whole, *rows], intents=8)) == 3, "three of eight are places of their own"


def test_cases_that_only_a_wider_reason_names_are_not_those_of_a_cause_they_have_no_part_in() -> None:
    reasons = [_reason("newly failing", "all", "contains", "f1", "f2", "x"), _reason("regression", "faq", "a", *FAQ)]
    cause, rest = causes_of(reasons)
    assert (cause.cases, rest.cases) == (FAQ, ("x",))
    assert rest.reason.message == "1 case that no other cause explains: x"


def test_cases_without_a_cause_stand_by_intent_with_the_fall_of_its_pass_rate() -> None:
    before = [case(name, "faq") for name in FAQ] + [case(name, "pets") for name in ("p1", "p2", "p3")]
    after = [case(name, "faq", outcome="fail") for name in FAQ]
    after += [case("p1", "pets"), *(case(name, "pets", outcome="fail") for name in ("p2", "p3"))]
    reasons = [
        _reason("regression", "faq", "accuracy", *FAQ),
        _reason("floor", "all", "pass_rate", *FAQ, "p2", "p3"),
    ]
    cause, pets = causes_of(reasons, comparison=compare(run("a", before), run("b", after)))
    assert cause.cases == FAQ
    assert [each.kind for each in cause.reasons] == ["regression", "floor"]
    assert pets.cases == ("p2", "p3")
    assert pets.reason.message == (
        "pets: 2 cases that no other cause explains "
        "(pass_rate 1.000 → 0.333 over 3 cases, too few to prove a fall): p2, p3"
    )


def test_other_reasons_stay_as_they_are() -> None:
    reasons = [
        _reason("missing", "all", None, "m"),
        _reason("rule", "all", None),
        _reason("unscored", "all", None, "u"),
    ]
    assert [cause.reason for cause in causes_of(reasons)] == reasons
    assert causes_of([]) == ()
