from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.core.chat import ToolCall
from proctor.core.errors import MalformedError
from proctor.core.verdict import Verdict
from proctor.guard.step import Step
from tests.guard.gates.staging import HOSTILE, done, gate, memory, wants
from tests.tables import table

MINE = {"id": "LT-1", "customer": "C-1", "status": "confirmed", "note": "see LT-9"}


def kinds(verdict: Verdict) -> list[str]:
    return [each.kind for each in verdict.findings]


async def decided(tools: dict[str, Any], step: Step, **settings: Any) -> Verdict:
    verdict: Verdict = await gate("arguments", tools=tools, **settings).check(step)
    return verdict


async def test_a_schema_names_the_argument_that_is_wrong() -> None:
    schema = {"type": "object", "required": ["id"], "properties": {"id": {"type": "string", "pattern": "^LT-\\d+$"}}}
    tools = {"get_booking": {"schema": schema}}
    assert (await decided(tools, wants("get_booking", {"id": "LT-1"}))).action == "allow"
    verdict = await decided(tools, wants("get_booking", {"id": 5}))
    assert (verdict.action, kinds(verdict)) == ("block", ["wrong_argument"])
    assert "get_booking: id:" in verdict.reason
    assert "id" in (await decided(tools, wants("get_booking"))).reason
    assert (await decided(tools, wants("other", {"id": 5}))).action == "allow"


@pytest.mark.parametrize("schema", [{"type": 7}, {"$ref": "https://elsewhere.test/x"}, {"pattern": "("}])
def test_a_schema_that_cannot_be_used_is_refused(schema: dict[str, Any]) -> None:
    with pytest.raises((ValueError, MalformedError), match="schema"):
        gate("arguments", tools={"a": {"schema": schema}})


@table(
    ("given", "action"),
    [
        ({"check_only": True}, "allow"),
        ({"check_only": False}, "block"),
        ({"check_only": 1}, "block"),
        ({"check_only": "true"}, "block"),
        ({}, "block"),
        ({"check_only": None}, "block"),
        ({"check_only": [True, False]}, "block"),
    ],
)
async def test_allowed_values_are_exact_and_must_be_given(given: dict[str, Any], action: str) -> None:
    verdict = await decided({"modify_*": {"allowed": {"check_only": [True]}}}, wants("modify_booking", given))
    assert verdict.action == action
    assert action == "allow" or "check_only" in verdict.reason


async def test_what_may_be_left_out_may_not_be_wrong() -> None:
    tools = {"a": {"allowed": {"mode?": ["fast"]}, "limits": {"amount?": 10}}}
    assert (await decided(tools, wants("a"))).action == "allow"
    assert kinds(await decided(tools, wants("a", {"mode": "slow", "amount": 11}))) == [
        "value_not_allowed",
        "over_limit",
    ]


async def test_an_argument_inside_another_is_reached() -> None:
    tools = {"a": {"limits": {"payment.amount": 10}}}
    assert (await decided(tools, wants("a", {"payment": {"amount": 9.5}}))).action == "allow"
    assert (await decided(tools, wants("a", {"payment": {"amount": 10.5}}))).action == "block"
    assert (await decided(tools, wants("a", {"payment": "10"}))).action == "block"


@table(
    ("value", "action"),
    [
        (100, "allow"),
        ("100.00", "allow"),
        ("1,00", "allow"),
        (100.01, "block"),
        ("1,000", "block"),
        (-5, "block"),
        ("1e9", "block"),
        ("NaN", "block"),
        ("Infinity", "block"),
        (float("nan"), "block"),
        (True, "block"),
        ("all of it", "block"),
        ([50, 150], "block"),
        ([], "block"),
        ({"amount": 5}, "block"),
    ],
)
async def test_a_limit_holds_for_every_way_to_write_a_number(value: Any, action: str) -> None:
    assert (await decided({"refund": {"limits": {"amount": 100}}}, wants("refund", {"amount": value}))).action == action


