"""The turns of one conversation from its events: hand-offs and gates' decisions are added to the turn before them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime

from proctor.core.event import Event
from proctor.core.trajectory import Escalation, Intent, Turn

__all__ = ["TOLD_IN_TURNS", "add_to_turn", "session_turns", "turn_of"]

TOLD_IN_TURNS = ("turn", "escalation", "gate")  # kinds of events that are part of a conversation's turns


def session_turns(events: Iterable[Event]) -> tuple[Turn, ...]:
    """Return the turns of one session; its events are given in time order."""
    turns: list[Turn] = []
    for event in events:
        if event.kind == "turn":
            turns.append(turn_of(event))
        elif turns and event.kind in TOLD_IN_TURNS:
            turns[-1] = add_to_turn(turns[-1], event)
    return tuple(turns)


def turn_of(event: Event) -> Turn:
    """Return the turn that an event reports, with the event's time and intent."""
    turn = replace(event.turn or Turn(), time=_in_utc(event.time))
    if event.intent and not turn.intents:
        turn = replace(turn, intents=(Intent(name=event.intent),))
    return turn


def add_to_turn(turn: Turn, event: Event) -> Turn:
    """Return the turn with the decision about it: of a gate, or to hand the customer over."""
    if event.kind == "gate":
        return replace(turn, verdicts=(*turn.verdicts, event.verdict)) if event.verdict is not None else turn
    reason = str(event.metadata.get("reason") or "")
    given = turn.escalation or Escalation()
    return replace(
        turn,
        escalation=replace(given, reason=given.reason or reason, category=given.category or event.name),
    )


def _in_utc(time: datetime) -> datetime:
    return time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)
