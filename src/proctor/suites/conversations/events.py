"""Import conversations from logs of events: the turns of each session, with gates' decisions and hand-offs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, get_args

from proctor.core.case import Case
from proctor.core.decode import decode
from proctor.core.errors import MalformedError
from proctor.core.event import Event, EventKind
from proctor.core.session_turns import turns_of
from proctor.suites.conversations.build_case import build_case
from proctor.suites.conversations.entries import Entry
from proctor.suites.conversations.group_entries import group_entries
from proctor.suites.conversations.importer import Importer

__all__ = ["EVENTS", "is_event", "read_event_log"]

_KINDS = frozenset(get_args(EventKind))
_TOLD_IN_TURNS = ("turn", "escalation", "gate")  # kinds of events that are part of a conversation's turns


def is_event(data: Any) -> bool:
    """Whether it is an event: a mapping with one of the known kinds, and a time."""
    return isinstance(data, Mapping) and data.get("kind") in _KINDS and "time" in data


def read_event_log(entries: Iterator[Entry]) -> Iterator[Case]:
    """Yield one case per session with a turn; an event that was delivered twice counts once.

    An entry is an event, or a line of the store's own log, which has the event as its last field.
    """
    told = (
        entry for entry in entries if not isinstance(entry.data, Mapping) or entry.data.get("kind") in _TOLD_IN_TURNS
    )
    for session, group in group_entries(told, _session):
        first: Entry | None = None
        events: dict[str, Event] = {}
        for number, entry in enumerate(group):
            first = first or entry
            event = _event(entry)
            events.setdefault(event.id or f"\0{number}", event)
        ordered = sorted(events.values(), key=lambda event: (event.time.timestamp(), event.id or ""))
        turns = turns_of(ordered)
        if session is None or first is None or not turns:
            continue  # only decisions, or events of no conversation
        intent = next((turn.intents[0].name for turn in turns if turn.intents), None)
        customer = next((event.customer for event in ordered if event.customer), None)
        about = {name: next((getattr(e, name) for e in ordered if getattr(e, name)), None) for name in _ABOUT}
        yield build_case(first, turns, name=session, intent=intent, about=about, session=session, customer=customer)


_ABOUT = ("model", "version", "source")


def _session(entry: Entry) -> str | None:
    found = entry.data.get("session") if isinstance(entry.data, Mapping) else None
    return found if isinstance(found, str) and found else None


def _event(entry: Entry) -> Event:
    data = entry.data
    if isinstance(data, Mapping) and isinstance(inside := data.get("event"), Mapping) and is_event(inside):
        data = inside  # a line of the store's own log: the fields that indexes need, then the event itself
    try:
        return decode(Event, data)
    except MalformedError as error:
        first = error.problems[0]
        raise entry.wrong(first.message, first.where, first.hint) from None


EVENTS = Importer(title="Event logs", fits=is_event, read=read_event_log, order=50)