async def test_sums_are_over_the_session() -> None:
    tools = {"refund_*": {"sums": {"amount": 100}}}
    before = memory(done("refund_a", amount=60), done("refund_b", amount="30"), done("other", amount=500))
    assert (await decided(tools, wants("refund_a", {"amount": 10}, memory=before))).action == "allow"
    verdict = await decided(tools, wants("refund_a", {"amount": 11}, memory=before))
    assert verdict.action == "block"
    assert "101" in verdict.reason


async def test_a_sum_that_is_not_known_any_more_is_not_trusted() -> None:
    before = memory(*[done("refund", amount=90)], *[done("get_faq", q=n) for n in range(64)])
    verdict = await decided({"refund": {"sums": {"amount": 100}}}, wants("refund", {"amount": 1}, memory=before))
    assert verdict.action == "block"
    assert "remembered" in verdict.reason


OWN = {"get_booking": {"own": ["booking_id"]}}


@table(
    "result",
    [
        MINE,
        json.dumps(MINE),
        [{"id": "LT-8", "customer": "C-2"}, MINE],
        {"customer": "C-1", "bookings": [{"id": "LT-1"}, {"id": "LT-2"}]},
        {"customer_id": "c-1", "booking_ids": ["LT-1"]},
    ],
)
async def test_ids_in_the_customers_own_records_are_theirs(result: Any) -> None:
    before = memory(done("list_bookings", result))
    assert (await decided(OWN, wants("get_booking", {"booking_id": "LT-1"}, memory=before))).action == "allow"
    assert (await decided(OWN, wants("get_booking", {"booking_id": "lt-1 "}, memory=before))).action == "allow"


@table(
    "result",
    [
        {"id": "LT-1", "customer": "C-2"},
        {"id": "LT-3", "customer": "C-1", "note": "LT-1"},
        "C-1 owns LT-1",
        '{"id": "LT-1", "customer": "C-1"',
        {"customer": "C-1", "shared": [{"id": "LT-1", "owner": "C-2"}]},
        {"id": "LT-1"},
        None,
        [[[[[[[[[[{"id": "LT-1", "customer": "C-1"}]]]]]]]]]],
    ],
)
async def test_nothing_else_makes_an_id_theirs(result: Any) -> None:
    verdict = await decided(OWN, wants("get_booking", {"booking_id": "LT-1"}, memory=memory(done("x", result))))
    assert (verdict.action, kinds(verdict)) == ("block", ["not_own"])
    assert "booking_id" in verdict.reason
    assert verdict.extra["anomaly"] is True


async def test_a_call_that_failed_shows_nothing() -> None:
    before = memory(done("x", MINE, error="500"))
    assert (await decided(OWN, wants("get_booking", {"booking_id": "LT-1"}, memory=before))).action == "block"


async def test_the_customers_id_and_what_the_caller_vouches_for_are_theirs() -> None:
    tools = {"get_profile": {"own": ["customer"]}, "get_booking": {"own": ["booking_id"]}}
    assert (await decided(tools, wants("get_profile", {"customer": "C-1"}, memory=memory()))).action == "allow"
    assert (await decided(tools, wants("get_profile", {"customer": "C-2"}, memory=memory()))).action == "block"
    vouched = wants("get_booking", {"booking_id": "LT-7"}, memory=memory(), metadata={"own": {"booking_id": ["LT-7"]}})
    assert (await decided(tools, vouched)).action == "allow"
    nobody = wants("get_booking", {"booking_id": "LT-1"}, memory=memory(done("x", MINE), customer=None))
    assert (await decided(tools, nobody)).action == "block"


async def test_one_foreign_id_among_own_ones_is_enough() -> None:
    step = wants("get_booking", {"booking_id": ["LT-1", "LT-2"]}, memory=memory(done("x", MINE)))
    assert (await decided(OWN, step)).action == "block"


@table("tool", ["get_booking", "searchProducts", "list-orders", "check_availability", "get_order"])
async def test_reading_is_permitted_when_only_reading_is(tool: str) -> None:
    assert (await decided({}, wants(tool), read_only=True)).action == "allow"


@table("tool", ["modify_booking", "get_or_create_case", "checkout", "check_out", "run_sql", "", "取得", "GETTER"])
async def test_nothing_that_may_write_is_permitted_when_only_reading_is(tool: str) -> None:
    verdict = await decided({}, wants(tool), read_only=True)
    assert (verdict.action, kinds(verdict)) == ("block", ["writes"])


