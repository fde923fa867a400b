"""Before, after, never: what holds, what does not apply, and which step broke it."""

from __future__ import annotations

from proctor.scorers.conversation.steps import StepsChecked, parse_steps
from tests.scorers.conversation.steps.talking import Line, call, talk
from tests.tables import table


def checked(rule: str, *lines: Line) -> StepsChecked:
    return parse_steps(rule).check(talk(*lines))


READ, CHANGE = call("get_booking", id=1), call("modify_booking", id=1)


@table(
    ("lines", "ok"),
    [
        (("> x", READ, CHANGE), True),
        (("> x", CHANGE, READ), False),
        (("> x", READ), None),
        (("> x", READ, "< y", "> z", CHANGE), True),
        (("> x", CHANGE, READ, CHANGE), False),
    ],
)
def test_before_holds_of_each(lines: tuple[Line, ...], ok: bool | None) -> None:
    assert checked("get_booking before modify_booking", *lines).ok is ok


def test_the_step_that_broke_it_is_named_with_its_turn() -> None:
    found = checked("confirmation before write in the same turn", "> a", "< b?", "> c", CHANGE)
    assert found.ok is False
    assert found.step is not None
    assert (found.step.turn, found.step.call) == (1, CHANGE)
    assert "modify_booking in turn 2" in found.reason


def test_one_confirmation_serves_its_turn_and_no_other() -> None:
    lines: tuple[Line, ...] = ("> move it", "< To Friday. Shall I?", "> yes", CHANGE, CHANGE, "< Done.")
    later: tuple[Line, ...] = ("> and call me Bob", CHANGE, "< Done.")
    rule = "confirmation before write in the same turn"
    assert checked(rule, *lines).ok is True
    found = checked(rule, *lines, *later)
    assert [step.turn for step in found.steps] == [2]
    assert checked("confirmation before write", *lines, *later).ok is True


def test_the_same_argument_ties_two_calls() -> None:
    rule = 'get_booking before modify_booking for the same "id"'
    assert checked(rule, "> x", READ, CHANGE).ok is True
    found = checked(rule, "> x", READ, call("modify_booking", id=2))
    assert found.ok is False
    assert "for the same id" in found.reason


def test_after_is_a_duty_once_something_has_happened() -> None:
    rule = 'create_case after "complaint"'
    assert checked(rule, "> I have a complaint", "< Sorry.", "> hm", call("create_case")).ok is True
    assert checked(rule, "> I have complaints", "< Sorry.").ok is False
    assert checked(rule, "> hello", "< Hi.").ok is None


def test_what_the_customer_says_last_cannot_be_followed() -> None:
    assert checked('create_case after "complaint"', "> hello", "< Hi.", "> a complaint").ok is None


def test_at_once_means_the_next_step_of_the_agent() -> None:
    rule = 'hand-off after "lawyer" at once'
    transfer = call("transfer_to_human")
    assert checked(rule, "> my lawyer", ("Of course.", transfer)).ok is True
    assert checked(rule, "> my lawyer", "< Why?", "> so", transfer).ok is False
    assert checked('hand-off after "lawyer" in the same turn', "> my lawyer", READ, transfer).ok is True
    assert checked('hand-off after "lawyer" in the same turn', "> my lawyer", "< Why?", "> so", transfer).ok is False


def test_never() -> None:
    assert checked('never modify_booking with "id" = "1"', "> x", CHANGE).ok is False
    assert checked("never delete_*", "> x", CHANGE).ok is True


def test_never_before_and_never_after() -> None:
    transfer = call("escalate")
    assert checked("never call after hand-off", "> x", transfer, READ).ok is False
    assert checked("never call after hand-off", "> x", READ, transfer).ok is True
    assert checked("never call after hand-off", "> x", READ).ok is None
    assert checked("never write before confirmation", "> x", CHANGE, "< ok?", "> yes").ok is False
    assert checked("never write before confirmation", "> x", "< ok?", "> yes", CHANGE).ok is True


def test_joined_rules_answer_as_their_parts_do() -> None:
    lines: tuple[Line, ...] = ("> x", READ, CHANGE)
    assert checked("get_booking before modify_booking and never delete", *lines).ok is True
    assert checked("get_booking before modify_booking and never modify_booking", *lines).ok is False
    assert checked("never modify_booking or never get_faq", *lines).ok is True
    assert checked("not (never modify_booking)", *lines).ok is True
    assert checked("when get_faq happens: never modify_booking", *lines).ok is None
    assert checked("when get_booking happens: never modify_booking", *lines).ok is False
    assert checked("get_faq before delete or get_booking before delete", *lines).ok is None
