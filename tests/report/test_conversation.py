"""One result as text."""

from __future__ import annotations

import io

from proctor.core.case import Case
from proctor.core.chat import ToolCall
from proctor.core.report import Result
from proctor.core.trajectory import Trajectory, Turn
from proctor.report import conversation


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