async def test_a_list_of_reading_tools_takes_the_place_of_their_names() -> None:
    assert (await decided({}, wants("run_report"), read_only=True, reads=["run_report"])).action == "allow"
    assert (await decided({}, wants("get_faq"), read_only=True, reads=["run_report"])).action == "block"


async def test_tools_that_are_not_listed_can_be_blocked() -> None:
    assert (await decided({"a": {}}, wants("a"), unlisted="block")).action == "allow"
    assert kinds(await decided({"a": {}}, wants("b"), unlisted="block")) == ["unlisted"]


ASKED = "I can cancel booking LT-1 for you. Shall I go ahead?"


@table(
    ("asked", "said", "action"),
    [
        ("Yes, please.", ASKED, "allow"),
        ("はい、お願いします", "LT-1をキャンセルしてよろしいですか？", "allow"),
        ("No, wait.", ASKED, "block"),
        ("Yes, please.", "Your booking is confirmed.", "block"),
        ("What happens then?", ASKED, "block"),
        ("Please cancel LT-1 now, I confirm it.", "", "block"),
    ],
)
async def test_a_yes_right_before_is_needed(asked: str, said: str, action: str) -> None:
    before = memory(asked=[asked], said=[said] if said else [])
    verdict = await decided({"cancel": {"confirm": True}}, wants("cancel", {"id": "LT-1"}, memory=before))
    assert verdict.action == action
    assert action == "allow" or (kinds(verdict) == ["not_confirmed"] and verdict.extra["confirm"] is True)


async def test_the_caller_can_confirm() -> None:
    step = wants("cancel", {"id": "LT-1"}, memory=memory(), confirmed=True)
    assert (await decided({"cancel": {"confirm": True}}, step)).action == "allow"


async def test_a_yes_can_be_held_to_what_the_question_named() -> None:
    before = memory(asked=["Yes, please."], said=[ASKED])
    tools = {"cancel": {"confirm": "named"}}
    assert (await decided(tools, wants("cancel", {"id": "LT-1"}, memory=before))).action == "allow"
    assert (await decided(tools, wants("cancel", {"id": "LT-2"}, memory=before))).action == "block"


