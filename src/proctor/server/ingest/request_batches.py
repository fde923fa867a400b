"""Read the bodies of requests into what is to be written: OTLP, JSON, NDJSON, Langfuse and LangSmith."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import orjson

from proctor.core.codec import content_id
from proctor.core.errors import MalformedError
from proctor.core.event_row import EventRow
from proctor.server.ingest.commit_queue import RequestBatch
from proctor.server.ingest.otlp_protobuf import OtlpRecords, logs_of_protobuf, traces_of_protobuf, valid_ids
from proctor.store.span_journal import WaitingSpan
from proctor.suites.conversations.entries import Entry
from proctor.suites.conversations.otel_messages import MESSAGE_EVENTS
from proctor.suites.conversations.otel_records import LOG, is_read, otel_records
from proctor.suites.conversations.trace_scores import EVALUATION_EVENT, LANGFUSE_SCORE, LANGSMITH_FEEDBACK
from proctor.workflows.monitor.intake import Intake
from proctor.workflows.monitor.trace_assembly import SCORES
from proctor.workflows.monitor.validate_events import MAX_AHEAD

__all__ = ["MAX_PROBLEMS", "feedback_batch", "json_batch", "langfuse_scores_batch", "otlp_batch", "runs_batch"]

MAX_PROBLEMS: Final = 20  # that an answer names
_MAX_KEY_CHARS: Final = 100
_MAX_TIME_DIGITS: Final = 20
_OTLP_LISTS: Final = (  # what an export holds, in both notations
    (("resourceSpans", "resource_spans"), ("scopeSpans", "scope_spans"), ("spans",)),
    (("resourceLogs", "resource_logs"), ("scopeLogs", "scope_logs"), ("logRecords", "log_records")),
)
_WANTED_LOGS: Final = MESSAGE_EVENTS | {EVALUATION_EVENT}


def otlp_batch(intake: Intake, kind: str, body: bytes, source: str | None, *, as_json: bool) -> RequestBatch:
    """Read an OTLP export of ``trace`` or ``logs``.

    Raises:
        ValueError: it is no such export.
    """
    if as_json:
        found = _otlp_json(body)
    elif kind == "trace":
        found = traces_of_protobuf(body)
    else:
        found = logs_of_protobuf(body, _WANTED_LOGS.__contains__)
    now = time.time()
    latest = int((now + MAX_AHEAD) * 1e9)
    spans = []
    for record in found.records:
        if _nanoseconds(record.get("startTimeUnixNano") or record.get("time")) > latest:
            found.reject("the time is more than a day ahead of the server's clock")
            continue
        trace = record["traceId"]
        is_root = "parentSpanId" not in record and LOG not in record
        if not trace:  # an evaluation outside any span
            trace, is_root = f"log-{content_id(record)}", True
        spans.append(WaitingSpan(trace, "otel", source, now, intake.span_line(record), is_root))
    return RequestBatch(spans=spans, rejected=found.rejected, ignored=found.ignored, why=found.why)


def _otlp_json(body: bytes) -> OtlpRecords:
    data = _loaded(body)
    if not isinstance(data, dict):
        raise ValueError("is no OTLP export: a JSON object")
    for path in _OTLP_LISTS:
        _check_lists(data, path)
    made = OtlpRecords()
    for entry in otel_records(iter([Entry(data=data, file=Path("request"))])):
        record = entry.data
        if LOG in record:
            if record[LOG] not in _WANTED_LOGS:
                made.ignored += 1
                continue
            record["traceId"], record["spanId"] = record.get("traceId") or "", record.get("spanId") or ""
        elif not valid_ids(record):
            made.reject("trace ids must have 32 hexadecimal digits and span ids 16, and neither may be zero")
            continue
        record["attributes"] = {name: value for name, value in record["attributes"].items() if is_read(name)}
        if not record.get("parentSpanId"):
            record.pop("parentSpanId", None)
        record["traceId"], record["spanId"] = record["traceId"].lower(), record["spanId"].lower()
        made.records.append(record)
    return made


def _nanoseconds(given: Any) -> int:
    """Return a time of OTLP, which JSON writes as a text; 0 if it is none."""
    if type(given) is int:
        return given
    return int(given) if isinstance(given, str) and len(given) <= _MAX_TIME_DIGITS and given.isdecimal() else 0


def _check_lists(inside: dict[str, Any], path: tuple[tuple[str, ...], ...]) -> None:
    """Check that an export holds lists of objects where OTLP has them; what is left out or null is empty."""
    for name in path[0]:
        items = inside.get(name)
        if items is None:
            continue
        if not isinstance(items, list) or not all(isinstance(each, dict) for each in items):
            raise ValueError(f"is no OTLP export: `{name}` must be a list of objects")
        if len(path) > 1:
            for each in items:
                _check_lists(each, path[1:])


def json_batch(
    intake: Intake, body: bytes, source: str | None, *, lines: bool, kind: str | None = None
) -> RequestBatch:
    """Read events from JSON: one, a list, or one on each line; ``kind`` is that of events that name none.

    Raises:
        ValueError: it is no JSON.
    """
    made = RequestBatch()
    received = datetime.now(UTC)
    for number, data in _values(body, lines=lines):
        try:
            if isinstance(data, ValueError):
                raise data
            read = intake.read(data, source=source, received=received)
            if isinstance(read, EventRow):
                made.rows.append(read)
            else:
                made.events.append(read)
        except MalformedError as error:
            made.rejected += 1
            if len(made.problems) < MAX_PROBLEMS:
                first = error.problems[0]
                told = {"index": number, "field": first.where, "message": first.message, "hint": first.hint}
                made.problems.append({key: value for key, value in told.items() if value not in (None, "")})
        except ValueError as error:
            made.rejected += 1
            if len(made.problems) < MAX_PROBLEMS:
                made.problems.append({"index": number, "message": f"is no JSON: {error}"})
    return made


def _values(body: bytes, *, lines: bool) -> Iterator[tuple[int, Any]]:
    if not lines:
        data = _loaded(body)
        yield from enumerate(data if isinstance(data, list) else [data])
        return
    number = 0
    for line in body.split(b"\n"):
        if not line or line.isspace():
            continue
        try:
            yield number, orjson.loads(line)
        except ValueError as error:
            yield number, error
        number += 1


def langfuse_scores_batch(intake: Intake, body: bytes, source: str | None) -> tuple[RequestBatch, list[str]]:
    """Read scores of Langfuse's API, one or a list; return their ids too.

    Raises:
        ValueError: it is no JSON.
    """
    data = _loaded(body)
    return _scores(intake, data if isinstance(data, list) else [data], source, LANGFUSE_SCORE, "name", "traceId")


def feedback_batch(intake: Intake, body: bytes, source: str | None) -> tuple[RequestBatch, list[str]]:
    """Read a feedback of LangSmith's API; return its id too.

    Raises:
        ValueError: it is no JSON.
    """
    data = _loaded(body)
    return _scores(intake, data if isinstance(data, list) else [data], source, LANGSMITH_FEEDBACK, "key", "trace_id")


def _scores(
    intake: Intake, items: Iterable[Any], source: str | None, kind: str, name: str, trace: str
) -> tuple[RequestBatch, list[str]]:
    made, ids, now = RequestBatch(), [], time.time()
    for index, item in enumerate(items):
        if not isinstance(item, Mapping) or not isinstance(item.get(name), str) or not item[name]:
            made.rejected += 1
            made.why = made.why or f"a score needs `{name}`"
            made.problems.append({"index": index, "field": name, "message": "a score needs a name"})
            continue
        ids.append(str(item.get("id") or content_id(dict(item))))
        belongs = item.get(trace) or item.get("run_id") or item.get("sessionId")
        key = _short(str(belongs)) if belongs else f"score-{_short(ids[-1])}"
        line = intake.span_line({kind: {**item, "id": ids[-1]}})
        made.spans.append(WaitingSpan(key, SCORES, source, now, line, not belongs))
    return made, ids


def runs_batch(intake: Intake, runs: Iterable[Any], source: str | None) -> RequestBatch:
    """Read runs of LangSmith's API: new ones and updates.

    An update of a run that was posted before may lack the trace; it is then taken for its own.
    """
    made, now = RequestBatch(), time.time()
    for run in runs:
        key = run.get("trace_id") or run.get("id") if isinstance(run, Mapping) else None
        if not isinstance(key, str) or not isinstance(run.get("id"), str):
            made.rejected += 1
            made.why = made.why or "a run needs `id` and `trace_id`"
            continue
        is_root = run.get("id") == key and run.get("end_time") is not None
        made.spans.append(WaitingSpan(_short(key), "langsmith", source, now, intake.span_line(dict(run)), is_root))
    return made


def _short(key: str) -> str:
    """Return an id that events can have: a long one is replaced by its hash."""
    return key if len(key) <= _MAX_KEY_CHARS else content_id(key, length=32)


def _loaded(body: bytes) -> Any:
    try:
        return orjson.loads(body)
    except ValueError as error:
        raise ValueError(f"is no JSON: {error}") from None
