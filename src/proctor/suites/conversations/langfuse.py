"""Import Langfuse exports: enriched observations, traces with their observations, and API lists."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from proctor.core.case import Case
from proctor.core.chat import ToolCall
from proctor.suites.conversations.build_case import text_at
from proctor.suites.conversations.entries import Entry
from proctor.suites.conversations.importer import Importer
from proctor.suites.conversations.log_metadata import sources_of
from proctor.suites.conversations.messages import arguments_of, result_of, time_of
from proctor.suites.conversations.steps import AgentStep
from proctor.suites.conversations.trace_format import TraceFormat
from proctor.suites.conversations.trace_spans import listed, loosely, merge_updates, parsed, read_traced, seconds
from proctor.suites.conversations.usage_fields import number, usage_of

__all__ = ["LANGFUSE", "LANGFUSE_TRACES", "is_langfuse", "langfuse_step", "read_langfuse"]

_TYPES = ("SPAN", "GENERATION", "EVENT", "AGENT", "TOOL", "CHAIN", "RETRIEVER", "EVALUATOR", "GUARDRAIL", "EMBEDDING")
_TRACE = "TRACE"


def is_langfuse(data: Any) -> bool:
    """Whether it is an observation, a trace (it has a time and no type), or an API list of them."""
    if not isinstance(data, Mapping):
        return False
    if isinstance(inside := data.get("data"), list) and inside:
        return is_langfuse(inside[0])
    if data.get("type") in _TYPES and any(key in data for key in ("trace_id", "traceId")):
        return True
    return (
        "id" in data and "timestamp" in data and any(key in data for key in ("observations", "sessionId", "session_id"))
    )


def read_langfuse(entries: Iterator[Entry]) -> Iterator[Case]:
    """Yield one case per session; a trace without a session is its own conversation."""
    return read_traced(entries, LANGFUSE_TRACES)


def _observations(entries: Iterator[Entry]) -> Iterator[Entry]:
    """Yield observations one by one; those inside a trace with the trace's fields."""
    for entry in listed(entries, "data"):
        data = entry.data
        if not isinstance(data, Mapping):
            raise entry.wrong("expected an observation or a trace of Langfuse: a mapping")
        if data.get("type") in _TYPES:
            yield entry
            continue
        inside = data.get("observations")
        shared = {"traceId": data.get("id"), "sessionId": data.get("sessionId", data.get("session_id"))}
        shared["userId"] = data.get("userId", data.get("user_id"))
        rest = {key: value for key, value in data.items() if key != "observations"}
        yield Entry(data={**rest, "type": _TRACE, **shared}, file=entry.file, line=entry.line, path=entry.path)
        for at, observation in enumerate(inside if isinstance(inside, list) else ()):
            if isinstance(observation, Mapping):  # the API may return only ids
                path = (*entry.path, "observations", at)
                yield Entry(data={**shared, **observation}, file=entry.file, line=entry.line, path=path)


def _at(data: Mapping[str, Any], name: str) -> Any:
    """Return a field by its name in an export (`start_time`) or in the API (`startTime`)."""
    first, *more = name.split("_")
    other = first + "".join(word.title() for word in more)
    value = data.get(name)
    return value if value is not None else data.get(other)


def _session(entry: Entry) -> str | None:
    found = _at(entry.data, "session_id")
    return str(found) if found else None


def _trace(entry: Entry) -> str | None:
    found = _at(entry.data, "trace_id") or entry.data.get("id")
    return str(found) if found else None


def _about(spans: list[Entry]) -> dict[str, Any]:
    def first(name: str) -> Any:
        return next((value for span in spans if (value := _at(span.data, name))), None)

    return {
        "customer": str(who) if (who := first("user_id")) else None,
        "environment": first("environment"),
        "release": first("release"),
        "tags": first("tags"),
        "model": first("provided_model_name") or first("model"),
        "format": "langfuse",
    }


def langfuse_step(entry: Entry) -> AgentStep | None:
    """Read one observation as a step of the agent; None if it says nothing about the conversation."""
    data = entry.data
    kind = data.get("type")
    start = time_of(_at(data, "start_time") or data.get("timestamp"))
    end = time_of(_at(data, "end_time")) or start
    failed = data.get("level") == "ERROR"
    error = str(_at(data, "status_message") or "failed") if failed else None
    timing: dict[str, Any] = {"start": start, "end": end, "name": str(data.get("name") or ""), "error": error}
    if kind == "TOOL":
        output = parsed(data.get("output"))
        call = ToolCall(
            name=timing["name"],
            arguments=arguments_of(data.get("input")),
            id=text_at(data, "tool_call_id"),
            result=result_of(output) if isinstance(output, str) else output,
            error=error,
            latency=seconds(start, end),
        )
        return AgentStep(kind="tool", call=call, **timing)
    if kind == "RETRIEVER":
        return AgentStep(kind="retrieval", sources=sources_of(parsed(data.get("output"))), **timing)
    whole = kind in (_TRACE, "AGENT", "CHAIN") or (kind == "SPAN" and not _at(data, "parent_observation_id"))
    if kind != "GENERATION" and not whole:
        return None
    cost = number(_at(data, "total_cost") or _at(data, "calculated_total_cost"))
    return AgentStep(
        kind="model" if kind == "GENERATION" else "exchange",
        sent=loosely(entry, data.get("input"), "input", "user"),
        got=loosely(entry, data.get("output"), "output", "assistant"),
        usage=usage_of(parsed(_at(data, "usage_details") or data.get("usage"))),
        cost=cost if kind == "GENERATION" else None,
        **timing,
    )


def _joined(observations: list[Entry]) -> list[Entry]:
    """Merge an observation with its later updates, which have its id and only the fields that changed."""
    return merge_updates(observations, "id")


LANGFUSE_TRACES = TraceFormat(
    name="langfuse",
    records=_observations,
    trace=_trace,
    session=_session,
    step=langfuse_step,
    about=_about,
    model=lambda spans: text_at(_about(spans), "model"),
    join=_joined,
)
LANGFUSE = Importer(title="Langfuse observations and traces", fits=is_langfuse, read=read_langfuse, order=50)