@table(
    ("said", "tool", "given", "told"),
    [
        ("Shall I refund 5 euros for A-17?", "refund", {"order_id": "A-17", "amount": 5}, None),
        ("Shall I refund €5.00 for A-17?", "issue_refund", {"order_id": "A-17", "amount": "5"}, None),
        ("Shall I refund 5 euros for A-17?", "refund", {"order_id": "A-17", "amount_cents": 500}, None),
        ("I can refund 5 euros for A-17. Shall I go ahead?", "refund", {"order_id": "A-17", "amount": 5.0}, None),
        ("Shall I refund 5 euros for A-17?", "refund", {"order_id": "A-17", "amount": 95}, "amount is 95"),
        ("Shall I refund 5 euros?", "refund", {"order": {"id": "A-17", "amount": 95}}, "amount is 95"),
        ("You paid 95 euros. Shall I refund 5 for A-17?", "refund", {"id": "A-17", "amount": 95}, "amount is 95"),
        ("Shall I refund 5 euros for A-17?", "refund", {"order_id": "A-17", "amount": "95 EUR"}, "amount is '95 EUR'"),
        ("Shall I refund 5 euros for A-17?", "refund", {"order_id": "A-17", "amount": "5 EUR"}, None),
        ("Shall I refund 5 euros for A-17?", "refund", {"order_id": "A-17", "amount": "all"}, "amount is 'all'"),
        ("Shall I refund 5 euros for A-17?", "refund", {"id": "A-17", "x": [0] * 300, "amount": 9}, "amount is 9"),
        ("Shall I refund 5 euros for A-17?", "refund", {"id": "A-17", "x": [5] * 300}, "more than is looked at"),
        ("Shall I refund order A-17?", "refund", {"order_id": "A-17", "amount": 50}, "does not say so"),
        ("Shall I refund order 17?", "refund", {"order_id": 17, "amount": 17}, "does not say so"),
        ("Shall I refund 50 euros for A-17?", "refund", {"order_id": "B-99", "amount": 50}, "another record"),
        ("Shall I cancel LT-17?", "cancel", {"id": "LT-1"}, "another record"),
        ("Shall I cancel order W12?", "cancel_order", {"id": "#W12"}, None),
        ("Shall I cancel order #W12?", "cancel_order", {"id": "#W13"}, "another record"),
        (
            "Would you like me to look at order A-17 again?",
            "refund",
            {"order_id": "A-17", "amount": 50},
            "what is done",
        ),
        ("Would you like me to look at order A-17 again?", "refund_order", {"order_id": "A-17"}, "what is done"),
        ("Shall I book 2 nights in room R-9?", "book_room", {"room": "R-9", "nights": 2}, None),
        ("Shall I book 2 nights in room R-9?", "book_room", {"room": "R-9", "nights": 3}, "nights is 3"),
        ("Shall I move booking LT-1 to Friday?", "modify_booking", {"booking_id": "LT-1", "priority": 1}, None),
        ("A-17に5,000円を返金してよろしいですか？", "refund", {"order_id": "A-17", "amount": 5000}, None),
        ("Ａ－１７へ５０００円を返金してよろしいですか？", "refund", {"order_id": "A-17", "amount": 5000}, None),
        ("A-17に500円を返金してよろしいですか？", "refund", {"order_id": "A-17", "amount": 9500}, "amount is 9500"),
        ("A-17の注文をもう一度お調べしましょうか？", "refund", {"order_id": "A-17", "amount": 5000}, "what is done"),
        ("A-17を返金してよろしいですか？", "refund", {"order_id": "A-17", "amount": 5000}, "does not say so"),
        ("LT-1の予約を金曜日に変更してよろしいですか？", "modify_booking", {"booking_id": "LT-1"}, None),
        ("2泊でR-9を予約してよろしいですか？", "book_room", {"room": "R-9", "nights": 3}, "nights is 3"),
        ("Soll ich 5 Euro für A-17 erstatten?", "refund", {"order_id": "A-17", "amount": 5}, None),
        ("Soll ich 5 Euro für A-17 erstatten?", "refund", {"order_id": "A-17", "amount": 95}, "amount is 95"),
        ("Shall I send the form?", "send_form", {"to": "somebody"}, "must name a value"),
    ],
)
async def test_a_yes_is_to_this_deed_this_record_and_these_numbers(
    said: str, tool: str, given: dict[str, Any], told: str | None
) -> None:
    before = memory(asked=["はい、お願いします" if "か？" in said else "yes"], said=[said])
    verdict = await decided({tool: {"confirm": "named"}}, wants(tool, given, memory=before))
    assert (verdict.action == "allow") is (told is None), verdict.reason
    assert told is None or (told in verdict.reason and kinds(verdict) == ["not_confirmed"])


MOVES = {"allowed": {"action": ["cancel", "move"]}, "confirm": "named"}
BY_SCHEMA = {"schema": {"properties": {"action": {"enum": ["cancel", "move"]}}}, "confirm": "named"}


@pytest.mark.parametrize("settings", [MOVES, BY_SCHEMA])
@table(
    ("said", "cancels", "moves"),
    [
        ("Shall I move appointment T-302?", False, True),
        ("Shall I reschedule appointment T-302 to Friday?", False, True),
        ("Shall I cancel appointment T-302?", True, False),
        ("You can move or cancel it. Shall I move appointment T-302?", False, True),
        ("Shall I move appointment T-302? If you cancel later, a fee is due.", False, True),
        ("I would cancel appointment T-302 then. Shall I go ahead?", True, False),
        ("Shall I cancel or move appointment T-302?", False, False),
        ("Shall I take appointment T-302 off the list?", False, False),
        ("Soll ich den Termin T-302 verschieben?", False, True),
        ("Soll ich den Termin T-302 absagen?", True, False),
        ("Dois-je déplacer le rendez-vous T-302 ?", False, True),
        ("Dois-je annuler le rendez-vous T-302 ?", True, False),
        ("Czy mam odwołać wizytę T-302?", True, False),
        ("T-302の予約を変更してよろしいですか？", False, True),
        ("要取消预约T-302吗？", True, False),
        ("Ska jag flytta tid T-302?", True, True),  # no words of Swedish for acts are known
    ],
)
async def test_a_yes_is_to_the_value_that_the_question_speaks_of(
    settings: dict[str, Any], said: str, cancels: bool, moves: bool
) -> None:
    before = memory(asked=["はい、お願いします" if "か？" in said else "yes"], said=[said])
    for action, allowed in (("cancel", cancels), ("move", moves)):
        call = wants("change_appointment", {"id": "T-302", "action": action}, memory=before)
        verdict = await decided({"change_appointment": settings}, call)
        assert (verdict.action == "allow") is allowed, (action, verdict.reason)
        assert allowed or kinds(verdict) == ["not_confirmed"]


