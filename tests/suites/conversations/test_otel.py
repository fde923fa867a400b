from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.suites.conversations.logs import cases, lines, only, words

from proctor.core.errors import SuiteError


def value(given: Any) -> dict[str, Any]:
    if isinstance(given, int):
        return {"intValue": str(given)}
    if isinstance(given, str):
        return {"stringValue": given}
    return {"stringValue": json.dumps(given)}


def span(trace: str, at: int, took: int = 1, **attributes: Any) -> dict[str, Any]:
    name = attributes.pop("name", "chat m")
    status = attributes.pop("status", {})
    events = attributes.pop("events", [])
    told = [{"key": key.replace("__", "."), "value": value(each)} for key, each in attributes.items()]
    times = {"startTimeUnixNano": str(at * 10**9), "endTimeUnixNano": str((at + took) * 10**9)}
    return {
        "traceId": trace,
        "spanId": f"{trace}{at}",
        "name": name,
        **times,
        "attributes": told,
        "status": status,
        "events": events,
    }


def otlp(*spans: dict[str, Any]) -> dict[str, Any]:
    resource = {"attributes": [{"key": "service.name", "value": {"stringValue": "desk"}}]}
    return {"resourceSpans": [{"resource": resource, "scopeSpans": [{"scope": {"name": "x"}, "spans": list(spans)}]}]}


def text(role: str, words: str) -> dict[str, Any]:
    return {"role": role, "parts": [{"type": "text", "content": words}]}


SYSTEM = [{"type": "text", "content": "be kind"}]
CALL = {
    "role": "assistant",
    "parts": [{"type": "tool_call", "id": "c1", "name": "seats", "arguments": {"day": "Monday"}}],
}
BACK = {"role": "tool", "parts": [{"type": "tool_call_response", "id": "c1", "response": {"free": 2}}]}


def chat(trace: str, at: int, sent: list[Any], got: dict[str, Any], **more: Any) -> dict[str, Any]:
    told = {"gen_ai__operation__name": "chat", "gen_ai__input__messages": sent, "gen_ai__output__messages": [got]}
    usage = {"gen_ai__usage__input_tokens": 10, "gen_ai__usage__output_tokens": 2}
    return span(trace, at, 1, gen_ai__system_instructions=SYSTEM, **told, **usage, **more)


def test_calls_tools_and_retrievals_become_turns(tmp_path: Path) -> None:
    first = [text("user", "Is there a seat?")]
    one = otlp(
        chat("t1", 100, first, CALL, gen_ai__conversation__id="conv"),
        span(
            "t1",
            102,
            3,
            name="execute_tool seats",
            gen_ai__operation__name="execute_tool",
            gen_ai__tool__name="seats",
            gen_ai__tool__call__id="c1",
            gen_ai__tool__call__result='{"free": 2}',
        ),
        span(
            "t1",
            105,
            1,
            name="retrieval",
            gen_ai__operation__name="retrieval",
            gen_ai__retrieval__documents=[{"id": "faq-3", "score": 0.9, "content": "Seats are free."}],
        ),
    )
    two = otlp(
        chat("t1", 107, [*first, CALL, BACK], text("assistant", "Yes, two.")),
        chat(
            "t2",
            200,
            [*first, CALL, BACK, text("assistant", "Yes, two."), text("user", "Take one.")],
            text("assistant", "Done."),
            gen_ai__conversation__id="conv",
        ),
    )
    case, run = only(lines(tmp_path, one, two))
    assert case.id == "conv"
    assert words(run) == [("Is there a seat?", "Yes, two."), ("Take one.", "Done.")]
    (call,) = run.turns[0].tool_calls
    assert (call.name, call.result, call.latency) == ("seats", {"free": 2}, 3.0)
    assert [(source.id, source.text, source.score) for source in run.turns[0].sources] == [
        ("faq-3", "Seats are free.", 0.9)
    ]
    assert run.turns[0].usage is not None
    assert run.turns[0].usage.input == 20
    assert run.turns[0].latency == 8.0
    assert case.metadata["service.name"] == "desk"
    assert not run.turns[1].sources


