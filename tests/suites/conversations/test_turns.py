from __future__ import annotations

from typing import Any

from proctor.core.trajectory import Turn
from proctor.suites.conversations.messages import read_messages
from proctor.suites.conversations.turns import turns_of


def read(*items: dict[str, Any]) -> tuple[Turn, ...]:
    return turns_of(read_messages(list(items)))


def user(text: str, **more: Any) -> dict[str, Any]:
    return {"role": "user", "content": text, **more}


def agent(text: str | None = None, *calls: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": text, "tool_calls": list(calls), **more}


def call(name: str, key: str | None = None, **arguments: Any) -> dict[str, Any]:
    return {"name": name, "arguments": arguments, "id": key}


def result(text: str, key: str | None = None, **more: Any) -> dict[str, Any]:
    return {"role": "tool", "content": text, "tool_call_id": key, **more}


def test_a_turn_ends_before_the_user_speaks_again() -> None:
    turns = read({"role": "system", "content": "be kind"}, user("a"), user("b"), agent("c"), user("d"), agent("e"))
    assert [(turn.asked, turn.answer) for turn in turns] == [("a\nb", "c"), ("d", "e")]
    assert turns[0].messages[0].role == "system"


def test_a_greeting_belongs_to_the_first_turn() -> None:
    turns = read(agent("Hi! How can I help?"), user("a"), agent("b"))
    assert [(turn.asked, turn.answer) for turn in turns] == [("a", "b")]


def test_last_words_of_the_user_are_a_turn_without_an_answer() -> None:
    turns = read(user("a"), agent("b"), user("bye"))
    assert [(turn.asked, turn.answer) for turn in turns] == [("a", "b"), ("bye", "")]


def test_results_go_by_id_then_by_name_then_by_order() -> None:
    asked = user("a")
    two = agent(None, call("look", "c1"), call("book", "c2"))
    (turn,) = read(asked, two, result("booked", "c2"), result("looked", "c1"), agent("b"))
    assert [(each.name, each.result) for each in turn.tool_calls] == [("look", "looked"), ("book", "booked")]
    bare = agent(None, call("look"), call("book"))
    (turn,) = read(asked, bare, result("booked", name="book"), result("looked", name="look"))
    assert [each.result for each in turn.tool_calls] == ["looked", "booked"]
    (turn,) = read(asked, bare, result("first"), result("second"))
    assert [each.result for each in turn.tool_calls] == ["first", "second"]


def test_an_id_that_is_used_again_goes_to_the_later_call() -> None:
    turns = read(
        user("a"), agent(None, call("look", "c", n=1)), result("one", "c"), agent("x"),
        user("b"), agent(None, call("look", "c", n=2)), result("two", "c"), agent("y"),
    )  # fmt: skip
    assert [turn.tool_calls[0].result for turn in turns] == ["one", "two"]


def test_a_result_nobody_asked_for_is_kept() -> None:
    (turn,) = read(user("a"), result("found", "c9", name="look"), agent("b"))
    assert [(each.name, each.result, each.id) for each in turn.tool_calls] == [("look", "found", "c9")]


def test_a_tool_of_the_user_is_not_a_call_of_the_agent() -> None:
    device = {"id": "u1", "name": "restart", "arguments": {}, "requestor": "user"}
    turns = read(
        user("no signal"), agent("please restart"),
        {"role": "user", "content": None, "tool_calls": [device]},
        {"role": "tool", "id": "u1", "content": "restarted", "requestor": "user"},
        user("done"), agent("good"),
    )  # fmt: skip
    assert [turn.asked.strip() for turn in turns] == ["no signal", "done"]
    assert not any(turn.tool_calls for turn in turns)
    (mine,) = turns[1].messages[0].tool_calls
    assert (mine.name, mine.result, mine.extra) == ("restart", "restarted", {"requestor": "user"})


def test_time_tokens_and_money_are_added_up() -> None:
    (turn,) = read(
        user("a", timestamp="2026-03-01T10:00:00Z"),
        agent(None, call("look"), timestamp="2026-03-01T10:00:01Z", usage={"prompt_tokens": 5}, cost=0.25),
        result("x", timestamp="2026-03-01T10:00:02Z"),
        agent("b", timestamp="2026-03-01T10:00:03.5Z", usage={"completion_tokens": 2}, cost=0.5),
    )
    assert turn.time is not None
    assert turn.latency == 3.5
    assert turn.cost == 0.75
    assert turn.usage is not None
    assert (turn.usage.input, turn.usage.output) == (5, 2)


def test_what_is_not_known_stays_unknown() -> None:
    (turn,) = read(user("a"), agent("b"))
    assert (turn.latency, turn.cost, turn.usage, turn.time) == (None, None, None, None)
