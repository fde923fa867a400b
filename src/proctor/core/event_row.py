"""An event as a log holds it: one line of JSON, and the fields that indexes, rollups and alert rules count."""

from __future__ import annotations

from datetime import UTC
from typing import Any, NamedTuple

from proctor.core.codec import dumps
from proctor.core.event import Event, EventKind
from proctor.core.verdict import Verdict

__all__ = ["EventRow", "row_of", "signals_of"]

_LOW_CSAT = 0.5  # between the worst and the best of the scale
_FAILED = 0.5  # a score below this failed, if its sender does not say


class EventRow(NamedTuple):
    """One event with an id. ``time`` is in seconds since the epoch; ``signals`` are what alert rules count."""

    line: bytes
    id: str
    kind: EventKind
    time: float
    session: str | None = None
    customer: str | None = None
    intent: str | None = None
    model: str | None = None
    version: str | None = None
    source: str | None = None
    name: str | None = None
    value: float | None = None
    latency: float | None = None
    cost: float | None = None
    confidence: float | None = None
    signals: tuple[str, ...] = ()


def row_of(event: Event, *, line: bytes | None = None) -> EventRow:
    """Return an event as a row; ``line`` is its JSON, if that is made elsewhere.

    Raises:
        ValueError: the event has no id.
    """
    if not event.id:
        raise ValueError("an event in a log needs an id, by which a repeated delivery is known")
    turn = event.turn
    time = event.time if event.time.tzinfo else event.time.replace(tzinfo=UTC)
    intent = event.intent or (turn.intents[0].name if turn and turn.intents else None)
    return EventRow(
        line=dumps(event) if line is None else line,
        id=event.id,
        kind=event.kind,
        time=time.timestamp(),
        session=event.session,
        customer=event.customer,
        intent=intent,
        model=event.model,
        version=event.version,
        source=event.source,
        name=event.name,
        value=event.value,
        latency=turn.latency if turn else None,
        cost=turn.cost if turn else None,
        confidence=turn.confidence if turn else None,
        signals=signals_of(event),
    )


def signals_of(event: Event) -> tuple[str, ...]:
    """Return what an event tells an alert rule, as ``kind`` or ``kind/name``: ``gate/injection``, ``score/grounded``.

    A turn tells of its error, its hand-off and the gates that changed or stopped it; a gate's decision of its gate and
    its findings; a score only if it failed; a satisfaction only if it is low.
    """
    found: dict[str, None] = {}
    turn = event.turn
    if turn is not None:
        if turn.error:
            found["error"] = None
        if turn.escalation is not None:
            found["escalation"] = None
            if turn.escalation.category:
                found[f"escalation/{turn.escalation.category}"] = None
        for verdict in turn.verdicts:
            found.update(_of_verdict(verdict))
    if event.kind == "gate" and event.verdict is not None:
        found.update(_of_verdict(event.verdict))
    elif event.kind == "escalation":
        found["escalation"] = None
        if event.name:
            found[f"escalation/{event.name}"] = None
    elif event.kind == "outcome" and event.name:
        found[f"outcome/{event.name}"] = None
    elif event.kind == "score" and event.name and _failed(event):
        found[f"score/{event.name}"] = None
    elif event.kind == "csat" and _low(event):
        found["csat/low"] = None
    return tuple(found)


def _of_verdict(verdict: Verdict) -> dict[str, None]:
    decided = verdict.decided
    if decided.action == "allow":
        return {}
    found: dict[str, Any] = {f"gate/{name}": None for name in (decided.by or decided.gate,) if name}
    found.update({f"finding/{each.kind}": None for each in decided.findings})
    if decided.broken:
        found["gate/broken"] = None
    return found


def _failed(event: Event) -> bool:
    passed = event.metadata.get("passed")
    if isinstance(passed, bool):
        return not passed
    return event.value is not None and event.value < _FAILED


def _low(event: Event) -> bool:
    scale = event.metadata.get("scale", 5)
    if event.value is None or not isinstance(scale, int | float) or scale <= 1:
        return False
    return (event.value - 1) / (scale - 1) < _LOW_CSAT
