from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.tables import table

from proctor.core.codec import encode
from proctor.suites.conversations.messages import WrongMessageError, arguments_of, read_messages, result_of, time_of
from proctor.suites.conversations.turns import turns_of

BOOK = {"name": "book", "arguments": {"id": 7}}
CALLS: list[dict[str, Any]] = [
    {"id": "c1", "type": "function", "function": {"name": "book", "arguments": '{"id": 7}'}},
    {"id": "c1", "type": "function", "function": {"name": "book", "arguments": "{'id': 7}"}},
    {"id": "c1", "name": "book", "args": {"id": 7}, "type": "tool_call"},
    {"id": "c1", "name": "book", "arguments": {"id": 7}, "requestor": "assistant"},
    {"id": "c1", "function": "book", "args": {"id": 7}, "placeholder_args": None},
]


@table("call", CALLS)
def test_every_tool_s_call_is_read(call: dict[str, Any]) -> None:
    (said,) = read_messages([{"role": "assistant", "content": None, "tool_calls": [call]}])
    assert encode(said.message.tool_calls[0]) == {**BOOK, "id": "c1"}


@table(
    "result",
    [
        {"role": "tool", "tool_call_id": "c1", "content": "done"},
        {"role": "function", "name": "book", "content": "done"},
        {"role": "tool", "id": "c1", "content": "done", "requestor": "assistant", "error": False},
        {"role": "tool", "content": [{"type": "text", "content": "done"}], "tool_call_id": "c1"},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "done"}]},
        {"role": "tool", "parts": [{"type": "tool_call_response", "id": "c1", "response": "done"}]},
        {"type": "tool", "content": "done", "tool_call_id": "c1", "status": "success"},
        {"type": "function_call_output", "call_id": "c1", "output": "done"},
    ],
)
def test_every_tool_s_result_goes_to_its_call(result: dict[str, Any]) -> None:
    asked = [{"role": "user", "content": "book it"}, {"role": "assistant", "tool_calls": [CALLS[0]]}]
    (turn,) = turns_of(read_messages([*asked, result]))
    assert [(call.name, call.result, call.error) for call in turn.tool_calls] == [("book", "done", None)]


@table(
    ("result", "error"),
    [
        ({"role": "tool", "content": "Error: no such order"}, "Error: no such order"),
        ({"role": "tool", "content": "no", "error": True}, "no"),
        ({"role": "tool", "content": "", "error": "ValueError: x"}, "ValueError: x"),
        ({"role": "tool", "content": "no", "status": "error"}, "no"),
        ({"role": "tool", "content": "Error: is the word to print", "error": False}, None),
        (
            {
                "role": "user",
                "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "no", "is_error": True}],
            },
            "no",
        ),
    ],
)
def test_a_call_that_failed_is_told_from_one_that_did_not(result: dict[str, Any], error: str | None) -> None:
    (turn,) = turns_of(read_messages([{"role": "assistant", "tool_calls": [CALLS[0]]}, result]))
    assert turn.tool_calls[0].error == error
    assert (turn.tool_calls[0].result is None) is (error is not None)


def test_langchain_wraps_its_messages() -> None:
    human = {"lc": 1, "type": "constructor", "id": ["langchain", "schema", "HumanMessage"], "kwargs": {"content": "hi"}}
    old = {"type": "ai", "data": {"content": "hello", "tool_calls": []}}
    said = read_messages([human, old, ["human", "bye"]])
    assert [(each.message.role, each.message.content) for each in said] == [
        ("user", "hi"),
        ("assistant", "hello"),
        ("user", "bye"),
    ]


def test_parts_that_are_no_words_are_kept_beside_them() -> None:
    image = {"type": "image_url", "image_url": {"url": "https://example.com/a.png"}}
    thought = {"type": "thinking", "thinking": "hm", "signature": "s"}
    (said,) = read_messages(
        [{"role": "user", "content": [thought, {"type": "text", "text": "look"}, image], "mood": 3}]
    )
    assert said.message.content == "look\n[image_url]"
    assert said.message.extra == {"mood": 3, "parts": [image], "reasoning": "hm"}


def test_what_nobody_said_is_kept_and_not_said() -> None:
    note = {"role": "checker", "content": "solved: no"}
    (turn,) = turns_of(read_messages([{"role": "user", "content": "hi"}, note, {"role": "assistant", "content": "ho"}]))
    assert (turn.asked, turn.answer) == ("hi", "ho")
    assert turn.extra["asides"] == [{**note, "after": 1}]


@table(
    ("items", "field"),
    [
        ({"role": "user"}, "messages"),
        ([7], "messages[0]"),
        ([{"content": "x"}], "messages[0].role"),
        ([{"role": "user", "content": 7}], "messages[0].content"),
        ([{"role": "assistant", "tool_calls": [{"id": "c"}]}], "messages[0].tool_calls[0]"),
        ([{"role": "assistant", "tool_calls": {"id": "c"}}], "messages[0].tool_calls"),
    ],
)
def test_what_is_no_message_is_named(items: Any, field: str) -> None:
    with pytest.raises(WrongMessageError) as caught:
        read_messages(items)
    assert caught.value.field == field


def test_arguments_that_are_no_mapping_are_kept() -> None:
    assert arguments_of("{broken") == {"": "{broken"}
    assert arguments_of("[1]") == {"": "[1]"}
    assert arguments_of("") == {}
    assert result_of('{"a": 1}') == {"a": 1}
    assert result_of("{not json") == "{not json"


@table(
    "value",
    [
        "2026-03-01T10:00:00Z",
        "2026-03-01 10:00:00.000000",
        "2026-03-01 10:00:00 UTC",
        1772359200,
        1772359200000,
        "1772359200000000000",
    ],
)
def test_times_are_read_as_every_tool_writes_them(value: Any) -> None:
    assert time_of(value) == datetime(2026, 3, 1, 10, tzinfo=UTC)
    assert time_of("soon") is None
    assert time_of(None) is None


ROLES = st.sampled_from(["user", "assistant", "system", "tool", "human", "ai", "checker"])
MESSAGES = st.lists(
    st.fixed_dictionaries(
        {"role": ROLES, "content": st.none() | st.text(max_size=6)},
        optional={
            "tool_calls": st.lists(st.sampled_from(CALLS), max_size=2),
            "tool_call_id": st.sampled_from(["c1", "c2"]),
            "name": st.sampled_from(["book", "look"]),
            "error": st.booleans(),
        },
    ),
    max_size=12,
)


@settings(deadline=None)
@given(MESSAGES)
def test_nothing_that_was_said_is_lost(items: list[dict[str, Any]]) -> None:
    said = read_messages(json.loads(json.dumps(items)))
    turns = turns_of(said)
    assert [message.content for turn in turns for message in turn.messages] == [
        each.message.content for each in said if each.aside is None
    ]
    asides = [aside for turn in turns for aside in turn.extra.get("asides", ())]
    assert len(asides) == sum(each.aside is not None for each in said)
    agent = sum(len(item.get("tool_calls") or ()) for item in items if item["role"] in ("assistant", "ai"))
    assert sum(len(turn.tool_calls) for turn in turns) >= agent
    for turn in turns[1:]:
        assert turn.messages[0].role == "user"
