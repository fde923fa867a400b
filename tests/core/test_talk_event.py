"""A recorded conversation as a row of events."""

from __future__ import annotations

from proctor.core.chat import Message, ToolCall
from proctor.core.talk_event import TalkEvent, talk_events
from proctor.core.trajectory import Source, Trajectory, Turn

FIND = ToolCall(name="find", arguments={"id": "A-1"}, result={"state": "sent"}, id="1")


def test_events_stand_in_the_order_in_which_they_came_with_their_turns() -> None:
    rules = Source(id="rules", text="Returns within 14 days.")
    run = Trajectory(
        turns=(
            Turn(
                messages=(
                    Message(role="system", content="You are the desk."),
                    Message(role="user", content="Where is A-1?"),
                    Message(role="assistant", content="I look.", tool_calls=(FIND,)),
                    Message(role="tool", content="…", tool_call_id="1"),
                    Message(role="assistant", content="It was sent."),
                ),
                tool_calls=(FIND,),
            ),
            Turn(
                messages=(Message(role="user", content="Can I return it?"), Message(role="assistant", content="Yes.")),
                sources=(rules, rules),
            ),
        )
    )
    events, turns = talk_events(run)
    assert [(each.who, each.text, turn) for each, turn in zip(events, turns, strict=True)] == [
        ("source", "You are the desk.", 0),
        ("customer", "Where is A-1?", 0),
        ("agent", "I look.", 0),
        ("call", 'find {"id": "A-1"}', 0),
        ("agent", "It was sent.", 0),
        ("source", "Returns within 14 days.", 1),
        ("customer", "Can I return it?", 1),
        ("agent", "Yes.", 1),
    ]
    assert events[3].result == '{"state": "sent"}'


def test_a_failed_call_shows_its_error_and_the_customers_own_tools_are_no_act_of_the_agent() -> None:
    own = ToolCall(name="reboot", extra={"requestor": "user"})
    lost = ToolCall(name="find", arguments={}, error="timeout")
    turn = Turn(messages=(Message(role="user", content="hi"), Message(role="assistant", content="")))
    events, _ = talk_events(Trajectory(turns=(Turn(messages=turn.messages, tool_calls=(own, lost)),)))
    assert events == [TalkEvent(who="customer", text="hi"), TalkEvent(who="call", text="find {}", result="timeout")]
