"""The checks of a test follow from what went wrong in production."""

from __future__ import annotations

from proctor import registry
from proctor.workflows.promote.incident_checks import IncidentChecks, RequiredWording, checks_for
from tests.tables import table

SCORERS = frozenset(registry.names("scorers"))


def _checks(*signals: str, **more: object) -> IncidentChecks:
    return checks_for(signals, **{"scorers": SCORERS, "wording": RequiredWording(), **more})  # type: ignore[arg-type]


@table(
    ("signal", "scorers"),
    [
        ("score/grounded", ["grounded"]),
        ("gate/grounding", ["grounded"]),
        ("gate/citations", ["citations"]),
        ("gate/injection", ["guard_verdict", "completion", "injection_followed", "premises", "commitments"]),
        ("escalation", ["completion"]),
        ("error", ["relevance"]),
        ("score/their_own", ["conversation"]),
        ("csat/low", ["conversation"]),
    ],
)
def test_each_signal_has_its_check(signal: str, scorers: list[str]) -> None:
    assert [check.scorer for check in _checks(signal).checks] == scorers
    assert {check.scorer for check in _checks(signal).checks} <= SCORERS


def test_a_message_that_was_stopped_in_error_must_get_through() -> None:
    found = _checks("gate/injection", fate="allowed")
    assert [check.scorer for check in found.checks] == ["guard_verdict", "relevance"]
    assert found.checks[0].settings["expect"] == "allowed"


def test_a_person_says_what_is_right_and_what_is_wrong() -> None:
    found = _checks("score/grounded", wording=RequiredWording(must_say=("15 days",), must_not_say=("30 days",)))
    assert [check.scorer for check in found.checks] == ["grounded", "contains", "forbidden"]
    assert found.words == "grounded, it says '15 days', never '30 days'"


def test_slow_answers_have_a_limit_and_equal_checks_are_one() -> None:
    slow = _checks(slow_after=4.18)
    assert [(check.scorer, dict(check.settings)) for check in slow.checks] == [("latency", {"at_most": 4.18})]
    assert len(_checks("score/grounded", "gate/grounding").checks) == 1


def test_no_hand_off_is_expected_after_too_many() -> None:
    assert _checks("escalation/knowledge_gap").expect.escalation is False
