"""Build a case from an imported conversation: its id, turns and metadata."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from proctor.core.case import Case, Expectation
from proctor.core.codec import content_id
from proctor.core.trajectory import Trajectory, Turn
from proctor.suites.conversations.entries import Entry
from proctor.suites.conversations.messages import LoggedMessage, WrongMessageError, read_messages
from proctor.suites.conversations.turns import turns_of

__all__ = ["SESSION_KEYS", "build_case", "logged_messages", "present_fields", "text_at"]

SESSION_KEYS = ("conversation_id", "session_id", "thread_id", "session", "conversation", "chat_id")
_LONGEST_ID = 200


def logged_messages(entry: Entry, items: Any, where: str = "messages") -> list[LoggedMessage]:
    """Return the messages of an entry.

    Raises:
        SuiteError: with the file, the line and the invalid message.
    """
    try:
        return read_messages(items, where)
    except WrongMessageError as error:
        raise entry.wrong(error.message, error.field, error.hint) from None


def build_case(
    entry: Entry,
    said: Iterable[LoggedMessage] | tuple[Turn, ...],
    *,
    name: str | None = None,
    expect: Expectation | None = None,
    intent: str | None = None,
    about: Mapping[str, Any] | None = None,
    **more: Any,
) -> Case:
    """Build the case of one conversation; ``about`` becomes its metadata, ``more`` fields of its trajectory.

    Raises:
        SuiteError: it has no messages.
    """
    turns = said if isinstance(said, tuple) else turns_of(said)
    if not turns and more.get("error") is None:
        raise entry.wrong("the conversation has no messages", "messages", "leave it out, or export its messages too")
    trajectory = Trajectory(turns=turns, **more)
    given = _printable(name) if name else ""
    metadata = {key: value for key, value in (about or {}).items() if value is not None}
    return Case(
        id=given or "c-" + content_id(trajectory, length=12),
        recorded=trajectory,
        expect=expect or Expectation(),
        intent=intent,
        metadata=metadata,
    )


def _printable(name: str) -> str:
    return re.sub(r"[^\S ]|[^\x20-\x7e\w]", "-", name.strip())[:_LONGEST_ID]


def present_fields(data: Mapping[str, Any], names: Iterable[str]) -> dict[str, Any]:
    """Return those of these fields that are present and not None."""
    return {name: data[name] for name in names if data.get(name) is not None}


def text_at(data: Mapping[str, Any], *names: str) -> str | None:
    """Return the first of these fields that holds a text or an integer, as text."""
    for name in names:
        value = data.get(name)
        if isinstance(value, str) and value.strip():
            return value
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
    return None
