from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.suites.conversations.logs import cases, lines, only, words

from proctor.core.errors import SuiteError


def run(kind: str, at: int, trace: str = "t1", **more: Any) -> dict[str, Any]:
    times = {"start_time": f"2026-03-01T10:00:{at:02}", "end_time": f"2026-03-01T10:00:{at + 1:02}"}
    return {"id": f"{trace}-{at}", "trace_id": trace, "run_type": kind, "name": kind, "error": None, **times, **more}


def message(kind: str, text: str, **more: Any) -> dict[str, Any]:
    return {
        "lc": 1,
        "type": "constructor",
        "id": ["langchain", "schema", "messages", kind],
        "kwargs": {"content": text, **more},
    }


HUMAN = message("HumanMessage", "Is there a seat?")
AI = message("AIMessage", "", tool_calls=[{"name": "seats", "args": {"day": "Monday"}, "id": "c1"}])
TOOL = message("ToolMessage", '{"free": 2}', tool_call_id="c1", name="seats")


def generated(said: dict[str, Any]) -> dict[str, Any]:
    return {"generations": [[{"text": said["kwargs"]["content"], "message": said}]]}


def test_runs_of_a_thread(tmp_path: Path) -> None:
    thread = {"metadata": {"thread_id": "th1", "user_id": "u1", "ls_model_name": "m"}}
    yes = message("AIMessage", "Yes, two.")
    bye = [HUMAN, AI, TOOL, yes, message("HumanMessage", "Bye")]
    rows = [
        run(
            "llm",
            1,
            parent_run_id="t1-0",
            inputs={"messages": [[HUMAN]]},
            outputs=generated(AI),
            prompt_tokens=10,
            completion_tokens=1,
            total_cost=0.5,
        ),
        run(
            "tool",
            3,
            name="seats",
            parent_run_id="t1-0",
            inputs={"input": "{'day': 'Monday'}"},
            outputs={"output": TOOL},
        ),
        run(
            "retriever",
            4,
            parent_run_id="t1-0",
            inputs={"query": "seats"},
            outputs={"documents": [{"page_content": "Free.", "metadata": {"source": "faq"}}]},
        ),
        run("llm", 5, parent_run_id="t1-0", inputs={"messages": [[HUMAN, AI, TOOL]]}, outputs=generated(yes)),
        run("chain", 0, extra=thread, inputs={"question": "Is there a seat?"}, outputs={"answer": "Yes, two."}),
        run(
            "llm",
            20,
            trace="t2",
            extra=thread,
            inputs={"messages": [bye]},
            outputs=generated(message("AIMessage", "Bye!")),
        ),
    ]
    case, made = only(lines(tmp_path, *rows))
    assert (case.id, made.customer, case.metadata["model"]) == ("th1", "u1", "m")
    assert words(made) == [("Is there a seat?", "Yes, two."), ("Bye", "Bye!")]
    (call,) = made.tool_calls
    assert (call.name, dict(call.arguments), call.result, call.latency) == (
        "seats",
        {"day": "Monday"},
        {"free": 2},
        1.0,
    )
    assert [source.id for source in made.turns[0].sources] == ["faq"]
    assert made.turns[0].cost == 0.5


def test_openai_messages_and_runs_inside_runs(tmp_path: Path) -> None:
    child = {
        "id": "c",
        "run_type": "llm",
        "name": "llm",
        "start_time": "2026-03-01T10:00:01",
        "end_time": "2026-03-01T10:00:02",
        "inputs": {"messages": [{"role": "user", "content": "hi"}]},
        "outputs": {
            "choices": [{"message": {"role": "assistant", "content": "ho"}}],
            "usage_metadata": {"input_tokens": 3, "output_tokens": 1},
        },
    }
    root = run("chain", 0, inputs={"input": "hi"}, outputs={"output": "ho"}, child_runs=[child])
    (tmp_path / "runs.json").write_text(json.dumps([root], indent=1))
    case, made = only(tmp_path / "runs.json")
    assert case.id == "t1"
    assert words(made) == [("hi", "ho")]
    assert made.usage.input == 3


def test_chains_alone_are_exchanges(tmp_path: Path) -> None:
    thread = {"metadata": {"session_id": "s"}}
    rows = [
        run("chain", 9, "t2", extra=thread, inputs={"question": "two?"}, outputs={"answer": "2"}),
        run("chain", 1, "t1", extra=thread, inputs={"question": "one?"}, outputs={"answer": "1"}),
        run("chain", 2, "t1", parent_run_id="t1-1", inputs={"question": "inner"}, outputs={"answer": "no"}),
    ]
    _, made = only(lines(tmp_path, *rows))
    assert words(made) == [("one?", "1"), ("two?", "2")]


def test_what_is_no_run_is_told(tmp_path: Path) -> None:
    with pytest.raises(SuiteError, match="run_type") as caught:
        cases(lines(tmp_path, run("llm", 1, inputs={"input": "x"}), {"id": 1}))
    assert caught.value.line == 2
