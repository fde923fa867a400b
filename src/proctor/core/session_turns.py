"""The turns of a conversation from its events."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC

from proctor.core.event import Event
from proctor.core.trajectory import Escalation, Intent, Turn

__all__ = ["marked_turn", "turn_of", "turns_of"]


def turn_of(event: Event) -> Turn:
    """Return the turn of an event, with the event's time and intent."""
    time = event.time.astimezone(UTC) if event.time.tzinfo else event.time.replace(tzinfo=UTC)
    turn = replace(event.turn or Turn(), time=time)
    if event.intent and not turn.intents:
        turn = replace(turn, intents=(Intent(name=event.intent),))
    return turn


def marked_turn(turn: Turn, event: Event) -> Turn:
    """Return the turn with what a gate decided about it, or with its hand-off."""
    if event.kind == "gate":
        return replace(turn, verdicts=(*turn.verdicts, event.verdict)) if event.verdict is not None else turn
    if event.kind != "escalation":
        return turn
    reason = str(event.metadata.get("reason") or "")
    given = turn.escalation or Escalation()
    return replace(
        turn,
        escalation=replace(given, reason=given.reason or reason, category=given.category or event.name),
    )


def turns_of(events: Iterable[Event]) -> tuple[Turn, ...]:
    """Return the turns of one conversation's events, which are in the order of time."""
    turns: list[Turn] = []
    for event in events:
        if event.kind == "turn":
            turns.append(turn_of(event))
        elif turns:
            turns[-1] = marked_turn(turns[-1], event)
    return tuple(turns)
