"""Import OpenTelemetry GenAI spans: OTLP JSON from collectors, and spans from the console exporter."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from proctor.core.case import Case
from proctor.core.chat import ToolCall
from proctor.suites.conversations.build_case import said_in, text_at
from proctor.suites.conversations.entries import Entry
from proctor.suites.conversations.importer import Importer
from proctor.suites.conversations.log_metadata import sources_of
from proctor.suites.conversations.messages import LoggedMessage, arguments_of, result_of, time_of
from proctor.suites.conversations.steps import AgentStep
from proctor.suites.conversations.trace_spans import parsed, read_traced, seconds
from proctor.suites.conversations.usage_fields import number, usage_of

__all__ = ["OTEL", "is_otel", "read_otel"]

_SESSION = ("gen_ai.conversation.id", "session.id", "gen_ai.session.id", "conversation.id", "thread.id")
_CUSTOMER = ("enduser.id", "user.id")
_EVENTS = {
    "gen_ai.system.message": "system",
    "gen_ai.user.message": "user",
    "gen_ai.assistant.message": "assistant",
    "gen_ai.tool.message": "tool",
}
_NUMBERED = re.compile(r"^(gen_ai\.prompt|gen_ai\.completion|llm\.input_messages|llm\.output_messages)\.(\d+)\.(.+)$")
_ABOUT = ("gen_ai.agent.name", "gen_ai.provider.name", "gen_ai.system", "gen_ai.request.model", "service.name")


def is_otel(data: Any) -> bool:
    """Whether it is OTLP JSON or a span with attributes."""
    if not isinstance(data, Mapping):
        return False
    if "resourceSpans" in data or "resource_spans" in data:
        return True
    return "attributes" in data and any(key in data for key in ("traceId", "trace_id", "context", "spanId"))


def read_otel(entries: Iterator[Entry]) -> Iterator[Case]:
    """Yield one case per conversation: by `gen_ai.conversation.id`, else the session, else the trace."""
    return read_traced(_spans(entries), key=_trace, session=_session, step=_step, about=_about)


def _spans(entries: Iterator[Entry]) -> Iterator[Entry]:
    """Yield spans one by one, with their attributes as a plain mapping."""
    for entry in entries:
        data = entry.data
        if not isinstance(data, Mapping):
            raise entry.wrong("expected a span, or OTLP JSON with `resourceSpans`")
        bundles = data.get("resourceSpans", data.get("resource_spans"))
        if bundles is None:
            yield _plain(entry, data, {})
            continue
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


def _session(entry: Entry) -> str | None:
    return text_at(entry.data["attributes"], *_SESSION)


def _trace(entry: Entry) -> str | None:
    data, context = entry.data, entry.data.get("context")
    inside = text_at(context, "trace_id") if isinstance(context, Mapping) else None
    return text_at(data, "traceId", "trace_id") or inside


def _about(spans: list[Entry]) -> dict[str, Any]:
    attributes = [span.data["attributes"] for span in spans]
    found = {name: next((each[name] for each in attributes if each.get(name)), None) for name in _ABOUT}
    customer = next((who for each in attributes if (who := text_at(each, *_CUSTOMER))), None)
    return {**found, "customer": customer, "format": "otel"}


def _step(entry: Entry) -> AgentStep | None:
    span, told = entry.data, entry.data["attributes"]
    operation = told.get("gen_ai.operation.name") or told.get("openinference.span.kind", "")
    start, end = _moment(span, "start"), _moment(span, "end")
    timing: dict[str, Any] = {
        "start": start,
        "end": end,
        "name": str(span.get("name", "")),
        "error": _failure(span, told),
    }
    kind = str(operation).lower()
    if kind in ("execute_tool", "tool") or ("gen_ai.tool.name" in told and kind != "chat"):
        return AgentStep(kind="tool", call=_call(told, timing, seconds(start, end)), **timing)
    if kind in ("retrieval", "retriever"):
        documents = told.get("gen_ai.retrieval.documents") or _numbered_documents(told)
        return AgentStep(kind="retrieval", sources=sources_of(parsed(documents)), **timing)
    sent, got = _messages(entry, told)
    if not sent and not got and "gen_ai.operation.name" not in told:
        return None
    cost = told.get("gen_ai.usage.cost", told.get("llm.cost.total"))
    agent = kind in ("invoke_agent", "create_agent", "invoke_workflow", "agent", "chain")
    return AgentStep(
        kind="exchange" if agent else "model",
        sent=sent,
        got=got,
        usage=_usage(told),
        cost=float(cost) if isinstance(cost, (int, float)) else None,
        **timing,
    )


def _moment(span: Mapping[str, Any], which: str) -> datetime | None:
    nanoseconds = number(span.get(f"{which}TimeUnixNano", span.get(f"{which}_time_unix_nano")))
    return time_of(span.get(f"{which}_time") if nanoseconds is None else nanoseconds / 1e9)


def _usage(told: Mapping[str, Any]) -> Any:
    usage = {name.removeprefix("gen_ai.usage."): told[name] for name in told if name.startswith("gen_ai.usage.")}
    more = {"input_tokens": "llm.token_count.prompt", "output_tokens": "llm.token_count.completion"}
    return usage_of({**{ours: told.get(theirs) for ours, theirs in more.items()}, **usage})


def _failure(span: Mapping[str, Any], told: Mapping[str, Any]) -> str | None:
    status = span.get("status")
    status = status if isinstance(status, Mapping) else {}
    code = status.get("code", status.get("status_code"))
    if code in (2, "STATUS_CODE_ERROR", "ERROR", "Error"):
        return str(status.get("message") or status.get("description") or told.get("error.type") or "failed")
    return str(told["error.type"]) if told.get("error.type") else None


def _call(told: Mapping[str, Any], timing: Mapping[str, Any], took: float | None) -> ToolCall:
    result = told.get("gen_ai.tool.call.result", told.get("output.value"))
    arguments = told.get("gen_ai.tool.call.arguments", told.get("tool.parameters", told.get("input.value")))
    return ToolCall(
        name=str(told.get("gen_ai.tool.name") or told.get("tool.name") or timing["name"].removeprefix("execute_tool ")),
        arguments=arguments_of(arguments),
        id=text_at(told, "gen_ai.tool.call.id"),
        result=result_of(result) if isinstance(result, str) else result,
        error=timing["error"],
        latency=took,
    )


def _messages(entry: Entry, told: Mapping[str, Any]) -> tuple[list[LoggedMessage], list[LoggedMessage]]:
    """Return the messages sent and received: from current attributes, older events, or numbered attributes."""
    sent, got = parsed(told.get("gen_ai.input.messages")), parsed(told.get("gen_ai.output.messages"))
    system = parsed(told.get("gen_ai.system_instructions"))
    for event in entry.data["events"]:  # the attributes may be on an event
        more = event["attributes"]
        sent = sent or parsed(more.get("gen_ai.input.messages"))
        got = got or parsed(more.get("gen_ai.output.messages"))
        system = system or parsed(more.get("gen_ai.system_instructions"))
    if not sent and not got:
        sent, got = _from_events(entry.data["events"])
    if not sent and not got:
        sent, got = (
            _numbered(told, "gen_ai.prompt", "llm.input_messages"),
            _numbered(told, "gen_ai.completion", "llm.output_messages"),
        )
    if system:
        content = system if isinstance(system, (str, list)) else str(system)
        sent = [{"role": "system", "content": content}, *(sent or [])]
    return said_in(entry, sent or [], "gen_ai.input.messages"), said_in(
        entry, (got or [])[:1], "gen_ai.output.messages"
    )


def _from_events(events: list[Mapping[str, Any]]) -> tuple[list[Any], list[Any]]:
    sent: list[Any] = []
    got: list[Any] = []
    for event in events:
        body = {**event["attributes"], **(event["body"] if isinstance(event.get("body"), Mapping) else {})}
        body = {key: parsed(value) for key, value in body.items()}
        if event.get("name") in _EVENTS:
            sent.append({"role": _EVENTS[str(event["name"])], **body})
        elif event.get("name") == "gen_ai.choice":
            message = body.get("message", body)
            got.append(
                {"role": "assistant", **message}
                if isinstance(message, Mapping)
                else {"role": "assistant", "content": message}
            )
    return sent, got


def _numbered(told: Mapping[str, Any], *stems: str) -> list[Any]:
    """Return messages spread over attributes: `gen_ai.prompt.0.role`, `llm.input_messages.0.message.tool_calls.0.…`."""
    tree: dict[str, Any] = {}
    for name, value in told.items():
        match = _NUMBERED.match(name)
        if match and match[1] in stems:
            _grow(tree, [match[2], *match[3].split(".")], value)
    return [_shaped(tree[key]) for key in sorted(tree, key=_position)]


def _grow(tree: dict[str, Any], path: list[str], value: Any) -> None:
    for step in path[:-1]:
        inside = tree.setdefault(step, {})
        if not isinstance(inside, dict):
            return
        tree = inside
    tree[path[-1]] = value


def _position(key: str) -> tuple[int, str]:
    return (int(key), "") if key.isdigit() else (1_000_000, key)


def _shaped(message: Any) -> Any:
    if not isinstance(message, dict):
        return message
    message = message.get("message", message)
    calls = message.pop("tool_calls", None)
    if isinstance(calls, dict):
        each = [calls[key] for key in sorted(calls, key=_position)]
        message["tool_calls"] = [call.get("tool_call", call) if isinstance(call, dict) else call for call in each]
    return message


def _numbered_documents(told: Mapping[str, Any]) -> list[Any]:
    tree: dict[str, Any] = {}
    for name, value in told.items():
        if name.startswith("retrieval.documents."):
            _grow(tree, name.removeprefix("retrieval.documents.").split("."), parsed(value))
    return [tree[key] for key in sorted(tree, key=_position)]


OTEL = Importer(title="OpenTelemetry GenAI spans", fits=is_otel, read=read_otel, order=30)
