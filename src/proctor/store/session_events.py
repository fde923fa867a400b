"""Read the events of some conversations from the log, all of them in one pass."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from proctor.core.codec import loads
from proctor.core.conversation_summary import ConversationSummary
from proctor.core.decode import decode
from proctor.core.event import Event
from proctor.store.conversation_index import ConversationIndex
from proctor.store.event_log import FOLDER
from proctor.store.log_reader import read_log

__all__ = ["session_events", "sessions_events"]


def sessions_events(store: Path, conversations: Iterable[ConversationSummary]) -> dict[str, list[Event]]:
    """Return the events of each conversation by time; one whose events are gone has none.

    Raises:
        StoreError: a file cannot be read.
    """
    wanted = list(conversations)
    found: dict[str, list[Event]] = {each.session: [] for each in wanted}
    if not wanted:
        return found
    since, until = min(each.first for each in wanted), max(each.last for each in wanted)
    for row in read_log(store / FOLDER, since=since, until=until + 1.0):
        if row.session in found:
            found[row.session].append(decode(Event, loads(row.line)))
    for events in found.values():
        events.sort(key=lambda event: event.time)
    return found


def session_events(store: Path, session: str) -> list[Event]:
    """Return the events of one conversation by time; none if it is not known.

    Raises:
        StoreError: a file cannot be read, or the database failed.
    """
    index = ConversationIndex(store)
    try:
        known = index.get(session)
    finally:
        index.close()
    return [] if known is None else sessions_events(store, [known])[session]
