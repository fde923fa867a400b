"""Unpack OpenTelemetry data: spans and log events of OTLP JSON, with their attributes as plain mappings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from proctor.core.codec import dumps
from proctor.suites.conversations.entries import Entry

__all__ = ["LOG", "event_name", "is_read", "join_logs", "otel_records"]

# What the mapping reads. Other attributes of a span (addresses, database statements) are not kept.
_READ = (
    *("gen_ai.", "llm.", "openinference.", "traceloop.", "langfuse.", "langsmith.", "proctor.", "tool.", "retrieval."),
    *("input.", "output.", "session.", "user.", "enduser.", "conversation.", "thread.", "error.", "service.", "event."),
    *("annotations.", "evaluations.", "trace.annotations.", "trace.evaluations."),
)
_READ_NAMES = frozenset({"intent", "confidence", "escalation", "version", "release"})
_NOT_READ = ("service.instance.",)
LOG = "log"  # the key of a record that is a log event; its value is the event's name

_MAX_TIME_DIGITS = 20


def otel_records(entries: Iterator[Entry]) -> Iterator[Entry]:
    """Yield spans and log events one by one, with their attributes as a plain mapping."""
    for entry in entries:
        data = entry.data
        if not isinstance(data, Mapping):
            raise entry.wrong("expected a span, or OTLP JSON with `resourceSpans`")
        bundles = data.get("resourceSpans", data.get("resource_spans"))
        logs = data.get("resourceLogs", data.get("resource_logs"))
        if bundles is None and logs is None:
            yield _plain(entry, data, {})
            continue
        yield from _log_events(entry, logs)
        for at, bundle in enumerate(_items(bundles)):
            resource = _attributes((bundle.get("resource") or {}).get("attributes"))
            for to, scope in enumerate(_items(bundle.get("scopeSpans", bundle.get("scope_spans")))):
                for index, span in enumerate(_items(scope.get("spans"))):
                    path = (*entry.path, "resourceSpans", at, "scopeSpans", to, "spans", index)
                    place = Entry(data=span, file=entry.file, line=entry.line, path=path)
                    yield _plain(place, span, resource)


def _items(value: Any) -> list[Mapping[str, Any]]:
    return [each for each in value if isinstance(each, Mapping)] if isinstance(value, list) else []


def _plain(entry: Entry, span: Mapping[str, Any], resource: Mapping[str, Any]) -> Entry:
    attributes = {**resource, **_attributes(span.get("attributes"))}
    events = [{**event, "attributes": _attributes(event.get("attributes"))} for event in _items(span.get("events"))]
    data = {**span, "attributes": attributes, "events": events}
    return Entry(data=data, file=entry.file, line=entry.line, path=entry.path)


def _attributes(given: Any) -> dict[str, Any]:
    """Convert either notation of attributes to a mapping."""
    if isinstance(given, Mapping):
        return dict(given)
    return {str(each.get("key")): _value(each.get("value")) for each in _items(given)}


def _value(value: Any) -> Any:
    """Return the value of OTLP's `{stringValue: …}`."""
    if not isinstance(value, Mapping):
        return value
    for kind, inside in value.items():
        match kind:
            case "intValue" | "int_value":
                return int(inside) if str(inside).lstrip("-").isdigit() else inside
            case "arrayValue" | "array_value":
                return [_value(each) for each in (inside or {}).get("values", [])]
            case "kvlistValue" | "kvlist_value":
                return _attributes((inside or {}).get("values", []))
            case _:
                return inside
    return None


def _log_events(entry: Entry, bundles: Any) -> Iterator[Entry]:
    for at, bundle in enumerate(_items(bundles)):
        for to, scope in enumerate(_items(bundle.get("scopeLogs", bundle.get("scope_logs")))):
            for index, record in enumerate(_items(scope.get("logRecords", scope.get("log_records")))):
                path = (*entry.path, "resourceLogs", at, "scopeLogs", to, "logRecords", index)
                attributes = _attributes(record.get("attributes"))
                data = {
                    LOG: event_name(record.get("eventName", record.get("event_name")), attributes),
                    "traceId": record.get("traceId", record.get("trace_id")),
                    "spanId": record.get("spanId", record.get("span_id")),
                    "time": record.get("timeUnixNano") or record.get("observedTimeUnixNano"),
                    "attributes": attributes,
                    "body": _value(record.get("body")),
                }
                yield Entry(data=data, file=entry.file, line=entry.line, path=path)


def is_read(name: str) -> bool:
    """Return whether the mapping may read an attribute of this name."""
    return (name.startswith(_READ) and not name.startswith(_NOT_READ)) or name in _READ_NAMES


def event_name(name: Any, attributes: Mapping[str, Any]) -> str:
    """Return the name of a log event, which older SDKs wrote as an attribute."""
    return str(name or attributes.get("event.name") or "")


def join_logs(records: list[Entry]) -> list[Entry]:
    """Return the spans of a trace, each once, with the log events that name them among their events."""
    spans: dict[str | int, Entry] = {}
    logs: dict[str | int, dict[bytes, Mapping[str, Any]]] = {}
    for at, entry in enumerate(records):
        data = entry.data
        context = data.get("context")
        inside = context.get("span_id") if isinstance(context, Mapping) else None
        named = data.get("spanId") or data.get("span_id") or inside
        key: str | int = named if isinstance(named, str) else at
        if LOG in data:
            logs.setdefault(key, {})[dumps(data)] = data
        else:
            spans[key] = entry
    for key, events in logs.items():
        span = spans.get(key)
        if span is None:
            continue
        ordered = sorted(events.values(), key=_event_time)
        told = [{"name": each[LOG], "attributes": each["attributes"], "body": each["body"]} for each in ordered]
        data = {**span.data, "events": [*span.data["events"], *told]}
        spans[key] = Entry(data=data, file=span.file, line=span.line, path=span.path)
    return list(spans.values())


def _event_time(event: Mapping[str, Any]) -> int:
    time = str(event.get("time") or 0)
    return int(time) if time.isdecimal() and len(time) < _MAX_TIME_DIGITS else 0
