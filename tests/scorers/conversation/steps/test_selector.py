"""Which steps are meant: names with stars, nouns, arguments, results, words."""

from __future__ import annotations

from proctor.core.trajectory import Trajectory
from proctor.scorers.conversation.steps import parse_steps
from tests.scorers.conversation.steps.talking import call, talk
from tests.tables import table

RUN = talk(
    "> My order is late, this is an issue for me",
    ("Let me look.", call("get_order", {"status": "delivered", "items": [{"sku": "A1"}]}, order_id="#7")),
    "< It was delivered. Do you want a refund?",
    "> yes",
    call("Refund_Order", {"ok": True}, order_id="#7", amount="120.50", lines=[{"sku": "A1"}]),
    call("refund_order", error="no such order", order_id="#8", amount=3),
    call("transfer_to_human", reason="angry"),
    "< You are being transferred.",
)


@table(
    ("steps", "count"),
    [
        ("call", 4),
        ("get_*", 1),
        ("refund_order", 2),
        ("failed refund_order", 1),
        ("successful refund_order", 1),
        ("write", 2),
        ("read", 1),
        ("hand-off", 1),
        ("answer", 2),
        ("remark", 1),
        ("message", 3),
        ("question", 1),
        ("request", 2),
        ("confirmation", 1),
        ('"issue"', 1),
        ('"sue"', 0),
        ('"lat"', 1),
        ("/my \\w+ is/i", 1),
        ("any of get_order, transfer_*", 2),
        ('call with "order_id"', 3),
        ('call without "order_id"', 1),
        ('call with "amount" > 100', 1),
        ('call with "amount" <= 100', 1),
        ('call with "order_id" = "#7"', 2),
        ('call with "order_id" != "#7"', 1),
        ('call with "order_id" one of "#8", "#9"', 1),
        ('call with "order_id" not one of "#8", "#9"', 2),
        ('call with "order_id" matches /^#[78]$/', 3),
        ('call with "sku" = "a1"', 1),
        ('call returning "status" = "delivered"', 1),
        ('call returning "ok" = true', 1),
        ('call returning "ok" = "true"', 1),
        ('call returning "ok" = false', 0),
        ('call returning "ok" != False', 1),
        ('call with "amount" = 3', 1),
        ('call returning "sku"', 1),
        ('answer saying "refund", "transferred"', 2),
        ("answer matching /[0-9]/", 0),
        ("answer where (words > 5)", 1),
        ('refund_order with "amount" > 100 with "order_id" = "#7"', 1),
    ],
)
def test_so_many_steps_are_meant(steps: str, count: int) -> None:
    assert parse_steps(f"{steps} happens = {count} times").check(RUN).ok is True


def test_a_text_in_a_script_without_spaces_is_found_anywhere() -> None:
    assert parse_steps('"返金" happens').check(talk("> 商品の返金をお願いします")).ok is True


def test_a_tool_whose_name_is_a_noun_is_written_in_backticks() -> None:
    run = talk("> x", call("answer"), "< y")
    assert parse_steps("`answer` happens = 1 times").check(run).ok is True
    assert parse_steps("first `answer` is write").check(run).ok is True


def test_an_empty_conversation_has_none() -> None:
    assert parse_steps("call happens").check(Trajectory()).ok is False
