"""Read scores that other tools send: OpenTelemetry evaluation results, OpenInference, Langfuse, LangSmith."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from proctor.core.codec import content_id
from proctor.suites.conversations.build_case import text_at
from proctor.suites.conversations.messages import time_of
from proctor.suites.conversations.otel_messages import numbered
from proctor.suites.conversations.otel_records import LOG
from proctor.suites.conversations.usage_fields import number

__all__ = [
    "EVALUATION_EVENT",
    "LANGFUSE_SCORE",
    "LANGSMITH_FEEDBACK",
    "TracedScore",
    "feedback_score",
    "is_score",
    "langfuse_score",
    "scores_of_records",
]

EVALUATION_EVENT = "gen_ai.evaluation.result"
LANGFUSE_SCORE = "langfuse_score"  # the keys of records that are a score by themselves
LANGSMITH_FEEDBACK = "langsmith_feedback"
_SCOPES = tuple(
    (f"{scope}{many}", one)
    for scope in ("", "trace.", "session.")
    for many, one in (("annotations", "annotation"), ("evaluations", "evaluation"))
)
_PASSED = frozenset({"pass", "passed", "true", "yes", "correct", "good", "ok", "success", "thumbs_up"})
_FAILED = frozenset({"fail", "failed", "false", "no", "incorrect", "bad", "failure", "thumbs_down"})


@dataclass(frozen=True, slots=True, kw_only=True)
class TracedScore:
    """One score of a trace. ``value`` is None if the tool's number is not between 0 and 1; ``metadata`` keeps it."""

    id: str
    name: str
    value: float | None = None
    time: datetime | None = None
    trace: str | None = None
    session: str | None = None
    customer: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)


def scores_of_records(records: Iterable[Mapping[str, Any]]) -> Iterator[TracedScore]:
    """Yield the scores among the records of a trace, each once."""
    seen: set[str] = set()
    for record in records:
        for made in _of_record(record):
            if made.id not in seen:
                seen.add(made.id)
                yield made


def is_score(record: Mapping[str, Any]) -> bool:
    """Whether a record is a score of Langfuse's or LangSmith's API and not a step."""
    return LANGFUSE_SCORE in record or LANGSMITH_FEEDBACK in record


def _of_record(record: Mapping[str, Any]) -> Iterator[TracedScore]:
    for key, read in ((LANGFUSE_SCORE, langfuse_score), (LANGSMITH_FEEDBACK, feedback_score)):
        if isinstance(inside := record.get(key), Mapping) and (made := read(inside)) is not None:
            yield made
            return
    told = record.get("attributes")
    if not isinstance(told, Mapping):
        return
    if record.get(LOG) == EVALUATION_EVENT:
        yield from _evaluation(record, told, record.get("time"))
        return
    for event in record.get("events") or ():
        if event.get("name") == EVALUATION_EVENT:
            yield from _evaluation(record, event["attributes"], event.get("timeUnixNano"))
    names = " ".join(told)
    if "annotation." in names or "evaluation." in names:
        for stem, inner in _SCOPES:
            for each in numbered(told, stem):
                about = each.get(inner) if isinstance(each, Mapping) else None
                if isinstance(about, Mapping):
                    yield from _scored(
                        about.get("name"),
                        about.get("score"),
                        about.get("label"),
                        key=(record.get("traceId"), record.get("spanId"), stem, dict(about)),
                        time=record.get("endTimeUnixNano"),
                        trace=text_at(record, "traceId"),
                        explanation=about.get("explanation"),
                        by=about.get("annotator_kind"),
                        span=record.get("spanId"),
                    )


def _evaluation(record: Mapping[str, Any], told: Mapping[str, Any], time: Any) -> Iterator[TracedScore]:
    yield from _scored(
        told.get("gen_ai.evaluation.name"),
        told.get("gen_ai.evaluation.score.value"),
        told.get("gen_ai.evaluation.score.label"),
        key=(record.get("traceId"), record.get("spanId"), time, dict(told)),
        time=time,
        trace=text_at(record, "traceId"),
        session=text_at(told, "gen_ai.conversation.id", "session.id"),
        explanation=told.get("gen_ai.evaluation.explanation"),
        error=told.get("error.type"),
        span=record.get("spanId"),
        response=told.get("gen_ai.response.id"),
    )


def langfuse_score(data: Mapping[str, Any]) -> TracedScore | None:
    """Read a score of Langfuse's API; None if it has no name."""
    value, label = data.get("value"), data.get("stringValue")
    if isinstance(value, str):
        value, label = None, label or value
    if data.get("dataType") == "BOOLEAN" and value in (0, 1, 0.0, 1.0):
        value = bool(value)
    made = _scored(
        data.get("name"),
        value,
        label,
        key=(
            data.get("traceId"),
            data.get("observationId"),
            data.get("name"),
            data.get("value"),
            data.get("timestamp"),
        ),
        id=text_at(data, "id"),
        time=data.get("timestamp"),
        trace=text_at(data, "traceId"),
        session=text_at(data, "sessionId"),
        explanation=data.get("comment"),
        span=data.get("observationId"),
    )
    return next(made, None)


def feedback_score(data: Mapping[str, Any]) -> TracedScore | None:
    """Read a feedback of LangSmith's API; None if it has no key."""
    made = _scored(
        data.get("key"),
        data.get("score"),
        data.get("value") if isinstance(data.get("value"), str) else None,
        key=(data.get("run_id"), data.get("key"), data.get("score"), data.get("value"), data.get("created_at")),
        id=text_at(data, "id"),
        time=data.get("created_at"),
        trace=text_at(data, "trace_id", "run_id"),
        explanation=data.get("comment"),
        span=data.get("run_id"),
    )
    return next(made, None)


def _scored(
    name: Any,
    value: Any,
    label: Any,
    *,
    key: tuple[Any, ...],
    id: str | None = None,
    time: Any = None,
    trace: str | None = None,
    session: str | None = None,
    **beside: Any,
) -> Iterator[TracedScore]:
    if not isinstance(name, str) or not name:
        return
    metadata = {field: each for field, each in {**beside, "label": label, "trace": trace}.items() if each is not None}
    amount = float(value) if isinstance(value, bool) else number(value)
    passed = value if isinstance(value, bool) else _verdict(label)
    if passed is not None:
        metadata["passed"] = passed
    if amount is None and passed is not None:
        amount = float(passed)
    elif amount is not None and not 0 <= amount <= 1:
        metadata["raw"], amount = amount, None  # another scale, which only its sender knows
    yield TracedScore(
        id=f"score-{id or content_id(list(key))}",
        name=name,
        value=amount,
        time=time_of(time),
        trace=trace,
        session=session,
        metadata=metadata,
    )


def _verdict(label: Any) -> bool | None:
    word = label.strip().lower() if isinstance(label, str) else ""
    return True if word in _PASSED else False if word in _FAILED else None
