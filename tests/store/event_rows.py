"""Events of production for the tests of the store."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from proctor.core.chat import Message
from proctor.core.event import Event
from proctor.core.event_row import EventRow, row_of
from proctor.core.trajectory import Turn

NOON = datetime(2026, 11, 15, 12, tzinfo=UTC)


def turn_event(
    number: int,
    *,
    text: str = "Where is my order?",
    answer: str = "It ships in 3 days.",
    after: float = 0.0,
    **more: Any,
) -> Event:
    """A turn; five of them are one conversation, two conversations one customer."""
    messages = (Message(role="user", content=text), Message(role="assistant", content=answer))
    turn = {key: more.pop(key) for key in ("latency", "cost", "confidence", "escalation", "error") if key in more}
    fields: dict[str, Any] = {
        "id": f"{number:032x}",
        "session": f"s{number // 5}",
        "customer": f"c{number // 10}",
        "intent": "shipping",
        "turn": Turn(messages=messages, **{"latency": 1.5, "cost": 0.01, **turn}),
    }
    return Event(kind="turn", time=NOON + timedelta(seconds=number + after), **{**fields, **more})


def event(number: int, kind: Any, **more: Any) -> Event:
    """An event of another kind in the conversation of the turn with this number."""
    fields: dict[str, Any] = {"id": f"{kind}-{number}", "session": f"s{number // 5}", "customer": f"c{number // 10}"}
    return Event(kind=kind, time=NOON + timedelta(seconds=number), **{**fields, **more})


def turns(count: int, start: int = 0, **more: Any) -> list[EventRow]:
    """Rows of turns with the numbers from ``start`` on."""
    return [row_of(turn_event(number, **more)) for number in range(start, start + count)]
