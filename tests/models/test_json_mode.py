from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from proctor.core.chat import Message, Request, Tool
from proctor.models.json_mode import answer_tool, fits_strict_mode, plain_name, with_instruction
from tests.tables import table

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
CLOSED = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"], "additionalProperties": False}


@table(
    "schema",
    [
        CLOSED,
        {**CLOSED, "properties": {"a": {"type": "array", "items": CLOSED}}},
        {**CLOSED, "properties": {"a": {"anyOf": [{"type": "null"}, CLOSED]}}},
        {**CLOSED, "properties": {"a": {"$ref": "#/$defs/x"}}, "$defs": {"x": CLOSED}},
        {**CLOSED, "properties": {"a": {"enum": ["x", "y"], "description": "one"}}, "title": "t"},
    ],
)
def test_schemas_that_strict_mode_takes(schema: dict[str, Any]) -> None:
    assert fits_strict_mode(schema)


@table(
    "schema",
    [
        {},
        {"type": "array", "items": CLOSED},
        {"type": "object"},
        {**CLOSED, "additionalProperties": True},
        {**CLOSED, "required": []},
        {**CLOSED, "required": ["a", "b"]},
        {**CLOSED, "oneOf": [CLOSED]},
        {**CLOSED, "properties": {"a": {"type": "object"}}},
        {**CLOSED, "properties": {"a": {"type": ["object", "null"]}}},
        {**CLOSED, "properties": {"a": {"type": "string", "minLength": 1}}},
        {**CLOSED, "properties": {"a": {"$ref": "http://x/y"}}},
        {**CLOSED, "$defs": {"x": {"type": "object"}}},
        {**CLOSED, "$defs": 5},
        {**CLOSED, "anyOf": 5},
        {**CLOSED, "required": 5},
        {**CLOSED, "properties": []},
    ],
)
def test_schemas_that_it_does_not(schema: dict[str, Any]) -> None:
    assert not fits_strict_mode(schema)


@settings(deadline=None)
@given(st.dictionaries(st.sampled_from(["type", "properties", "required", "anyOf", "$defs", "items"]), JSON))
def test_no_schema_breaks_it(schema: dict[str, Any]) -> None:
    assert fits_strict_mode({"type": "object", **schema}) in (True, False)


def test_the_wish_follows_what_the_user_said_last() -> None:
    messages = (Message(role="system", content="s"), Message(role="user", content="q"), Message(role="assistant"))
    asked = with_instruction(messages, {"type": "array"})
    assert [m.role for m in asked] == ["system", "user", "assistant"]
    assert asked[1].content.startswith("q\n\nAnswer with JSON only")
    assert asked[1].content.endswith('{"type":"array"}')
    alone = with_instruction((Message(role="system", content="s"),), {"type": "array"})
    assert alone[1].role == "user"
    assert alone[1].content.startswith("Answer with JSON only")


def test_names_are_what_providers_take() -> None:
    assert plain_name("a b/ç") == "a_b__"
    assert plain_name("") == "answer"
    assert len(plain_name("x" * 100)) == 64


def test_the_answers_tool_is_never_one_of_the_callers() -> None:
    assert answer_tool(Request(messages=(), schema_name="verdict")) == "verdict"
    mine = Request(messages=(), schema_name="v" * 70, tools=(Tool(name="v" * 64),))
    assert answer_tool(mine) != "v" * 64
    assert len(answer_tool(mine)) <= 64
