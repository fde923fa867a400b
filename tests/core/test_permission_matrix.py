"""Tools by intent: what a row permits, what it takes over, and what several intents leave."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.core.chat import ToolCall
from proctor.core.permission_matrix import PermissionMatrix, intent_key
from tests.tables import table

DESK = PermissionMatrix(
    matrix={
        "policy_inquiry": ("get_policy", "get_faq"),
        "Booking management": ("+policy_inquiry", "get_booking"),
        "complaint": ("create_case", "escalate"),
    },
    read_only={"booking-management": ("modify_booking",)},
    always=("think",),
)
NAMES = st.sampled_from(["get_policy", "get_faq", "get_booking", "modify_booking", "create_case", "wire_money"])
INTENTS = st.lists(st.sampled_from(["policy_inquiry", "booking_management", "complaint"]), min_size=1, max_size=3)


def _why(tool: str, *intents: str, **arguments: object) -> str | None:
    return DESK.against(ToolCall(name=tool, arguments=arguments), intents)


def test_a_row_permits_its_tools_and_those_it_adds() -> None:
    assert _why("get_policy", "policy_inquiry") is None
    assert _why("get_faq", "booking_management") is None
    assert _why("get_booking", "Booking Management") is None
    assert "does not permit" in (_why("get_booking", "policy_inquiry") or "")


def test_a_tool_that_may_only_check_needs_the_argument_that_says_so() -> None:
    assert _why("modify_booking", "booking_management", check_only=True) is None
    assert "only check" in (_why("modify_booking", "booking_management") or "")
    assert "only check" in (_why("modify_booking", "booking_management", check_only=False) or "")
    assert "does not permit" in (_why("modify_booking", "policy_inquiry", check_only=True) or "")


def test_what_is_not_known_is_not_permitted() -> None:
    assert "not in the matrix" in (_why("wire_money", "policy_inquiry") or "")
    assert "not in the matrix" in (_why("get_policy", "world_domination") or "")
    assert "no intent" in (_why("get_policy") or "")
    assert _why("think") is None


def test_several_intents_leave_only_what_all_permit() -> None:
    assert _why("get_policy", "policy_inquiry", "booking_management") is None
    assert "all of them" in (_why("get_booking", "policy_inquiry", "booking_management") or "")
    union = PermissionMatrix(matrix=DESK.matrix, several="union")
    assert union.against(ToolCall(name="get_booking"), ("policy_inquiry", "booking_management")) is None


def test_the_tools_that_are_left_can_be_listed() -> None:
    tools = ("get_policy", "get_booking", "modify_booking", "create_case")
    assert DESK.permitted(tools, ("booking_management",)) == ("get_policy", "get_booking", "modify_booking")
    assert DESK.permitted(tools, ("booking_management", "complaint")) == ()


def test_patterns_stand_for_tools() -> None:
    matrix = PermissionMatrix(matrix={"browsing": ("get_*", "search_[ab]")})
    assert matrix.against(ToolCall(name="get_tips"), ("browsing",)) is None
    assert matrix.against(ToolCall(name="search_a"), ("browsing",)) is None
    assert matrix.against(ToolCall(name="search_c"), ("browsing",)) is not None


@table(
    ("matrix", "read_only", "told"),
    [
        ({"a": ("+a",)}, {}, "adds itself"),
        ({"a": ("+b",), "b": ("+a",)}, {}, "adds itself"),
        ({"a": ("+b",)}, {}, "no row of the matrix"),
        ({"a": ()}, {"b": ("x",)}, "read_only names the intent 'b'"),
    ],
)
def test_a_table_that_cannot_be_meant_is_refused(
    matrix: dict[str, tuple[str, ...]], read_only: dict[str, tuple[str, ...]], told: str
) -> None:
    with pytest.raises(ValueError, match=told):
        PermissionMatrix(matrix=matrix, read_only=read_only)


@given(NAMES, INTENTS)
def test_another_intent_never_permits_more(tool: str, intents: list[str]) -> None:
    call = ToolCall(name=tool)
    together = DESK.against(call, intents) is None
    assert together == all(DESK.against(call, (each,)) is None for each in intents)


@given(st.text(max_size=40))
def test_an_intent_is_the_same_however_it_is_written(name: str) -> None:
    assert intent_key(intent_key(name)) == intent_key(name)
