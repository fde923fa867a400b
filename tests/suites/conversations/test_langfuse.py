from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.suites.conversations.logs import cases, lines, only, words

ASK = {"role": "user", "content": "Is there a seat?"}
CALL: dict[str, Any] = {
    "role": "assistant",
    "content": None,
    "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "seats", "arguments": '{"day": "Monday"}'}}],
}
BACK = {"role": "tool", "tool_call_id": "c1", "content": '{"free": 2}'}
YES = {"role": "assistant", "content": "Yes, two."}


def seen(kind: str, at: int, took: int = 1, trace: str = "t1", **more: Any) -> dict[str, Any]:
    times = {"start_time": f"2026-03-01 10:00:{at:02}.000000", "end_time": f"2026-03-01 10:00:{at + took:02}.000000"}
    return {
        "id": f"{trace}-{at}",
        "trace_id": trace,
        "type": kind,
        "name": kind.lower(),
        "level": "DEFAULT",
        **times,
        **more,
    }


def test_enriched_observations(tmp_path: Path) -> None:
    rows = [
        seen(
            "GENERATION",
            1,
            session_id="s1",
            user_id="u1",
            input=json.dumps({"messages": [ASK]}),
            output=json.dumps(CALL),
            usage_details={"input": 10, "output": 2},
            total_cost=0.5,
        ),
        seen("TOOL", 3, 2, name="seats", input='{"day": "Monday"}', output='{"free": 2}'),
        seen(
            "RETRIEVER", 6, input="seats", output=[{"page_content": "Seats are free.", "metadata": {"source": "faq"}}]
        ),
        seen(
            "GENERATION",
            8,
            input=[ASK, CALL, BACK],
            output=YES,
            usage_details={"input": 5, "output": 1},
            total_cost="0.25",
        ),
        seen(
            "GENERATION",
            30,
            trace="t2",
            session_id="s1",
            input=[ASK, CALL, BACK, YES, {"role": "user", "content": "Bye"}],
            output="Bye!",
        ),
    ]
    case, run = only(lines(tmp_path, *rows))
    assert (case.id, run.session, run.customer) == ("s1", "s1", "u1")
    assert words(run) == [("Is there a seat?", "Yes, two."), ("Bye", "Bye!")]
    assert [(call.result, call.latency) for call in run.tool_calls] == [({"free": 2}, 2.0)]
    assert [source.id for source in run.turns[0].sources] == ["faq"]
    assert run.turns[0].cost == 0.75
    assert run.turns[0].usage is not None
    assert run.turns[0].usage.input == 15


def test_a_trace_with_its_observations(tmp_path: Path) -> None:
    inside = {
        "id": "o",
        "traceId": "t1",
        "type": "GENERATION",
        "startTime": "2026-03-01T10:00:00Z",
        "endTime": "2026-03-01T10:00:02Z",
    }
    trace = {
        "id": "t1",
        "timestamp": "2026-03-01T10:00:00Z",
        "sessionId": None,
        "userId": "u1",
        "input": {"question": "not this"},
        "observations": [{**inside, "input": [ASK], "output": {"role": "assistant", "content": "Yes."}}],
    }
    (tmp_path / "traces.json").write_text(json.dumps({"data": [trace], "meta": {"page": 1}}))
    case, run = only(tmp_path / "traces.json")
    assert (case.id, run.customer) == ("t1", "u1")
    assert words(run) == [("Is there a seat?", "Yes.")]
    assert run.turns[0].latency == 2.0


def test_traces_that_only_say_what_went_in_and_out(tmp_path: Path) -> None:
    def trace(name: str, second: int, asked: str, answered: str) -> dict[str, Any]:
        return {
            "id": name,
            "timestamp": f"2026-03-01T10:00:{second:02}Z",
            "sessionId": "s",
            "input": {"query": asked},
            "output": answered,
        }

    rows = [trace("b", 20, "two?", "2"), trace("a", 10, "one?", "1")]
    _, run = only(lines(tmp_path, *rows))
    assert words(run) == [("one?", "1"), ("two?", "2")]


def test_an_error_is_of_its_turn(tmp_path: Path) -> None:
    rows = [
        seen("GENERATION", 1, session_id="s", input=[ASK], output=YES),
        seen(
            "GENERATION",
            5,
            session_id="s",
            input=[ASK, YES, {"role": "user", "content": "Again?"}],
            output=None,
            level="ERROR",
            status_message="overloaded",
        ),
    ]
    (case,) = cases(lines(tmp_path, *rows))
    assert case.recorded is not None
    assert [turn.error for turn in case.recorded.turns] == [None, "overloaded"]