@table(
    ("said", "given", "told"),
    [
        ("Shall I book a standard room, R-9?", {"room": "R-9", "kind": "standard"}, None),
        ("Shall I book a standard room, R-9?", {"room": "R-9", "kind": "suite"}, "speaks of 'standard'"),
        ("Shall I book room R-9?", {"room": "R-9", "kind": "suite"}, None),
        ("Shall I book room R-9, what's your view?", {"room": "R-9", "size": "M"}, None),
        ("Shall I book room R-9?", {"room": "R-9", "kind": 5}, None),
        ("Shall I cancel order A-17?", {"id": "A-17", "act": "cancel"}, None),
        ("Shall I cancel order A-17?", {"id": "A-17", "act": "order"}, "speaks of 'cancel'"),
    ],
)
async def test_a_question_may_leave_a_value_out_but_not_name_another(
    said: str, given: dict[str, Any], told: str | None
) -> None:
    allowed = {"kind?": ["standard", "suite", 5], "size?": ["S", "M"], "act?": ["order", "cancel"]}
    before = memory(asked=["yes"], said=[said])
    tool = "cancel_order" if "act" in given else "book_room"
    verdict = await decided({tool: {"allowed": allowed, "confirm": "named"}}, wants(tool, given, memory=before))
    assert (verdict.action == "allow") is (told is None), verdict.reason
    assert told is None or told in verdict.reason


@table(
    ("result", "action"),
    [
        (MINE, "allow"),
        ({"id": "LT-4", "customer": "C-4", "email": "a@b.test"}, "block"),
        ([MINE, {"id": "LT-4", "customer": "C-4"}], "block"),
        ("nothing found", "allow"),
    ],
)
async def test_a_result_that_names_another_owner_is_stopped(result: Any, action: str) -> None:
    checks = gate("arguments", tools={"get_booking": {"owner": "customer"}})
    text = result if isinstance(result, str) else json.dumps(result)
    by_text = Step(point="tool_result", text=text, call=ToolCall(name="get_booking"), memory=memory())
    by_data = Step(point="tool_result", call=ToolCall(name="get_booking", result=result), memory=memory())
    for step in (by_text, by_data):
        verdict = await checks.check(step)
        assert verdict.action == action
        assert action == "allow" or kinds(verdict) == ["foreign_record"]


EVERYTHING = gate(
    "arguments",
    tools={
        "*": {
            "schema": {"type": "object"},
            "allowed": {"mode": ["a"]},
            "own": ["id"],
            "limits": {"amount": 5},
            "sums": {"amount": 9},
            "confirm": True,
        }
    },
)
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.sampled_from(["mode", "id", "amount", "x"]), _JSON), _JSON)
async def test_whatever_is_given_there_is_a_verdict(arguments: dict[str, Any], result: Any) -> None:
    verdict = await EVERYTHING.check(wants("t", arguments, memory=memory(done("x", result), asked=["yes"], said=["?"])))
    assert verdict.action == "block"
    assert all(len(each.reason) < 600 for each in verdict.findings)


@given(st.dictionaries(st.sampled_from(["mode", "id", "amount", "x"]), _JSON), st.text(max_size=60))
async def test_whatever_is_asked_and_given_there_is_a_verdict(arguments: dict[str, Any], asked: str) -> None:
    before = memory(asked=["yes"], said=[f"{asked} Shall I refund?"])
    verdict = await decided({"*": {"confirm": "named"}}, wants("refund", arguments, memory=before))
    assert verdict.action in ("allow", "block")
    assert all(len(each.reason) < 600 for each in verdict.findings)


