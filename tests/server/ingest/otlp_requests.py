"""OTLP requests as an exporter sends them."""

from __future__ import annotations

import json
from typing import Any

from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

__all__ = ["START", "chat", "evaluation", "root", "tool", "traces", "traces_json"]

START = 1_794_900_000_000_000_000  # nanoseconds


def traces(*spans: dict[str, Any], resource: dict[str, Any] | None = None) -> bytes:
    """Return an export as protobuf."""
    request = ExportTraceServiceRequest()
    bundle = request.resource_spans.add()
    _fill(bundle.resource.attributes, resource or {"service.name": "desk"})
    scope = bundle.scope_spans.add()
    for given in spans:
        span = scope.spans.add(
            trace_id=bytes.fromhex(given["trace"]),
            span_id=bytes.fromhex(given["span"]),
            parent_span_id=bytes.fromhex(given.get("parent", "")),
            name=given["name"],
            start_time_unix_nano=given["start"],
            end_time_unix_nano=given["start"] + 500_000_000,
        )
        _fill(span.attributes, given["attributes"])
    return bytes(request.SerializeToString())


def traces_json(*spans: dict[str, Any]) -> bytes:
    """Return an export as JSON."""
    made = [
        {
            "traceId": given["trace"],
            "spanId": given["span"],
            "parentSpanId": given.get("parent", ""),
            "name": given["name"],
            "startTimeUnixNano": str(given["start"]),
            "endTimeUnixNano": str(given["start"] + 500_000_000),
            "attributes": [{"key": key, "value": _json_value(value)} for key, value in given["attributes"].items()],
        }
        for given in spans
    ]
    resource = {"attributes": [{"key": "service.name", "value": {"stringValue": "desk"}}]}
    return json.dumps({"resourceSpans": [{"resource": resource, "scopeSpans": [{"spans": made}]}]}).encode()


def evaluation(trace: str, span: str, name: str, value: float, **more: Any) -> bytes:
    """Return an export of one evaluation result."""
    request = ExportLogsServiceRequest()
    log = (
        request.resource_logs.add()
        .scope_logs.add()
        .log_records.add(
            trace_id=bytes.fromhex(trace),
            span_id=bytes.fromhex(span),
            time_unix_nano=START + 9_000_000_000,
            event_name="gen_ai.evaluation.result",
        )
    )
    _fill(log.attributes, {"gen_ai.evaluation.name": name, "gen_ai.evaluation.score.value": value, **more})
    return bytes(request.SerializeToString())


def root(trace: str, *, session: str = "s-1", **more: Any) -> dict[str, Any]:
    """Return the root span of a trace."""
    attributes = {"session.id": session, "user.id": "c-1", **more}
    return {"trace": trace, "span": "f" * 16, "name": "handle", "start": START, "attributes": attributes}


def chat(
    trace: str, span: str = "1" * 16, *, asked: str = "Where is A-17?", answered: str = "At home.", at: int = 0
) -> dict[str, Any]:
    """Return a span of a model call."""
    attributes = {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "openai",
        "gen_ai.request.model": "gpt-4o-mini",
        "gen_ai.usage.input_tokens": 31,
        "gen_ai.input.messages": json.dumps([{"role": "user", "parts": [{"type": "text", "content": asked}]}]),
        "gen_ai.output.messages": json.dumps([{"role": "assistant", "parts": [{"type": "text", "content": answered}]}]),
    }
    start = START + 1_000_000_000 + at
    return {"trace": trace, "span": span, "parent": "f" * 16, "name": "chat", "start": start, "attributes": attributes}


def tool(trace: str, span: str = "2" * 16, *, order: str = "A-17") -> dict[str, Any]:
    """Return a span of a tool call."""
    attributes = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "find_order",
        "gen_ai.tool.call.arguments": json.dumps({"order": order}),
        "gen_ai.tool.call.result": '{"status": "packed"}',
    }
    start = START + 1_200_000_000
    return {"trace": trace, "span": span, "parent": "f" * 16, "name": "tool", "start": start, "attributes": attributes}


def _fill(target: Any, attributes: dict[str, Any]) -> None:
    for key, value in attributes.items():
        pair = target.add(key=key)
        if isinstance(value, bool):
            pair.value.bool_value = value
        elif isinstance(value, int):
            pair.value.int_value = value
        elif isinstance(value, float):
            pair.value.double_value = value
        else:
            pair.value.string_value = str(value)


def _json_value(value: Any) -> dict[str, Any]:
    if isinstance(value, bool):
        return {"boolValue": value}
    if isinstance(value, int):
        return {"intValue": str(value)}
    return {"doubleValue": value} if isinstance(value, float) else {"stringValue": str(value)}
