"""Assemble conversations from an event log: the turns of each session, emitted after a silence."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime

from proctor.core.event import Event
from proctor.core.session_turns import marked_turn, turn_of
from proctor.core.trajectory import Trajectory, Turn
from proctor.monitor.completion import in_utc

__all__ = ["ConversationAssembly", "conversations"]


@dataclass(slots=True)
class _Talk:
    customer: str | None
    last: datetime
    turns: list[Turn] = field(default_factory=list)


@dataclass(slots=True)
class ConversationAssembly:
    """The open conversations of a log in time order; each is whole after ``silence`` seconds without an event."""

    silence: float = 86_400.0
    _talks: dict[str, _Talk] = field(default_factory=dict)  # ordered by their last event: the idle ones come first

    def add(self, event: Event) -> list[Trajectory]:
        """Add the next event and return the conversations that are whole now."""
        if event.kind not in ("turn", "escalation", "gate") or not event.session:
            return []
        time = in_utc(event.time)
        whole = self._quiet(time)
        talk = self._talks.pop(event.session, None)
        if event.kind == "turn":
            talk = talk or _Talk(customer=event.customer, last=time)
            talk.turns.append(turn_of(event))
        elif talk is not None and talk.turns:
            talk.turns[-1] = marked_turn(talk.turns[-1], event)
        if talk is not None:
            talk.last, talk.customer = time, talk.customer or event.customer
            self._talks[event.session] = talk
        return whole

    def finish(self) -> list[Trajectory]:
        """Return every remaining conversation."""
        left, self._talks = self._talks, {}
        return [_whole(session, talk) for session, talk in left.items()]

    def _quiet(self, now: datetime) -> list[Trajectory]:
        found: list[Trajectory] = []
        while self._talks:
            session = next(iter(self._talks))
            if (now - self._talks[session].last).total_seconds() <= self.silence:
                break
            found.append(_whole(session, self._talks.pop(session)))
        return found


def conversations(events: Iterable[Event], *, silence: float = 86_400.0) -> Iterator[Trajectory]:
    """Yield the conversations of a log in time order; each ends after ``silence`` seconds without an event."""
    assembly = ConversationAssembly(silence=silence)
    for event in events:
        yield from assembly.add(event)
    yield from assembly.finish()


def _whole(session: str, talk: _Talk) -> Trajectory:
    return Trajectory(id=session, session=session, customer=talk.customer, turns=tuple(talk.turns))
