"""Whether the task was done."""

import asyncio
from typing import Any

import pytest

from proctor.core.case import Case, Expectation
from proctor.core.chat import Message, ToolCall
from proctor.core.score import Score
from proctor.core.trajectory import Trajectory, Turn
from proctor.scorers.conversation.completion import Completion

CANCEL = ToolCall(name="cancel_order", arguments={"order_id": "W1", "reason": "no longer needed"})


def run(*calls: ToolCall, said: str = "It is done.") -> Trajectory:
    messages = (Message(role="user", content="Cancel W1"), Message(role="assistant", content=said))
    return Trajectory(turns=(Turn(messages=messages, tool_calls=calls),))


def done(call: ToolCall, result: str = "ok") -> ToolCall:
    return ToolCall(name=call.name, arguments=call.arguments, result=result)


def score(expect: Expectation, trajectory: Trajectory, **settings: Any) -> Score:
    return asyncio.run(Completion(**settings).score(Case(id="c", expect=expect), trajectory))


def test_the_right_change_and_nothing_else_is_complete() -> None:
    found = score(
        Expectation(tool_calls=(ToolCall(name="get_order"), CANCEL)), run(ToolCall(name="get_order"), done(CANCEL))
    )
    assert found.value == 1.0


def test_a_failed_call_does_not_count() -> None:
    wrong = ToolCall(name="cancel_order", arguments={"order_id": "W2", "reason": "x"}, result="ok")
    found = score(Expectation(tool_calls=(CANCEL,)), run(wrong, done(CANCEL, "Error: no such order")))
    assert found.value == 0.0
    assert any(each.turn == 0 and "should not" in each.note for each in found.evidence)


def test_what_the_world_refuses_nobody_could_do() -> None:
    assert score(Expectation(tool_calls=(CANCEL,)), run(done(CANCEL, "Error: not allowed"))).value == 1.0


def test_a_refusal_brought_about_by_the_agent_is_no_excuse() -> None:
    change = ToolCall(name="modify_order", arguments={"order_id": "W1", "item": "b"}, result="ok")
    found = score(Expectation(tool_calls=(change, CANCEL)), run(change, done(CANCEL, "Error: already changed")))
    assert found.value == 0.0


def test_no_change_is_right_when_none_was_wanted() -> None:
    assert score(Expectation(extra={"complete": True}), run()).value == 1.0
    assert score(Expectation(extra={"complete": True}), run(done(CANCEL))).value == 0.0
    assert score(Expectation(), run(), complete=True).value == 1.0, "a suite says it as a setting"
    assert score(Expectation(), run(done(CANCEL)), complete=True).value == 0.0


def test_other_changes_may_be_allowed() -> None:
    assert score(Expectation(extra={"complete": True}), run(done(CANCEL)), others=True).value == 1.0


def test_what_had_to_be_said() -> None:
    assert score(Expectation(facts=("54.04",)), run(said="You get $54.04.")).value == 1.0
    missing = score(Expectation(facts=("54.04",)), run(said="You get something."))
    assert missing.value == 0.0
    assert "54.04" in missing.reason


@pytest.mark.parametrize(("wanted", "value"), [(True, 0.0), (False, 1.0)])
def test_hand_off(wanted: bool, value: float) -> None:
    assert score(Expectation(escalation=wanted, extra={"complete": True}), run()).value == value


def test_without_gold_it_is_an_estimate_that_passes_and_fails_nobody() -> None:
    found = score(Expectation(), run(done(CANCEL)))
    assert found.reason.startswith("an estimate")
    assert found.status == "skipped"
    assert found.passed is None
    assert found.measured is not None
    assert 0.0 < found.measured < 1.0
    assert score(Expectation(), run(), estimate=False).status == "skipped"


def test_nothing_to_check() -> None:
    assert score(Expectation(tool_calls=(CANCEL,)), Trajectory()).status == "skipped"
