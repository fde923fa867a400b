"""How often, which first, which last, all of a kind, one at a time."""

from __future__ import annotations

from proctor.core.chat import Message, ToolCall
from proctor.core.trajectory import Trajectory, Turn
from proctor.scorers.conversation.steps import StepsChecked, parse_steps
from tests.scorers.conversation.steps.talking import Line, call, talk
from tests.tables import table


def checked(rule: str, *lines: Line) -> StepsChecked:
    return parse_steps(rule).check(talk(*lines))


SEARCH = call("search", q="a")


def test_the_first_that_is_too_many_broke_it() -> None:
    found = checked("search happens <= 2 times", "> x", SEARCH, SEARCH, "< y", "> z", SEARCH)
    assert found.ok is False
    assert [step.turn for step in found.steps] == [1]
    assert "3 times" in found.reason


def test_too_few_is_broken_by_none() -> None:
    found = checked("search happens >= 2 times", "> x", SEARCH)
    assert (found.ok, [step.index for step in found.steps]) == (False, [1])


def test_a_count_in_each_turn() -> None:
    lines: tuple[Line, ...] = ("> x", SEARCH, SEARCH, "< y", "> z", SEARCH)
    assert checked("search happens <= 2 times in a turn", *lines).ok is True
    assert checked("search happens <= 1 times in a turn", *lines).ok is False
    assert checked("search happens <= 1 times in a turn", "> x").ok is None


def test_a_count_for_each_value_of_an_argument() -> None:
    rule = 'cancel happens <= 1 times for each "id"'
    assert checked(rule, "> x", call("cancel", id=1), call("cancel", id=2)).ok is True
    found = checked(rule, "> x", call("cancel", id=1), call("cancel", id=2), call("cancel", id=1))
    assert found.ok is False
    assert "for id 1" in found.reason
    assert found.step is not None
    assert found.step.index == 3


def test_happens() -> None:
    assert checked("search happens", "> x", SEARCH).ok is True
    assert checked("search happens", "> x", "< y").ok is False


@table(
    ("rule", "ok"),
    [
        ("first call is find_*", True),
        ("first call is search", False),
        ("last call is search", True),
        ("last message is question", False),
        ("first write is search", None),
        ("every call is any of find_*, search", True),
        ("every call is search", False),
    ],
)
def test_first_last_and_every(rule: str, ok: bool | None) -> None:
    assert checked(rule, "> x", call("find_user"), SEARCH, "< Done.").ok is ok


def test_the_same_call_twice() -> None:
    assert checked("never repeat call", "> x", SEARCH, call("search", q="b")).ok is True
    found = checked("never repeat call", "> x", SEARCH, "< y", "> z", SEARCH)
    assert found.ok is False
    assert found.step is not None
    assert found.step.turn == 1
    assert checked("never repeat answer", "> x", "< I  see.", "> z", "< I see.").ok is False


def test_one_call_at_a_time() -> None:
    assert checked("one call at a time", "> x", SEARCH, SEARCH).ok is True
    found = checked("one call at a time", "> x", (SEARCH, SEARCH))
    assert (found.ok, found.reason) == (False, "2 calls at once in turn 1")
    assert checked("one call at a time", "> x", "< y").ok is None


def test_what_the_recording_does_not_tell_is_unknown() -> None:
    turn = Turn(messages=(Message(role="user", content="x"),), tool_calls=(ToolCall(name="a"), ToolCall(name="b")))
    for rule in ("one call at a time", "no words beside calls"):
        found = parse_steps(rule).check(Trajectory(turns=(turn,)))
        assert (found.ok, found.known) == (None, False)


def test_turns() -> None:
    assert checked("turns <= 2", "> a", "< b", "> c").ok is True
    assert checked("turns <= 1", "> a", "< b", "> c").ok is False
    assert parse_steps("turns <= 1").check(Trajectory()).known is False
