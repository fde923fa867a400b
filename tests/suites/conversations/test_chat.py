from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.suites.conversations.logs import cases, lines, only, words

from proctor.core.errors import SuiteError

ASK = {"role": "user", "content": "Is there a seat?"}
LOOK: dict[str, Any] = {
    "role": "assistant",
    "content": None,
    "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "seats", "arguments": '{"day": "Monday"}'}}],
}
SEATS = {"role": "tool", "tool_call_id": "c1", "content": '{"free": 2}'}
YES = {"role": "assistant", "content": "Yes, two."}
THANKS = {"role": "user", "content": "Take one."}
DONE = {"role": "assistant", "content": "It is yours."}


def test_a_conversation_on_each_line(tmp_path: Path) -> None:
    row = {"id": "t1", "messages": [ASK, LOOK, SEATS, YES, THANKS, DONE], "user_id": "u7", "channel": "web"}
    case, run = only(lines(tmp_path, row))
    assert case.id == "t1"
    assert words(run) == [("Is there a seat?", "Yes, two."), ("Take one.", "It is yours.")]
    assert run.turns[0].tool_calls[0].result == {"free": 2}
    assert (run.customer, dict(run.extra)) == ("u7", {"channel": "web"})


def test_requests_of_one_conversation_are_put_together(tmp_path: Path) -> None:
    def row(sent: list[Any], answer: dict[str, Any], number: int) -> dict[str, Any]:
        return {
            "session_id": "s1",
            "request": {"model": "m", "messages": [{"role": "system", "content": "be kind"}, *sent]},
            "response": {"choices": [{"message": answer}], "usage": {"prompt_tokens": number, "completion_tokens": 1}},
        }

    other = {"session_id": "s2", "request": {"messages": [ASK]}, "response": {"choices": [{"message": YES}]}}
    rows = [row([ASK], LOOK, 10), other, row([ASK, LOOK, SEATS], YES, 20)]
    rows.append(row([ASK, LOOK, SEATS, YES, THANKS], DONE, 30))
    first, second = cases(lines(tmp_path, *rows))
    assert (first.id, second.id) == ("s1", "s2")
    assert first.recorded is not None
    assert words(first.recorded) == [("Is there a seat?", "Yes, two."), ("Take one.", "It is yours.")]
    assert [message.role for message in first.recorded.messages].count("system") == 1
    assert [turn.usage.input for turn in first.recorded.turns if turn.usage] == [30, 30]
    assert first.recorded.session == "s1"
    assert first.metadata["model"] == "m"


def test_only_the_last_messages_are_sent_by_some_agents(tmp_path: Path) -> None:
    rows = [
        {"session_id": "s", "messages": [ASK, YES]},
        {"session_id": "s", "messages": [YES, THANKS, DONE]},
        {
            "session_id": "s",
            "messages": [{"role": "user", "content": "Bye."}, {"role": "assistant", "content": "Bye!"}],
        },
    ]
    _, run = only(lines(tmp_path, *rows))
    assert words(run) == [("Is there a seat?", "Yes, two."), ("Take one.", "It is yours."), ("Bye.", "Bye!")]


def test_the_responses_api(tmp_path: Path) -> None:
    row = {
        "id": "resp_1",
        "instructions": "be kind",
        "input": [
            {"role": "user", "content": [{"type": "input_text", "text": "Is there a seat?"}]},
            {"type": "function_call", "call_id": "c1", "name": "seats", "arguments": '{"day": "Monday"}'},
            {"type": "function_call_output", "call_id": "c1", "output": '{"free": 2}'},
        ],
        "output": [{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Yes, two."}]}],
    }
    case, run = only(lines(tmp_path, row))
    assert case.id == "resp_1"
    assert words(run) == [("Is there a seat?", "Yes, two.")]
    assert run.turns[0].tool_calls[0].result == {"free": 2}


def test_anthropic_blocks(tmp_path: Path) -> None:
    row = {
        "id": "a1",
        "request": {
            "model": "claude",
            "system": [{"type": "text", "text": "be kind"}],
            "messages": [
                {"role": "user", "content": "Is there a seat?"},
                {
                    "role": "assistant",
                    "content": [
                        {"type": "text", "text": "Let me look."},
                        {"type": "tool_use", "id": "c1", "name": "seats", "input": {"day": "Monday"}},
                    ],
                },
                {
                    "role": "user",
                    "content": [
                        {"type": "tool_result", "tool_use_id": "c1", "content": [{"type": "text", "text": "2"}]}
                    ],
                },
            ],
        },
        "response": {
            "type": "message",
            "role": "assistant",
            "content": [{"type": "text", "text": "Yes, two."}],
            "usage": {"input_tokens": 9, "output_tokens": 3},
        },
    }
    case, run = only(lines(tmp_path, row))
    assert words(run) == [("Is there a seat?", "Yes, two.")]
    assert [message.role for message in run.messages] == ["system", "user", "assistant", "tool", "assistant"]
    assert run.turns[0].tool_calls[0].result == "2"
    assert run.usage.input == 9
    assert case.metadata["model"] == "claude"


def test_what_is_wrong_is_told_with_its_line_and_field(tmp_path: Path) -> None:
    path = lines(tmp_path, {"messages": [ASK]}, {"messages": [ASK, {"content": "x"}]})
    with pytest.raises(SuiteError, match="no role") as caught:
        cases(path)
    assert (caught.value.line, caught.value.field) == (2, "messages[1].role")
    with pytest.raises(SuiteError, match="has no messages"):
        cases(lines(tmp_path, {"messages": []}))
    with pytest.raises(SuiteError, match="expected a conversation"):
        cases(lines(tmp_path, {"messages": [ASK]}, "words"))
