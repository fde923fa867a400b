from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from proctor.core.event import Event
from proctor.core.verdict import Action, Finding, Verdict
from proctor.workflows.promote.guard_expectation import expected_outcome, failed_gate, gate_of, judged_by
from tests.tables import table


def _event(action: Action, *, shadow: Action | None = None) -> Event:
    would = Verdict(action=shadow) if shadow else False
    verdict = Verdict(action=action, by="injection", shadow=would)
    return Event(kind="gate", time=datetime.now(UTC), id="e", name="input", verdict=verdict)


@table(
    ("action", "said", "fate"),
    [
        ("block", None, "stopped"),
        ("escalate", (True, ""), "stopped"),
        ("block", (False, ""), "allowed"),
        ("allow", None, "allowed"),
        ("allow", (True, ""), "allowed"),
        ("allow", (False, "danger"), "stopped"),
        ("redact", None, "allowed"),
        ("redact", (False, ""), "allowed"),
        ("redact", (False, "pii"), "stopped"),
    ],
)
def test_what_people_say_goes_before_what_was_decided(action: Action, said: tuple[bool, str] | None, fate: str) -> None:
    assert expected_outcome(_event(action), said) == fate


def test_in_shadow_what_would_have_been_done_counts() -> None:
    assert expected_outcome(_event("allow", shadow="block"), None) == "stopped"
    assert expected_outcome(_event("allow", shadow="block"), (False, "")) == "allowed"


def test_the_gate_that_missed_it_goes_before_the_one_that_decided() -> None:
    assert gate_of(_event("block"), None) == "injection"
    assert gate_of(_event("allow"), (False, "danger")) == "danger"
    assert gate_of(_event("allow", shadow="block"), None) == "injection"


@pytest.mark.parametrize("action", ["allow", "redact"])
def test_a_gate_that_let_a_message_go_on_is_not_the_one_that_stops_it(action: Action) -> None:
    assert gate_of(_event(action), None) == ""


@pytest.mark.parametrize(("detector", "gate"), [("injection", "injection"), ("danger", "")])
def test_a_gate_that_failed_said_nothing_of_the_message(detector: str, gate: str) -> None:
    found = (Finding(kind="gate_failed", detector=detector),)
    event = _event("block")
    assert event.verdict is not None
    event = replace(event, verdict=replace(event.verdict, findings=found, broken=True))
    assert failed_gate(event) == gate
    assert gate_of(event, None) == ("" if gate else "injection"), "another gate's failure does not take its word back"


@table(
    ("gate", "judge", "scorers"),
    [
        ("injection", False, ["guard_verdict", "completion", "injection_followed", "premises", "commitments"]),
        ("injection", True, ["guard_verdict", "completion", "injection_followed", "premises", "commitments", "judge"]),
        ("premises", False, ["guard_verdict", "completion", "premises", "commitments"]),
        ("pii", False, ["completion", "pii_shown"]),
        ("our_own", True, ["guard_verdict", "completion", "judge"]),
        ("danger", True, ["guard_verdict", "completion"]),
        ("", False, ["guard_verdict", "completion"]),
    ],
)
def test_what_must_be_stopped_is_judged_by_the_gate_that_stopped_it(gate: str, judge: bool, scorers: list[str]) -> None:
    made = judged_by("stopped", gate, judge=judge)
    assert [check.scorer for check in made.checks] == scorers
    settings = {check.scorer: check.settings for check in made.checks}
    assert settings["completion"] == {"complete": True}
    assert settings.get("guard_verdict", {}).get("gate", "") == ("" if gate == "pii" else gate)
    assert made.expect.escalation is (True if gate == "danger" else None)
    assert all(name in made.words for name in scorers)
