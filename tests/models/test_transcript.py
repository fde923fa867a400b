from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from proctor.core.chat import Message, ToolCall
from proctor.models.transcript import FAILED, plain_id, read_call, settled
from tests.tables import table


def said(role: str, content: str = "", **more: object) -> Message:
    return Message(role=role, content=content, **more)  # type: ignore[arg-type]


def test_a_conversation_without_tools_is_left_as_it_is() -> None:
    messages = (said("user", "a"), said("assistant", "b"))
    assert settled(messages) is messages


def test_results_kept_in_calls_become_messages_after_them() -> None:
    calls = (
        ToolCall(name="find", arguments={"q": 1}, result={"price": 5}),
        ToolCall(name="buy", error="sold out"),
        ToolCall(name="ask", result="yes", id="given"),
    )
    asked, *results, last = settled((said("assistant", tool_calls=calls), said("user", "go on")))
    assert [call.id for call in asked.tool_calls] == ["call_1", "call_2", "given"]
    assert [(r.role, r.tool_call_id, r.content) for r in results] == [
        ("tool", "call_1", '{"price":5}'),
        ("tool", "call_2", "sold out"),
        ("tool", "given", "yes"),
    ]
    assert [bool(r.extra.get(FAILED)) for r in results] == [False, True, False]
    assert last.content == "go on"


def test_results_without_ids_find_their_calls_by_name_then_by_order() -> None:
    calls = (ToolCall(name="a"), ToolCall(name="b"), ToolCall(name="c"))
    messages = settled(
        (
            said("assistant", tool_calls=calls),
            said("tool", "of b", name="b"),
            said("tool", "of a"),
            said("tool", "of c"),
        )
    )
    assert [m.tool_call_id for m in messages[1:]] == ["call_2", "call_1", "call_3"]


def test_an_answered_call_is_not_answered_twice() -> None:
    call = ToolCall(name="a", id="x", result="inside")
    messages = settled((said("assistant", tool_calls=(call,)), said("tool", "outside", tool_call_id="x")))
    assert [m.content for m in messages[1:]] == ["outside"]


def test_no_result_is_made_up() -> None:
    messages = settled((said("assistant", tool_calls=(ToolCall(name="a"),)),))
    assert len(messages) == 1


@table(
    ("written", "arguments"),
    [('{"a": 1}', {"a": 1}), ({"a": 1}, {"a": 1}), ("", {}), (None, {}), ("  ", {})],
)
def test_arguments_that_can_be_read(written: object, arguments: dict[str, int]) -> None:
    call = read_call("f", written, "id1")
    assert (call.name, call.arguments, call.id, call.error) == ("f", arguments, "id1", None)


@table("written", ['{"a": ', "[1]", "null", "7", "[" * 100_000, 12])
def test_arguments_that_cannot_are_kept_as_text(written: object) -> None:
    call = read_call("f", written, None)
    assert call.arguments == {}
    assert call.id is None
    assert call.error is not None
    assert str(written)[:2_000] in call.error


@settings(deadline=None)
@given(st.none() | st.text())
def test_a_plain_id_is_what_strict_providers_take(call_id: str | None) -> None:
    made = plain_id(call_id)
    assert 1 <= len(made) <= 64
    assert all(c.isascii() and (c.isalnum() or c in "_-") for c in made)
