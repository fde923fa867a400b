from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from tests.tables import table

from proctor.text.tool_mentions import about_action, action_words


@table(
    ("question", "tool", "about"),
    [
        ("Shall I go ahead with the cancellation?", "cancelBooking", True),
        ("Would you like me to reimburse you?", "issue_refund", True),
        ("Shall I change the date of your booking?", "modify_booking", True),
        ("I will send 5 euros to B-2. Would you agree?", "transfer_money", True),
        ("Would you like me to check your booking?", "cancel_booking", False),
        ("Would you like me to look at your order again?", "refund_order", False),
        ("Shall I book a taxi for you?", "refund", False),
        ("Shall I do that for you?", "execute_action", True),
        ("ご予約をキャンセルしてよろしいですか？", "cancel_booking", True),
        ("ご注文を取り消しましょうか？", "cancel_order", True),
        ("ご注文をお調べしましょうか？", "refund_order", False),
        ("返金してよろしいですか？", "返金", True),
        ("それでよろしいですか？", "frobnicate", True),
        ("Möchten Sie, dass ich die Buchung storniere?", "cancel_booking", True),
    ],
)
def test_a_question_is_about_a_deed_by_the_words_of_the_tool(question: str, tool: str, about: bool) -> None:
    assert about_action(question, tool) is about


def test_words_that_tell_nothing_are_left_out() -> None:
    assert action_words("execute_refundOrder_v2") == ("refund", "order")


@given(st.text(), st.text())
def test_any_name_and_any_question_can_be_told(question: str, tool: str) -> None:
    assert about_action(question, tool) in (True, False)
