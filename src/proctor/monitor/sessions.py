"""Assemble conversations from an event log: the turns of each session, emitted after a silence."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from proctor.core.event import Event
from proctor.core.session_turns import marked_turn, turn_of
from proctor.core.trajectory import Trajectory, Turn
from proctor.monitor.completion import in_utc

__all__ = ["conversations"]


@dataclass(slots=True)
class _Talk:
    customer: str | None
    last: datetime
    turns: list[Turn] = field(default_factory=list)


def conversations(events: Iterable[Event], *, silence: float = 86_400.0) -> Iterator[Trajectory]:
    """Yield the conversations of a log in time order; each ends after ``silence`` seconds without an event."""
    talks: dict[str, _Talk] = {}  # ordered by their last event, so that the idle ones come first
    for event in events:
        if event.kind not in ("turn", "escalation", "gate") or not event.session:
            continue
        time = in_utc(event.time)
        yield from _quiet(talks, time - timedelta(seconds=silence))
        talk = talks.pop(event.session, None)
        if event.kind == "turn":
            talk = talk or _Talk(customer=event.customer, last=time)
            talk.turns.append(turn_of(event))
        elif talk is not None and talk.turns:
            talk.turns[-1] = marked_turn(talk.turns[-1], event)
        if talk is not None:
            talk.last, talk.customer = time, talk.customer or event.customer
            talks[event.session] = talk
    for session, talk in talks.items():
        yield _whole(session, talk)


def _quiet(talks: dict[str, _Talk], before: datetime) -> Iterator[Trajectory]:
    while talks:
        session = next(iter(talks))
        if talks[session].last >= before:
            return
        yield _whole(session, talks.pop(session))


def _whole(session: str, talk: _Talk) -> Trajectory:
    return Trajectory(id=session, session=session, customer=talk.customer, turns=tuple(talk.turns))