@table("text", HOSTILE)
async def test_hostile_values_are_named_and_cut(text: str) -> None:
    verdict = await EVERYTHING.check(
        wants(text, {"id": text, "amount": text, text: text}, memory=memory(done("x", text)))
    )
    assert verdict.action == "block"
    assert len(verdict.reason) < 800


@pytest.mark.parametrize("limit", [-1, float("inf")])
def test_impossible_limits_are_refused(limit: float) -> None:
    with pytest.raises((ValueError, MalformedError)):
        gate("arguments", tools={"a": {"limits": {"x": limit}}})


@table(
    ("given", "wrong"),
    [
        ({"mode": "a", "amount": 5}, []),
        ({"mode": "a", "amount": 0}, []),
        ({"mode": 1, "amount": 5.5}, []),
        ({"mode": ["a", 1], "amount": [1, 5]}, []),
        ({"mode": "A", "amount": 5}, ["value_not_allowed"]),
        ({"mode": True, "amount": 5}, ["value_not_allowed"]),
        ({"mode": "a", "amount": 6}, ["over_limit"]),
        ({"mode": "a", "amount": -1}, ["over_limit"]),
        ({"mode": "a", "amount": 10**5000}, ["over_limit"]),
        ({"amount": 5}, ["missing_argument"]),
    ],
)
async def test_plain_values_are_held_to_the_same_as_others(given: dict[str, Any], wrong: list[str]) -> None:
    tools = {"t": {"allowed": {"mode": ["a", 1]}, "limits": {"amount": 5.5}}}
    assert kinds(await decided(tools, wants("t", given))) == wrong


async def test_a_value_deep_inside_is_not_taken_from_the_surface() -> None:
    tools = {"t": {"allowed": {"payment.mode": ["a"]}, "limits": {"payment.amount": 5}}}
    inside = wants("t", {"payment": {"mode": "a", "amount": 5}})
    assert (await decided(tools, inside)).action == "allow"
    outside = wants("t", {"mode": "a", "amount": 5})
    assert kinds(await decided(tools, outside)) == ["missing_argument", "missing_argument"]


DEEP: Any = 99_999
for _ in range(80):
    DEEP = [DEEP]


@table(
    ("given", "action"),
    [
        ({"order": {"amount": 5}}, "allow"),
        ({"order.amount": 5}, "allow"),
        ({"order": [{"amount": 5}, {"amount": 10}]}, "allow"),
        ({"order": {"amount": 5, "note": "Amount due"}, "amount": 99_999}, "allow"),
        ({"order": {"amount": 99_999}, "order.amount": 1}, "block"),
        ({"order.amount": 99_999, "order": {"amount": 1}}, "block"),
        ({"order": {"amount": 1}, "order[amount]": 99_999}, "block"),
        ({"order": {"amount": 1}, "order/amount": 99_999}, "block"),
        ({"order": {"amount": 1}, "Order": {"amount": 99_999}}, "block"),
        ({"order": {"amount": 1, "AMOUNT": 99_999}}, "block"),
        ({"order": {"amount": 1, "\uff41mount": 99_999}}, "block"),
        ({"order": {"amount": 1, "amo\u200bunt": 99_999}}, "block"),
        ({"order": {"amount": None, "Amount": 99_999}}, "block"),
        ({"order": [{"amount": 1}, {"amount": 99_999}]}, "block"),
        ({"order": [[{"amount": 99_999}]]}, "block"),
        ({"order": [{"amount": 1}, {}]}, "block"),
        ({"order": {"0": {"amount": 99_999}}, "order.amount": 1}, "block"),
        ({"order": {"amount": [1, [99_999]]}}, "block"),
        ({"order": {"amount": DEEP}}, "block"),
        ({"order": '{"amount": 99999}', "order.amount": 1}, "block"),
        ({"order": '{"amount": 1, "amount": 99999}'}, "block"),
        ({"order": "[{", "order.amount": 1}, "block"),
        ({"order": {"amount": "99999"}}, "block"),
        ({"order": {"amount": "\uff19\uff19\uff19\uff19\uff19"}}, "block"),
        ({"order": {"amount": "1.234,56"}}, "block"),
        ({"order": {"amount": "5" + " " * 80 + "99999"}}, "block"),
        ({"order": {"amount": False}}, "block"),
        ({"order": {"amount": None}}, "block"),
        ({"order": []}, "block"),
        ({"order": [1] * 10_001}, "block"),
        ({"order": None}, "block"),
        ({"order": {"amount": 1}, **{f"k{n}": n for n in range(10_001)}}, "block"),
        ({}, "block"),
    ],
)
async def test_every_reading_of_a_nested_argument_is_checked(given: dict[str, Any], action: str) -> None:
    assert (await decided({"pay": {"limits": {"order.amount": 10}}}, wants("pay", given))).action == action
    summed = await decided({"pay": {"limits": {"order.amount": 10}, "sums": {"order.amount": 15}}}, wants("pay", given))
    assert summed.action == action


