"""A conversation as steps: their kinds, their order, and which of them belong to one message."""

from __future__ import annotations

from proctor.core.chat import Message, ToolCall
from proctor.core.trajectory import Escalation, Trajectory, Turn
from proctor.scorers.conversation.steps import view_of
from tests.scorers.conversation.steps.talking import call, talk


def test_words_beside_a_call_are_a_remark() -> None:
    view = view_of(talk("> hello", ("One moment.", call("get_booking", id=1)), "< It is booked."))
    assert [(step.kind, step.turn, step.index) for step in view.steps] == [
        ("request", 0, 0),
        ("remark", 0, 1),
        ("call", 0, 2),
        ("answer", 0, 3),
    ]


def test_calls_of_one_message_are_told_from_calls_of_two() -> None:
    view = view_of(talk("> x", (call("a"), call("b")), call("c")))
    first, second, third = (step.message for step in view.steps if step.call)
    assert first == second != third
    assert view.calls_placed


def test_calls_that_no_message_holds_come_before_the_answer() -> None:
    turn = Turn(
        messages=(Message(role="user", content="x"), Message(role="assistant", content="y")),
        tool_calls=(ToolCall(name="a"),),
    )
    view = view_of(Trajectory(turns=(turn,)))
    assert [step.kind for step in view.steps] == ["request", "call", "answer"]
    assert not view.calls_placed


def test_a_hand_off_of_a_turn_is_a_step() -> None:
    turn = Turn(messages=(Message(role="user", content="x"),), escalation=Escalation(reason="too hard"))
    assert [step.kind for step in view_of(Trajectory(turns=(turn,))).steps] == ["request", "hand-off"]


def test_what_a_tool_does_is_told_by_its_verb_unless_it_is_said() -> None:
    run = talk("> x", call("prepare_quote"), call("get_quote"))
    assert view_of(run).effect("prepare_quote") == "unknown"
    assert view_of(run).effect("get_quote") == "reads"
    assert view_of(run, reads=["prepare_quote"]).effect("prepare_quote") == "reads"
    assert view_of(run, writes=["get_quote"], tool_effects={"*": "reads"}).effect("get_quote") == "changes"
    assert view_of(run, tool_effects={"prepare_*": "reads"}).effect("prepare_quote") == "reads"


def test_the_calls_of_the_customer_are_no_steps_of_the_agent() -> None:
    theirs = ToolCall(name="toggle_wifi", extra={"requestor": "user"})
    message = Message(role="user", content="done", tool_calls=(theirs,))
    view = view_of(Trajectory(turns=(Turn(messages=(message,), tool_calls=(theirs,)),)))
    assert [step.kind for step in view.steps] == ["request"]


def test_an_empty_conversation_has_no_steps() -> None:
    assert view_of(Trajectory()).steps == ()
