"""What is said: output predicates over steps, values that must be mentioned, values that must be known."""

from __future__ import annotations

from proctor.scorers.conversation.steps import StepsChecked, parse_steps
from tests.scorers.conversation.steps.talking import Line, call, talk
from tests.tables import table


def checked(rule: str, *lines: Line) -> StepsChecked:
    return parse_steps(rule).check(talk(*lines))


def test_an_output_predicate_over_every_answer() -> None:
    lines: tuple[Line, ...] = ("> a", "< One two.", "> b", "< One two three four.")
    assert checked("every answer: words <= 4", *lines).ok is True
    found = checked("every answer: words <= 3", *lines)
    assert found.ok is False
    assert found.step is not None
    assert found.step.turn == 1
    assert "4 words" in found.reason
    assert checked("some answer: words <= 3", *lines).ok is True
    assert checked("first answer: words <= 3", *lines).ok is True
    assert checked("last answer: words <= 3", *lines).ok is False
    assert checked("every hand-off: words <= 3", *lines).ok is None


def test_its_input_is_what_the_customer_said_last() -> None:
    rule = 'every answer: when input contains "?": ends with "."'
    assert checked(rule, "> why?", "< Because.", "> ah", "< Yes!").ok is True
    assert checked(rule, "> why?", "< Because!", "> ah", "< Yes!").ok is False


def test_of_a_call_it_sees_the_arguments_as_json() -> None:
    rule = 'every refund: json has "reason"'
    assert checked(rule, "> x", call("refund", reason="late")).ok is True
    assert checked(rule, "> x", call("refund", amount=3)).ok is False


def test_a_predicate_that_cannot_tell_leaves_it_open() -> None:
    found = checked("every answer: no extra text", "> x", "< This is it, because you asked.")
    assert (found.ok, found.known) == (None, False)


@table(
    ("field", "answer", "ok"),
    [
        ("status", "It is on time.", True),
        ("status", "It is late.", False),
        ("price", "That is $1,200.00 in all.", True),
        ("price", "That is $1,100.", False),
        ("date", "It leaves on May 20, 2024.", True),
        ("date", "It leaves on May 21, 2024.", False),
        ("gate", "It leaves.", None),
    ],
)
def test_the_answer_says_what_the_result_has(field: str, answer: str, ok: bool | None) -> None:
    result = '{"flight": {"status": "on_time", "price": 1200, "date": "2024-05-20"}}'
    found = checked(f'answer after get_flight mentions its "{field}"', "> x", call("get_flight", result), f"< {answer}")
    assert found.ok is ok


def test_a_call_with_no_answer_after_it_asks_for_no_mention() -> None:
    assert (
        checked('answer after get_flight mentions its "status"', "> x", call("get_flight", {"status": "a"})).ok is None
    )


def test_values_come_from_the_customer_or_a_tool() -> None:
    rule = 'known "id" in cancel'
    assert checked(rule, "> cancel #A17", call("cancel", id="a17")).ok is True
    assert checked(rule, "> cancel it", call("get_user", {"bookings": ["A17"]}), call("cancel", id="A17")).ok is True
    found = checked(rule, "> cancel it", call("cancel", id="A17"))
    assert found.ok is False
    assert "given by nobody before" in found.reason
    assert checked(rule, "> cancel it", "< A17?", call("cancel", id="A17")).ok is False
    assert checked(rule, "> cancel it", call("cancel")).ok is None


def test_no_words_beside_calls() -> None:
    assert checked("no words beside calls", "> x", call("a"), "< y").ok is True
    found = checked("no words beside calls", "> x", ("One moment.", call("a")))
    assert found.ok is False
    assert found.step is not None
    assert found.step.text == "One moment."