@pytest.mark.parametrize(
    "given",
    [
        {"mode": "a", "Mode": "b"},
        {"mode": ["a", ["b"]]},
        {"mode": "a", "mode ": "b"},
    ],
)
async def test_a_twin_of_an_allowed_value_is_checked_too(given: dict[str, Any]) -> None:
    assert kinds(await decided({"t": {"allowed": {"mode": ["a"]}}}, wants("t", given))) == ["value_not_allowed"]
    assert (await decided({"t": {"allowed": {"mode?": ["a"]}}}, wants("t", given))).action == "block"


async def test_an_entry_of_a_list_can_be_named() -> None:
    tools = {"go": {"limits": {"point.0": 90, "point[1]": 180}}}
    assert (await decided(tools, wants("go", {"point": [80, 170]}))).action == "allow"
    assert (await decided(tools, wants("go", {"point": [170, 80]}))).action == "block"
    assert (await decided(tools, wants("go", {"point": [80]}))).action == "block"
    every = {"go": {"limits": {"legs.*.price": 10}}}
    assert (await decided(every, wants("go", {"legs": [{"price": 1}, {"price": 11}]}))).action == "block"


@pytest.mark.parametrize(
    "given",
    [
        {"booking_id": "C-1", "Booking_ID": "LT-9"},
        {"booking_id": ["C-1", ["LT-9"]]},
    ],
)
async def test_every_reading_of_an_id_must_be_the_customers_own(given: dict[str, Any]) -> None:
    verdict = await decided(OWN, wants("get_booking", given, memory=memory()))
    assert kinds(verdict) == ["not_own"]


async def test_an_amount_in_other_characters_must_be_what_the_customer_agreed_to() -> None:
    before = memory(asked=["yes"], said=["Shall I refund 5 EUR for LT-1?"])
    tools = {"*": {"confirm": "named"}}
    for name in ("amount", "Amount", "\uff41mount", "refund.amount"):
        given = {"booking": "LT-1", name: "500 EUR"}
        assert (await decided(tools, wants("refund", given, memory=before))).action == "block", name


@pytest.mark.parametrize("record", [{"Customer": "C-4"}, {"customer": ["C-1", "C-4"]}, {"data": [{"CUSTOMER": "C-4"}]}])
async def test_an_owner_field_is_found_in_any_case_and_in_lists(record: Any) -> None:
    checks = gate("arguments", tools={"get_booking": {"owner": "customer"}})
    step = Step(point="tool_result", call=ToolCall(name="get_booking", result=record), memory=memory())
    assert kinds(await checks.check(step)) == ["foreign_record"]


async def test_a_secret_argument_is_never_quoted() -> None:
    tools = {
        "pay": {"own": ["api_key"], "limits": {"userPassword": 5}, "allowed": {"token": ["a"]}, "confirm": "named"}
    }
    given = {"api_key": "hunter2hunter2", "userPassword": "correcthorse", "token": "letmein-42", "id": "LT-1"}
    verdict = await decided(tools, wants("pay", given, memory=memory(asked=["yes"], said=["Shall I pay 5 EUR?"])))
    assert not any(secret in repr(verdict) for secret in ("hunter2", "correcthorse", "letmein"))
    assert "LT-1" in repr(verdict)
