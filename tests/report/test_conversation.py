"""One result as text."""

from __future__ import annotations

import io

from proctor.core.case import Case
from proctor.core.chat import ToolCall
from proctor.core.report import Result
from proctor.core.trajectory import Trajectory, Turn
from proctor.report import conversation

from .conftest import Run


def shown(run: Run, place: int) -> str:
    out = io.StringIO()
    conversation.write(list(run.results())[place], out)
    return out.getvalue()


def test_a_result_in_doubt_says_so_and_so_does_the_gate(doubtful: Run) -> None:
    place = next(n for n, each in enumerate(doubtful.results()) if each.in_doubt)
    text = shown(doubtful, place)
    assert text.splitlines()[0].endswith("· IN DOUBT")
    (gate,) = [line for line in text.splitlines() if "commitments 1.000" in line]
    assert gate.split()[0] == "doubt"


def test_a_sure_pass_is_a_pass(sample: Run) -> None:
    place = next(n for n, each in enumerate(sample.results()) if each.outcome == "pass")
    assert shown(sample, place).splitlines()[0].endswith("· PASS")


def test_what_a_tool_returned_or_how_it_failed_stands_apart_from_its_call() -> None:
    calls = (
        ToolCall(name="find", arguments={"id": "T-1"}, result={"free": True}),
        ToolCall(name="cancel", arguments={"id": "T-1"}, error="KeyError: T-1"),
    )
    run = Trajectory(turns=(Turn(tool_calls=calls),))
    out = io.StringIO()
    conversation.write(Result(case=Case(id="c"), target="t", trajectory=run, outcome="pass"), out)
    lines = [line.strip() for line in out.getvalue().splitlines()]
    assert 'tool  find({"id": "T-1"}) → {"free": true}' in lines
    assert 'tool  cancel({"id": "T-1"}) failed: KeyError: T-1' in lines
