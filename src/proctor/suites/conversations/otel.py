"""Import OpenTelemetry GenAI spans: OTLP JSON from collectors, and spans from the console exporter.

One mapping for the current conventions, their older names, OpenLLMetry, OpenInference, and what the SDKs of Langfuse
and LangSmith send over OpenTelemetry.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from proctor.core.case import Case
from proctor.core.chat import ToolCall, Usage
from proctor.suites.conversations.build_case import text_at
from proctor.suites.conversations.entries import Entry
from proctor.suites.conversations.importer import Importer
from proctor.suites.conversations.langfuse import langfuse_step
from proctor.suites.conversations.langsmith import langsmith_step
from proctor.suites.conversations.log_metadata import sources_of
from proctor.suites.conversations.messages import arguments_of, result_of, time_of
from proctor.suites.conversations.otel_messages import numbered_documents, span_messages
from proctor.suites.conversations.otel_records import join_logs, otel_records
from proctor.suites.conversations.steps import AgentStep
from proctor.suites.conversations.trace_format import TraceFormat
from proctor.suites.conversations.trace_spans import loosely, parsed, read_traced, seconds
from proctor.suites.conversations.usage_fields import number, usage_of

__all__ = ["OTEL", "OTEL_TRACES", "is_otel", "read_otel"]

_SESSION = (
    "gen_ai.conversation.id",
    "session.id",
    "gen_ai.session.id",
    "conversation.id",
    "thread.id",
    "langfuse.session.id",
    "langsmith.metadata.session_id",
    "langsmith.metadata.thread_id",
    "langsmith.metadata.conversation_id",
    "traceloop.association.properties.session_id",
)
_CUSTOMER = (
    "enduser.id",
    "user.id",
    "langfuse.user.id",
    "langsmith.metadata.user_id",
    "traceloop.association.properties.user_id",
)
_MODEL = ("gen_ai.response.model", "langfuse.observation.model.name", "llm.model_name", "gen_ai.request.model")
_ABOUT = ("gen_ai.agent.name", "gen_ai.provider.name", "gen_ai.system", "gen_ai.request.model", "service.name")

_USAGE = {
    "llm.token_count.prompt": "input_tokens",
    "llm.token_count.completion": "output_tokens",
    "llm.token_count.prompt_details.cache_read": "cache_read_input_tokens",
    "llm.token_count.completion_details.reasoning": "reasoning_tokens",
    **{
        f"gen_ai.usage.{name}": name
        for name in (
            *("input_tokens", "output_tokens", "prompt_tokens", "completion_tokens", "cached_tokens"),
            *("cache_read.input_tokens", "cache_read_input_tokens", "reasoning.output_tokens", "reasoning_tokens"),
        )
    },
}
_USAGE_NAMES = frozenset(_USAGE)
_MAX_NANOSECONDS = 250_000_000_000 * 10**9  # the year 9892
_SESSION_NAMES, _MODEL_NAMES = frozenset(_SESSION), frozenset(_MODEL)
_ABOUT_NAMES = frozenset((*_ABOUT, *_CUSTOMER))
_RESULTS = ("gen_ai.tool.call.result", "output.value", "traceloop.entity.output")
_ARGUMENTS = ("gen_ai.tool.call.arguments", "tool.parameters", "input.value", "traceloop.entity.input")


def is_otel(data: Any) -> bool:
    """Whether it is OTLP JSON or a span with attributes."""
    if not isinstance(data, Mapping):
        return False
    if any(key in data for key in ("resourceSpans", "resource_spans", "resourceLogs", "resource_logs")):
        return True
    return "attributes" in data and any(key in data for key in ("traceId", "trace_id", "context", "spanId"))


def read_otel(entries: Iterator[Entry]) -> Iterator[Case]:
    """Yield one case per conversation: by `gen_ai.conversation.id`, else the session, else the trace."""
    return read_traced(entries, OTEL_TRACES)


def _session(entry: Entry) -> str | None:
    told = entry.data["attributes"]
    return None if _SESSION_NAMES.isdisjoint(told) else text_at(told, *_SESSION)


def _trace(entry: Entry) -> str | None:
    data, context = entry.data, entry.data.get("context")
    inside = text_at(context, "trace_id") if isinstance(context, Mapping) else None
    return text_at(data, "traceId", "trace_id") or inside


def _about(spans: list[Entry]) -> dict[str, Any]:
    attributes = [told for span in spans if not _ABOUT_NAMES.isdisjoint(told := span.data["attributes"])]
    found = {name: next((each[name] for each in attributes if each.get(name)), None) for name in _ABOUT}
    customer = next((who for each in attributes if (who := text_at(each, *_CUSTOMER))), None)
    return {**found, "customer": customer, "format": "otel"}


def _model(spans: list[Entry]) -> str | None:
    """Return the model that answered last, as the provider names it."""
    told = [each for span in spans if not _MODEL_NAMES.isdisjoint(each := span.data["attributes"])]
    return next((name for key in _MODEL for each in reversed(told) if (name := text_at(each, key))), None)


def _step(entry: Entry) -> AgentStep | None:
    span, told = entry.data, entry.data["attributes"]
    if "langfuse.observation.type" in told:
        return langfuse_step(_observation(entry, told))
    if "langsmith.span.kind" in told:
        return langsmith_step(_run(entry, told))
    operation = told.get("gen_ai.operation.name") or told.get("openinference.span.kind", "")
    start, end = _moment(span, "start"), _moment(span, "end")
    timing: dict[str, Any] = {
        "start": start,
        "end": end,
        "name": str(span.get("name", "")),
        "error": _failure(span, told),
    }
    kind = str(operation or told.get("traceloop.span.kind", "")).lower()
    if kind in ("execute_tool", "tool") or ("gen_ai.tool.name" in told and kind != "chat"):
        return AgentStep(kind="tool", call=_call(told, timing, seconds(start, end)), **timing)
    if kind in ("retrieval", "retriever"):
        documents = told.get("gen_ai.retrieval.documents") or numbered_documents(told)
        return AgentStep(kind="retrieval", sources=sources_of(parsed(documents)), **timing)
    agent = kind in ("invoke_agent", "create_agent", "invoke_workflow", "agent", "chain", "workflow")
    sent, got = span_messages(entry, told)
    if agent and not sent and not got:
        sent = loosely(entry, told.get("traceloop.entity.input", told.get("input.value")), "input", "user")
        got = loosely(entry, told.get("traceloop.entity.output", told.get("output.value")), "output", "assistant")
    if not sent and not got and "gen_ai.operation.name" not in told:
        return None
    cost = told.get("gen_ai.usage.cost", told.get("llm.cost.total"))
    return AgentStep(
        kind="exchange" if agent else "model",
        sent=sent,
        got=got,
        usage=_usage(told),
        cost=float(cost) if isinstance(cost, (int, float)) else None,
        **timing,
    )


def _observation(entry: Entry, told: Mapping[str, Any]) -> Entry:
    """Return the span of a Langfuse SDK as the observation it stands for."""
    span, stem = entry.data, "langfuse.observation."
    costs = parsed(told.get(f"{stem}cost_details"))
    data = {
        "type": str(told[f"{stem}type"]).upper(),
        "name": span.get("name"),
        "start_time": _moment(span, "start"),
        "end_time": _moment(span, "end"),
        "input": told.get(f"{stem}input"),
        "output": told.get(f"{stem}output"),
        "level": "ERROR" if _failure(span, told) else told.get(f"{stem}level"),
        "status_message": told.get(f"{stem}status_message") or _failure(span, told),
        "usage_details": told.get(f"{stem}usage_details"),
        "total_cost": costs.get("total") if isinstance(costs, Mapping) else None,
        "parent_observation_id": span.get("parentSpanId"),
        "tool_call_id": told.get("gen_ai.tool.call.id"),
    }
    return Entry(data=data, file=entry.file, line=entry.line, path=entry.path)


def _run(entry: Entry, told: Mapping[str, Any]) -> Entry:
    """Return the span of a LangSmith SDK as the run it stands for."""
    span = entry.data
    data = {
        "run_type": told["langsmith.span.kind"],
        "name": span.get("name"),
        "start_time": _moment(span, "start"),
        "end_time": _moment(span, "end"),
        "inputs": told.get("gen_ai.prompt"),
        "outputs": told.get("gen_ai.completion"),
        "error": _failure(span, told),
        "prompt_tokens": told.get("gen_ai.usage.input_tokens"),
        "completion_tokens": told.get("gen_ai.usage.output_tokens"),
        "parent_run_id": span.get("parentSpanId"),
        "extra": {"metadata": {"tool_call_id": told.get("langsmith.metadata.tool_call_id")}},
    }
    return Entry(data=data, file=entry.file, line=entry.line, path=entry.path)


def _moment(span: Mapping[str, Any], which: str) -> datetime | None:
    given = span.get(f"{which}TimeUnixNano", span.get(f"{which}_time_unix_nano"))
    if type(given) is int and 0 < given < _MAX_NANOSECONDS:  # as the wire has it
        return datetime.fromtimestamp(given / 1e9, UTC)
    nanoseconds = number(given)
    return time_of(span.get(f"{which}_time") if nanoseconds is None else nanoseconds / 1e9)


def _usage(told: Mapping[str, Any]) -> Usage | None:
    if _USAGE_NAMES.isdisjoint(told):
        return None
    return usage_of({ours: told[theirs] for theirs, ours in _USAGE.items() if theirs in told})


def _failure(span: Mapping[str, Any], told: Mapping[str, Any]) -> str | None:
    status = span.get("status")
    status = status if isinstance(status, Mapping) else {}
    code = status.get("code", status.get("status_code"))
    if code in (2, "STATUS_CODE_ERROR", "ERROR", "Error"):
        return str(status.get("message") or status.get("description") or told.get("error.type") or "failed")
    return str(told["error.type"]) if told.get("error.type") else None


def _call(told: Mapping[str, Any], timing: Mapping[str, Any], took: float | None) -> ToolCall:
    result = next((told[name] for name in _RESULTS if name in told), None)
    arguments = next((told[name] for name in _ARGUMENTS if name in told), None)
    named = (told.get(name) for name in ("gen_ai.tool.name", "tool.name", "traceloop.entity.name"))
    return ToolCall(
        name=str(next(filter(None, named), None) or timing["name"].removeprefix("execute_tool ")),
        arguments=arguments_of(arguments),
        id=text_at(told, "gen_ai.tool.call.id"),
        result=result_of(result) if isinstance(result, str) else result,
        error=timing["error"],
        latency=took,
    )


OTEL_TRACES = TraceFormat(
    name="otel",
    records=otel_records,
    trace=_trace,
    session=_session,
    step=_step,
    about=_about,
    model=_model,
    join=join_logs,
)
OTEL = Importer(title="OpenTelemetry GenAI spans", fits=is_otel, read=read_otel, order=30)
