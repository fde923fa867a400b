from __future__ import annotations

from proctor.core.event import Event
from proctor.core.trajectory import Trajectory
from proctor.core.verdict import Verdict
from proctor.monitor.sessions import conversations
from tests.monitor.logs import at, other, turn


def test_turns_become_conversations_with_their_hand_offs() -> None:
    found = list(
        conversations(
            [
                turn(0, "one", session="a"),
                turn(1, "two", session="b", customer="c2"),
                turn(2, "three", session="a", intent=None),
                other("escalation", 3, "explicit_request", session="a", reason="asked for a person"),
                Event(kind="gate", time=at(4), session="b", verdict=Verdict(action="escalate")),
                other("escalation", 5, session="nobody"),
                other("note", 6, session="a"),
            ]
        )
    )
    talks: dict[str | None, Trajectory] = {run.id: run for run in found}
    assert set(talks) == {"a", "b"}
    first = talks["a"]
    assert [each.asked for each in first.turns] == ["one", "three"]
    assert first.turns[0].intents[0].name == "policy_inquiry"
    assert first.turns[1].escalation is not None
    assert first.turns[1].escalation.category == "explicit_request"
    assert talks["b"].turns[0].verdicts[0].action == "escalate"
    assert talks["b"].customer == "c2"


def test_a_conversation_is_given_when_it_has_gone_quiet() -> None:
    events = iter([turn(0, "one", session="a"), turn(90, "two", session="b"), turn(91, "three", session="b")])
    stream = conversations(events, silence=3600)
    assert next(stream).id == "a"
    assert next(events).turn is not None, "the first was given before the log was read to its end"
