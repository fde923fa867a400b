"""A file for `proctor score` and the wire give the same turns: there is one mapping."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from proctor.suites.conversations.detect import open_conversations
from proctor.suites.conversations.entries import Entry
from proctor.suites.conversations.otel import OTEL_TRACES
from proctor.suites.conversations.trace_turns import read_trace

TRACE, SPAN = "a" * 32, "1" * 16


def _log(name: str, at: int, **body: Any) -> dict[str, Any]:
    values = [{"key": key, "value": _value(value)} for key, value in body.items()]
    made = {"traceId": TRACE, "spanId": SPAN, "eventName": name, "timeUnixNano": str(1_794_900_000_000_000_000 + at)}
    return {**made, "body": {"kvlistValue": {"values": values}}, "attributes": []}


def _value(value: Any) -> dict[str, Any]:
    if isinstance(value, dict):
        return {"kvlistValue": {"values": [{"key": key, "value": _value(each)} for key, each in value.items()]}}
    return {"stringValue": value}


def test_messages_in_log_events_are_those_of_their_span(tmp_path: Path) -> None:
    attributes = [{"key": "gen_ai.operation.name", "value": {"stringValue": "chat"}}]
    attributes += [{"key": "session.id", "value": {"stringValue": "s-1"}}]
    span = {
        "traceId": TRACE,
        "spanId": SPAN,
        "name": "chat",
        "startTimeUnixNano": "1794900000000000000",
        "endTimeUnixNano": "1794900002000000000",
        "attributes": attributes,
    }
    logs = [
        _log("gen_ai.choice", 2, message={"role": "assistant", "content": "At home."}),
        _log("gen_ai.user.message", 1, content="Where is it?"),
        _log("some.other.event", 3, content="nothing"),
    ]
    exported = [
        {"resourceLogs": [{"scopeLogs": [{"logRecords": logs}]}]},
        {"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]},
    ]
    path = tmp_path / "export.jsonl"
    path.write_text("\n".join(json.dumps(each) for each in exported))
    (case,) = open_conversations(path)
    assert case.recorded is not None
    (turn,) = case.recorded.turns
    assert (case.recorded.session, turn.asked, turn.answer, turn.latency) == ("s-1", "Where is it?", "At home.", 2.0)
    entries = [Entry(data=each, file=path) for each in exported]
    told = read_trace(OTEL_TRACES, TRACE, [entry.data for entry in OTEL_TRACES.records(iter(entries))])
    assert told.turns == (replace(turn),)
