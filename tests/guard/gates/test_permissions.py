from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.core.chat import ToolCall
from proctor.core.errors import MalformedError
from proctor.guard.step import Step
from tests.guard.gates.staging import HOSTILE, gate, wants
from tests.tables import table

MATRIX = {
    "policy_inquiry": ["get_policy", "get_faq", "get_product_info"],
    "booking_management": ["+policy_inquiry", "get_booking", "modify_booking"],
    "post_trip_issue": ["+booking_management", "get_booking_history", "create_case"],
    "complaint": ["create_case", "escalate"],
}
GATE = gate("permissions", matrix=MATRIX, read_only={"booking_management": ["modify_booking"]}, always=["log_*"])


@table(
    ("tool", "arguments", "intents"),
    [
        ("get_policy", {}, ("policy_inquiry",)),
        ("get_faq", {}, ("Policy inquiry", "booking-management")),
        ("get_booking", {}, ("booking_management",)),
        ("modify_booking", {"check_only": True}, ("booking_management",)),
        ("create_case", {}, ("complaint", "post_trip_issue")),
        ("log_event", {}, ()),
    ],
)
async def test_what_every_intent_permits_is_let_through(
    tool: str, arguments: dict[str, object], intents: tuple[str, ...]
) -> None:
    verdict = await GATE.check(wants(tool, arguments, intents=intents))
    assert verdict.action == "allow"
    assert verdict.findings == ()


@table(
    ("tool", "arguments", "intents", "why"),
    [
        ("modify_booking", {}, ("policy_inquiry",), "does not permit it"),
        ("modify_booking", {"check_only": False}, ("booking_management",), "may only check"),
        ("modify_booking", {"check_only": True}, ("booking_management", "policy_inquiry"), "of several intents"),
        ("delete_all", {}, ("complaint",), "not in the matrix"),
        ("get_policy", {}, ("smalltalk",), "is not in the matrix"),
        ("get_policy", {}, (), "no intent"),
        ("Get_Policy", {}, ("policy_inquiry",), "not in the matrix"),
    ],
)
async def test_everything_else_is_blocked_as_an_anomaly(
    tool: str, arguments: dict[str, object], intents: tuple[str, ...], why: str
) -> None:
    verdict = await GATE.check(wants(tool, arguments, intents=intents))
    assert verdict.action == "block"
    assert why in verdict.reason
    assert tool in verdict.reason
    assert verdict.extra["anomaly"] is True
    (finding,) = verdict.findings
    assert (finding.kind, finding.severity) == ("out_of_scope", "high")
    assert tool in finding.text


def test_a_gate_without_a_matrix_is_refused() -> None:
    with pytest.raises(MalformedError, match="there is no matrix"):
        gate("permissions")


async def test_a_person_can_be_asked_instead() -> None:
    verdict = await gate("permissions", matrix=MATRIX, action="escalate").check(wants("x", intents=("complaint",)))
    assert verdict.action == "escalate"


async def test_a_step_without_a_call_is_a_failure_of_the_gate() -> None:
    with pytest.raises(ValueError, match="without a call"):
        await GATE.check(Step(point="tool_call"))


def test_a_row_that_adds_itself_is_refused() -> None:
    with pytest.raises((ValueError, MalformedError), match="adds itself"):
        gate("permissions", matrix={"a": ["+a"]})


@table("name", HOSTILE)
async def test_strange_names_are_unknown_tools(name: str) -> None:
    verdict = await GATE.check(wants(name, intents=("complaint",)))
    assert verdict.action == "block"
    assert len(verdict.reason) < 600


@given(st.text(max_size=40), st.lists(st.text(max_size=20), max_size=3))
async def test_nothing_unknown_is_ever_let_through(tool: str, intents: list[str]) -> None:
    step = Step(point="tool_call", call=ToolCall(name=f"x{tool}"), intents=tuple(intents))
    assert (await GATE.check(step)).action == "block"


async def test_the_arguments_of_a_tool_that_may_only_check_are_looked_at_each_time() -> None:
    by_pattern = gate("permissions", matrix=MATRIX, read_only={"booking_management": ["modify_*"]})
    for checks in (GATE, by_pattern):
        for check_only, action in ((True, "allow"), (False, "block"), (True, "allow")):
            step = wants("modify_booking", {"check_only": check_only}, intents=("booking_management",))
            assert (await checks.check(step)).action == action


async def test_the_same_call_under_other_intents_is_another_question() -> None:
    asked = [("policy_inquiry",), ("booking_management",), ("booking_management", "complaint"), ("booking_management",)]
    steps = [wants("get_booking", intents=intents) for intents in asked]
    assert [(await GATE.check(step)).action for step in steps] == ["block", "allow", "block", "allow"]
    loose = Step(point="tool_call", call=ToolCall(name="get_booking"), intents=["booking_management"])  # type: ignore[arg-type]
    assert (await GATE.check(loose)).action == "allow"


async def test_names_that_are_made_up_do_not_fill_the_memory() -> None:
    checks = gate("permissions", matrix=MATRIX)
    for number in range(1_200):
        assert (await checks.check(wants(f"made_up_{number}", intents=("complaint",)))).action == "block"
    assert (await checks.check(wants("x" * 10_000, intents=("complaint",)))).action == "block"
    assert len(checks._known) <= 1_024
    assert (await checks.check(wants("escalate", intents=("complaint",)))).action == "allow"


@table(
    ("given", "action"),
    [
        ({"dry_run": True}, "allow"),
        ({"Dry_Run": True}, "allow"),
        ({"dry_run": True, "Dry_Run": False}, "block"),
        ({"dry_run": [True, False]}, "block"),
        ({"dry_run": None}, "block"),
        ({"dry_run": {"a": 1}}, "block"),
        ({}, "block"),
    ],
)
async def test_every_reading_of_a_trial_must_be_set(given: dict[str, Any], action: str) -> None:
    checks = gate("permissions", matrix={"change": []}, read_only={"change": ["modify"]})
    assert (await checks.check(wants("modify", given, intents=("change",)))).action == action


@pytest.mark.parametrize(
    "settings",
    [
        {"matrix": MATRIX, "default": ["+policy_inquiry", "search_*"]},
        {"matrix": {**MATRIX, "default": ["+policy_inquiry", "search_*"]}},
    ],
)
async def test_without_an_intent_the_default_row_counts(settings: dict[str, Any]) -> None:
    checks = gate("permissions", **settings)
    for tool, intents, action in (
        ("get_policy", (), "allow"),
        ("search_trips", (), "allow"),
        ("get_booking", (), "block"),
        ("get_policy", ("booking_management",), "allow"),
        ("search_trips", ("booking_management",), "block"),
        ("get_policy", ("nonsense",), "block"),
        ("get_policy", ("",), "block"),
        ("get_policy", ("nonsense", "policy_inquiry"), "block"),
    ):
        verdict = await checks.check(wants(tool, intents=intents))
        assert verdict.action == action, (tool, intents)


async def test_without_a_default_the_reason_says_how_to_pass_intents() -> None:
    told = (await gate("permissions", matrix=MATRIX).check(wants("get_policy"))).reason
    for way in ("intents=[...]", "X-Proctor-Intents", "sidecar: field `intents`", "--intent", "`default:`"):
        assert way in told
    assert "X-Proctor" not in (await gate("permissions", matrix=MATRIX).check(wants("x", intents=("nope",)))).reason


def test_two_default_rows_are_refused() -> None:
    with pytest.raises(MalformedError, match="keep one of them"):
        gate("permissions", matrix={"Default": ["a"]}, default=["b"])
