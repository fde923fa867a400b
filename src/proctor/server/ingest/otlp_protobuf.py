"""Read OTLP protobuf requests as records of the OpenTelemetry mapping."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

from proctor.core.errors import ConfigError
from proctor.suites.conversations.otel_records import is_read

__all__ = ["OtlpRecords", "logs_of_protobuf", "partial_success", "traces_of_protobuf", "valid_ids"]

_MAX_KNOWN_NAMES: Final = 10_000
_known_names: dict[str, bool] = {}  # whether an attribute is read; a sender uses the same few names again and again
_NO_TRACE: Final = "0" * 32
_NO_SPAN: Final = "0" * 16
_TRACE_BYTES: Final = 16
_SPAN_BYTES: Final = 8
_WRONG_IDS: Final = "the trace id must have 16 bytes and the span id 8, and neither may be zero"


@dataclass(slots=True)
class OtlpRecords:
    """The records of one request; ``rejected`` counts those that are invalid, and ``why`` is the first reason."""

    records: list[dict[str, Any]] = field(default_factory=list)
    rejected: int = 0
    ignored: int = 0
    why: str = ""

    def reject(self, why: str = _WRONG_IDS) -> None:
        """Count one invalid record."""
        self.rejected += 1
        self.why = self.why or why


def traces_of_protobuf(body: bytes) -> OtlpRecords:
    """Return the spans of an ExportTraceServiceRequest.

    Raises:
        ValueError: it is no such message.
    """
    made = OtlpRecords()
    for bundle in _parsed(body, "trace").resource_spans:
        shared = _attributes(bundle.resource.attributes)
        for scope in bundle.scope_spans:
            for span in scope.spans:
                trace, key = span.trace_id, span.span_id
                if len(trace) != _TRACE_BYTES or len(key) != _SPAN_BYTES or not any(trace) or not any(key):
                    made.reject()
                    continue
                attributes = _attributes(span.attributes)
                record: dict[str, Any] = {
                    "traceId": trace.hex(),
                    "spanId": key.hex(),
                    "name": span.name,
                    "startTimeUnixNano": span.start_time_unix_nano,
                    "endTimeUnixNano": span.end_time_unix_nano,
                    "attributes": {**shared, **attributes} if shared else attributes,
                    "events": [_event(event) for event in span.events] if span.events else [],
                }
                if parent := span.parent_span_id:
                    record["parentSpanId"] = parent.hex()
                status = span.status
                if status.code:
                    record["status"] = {"code": status.code, "message": status.message}
                made.records.append(record)
    return made


def logs_of_protobuf(body: bytes, wanted: Callable[[str], bool]) -> OtlpRecords:
    """Return the log events of an ExportLogsServiceRequest whose names are ``wanted``; others are ignored.

    Raises:
        ValueError: it is no such message.
    """
    made = OtlpRecords()
    for bundle in _parsed(body, "logs").resource_logs:
        for scope in bundle.scope_logs:
            for log in scope.log_records:
                attributes = _attributes(log.attributes)
                name = log.event_name or str(attributes.get("event.name") or "")
                if not wanted(name):
                    made.ignored += 1
                    continue
                trace, key = log.trace_id, log.span_id
                if trace and len(trace) != _TRACE_BYTES:
                    made.reject()
                    continue
                made.records.append(
                    {
                        "log": name,
                        "traceId": trace.hex(),
                        "spanId": key.hex(),
                        "time": log.time_unix_nano or log.observed_time_unix_nano,
                        "attributes": attributes,
                        "body": _value(log.body),
                    }
                )
    return made


def valid_ids(record: dict[str, Any]) -> bool:
    """Return whether a record of OTLP JSON has a trace id and a span id in hexadecimal."""
    trace, span = record.get("traceId"), record.get("spanId")
    if not isinstance(trace, str) or not isinstance(span, str) or len(trace) != len(_NO_TRACE):
        return False
    if len(span) != len(_NO_SPAN) or trace == _NO_TRACE or span == _NO_SPAN:
        return False
    try:
        int(trace, 16), int(span, 16)
    except ValueError:
        return False
    return True


def partial_success(kind: str, rejected: int, why: str) -> bytes:
    """Return the body of an answer: empty if everything was accepted, else OTLP's partial success."""
    if not rejected:
        return b""
    if kind == "trace":
        from opentelemetry.proto.collector.trace.v1 import trace_service_pb2 as trace  # noqa: PLC0415 - 45 ms

        part = trace.ExportTracePartialSuccess(rejected_spans=rejected, error_message=why)
        return bytes(trace.ExportTraceServiceResponse(partial_success=part).SerializeToString())
    from opentelemetry.proto.collector.logs.v1 import logs_service_pb2 as logs  # noqa: PLC0415

    told = logs.ExportLogsPartialSuccess(rejected_log_records=rejected, error_message=why)
    return bytes(logs.ExportLogsServiceResponse(partial_success=told).SerializeToString())


def _parsed(body: bytes, kind: str) -> Any:
    try:
        from google.protobuf.message import DecodeError  # type: ignore[import-untyped] # noqa: PLC0415
        from opentelemetry.proto.collector.logs.v1 import logs_service_pb2 as logs  # noqa: PLC0415
        from opentelemetry.proto.collector.trace.v1 import trace_service_pb2 as trace  # noqa: PLC0415
    except ImportError:
        hint = "install proctor with the extra `monitor`, or let the sender use OTLP as JSON"
        raise ConfigError("OTLP as protobuf needs the package opentelemetry-proto", hint=hint) from None
    request = trace.ExportTraceServiceRequest() if kind == "trace" else logs.ExportLogsServiceRequest()
    try:
        request.ParseFromString(body)
    except DecodeError:
        raise ValueError(f"is no OTLP export of {kind}") from None
    return request


def _event(event: Any) -> dict[str, Any]:
    return {
        "name": event.name,
        "timeUnixNano": event.time_unix_nano,
        "attributes": _attributes(event.attributes),
    }


def _attributes(pairs: Any) -> dict[str, Any]:
    """Return the attributes that the mapping reads."""
    made: dict[str, Any] = {}
    known = _known_names
    for pair in pairs:
        name = pair.key
        kept = known.get(name)
        if kept is None:
            kept = is_read(name)
            if len(known) < _MAX_KNOWN_NAMES:
                known[name] = kept
        if kept:
            value = pair.value
            # Most values are texts: one look instead of asking which kind it is.
            made[name] = value.string_value or _value(value)
    return made


def _value(value: Any) -> Any:
    kind = value.WhichOneof("value")
    if kind is None:
        return None
    inside = getattr(value, kind)
    if kind == "array_value":
        return [_value(each) for each in inside.values]
    if kind == "kvlist_value":
        return {pair.key: _value(pair.value) for pair in inside.values}
    if kind == "bytes_value":
        return inside.hex()
    return inside
