"""Whatever is sent is stored or refused: no request stops the server, and none stops the traces after it."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import orjson
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from proctor.core.errors import ProctorError
from proctor.server.ingest.commit_queue import RequestBatch
from proctor.server.ingest.request_batches import (
    feedback_batch,
    json_batch,
    langfuse_scores_batch,
    otlp_batch,
    runs_batch,
)
from proctor.workflows.monitor.intake import Intake
from tests.server.ingest.otlp_requests import chat, root, traces

SCALARS = st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats(allow_nan=False) | st.text(max_size=12)
WORDS = (
    *("resourceSpans", "scopeSpans", "spans", "resourceLogs", "scopeLogs", "logRecords", "attributes", "key", "value"),
    *("stringValue", "intValue", "arrayValue", "kvlistValue", "values", "traceId", "spanId", "events", "name", "body"),
    *("gen_ai.input.messages", "gen_ai.output.messages", "gen_ai.operation.name", "role", "parts", "content", "type"),
    *("startTimeUnixNano", "endTimeUnixNano", "status", "code", "run_type", "id", "trace_id", "inputs", "outputs"),
    *("messages", "extra", "metadata", "end_time", "eventName", "kind", "turn", "time", "session", "input", "key"),
    *("score", "dataType", "langfuse.observation.type", "langfuse.observation.input", "langsmith.span.kind"),
)
VALUES = st.recursive(
    SCALARS | st.sampled_from(["a" * 32, "b" * 16, "chat", "llm", "gen_ai.user.message", "[{", '{"role": 1}', "TOOL"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(WORDS), inner, max_size=5),
    max_leaves=30,
)


def _span(attributes: Any, events: Any) -> dict[str, Any]:
    pairs = [{"key": key, "value": {"stringValue": value}} for key, value in attributes.items()]
    span = {"traceId": "a" * 32, "spanId": "b" * 16, "attributes": pairs, "events": events}
    return {"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}


def test_anything_is_stored_or_refused(tmp_path: Path) -> None:
    with Intake(tmp_path, settle=0.0, patience=0.0, late=0.0) as intake:
        numbers = iter(range(1, 10**6))

        @settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck), database=None)
        @given(VALUES, st.dictionaries(st.sampled_from(WORDS), VALUES, max_size=6), VALUES)
        def run(value: Any, attributes: Any, events: Any) -> None:
            for batch in _batches(intake, value, _span(attributes, events)):
                intake.add_spans(batch.spans)
                intake.add_rows(batch.rows)
            good = f"{next(numbers):032x}"
            intake.add_spans(otlp_batch(intake, "trace", traces(root(good), chat(good)), None, as_json=False).spans)
            intake.settle()
            stored.append(good)

        stored: list[str] = []
        run()
        assert set(stored) <= {row.id for row in intake.log.read()}


def _batches(intake: Intake, value: Any, span: Any) -> Iterator[RequestBatch]:
    """Read data at every door; the queue answers these exceptions with 400."""
    body = _json(value)
    readers: list[Callable[[], RequestBatch]] = [
        lambda: otlp_batch(intake, "trace", body, None, as_json=True),
        lambda: otlp_batch(intake, "trace", _json(span), None, as_json=True),
        lambda: otlp_batch(intake, "logs", body, None, as_json=True),
        lambda: json_batch(intake, body, None, lines=False),
        lambda: langfuse_scores_batch(intake, body, None)[0],
        lambda: feedback_batch(intake, body, None)[0],
        lambda: runs_batch(intake, value if isinstance(value, list) else [value], None),
    ]
    for read in readers:
        with contextlib.suppress(ValueError, TypeError, KeyError, AttributeError, ProctorError):
            yield read()


def _json(value: Any) -> bytes:
    try:
        return orjson.dumps(value)
    except TypeError:  # a large integer
        return b"{}"
