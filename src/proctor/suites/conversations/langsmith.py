"""Import LangSmith exports: runs from its SDK and its bulk export, one per line or in a list."""

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

__all__ = ["LANGSMITH", "LANGSMITH_TRACES", "is_langsmith", "langsmith_step", "read_langsmith"]

_THREADS = ("session_id", "thread_id", "conversation_id")


def is_langsmith(data: Any) -> bool:
    """Whether it is a run or a list of runs."""
    if not isinstance(data, Mapping):
        return False
    if isinstance(inside := data.get("runs"), list) and inside:
        return is_langsmith(inside[0])
    return "run_type" in data and any(key in data for key in ("inputs", "trace_id", "dotted_order"))


def read_langsmith(entries: Iterator[Entry]) -> Iterator[Case]:
    """Yield one case per thread; a trace without a thread is its own conversation."""
    return read_traced(entries, LANGSMITH_TRACES)


def _runs(entries: Iterator[Entry]) -> Iterator[Entry]:
    """Yield runs one by one, including nested runs."""
    for entry in listed(entries, "runs"):
        if not isinstance(entry.data, Mapping) or "run_type" not in entry.data:
            raise entry.wrong("expected a run of LangSmith: a mapping with `run_type`")
        yield from _flat(entry)


def _flat(entry: Entry) -> Iterator[Entry]:
    children = entry.data.get("child_runs")
    yield Entry(
        data={key: value for key, value in entry.data.items() if key != "child_runs"},
        file=entry.file,
        line=entry.line,
        path=entry.path,
    )
    for at, child in enumerate(children if isinstance(children, list) else ()):
        if isinstance(child, Mapping):
            data = {"trace_id": entry.data.get("trace_id", entry.data.get("id")), **child}
            yield from _flat(Entry(data=data, file=entry.file, line=entry.line, path=(*entry.path, "child_runs", at)))


def _metadata(run: Mapping[str, Any]) -> Mapping[str, Any]:
    extra = parsed(run.get("extra"))
    inside = extra.get("metadata") if isinstance(extra, Mapping) else run.get("metadata")
    return inside if isinstance(inside, Mapping) else {}


def _thread(entry: Entry) -> str | None:
    # a run's own `session_id` is the project, so only the metadata counts
    return text_at(_metadata(entry.data), *_THREADS) or text_at(entry.data, "thread_id")


def _trace(entry: Entry) -> str | None:
    return text_at(entry.data, "trace_id", "id")


def _about(runs: list[Entry]) -> dict[str, Any]:
    metadata = [_metadata(run.data) for run in runs]
    customer = next((who for each in metadata if (who := text_at(each, "user_id", "customer_id", "customer"))), None)
    model = next((name for each in metadata if (name := text_at(each, "ls_model_name"))), None)
    tags = next((run.data["tags"] for run in runs if run.data.get("tags")), None)
    return {"customer": customer, "model": model, "tags": tags, "format": "langsmith"}


def langsmith_step(entry: Entry) -> AgentStep | None:
    """Read one run as a step of the agent; None if it says nothing about the conversation."""
    run = entry.data
    start, end = time_of(run.get("start_time")), time_of(run.get("end_time"))
    error = str(run["error"]) if run.get("error") else None
    timing: dict[str, Any] = {"start": start, "end": end, "name": str(run.get("name") or ""), "error": error}
    inputs, outputs = parsed(run.get("inputs")), parsed(run.get("outputs"))
    kind = run.get("run_type")
    if kind == "tool":
        call = ToolCall(
            name=timing["name"],
            arguments=_arguments(inputs),
            id=text_at(_metadata(run), "tool_call_id") or _result_id(outputs),
            result=_result(outputs),
            error=error,
            latency=seconds(start, end),
        )
        return AgentStep(kind="tool", call=call, **timing)
    if kind == "retriever":
        return AgentStep(kind="retrieval", sources=sources_of(outputs), **timing)
    whole = kind in ("chain", "agent") and not text_at(run, "parent_run_id")
    if kind != "llm" and not whole:
        return None
    return AgentStep(
        kind="model" if kind == "llm" else "exchange",
        sent=loosely(entry, inputs, "inputs", "user"),
        got=loosely(entry, outputs, "outputs", "assistant"),
        usage=_usage(run, outputs) if kind == "llm" else None,
        cost=number(run.get("total_cost")) if kind == "llm" else None,
        **timing,
    )


def _arguments(inputs: Any) -> dict[str, Any]:
    if isinstance(inputs, Mapping) and set(inputs) == {"input"}:
        return arguments_of(inputs["input"])
    return arguments_of(inputs)


def _result(outputs: Any) -> Any:
    """Return a tool's result: LangChain wraps it as `{output: …}`, which may be a message."""
    inside = outputs.get("output", outputs) if isinstance(outputs, Mapping) else outputs
    if isinstance(inside, Mapping):
        inside = inside.get("kwargs", inside)
        inside = inside.get("content", inside)
    return result_of(inside) if isinstance(inside, str) else inside


def _result_id(outputs: Any) -> str | None:
    inside = outputs.get("output") if isinstance(outputs, Mapping) else None
    if isinstance(inside, Mapping):
        inside = inside.get("kwargs", inside)
        return text_at(inside, "tool_call_id")
    return None


def _usage(run: Mapping[str, Any], outputs: Any) -> Any:
    told = outputs.get("usage_metadata") or outputs.get("usage") if isinstance(outputs, Mapping) else None
    counted = {"input_tokens": run.get("prompt_tokens"), "output_tokens": run.get("completion_tokens")}
    return usage_of(told) or usage_of(counted)


def _joined(runs: list[Entry]) -> list[Entry]:
    """Merge a run with its later updates: the SDK posts a run when it starts and patches it when it ends."""
    return merge_updates(runs, "id")


def _model(runs: list[Entry]) -> str | None:
    """Return the model that answered; the one that was asked for if the answer does not name it."""
    outputs = [parsed(run.data.get("outputs")) for run in runs if run.data.get("run_type") == "llm"]
    answered = (text_at(each, "model") for each in outputs if isinstance(each, Mapping))
    return next((name for name in answered if name), None) or text_at(_about(runs), "model")


LANGSMITH_TRACES = TraceFormat(
    name="langsmith",
    records=_runs,
    trace=_trace,
    session=_thread,
    step=langsmith_step,
    about=_about,
    model=_model,
    join=_joined,
)
LANGSMITH = Importer(title="LangSmith runs", fits=is_langsmith, read=read_langsmith, order=40)
