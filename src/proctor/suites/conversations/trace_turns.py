"""Build the turns and scores of one trace from its records, as a server receives them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from proctor.core.chat import Usage
from proctor.core.errors import SuiteError
from proctor.core.trajectory import Escalation, Intent, Turn
from proctor.suites.conversations.build_case import text_at
from proctor.suites.conversations.entries import Entry
from proctor.suites.conversations.steps import AgentStep, new_turns
from proctor.suites.conversations.trace_format import TraceFormat
from proctor.suites.conversations.trace_scores import TracedScore, is_score, scores_of_records
from proctor.suites.conversations.trace_spans import parsed, seconds
from proctor.suites.conversations.usage_fields import number

__all__ = ["TracedTurns", "read_trace"]

_INTENT = ("proctor.intent", "intent", "langfuse.trace.metadata.intent", "langsmith.metadata.intent")
_VERSION = (
    *("proctor.version", "gen_ai.agent.version", "gen_ai.prompt.version", "service.version"),
    *("langfuse.release", "langfuse.version", "langsmith.metadata.version", "version", "release"),
)
_CONFIDENCE = ("proctor.confidence", "confidence")
_ESCALATION = ("proctor.escalation", "escalation")
_WANTED = frozenset((*_INTENT, *_VERSION, *_CONFIDENCE, *_ESCALATION))
_SILENT = {"content": "not recorded"}


@dataclass(frozen=True, slots=True, kw_only=True)
class TracedTurns:
    """What one trace says: the turns it answered, what was scored, and whom they belong to."""

    session: str | None = None
    customer: str | None = None
    model: str | None = None
    version: str | None = None
    intent: str | None = None
    turns: tuple[Turn, ...] = ()
    scores: tuple[TracedScore, ...] = ()


def read_trace(format: TraceFormat, trace: str, records: Iterable[Mapping[str, Any]]) -> TracedTurns:
    """Return what the records of one trace say; they may have any order, and repeat each other.

    Steps without messages (a tool that leaves the content out) are one turn without messages: its duration, tokens and
    error still count.

    Raises:
        SuiteError: no step can be read; one that can is enough.
    """
    given = list(records)
    scores = tuple(scores_of_records(given))
    place = Path(trace)
    spans = format.join([Entry(data=data, file=place) for data in given if not is_score(data)])
    if not spans:
        return TracedTurns(scores=scores)
    session = next((name for span in spans if (name := format.session(span))), None)
    steps, unread = _steps(format, spans)
    about = format.about(spans)
    beside = [found for span in spans if (found := _beside(span.data))]
    turns = new_turns(steps) or _silent(steps)
    if unread and not turns:
        raise unread[0]
    if unread:
        told = {**turns[-1].extra, "unread": [each.message for each in unread]}
        turns = (*turns[:-1], replace(turns[-1], extra=told))
    return TracedTurns(
        session=session,
        customer=about.get("customer"),
        model=format.model(spans),
        version=_first(beside, _VERSION),
        intent=_first(beside, _INTENT),
        turns=(*turns[:-1], _completed(turns[-1], beside)) if turns else (),
        scores=scores,
    )


def _steps(format: TraceFormat, spans: Sequence[Entry]) -> tuple[list[AgentStep], list[SuiteError]]:
    """Return the steps of spans, and what is wrong with those that cannot be read: one must not hide the others."""
    steps: list[AgentStep] = []
    unread: list[SuiteError] = []
    for span in spans:
        try:
            if (made := format.step(span)) is not None:
                steps.append(made)
        except SuiteError as error:
            unread.append(error)
    return steps, unread


def _beside(record: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the attributes of a span, or the metadata of a run or an observation."""
    if isinstance(attributes := record.get("attributes"), Mapping):
        return {} if _WANTED.isdisjoint(attributes) else attributes
    extra = parsed(record.get("extra"))
    inside = extra.get("metadata") if isinstance(extra, Mapping) else parsed(record.get("metadata"))
    own = {key: record[key] for key in ("version", "release") if record.get(key)}
    return {**own, **inside} if isinstance(inside, Mapping) else own


def _first(beside: Sequence[Mapping[str, Any]], names: Sequence[str]) -> str | None:
    return next((found for name in names for each in beside if (found := text_at(each, name))), None)


def _completed(turn: Turn, beside: Sequence[Mapping[str, Any]]) -> Turn:
    """Return the turn with what the application's own attributes say about it."""
    made: dict[str, Any] = {}
    intent = _first(beside, _INTENT)
    if intent and not turn.intents:
        made["intents"] = (Intent(name=intent),)
    sure = next((each[name] for name in _CONFIDENCE for each in beside if name in each), None)
    if turn.confidence is None and (confidence := number(sure)) is not None:
        made["confidence"] = confidence
    escalation = next((each[name] for name in _ESCALATION for each in beside if name in each), None)
    if turn.escalation is None and escalation not in (None, False, "", "false"):
        named = escalation if isinstance(escalation, str) and escalation != "true" else ""
        made["escalation"] = Escalation(reason=named)
    return replace(turn, **made) if made else turn


def _silent(steps: Sequence[AgentStep]) -> tuple[Turn, ...]:
    talking = [step for step in steps if step.kind in ("model", "exchange")]
    if not talking:
        return ()
    starts = [step.start for step in talking if step.start]
    ends = [step.end for step in talking if step.end]
    usages = [step.usage for step in talking if step.usage and step.kind == "model"]
    costs = [step.cost for step in talking if step.cost is not None]
    start: datetime | None = min(starts, default=None)
    return (
        Turn(
            tool_calls=tuple(step.call for step in steps if step.call is not None),
            sources=tuple(source for step in steps for source in step.sources),
            latency=seconds(start, max(ends, default=None)),
            usage=sum(usages, Usage()) if usages else None,
            cost=sum(costs) if costs else None,
            time=start,
            error=next((step.error for step in talking if step.error), None),
            extra=dict(_SILENT),
        ),
    )
