"""A conversation as a judge reads it: everything in order, and what is cut says so."""

from __future__ import annotations

from proctor.core.chat import Message
from proctor.core.trajectory import Escalation, Trajectory, Turn
from proctor.scorers.conversation.transcript import transcript
from tests.scorers.conversation.steps.talking import call, talk


def test_every_step_stands_under_its_turn() -> None:
    text = transcript(talk("> hi", ("Wait.", call("get", {"a": 1}, id=2)), "< Yes.", "> ok", call("set", error="no")))
    assert text.splitlines() == [
        "turn 1",
        "  customer: hi",
        "  agent: Wait.",
        "  agent calls get(id=2)",
        '    returned {"a": 1}',
        "  agent: Yes.",
        "turn 2",
        "  customer: ok",
        "  agent calls set()",
        "    failed: no",
    ]


def test_a_hand_off_is_told() -> None:
    turn = Turn(messages=(Message(role="user", content="x"),), escalation=Escalation(reason="too hard"))
    assert "handed to a person: too hard" in transcript(Trajectory(turns=(turn,)))


def test_long_results_and_long_conversations_are_cut_and_say_so() -> None:
    assert "1000 more characters are cut here" in transcript(talk("> x", call("get", "y" * 5000)))
    long = transcript(talk(*(f"> {'word ' * 700}" for _ in range(60))))
    assert len(long) < 130_000
    assert "the rest of 60 turns is cut here" in long
