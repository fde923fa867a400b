"""A conversation as steps."""

from typing import Any

from proctor.core.chat import Message, ToolCall
from proctor.core.trajectory import Escalation, Trajectory, Turn
from proctor.core.transcript import failed, steps
from tests.tables import table


def test_calls_stand_where_their_message_stands_with_their_result() -> None:
    call = ToolCall(name="get_booking", id="1", arguments={"id": "B"})
    run = Trajectory(
        turns=(
            Turn(
                messages=(
                    Message(role="user", content="Where is B?"),
                    Message(role="assistant", tool_calls=(call,)),
                    Message(role="tool", content="{}", tool_call_id="1"),
                    Message(role="assistant", content="Here."),
                ),
                tool_calls=(ToolCall(name="get_booking", id="1", arguments={"id": "B"}, result="found"),),
            ),
        )
    )
    found = steps(run)
    assert [step.kind for step in found] == ["request", "call", "answer"]
    assert found[1].call is not None
    assert found[1].call.result == "found"


def test_calls_that_no_message_tells_of_come_before_the_answer() -> None:
    run = Trajectory(
        turns=(
            Turn(
                messages=(Message(role="user", content="Hi"), Message(role="assistant", content="Done.")),
                tool_calls=(ToolCall(name="cancel"),),
            ),
        )
    )
    assert [step.kind for step in steps(run)] == ["request", "call", "answer"]


def test_a_call_by_the_customer_is_the_customers() -> None:
    said = Message(role="user", tool_calls=(ToolCall(name="reboot", result="ok"),))
    (step,) = steps(Trajectory(turns=(Turn(messages=(said,)),)))
    assert step.by_user


@table("result", ["Error: no", '{"error": "gone"}', {"success": False}, {"status": "failed"}, "# x = 'Error: no'"])
def test_failures(result: Any) -> None:
    assert failed(ToolCall(name="x", result=result))


@table("result", [None, "ok", {"error": None}, '{"status": "pending"}', "No error was found"])
def test_no_failures(result: Any) -> None:
    assert not failed(ToolCall(name="x", result=result))


def test_words_beside_a_call_are_a_remark_and_a_recorded_escalation_is_a_step() -> None:
    call = ToolCall(name="get_booking")
    said = (Message(role="user", content="Help"), Message(role="assistant", content="A moment.", tool_calls=(call,)))
    turn = Turn(messages=said, tool_calls=(ToolCall(name="log"),), escalation=Escalation(reason="angry"))
    found = steps(Trajectory(turns=(turn,)))
    assert [(step.kind, step.message) for step in found] == [
        ("request", 0),
        ("remark", 1),
        ("call", 1),
        ("call", None),
        ("hand-off", None),
    ]
    assert [step.is_agent_message for step in found] == [False, True, False, False, False]
    assert found[-1].text == "angry"


def _said_with_a_call(*, result: Any = None, told: bool = False, more: str = "") -> list[str]:
    call = ToolCall(name="get_price", id="1", result=result)
    messages = [
        Message(role="user", content="How much?"),
        Message(role="assistant", content="It is 5.", tool_calls=(call,)),
    ]
    messages += [Message(role="tool", content="5", tool_call_id="1")] if told else []
    messages += [Message(role="assistant", content=more)] if more else []
    return [step.kind for step in steps(Trajectory(turns=(Turn(messages=tuple(messages)),)))]


def test_text_beside_calls_that_carry_their_results_follows_them() -> None:
    assert _said_with_a_call(result=5) == ["request", "call", "remark"]


def test_text_beside_a_call_precedes_a_result_that_comes_later() -> None:
    assert _said_with_a_call() == ["request", "remark", "call"]
    assert _said_with_a_call(told=True) == ["request", "remark", "call"]
    assert _said_with_a_call(result=5, told=True) == ["request", "remark", "call"]
    assert _said_with_a_call(result=5, more="Anything else?") == ["request", "remark", "call", "answer"]
