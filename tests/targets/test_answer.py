from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proctor.core.chat import Message, Usage
from proctor.core.trajectory import Escalation, Intent, Turn
from proctor.targets.answer import turn_of
from proctor.targets.play_case import AnswerError
from tests.tables import table


def test_text_is_an_answer() -> None:
    turn = turn_of("はい", "元気？")
    assert (turn.asked, turn.answer) == ("元気？", "はい")
    assert turn_of("", "q").answer == ""


def test_a_mapping_says_more() -> None:
    turn = turn_of(
        {
            "answer": "a",
            "tool_calls": [
                {"id": "1", "type": "function", "function": {"name": "f", "arguments": '{"x": 1}'}},
                {"name": "g", "input": {"y": 2}},
                {"name": "h", "arguments": {"z": 3}, "result": [1]},
                {"function": {"name": "broken", "arguments": "{not json"}},
                "bare",
            ],
            "sources": ["policy.md", {"title": "T", "text": "x"}, {"id": 7}, "long\ntext"],
            "intents": {"refund": 0.9, "other": 0.1},
            "confidence": 1,
            "escalation": True,
            "usage": {"prompt_tokens": 3, "completion_tokens": 4, "prompt_tokens_details": {"cached_tokens": 2}},
            "cost": 0.5,
            "memory": [{"key": "k", "value": 1}],
            "own": {"kept": 1},
        },
        "q",
    )
    assert [(call.name, call.arguments) for call in turn.tool_calls] == [
        ("f", {"x": 1}),
        ("g", {"y": 2}),
        ("h", {"z": 3}),
        ("broken", {"": "{not json"}),
        ("bare", {}),
    ]
    assert [source.id for source in turn.sources] == ["policy.md", "T", "7", "source-4"]
    assert turn.sources[3].text == "long\ntext"
    assert turn.intents == (Intent(name="refund", confidence=0.9), Intent(name="other", confidence=0.1))
    assert turn.escalation == Escalation()
    assert turn.usage == Usage(input=3, output=4, cached_input=2)
    assert (turn.confidence, turn.cost, turn.answer, turn.asked) == (1.0, 0.5, "a", "q")
    assert turn.memory[0].key == "k"
    assert turn.extra == {"own": {"kept": 1}}


@table(
    ("data", "escalation"),
    [
        ({"answer": "a", "escalation": False}, None),
        ({"answer": "a", "escalation": None}, None),
        ({"answer": "a", "escalation": "angry"}, Escalation(reason="angry")),
        ({"escalation": {"reason": "r", "to": "desk"}}, Escalation(reason="r", to="desk")),
    ],
)
def test_escalations(data: dict[str, Any], escalation: Escalation | None) -> None:
    assert turn_of(data, "q").escalation == escalation


@table("intents", ["faq", ["faq"], {"name": "faq"}, [{"name": "faq"}]])
def test_intents(intents: Any) -> None:
    assert turn_of({"answer": "a", "intents": intents}, "q").intents == (Intent(name="faq"),)


def test_messages_are_completed_but_not_doubled() -> None:
    given_messages = [{"role": "tool", "content": "t"}, {"role": "assistant", "content": "a"}]
    turn = turn_of({"messages": given_messages, "answer": "a"}, "q")
    assert [(message.role, message.content) for message in turn.messages] == [
        ("user", "q"),
        ("tool", "t"),
        ("assistant", "a"),
    ]
    turn = turn_of({"messages": [{"role": "user", "content": "q"}], "answer": "b"}, "q")
    assert [message.role for message in turn.messages] == ["user", "assistant"]


def test_a_turn_is_itself() -> None:
    turn = Turn(messages=(Message(role="assistant", content="x"),), cost=1.0)
    assert turn_of(turn, "q") is turn
    assert turn_of(Turn(cost=1.0), "q").asked == "q"


def test_an_error_is_an_answer_of_a_kind() -> None:
    assert turn_of({"error": "broke"}, "q").error == "broke"


@table(
    ("value", "what"),
    [
        (None, "returned nothing"),
        (5, "returned int"),
        (["a"], "returned list"),
        (b"bytes", "returned bytes"),
        ({}, "no `answer`"),
        ({"response": "x"}, "it has: response"),
        ({"answer": 5}, "must be text"),
        ({"answer": "a", "confidence": "high"}, "confidence"),
        ({"answer": "a", "tool_calls": "f"}, "tool_calls"),
        ({"answer": "a", "usage": {"input": "many"}}, "usage"),
    ],
)
def test_what_cannot_be_an_answer(value: Any, what: str) -> None:
    with pytest.raises(AnswerError, match=what) as caught:
        turn_of(value, "q")
    assert caught.value.raw


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.binary(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["answer", "tool_calls", "sources", "intents", "usage", "messages", "escalation", "function", "x"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@settings(deadline=None)
@given(VALUES)
def test_any_value_is_a_turn_or_an_error_of_ours(value: Any) -> None:
    try:
        turn = turn_of(value, "q")
    except AnswerError:
        return
    assert isinstance(turn.answer, str)