def test_a_conversation_is_found_wherever_its_spans_stand(tmp_path: Path) -> None:
    rows = [
        otlp(chat("a", 10, [text("user", "one")], text("assistant", "1"))),
        otlp(chat("b", 11, [text("user", "eins")], text("assistant", "I"))),
        otlp(span("a", 9, name="agent", session__id="first")),
        otlp(span("b", 9, name="agent", session__id="second")),
        otlp(chat("a2", 30, [text("user", "two")], text("assistant", "2"), session__id="first")),
    ]
    found = {case.id: words(case.recorded) for case in cases(lines(tmp_path, *rows)) if case.recorded}
    assert found == {"first": [("one", "1"), ("two", "2")], "second": [("eins", "I")]}


def test_a_tool_that_failed(tmp_path: Path) -> None:
    failed = {"code": 2, "message": "no database"}
    row = otlp(
        chat("t", 1, [text("user", "seat?")], CALL),
        span(
            "t",
            3,
            gen_ai__operation__name="execute_tool",
            gen_ai__tool__name="seats",
            gen_ai__tool__call__id="c1",
            status=failed,
        ),
        span(
            "t",
            4,
            gen_ai__operation__name="execute_tool",
            gen_ai__tool__name="log",
            gen_ai__tool__call__arguments='{"n": 1}',
        ),
    )
    _, run = only(lines(tmp_path, row))
    assert [(call.name, call.error) for call in run.tool_calls] == [("seats", "no database"), ("log", None)]


def test_a_call_that_only_sorts_the_question_is_kept_beside_the_turn(tmp_path: Path) -> None:
    first, sort = [text("user", "Seat?")], [{"type": "text", "content": "Name the intent."}]
    intent = span(
        "t",
        1,
        gen_ai__operation__name="chat",
        gen_ai__system_instructions=sort,
        gen_ai__input__messages=first,
        gen_ai__output__messages=[text("assistant", "booking")],
    )
    second = [*first, text("assistant", "Yes."), text("user", "Take it.")]
    row = otlp(intent, chat("t", 3, first, text("assistant", "Yes.")), chat("t", 9, second, text("assistant", "Done.")))
    _, run = only(lines(tmp_path, row))
    assert words(run) == [("Seat?", "Yes."), ("Take it.", "Done.")]
    assert run.turns[0].extra["other_calls"][0]["got"] == "booking"


def test_older_conventions(tmp_path: Path) -> None:
    def event(name: str, **told: Any) -> dict[str, Any]:
        return {"name": name, "attributes": [{"key": key, "value": value(each)} for key, each in told.items()]}

    events = [
        event("gen_ai.user.message", content="hi"),
        event("gen_ai.choice", message={"role": "assistant", "content": "ho"}),
    ]
    numbered = {
        "gen_ai.prompt.0.role": "user",
        "gen_ai.prompt.0.content": "hi",
        "gen_ai.completion.0.role": "assistant",
        "gen_ai.completion.0.content": "ho",
    }
    inference = {
        "openinference.span.kind": "LLM",
        "llm.input_messages.0.message.role": "user",
        "llm.input_messages.0.message.content": "hi",
        "llm.output_messages.0.message.role": "assistant",
        "llm.output_messages.0.message.content": "ho",
        "llm.output_messages.0.message.tool_calls.0.tool_call.function.name": "look",
        "llm.output_messages.0.message.tool_calls.0.tool_call.function.arguments": '{"n": 1}',
    }
    printed = {
        "name": "chat",
        "context": {"trace_id": "0x1", "span_id": "0x2"},
        "start_time": "2026-01-01T00:00:00Z",
        "end_time": "2026-01-01T00:00:01Z",
    }
    for row in (
        otlp(span("t", 1, events=events)),
        {**printed, "attributes": numbered},
        {**printed, "attributes": inference},
    ):
        _, run = only(lines(tmp_path, row))
        assert words(run) == [("hi", "ho")]
    assert [(call.name, dict(call.arguments)) for call in run.tool_calls] == [("look", {"n": 1})]


def test_spans_without_words_are_told(tmp_path: Path) -> None:
    path = lines(tmp_path, otlp(span("t", 1, gen_ai__operation__name="chat")))
    with pytest.raises(SuiteError, match="says what was said") as caught:
        cases(path)
    assert "content" in (caught.value.hint or "")
    silent, other = otlp(span("t", 1, gen_ai__operation__name="chat")), otlp(span("w", 1, name="GET /health"))
    heard = otlp(chat("u", 5, [text("user", "hi")], text("assistant", "ho")))
    found = {case.id: case.recorded.error for case in cases(lines(tmp_path, silent, other, heard)) if case.recorded}
    assert found["u"] is None
    assert "messages" in (found["t"] or "")
    assert set(found) == {"t", "u"}
