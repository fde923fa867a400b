"""One trace as a server receives it: turns, scores, and what may be missing."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.tables import table

from proctor.core.errors import SuiteError
from proctor.suites.conversations.langfuse import LANGFUSE_TRACES
from proctor.suites.conversations.langsmith import LANGSMITH_TRACES
from proctor.suites.conversations.otel import OTEL_TRACES
from proctor.suites.conversations.trace_turns import TracedTurns, read_trace

START = 1_794_900_000_000_000_000
TRACE = "a" * 32


def _span(number: int, *, at: Any = 0.0, **attributes: Any) -> dict[str, Any]:
    start = START + int(at * 1e9)
    return {
        "traceId": TRACE,
        "spanId": f"{number:016x}",
        "name": "span",
        "startTimeUnixNano": start,
        "endTimeUnixNano": start + 500_000_000,
        "attributes": attributes,
        "events": [],
    }


def _said(*messages: tuple[str, str]) -> str:
    return json.dumps([{"role": role, "parts": [{"type": "text", "content": text}]} for role, text in messages])


def _chat(number: int, sent: str, got: str, at: float = 0.0, **more: Any) -> dict[str, Any]:
    told = {"gen_ai.operation.name": "chat", "gen_ai.input.messages": sent, "gen_ai.output.messages": got}
    return _span(number, at=at, **told, **more)


def _read(*records: dict[str, Any]) -> TracedTurns:
    return read_trace(OTEL_TRACES, TRACE, records)


def test_history_that_a_call_repeats_is_not_a_turn_of_this_trace() -> None:
    sent = _said(("system", "Help."), ("user", "One?"), ("assistant", "1."), ("user", "Two?"))
    told = _read(_chat(1, sent, _said(("assistant", "2."))))
    assert [(turn.asked, turn.answer) for turn in told.turns] == [("Two?", "2.")]


def test_several_turns_of_one_trace_are_several_turns() -> None:
    first = _chat(1, _said(("user", "One?")), _said(("assistant", "1.")))
    again = _said(("user", "One?"), ("assistant", "1."), ("user", "Two?"))
    second = _chat(2, again, _said(("assistant", "2.")), at=5)
    for records in ((first, second), (second, first), (second, first, second)):
        assert [turn.answer for turn in _read(*records).turns] == ["1.", "2."]


def test_a_trace_without_messages_is_a_turn_with_its_figures() -> None:
    calls = {"gen_ai.operation.name": "chat", "gen_ai.usage.input_tokens": 5, "gen_ai.usage.output_tokens": 7}
    told = _read(_span(1, **calls), _span(2, at=2, **calls, **{"error.type": "timeout"}))
    (turn,) = told.turns
    assert (turn.messages, turn.latency, turn.error) == ((), 2.5, "timeout")
    assert turn.usage is not None
    assert (turn.usage.input, turn.usage.output) == (10, 14)
    assert turn.extra == {"content": "not recorded"}


def test_a_trace_that_is_no_conversation_gives_nothing() -> None:
    assert _read(_span(1, **{"http.method": "GET"})) == TracedTurns()
    assert _read() == TracedTurns()


def test_the_application_says_more_about_the_turn() -> None:
    root = _span(
        9,
        **{
            "gen_ai.conversation.id": "s-1",
            "user.id": "c-1",
            "proctor.intent": "refund",
            "proctor.confidence": 0.7,
            "proctor.escalation": "asked for a person",
            "service.version": "12",
        },
    )
    told = _read(root, _chat(1, _said(("user", "One?")), _said(("assistant", "1."))))
    (turn,) = told.turns
    assert (told.session, told.customer, told.intent, told.version) == ("s-1", "c-1", "refund", "12")
    assert (turn.intents[0].name, turn.confidence) == ("refund", 0.7)
    assert turn.escalation is not None
    assert turn.escalation.reason == "asked for a person"


def test_a_span_that_cannot_be_read_does_not_hide_the_others() -> None:
    wrong = _chat(1, json.dumps([{"role": "assistant", "tool_calls": [{"id": "c"}]}]), "[]")
    good = _chat(2, _said(("user", "One?")), _said(("assistant", "1.")))
    (turn,) = _read(wrong, good).turns
    assert (turn.answer, turn.extra["unread"]) == ("1.", ["the tool call has no name"])
    with pytest.raises(SuiteError):
        _read(wrong)


def test_evaluations_are_scores_each_once() -> None:
    log = {
        "log": "gen_ai.evaluation.result",
        "traceId": TRACE,
        "spanId": "1" * 16,
        "time": START,
        "attributes": {
            "gen_ai.evaluation.name": "grounded",
            "gen_ai.evaluation.score.value": 0.25,
            "gen_ai.evaluation.score.label": "fail",
            "gen_ai.evaluation.explanation": "no source",
        },
        "body": None,
    }
    span = _span(
        1,
        **{
            "annotations.0.annotation.name": "polite",
            "annotations.0.annotation.score": 1,
            "annotations.0.annotation.annotator_kind": "HUMAN",
            "evaluations.0.evaluation.name": "stars",
            "evaluations.0.evaluation.score": 4,
            "trace.evaluations.0.evaluation.name": "resolved",
            "trace.evaluations.0.evaluation.label": "yes",
        },
    )
    scores = {each.name: each for each in _read(log, span, log).scores}
    assert {name: each.value for name, each in scores.items()} == {
        "grounded": 0.25,
        "polite": 1.0,
        "stars": None,
        "resolved": 1.0,
    }
    assert scores["grounded"].metadata["passed"] is False
    assert scores["grounded"].metadata["explanation"] == "no source"
    assert scores["stars"].metadata["raw"] == 4
    assert scores["polite"].metadata["by"] == "HUMAN"


@table(
    ("record", "value", "passed"),
    [
        ({"langfuse_score": {"id": "1", "name": "n", "value": 0.5, "traceId": TRACE}}, 0.5, None),
        ({"langfuse_score": {"id": "1", "name": "n", "value": 1, "dataType": "BOOLEAN"}}, 1.0, True),
        ({"langfuse_score": {"id": "1", "name": "n", "value": "bad", "dataType": "CATEGORICAL"}}, 0.0, False),
        ({"langfuse_score": {"id": "1", "name": "n", "value": "blue", "dataType": "CATEGORICAL"}}, None, None),
        ({"langsmith_feedback": {"id": "1", "key": "n", "score": True}}, 1.0, True),
        ({"langsmith_feedback": {"id": "1", "key": "n", "score": None, "value": "correct"}}, 1.0, True),
    ],
)
def test_scores_of_other_tools_have_no_invented_value(
    record: dict[str, Any], value: float | None, passed: bool | None
) -> None:
    (score,) = _read(record).scores
    assert (score.id, score.value, score.metadata.get("passed")) == ("score-1", value, passed)


def test_a_run_is_merged_with_its_updates() -> None:
    post: dict[str, Any] = {"id": "r", "trace_id": "r", "run_type": "llm", "start_time": "2026-11-17T10:00:00Z"}
    post |= {"inputs": {"messages": [{"role": "user", "content": "One?"}]}, "extra": {"metadata": {"thread_id": "s-9"}}}
    patch: dict[str, Any] = {"id": "r", "trace_id": "r", "end_time": "2026-11-17T10:00:02Z", "run_type": None}
    patch |= {"outputs": {"choices": [{"message": {"role": "assistant", "content": "1."}}], "model": "m-1"}}
    told = read_trace(LANGSMITH_TRACES, "r", [post, patch, post])
    assert (told.session, told.model, told.turns[0].answer, told.turns[0].latency) == ("s-9", "m-1", "1.", 2.0)


def test_observations_of_langfuse_give_the_same() -> None:
    observation = {
        "id": "o",
        "traceId": "t",
        "sessionId": "s-9",
        "type": "GENERATION",
        "startTime": "2026-11-17T10:00:00Z",
        "endTime": "2026-11-17T10:00:02Z",
        "model": "m-1",
        "input": [{"role": "user", "content": "One?"}],
        "output": {"role": "assistant", "content": "1."},
    }
    told = read_trace(LANGFUSE_TRACES, "t", [observation])
    assert (told.session, told.model, told.turns[0].answer, told.turns[0].latency) == ("s-9", "m-1", "1.", 2.0)
