from __future__ import annotations

from pathlib import Path

import pytest
from tests.suites.conversations.logs import cases, lines, only, words

from proctor.core.case import Case, Expectation
from proctor.core.chat import Message, ToolCall
from proctor.core.codec import encode
from proctor.core.errors import SuiteError
from proctor.core.report import Result
from proctor.core.trajectory import Source, Trajectory, Turn

RUN = Trajectory(
    turns=(
        Turn(
            messages=(Message(role="user", content="a"), Message(role="assistant", content="b")),
            tool_calls=(ToolCall(name="look", result={"n": 1}),),
            sources=(Source(id="faq", text="b"),),
            latency=0.5,
        ),
    ),
    session="s1",
    extra={"channel": "web"},
)


def test_an_exported_result_comes_back_whole(tmp_path: Path) -> None:
    case = Case(id="c1", input="a", expect=Expectation(facts=("b",)), tags=("x",))
    result = Result(case=case, target="t", trajectory=RUN, outcome="fail")
    made, run = only(lines(tmp_path, encode(result)))
    assert run == RUN
    assert (made.id, made.expect, made.tags) == ("c1", case.expect, ("x",))


def test_a_trajectory_and_a_recording_are_read(tmp_path: Path) -> None:
    case, run = only(lines(tmp_path, encode(RUN)))
    assert case.id == "s1"
    assert run.turns == RUN.turns
    short = {
        "id": "r1",
        "turns": [{"messages": [{"role": "user", "content": "a"}], "answer": "b"}],
        "expect": {"facts": ["b"]},
    }
    case, run = only(lines(tmp_path, short))
    assert words(run) == [("a", "b")]
    assert case.expect.facts == ("b",)


def test_what_is_wrong_is_named(tmp_path: Path) -> None:
    with pytest.raises(SuiteError) as caught:
        cases(lines(tmp_path, encode(RUN), {"id": "x", "turns": [{"messages": [{"role": "robot"}]}]}))
    assert caught.value.line == 2
    assert "turns[0].messages[0].role" in (caught.value.field or "")
