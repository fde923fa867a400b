"""What a sender's event must not be: misspelled, impossible, or of the future. Each is refused with a hint."""

from __future__ import annotations

from dataclasses import fields
from datetime import UTC, datetime
from typing import Any, Final

from proctor.core.decode import closest
from proctor.core.errors import MalformedError, Problem
from proctor.core.event import Event
from proctor.core.event_row import EventRow

__all__ = ["MAX_AHEAD", "check_names", "check_values"]

MAX_AHEAD: Final = 86_400.0  # seconds that a sender's clock may be ahead of this one
_FIELDS: Final = frozenset(each.name for each in fields(Event)) - {"extra"}
_MESSAGES: Final = frozenset({"input", "output"})
_OF_TURN: Final = frozenset({"latency", "cost", "confidence", "error", "escalation", "usage"})
_SHORT: Final = _FIELDS | _MESSAGES | _OF_TURN
_ABOUT: Final = frozenset({"turn", "input", "output", "session", "customer", "intent", "name", "value"})
_CSAT_SCALE: Final = 5


def check_names(data: Any) -> None:
    """Check that a turn, as it was sent, says something and has only fields that are read.

    ``latency`` and the like may stand beside ``input`` and ``output``, the short form of a turn.

    Raises:
        MalformedError: it is empty, or has other fields; each is named with the nearest known one.
    """
    if type(data) is not dict or data.get("kind", "turn") != "turn":
        return
    if _ABOUT.isdisjoint(data) and data.keys() <= _FIELDS:
        hint = 'send at least {"session": "s1", "input": "Where is my order?", "output": "…"}'
        raise MalformedError([Problem(("session",), "is missing, and so is any message: the event is empty", hint)])
    known = _SHORT if "input" in data or "output" in data else _FIELDS
    if data.keys() <= known:
        return
    raise MalformedError([_unknown(name, known) for name in data if name not in known])


def _unknown(name: str, known: frozenset[str]) -> Problem:
    if name in _OF_TURN:
        hint = f"write it in `turn`: {{{name}: …}}, or send `input` and `output` with it"
    elif guess := closest(name, known | _MESSAGES):
        hint = f"did you mean `{guess}`?"
    else:
        hint = "what has no field of its own belongs in `metadata`"
    return Problem((name,), "is no field of a turn", hint)


def check_values(data: dict[str, Any], read: EventRow | Event, received: datetime) -> None:
    """Check what was read from the data: its time, the figures of its turn, a satisfaction and a score.

    Raises:
        MalformedError: a value cannot be.
    """
    if isinstance(read, EventRow):
        time, latency, cost = read.time, read.latency, read.cost
    else:
        turn = read.turn
        time = (read.time if read.time.tzinfo else read.time.replace(tzinfo=UTC)).timestamp()
        latency, cost = (turn.latency, turn.cost) if turn is not None else (None, None)
    if time - received.timestamp() > MAX_AHEAD:
        hint = "send the time in UTC, like 2026-11-15T09:30:00Z; without one, the time of arrival counts"
        raise MalformedError([Problem(("time",), "is more than a day ahead of the server's clock", hint)])
    if latency is not None and latency < 0:
        raise MalformedError([Problem(("latency",), "must not be negative", "give seconds, or leave it out")])
    if cost is not None and cost < 0:
        raise MalformedError([Problem(("cost",), "must not be negative", "leave it out if it is unknown")])
    if read.kind == "csat" and read.value is not None:
        _check_csat(data.get("metadata") or {}, read.value)
    if read.kind == "score":
        _check_score(data.get("name"), read.value)


def _check_score(name: Any, value: float | None) -> None:
    if not name:
        hint = "give the scorer's name: alert rules and figures count `score/NAME`"
        raise MalformedError([Problem(("name",), "is missing: nobody knows what was scored", hint)])
    if value is not None and not 0 <= value <= 1:
        hint = "convert it to 0 to 1, with 1 as the best; or send it as `metadata: {raw: …}` without a value"
        raise MalformedError([Problem(("value",), "a score must be between 0 and 1", hint)])


def _check_csat(metadata: dict[str, Any], value: float) -> None:
    scale = metadata.get("scale", _CSAT_SCALE)
    if isinstance(scale, bool) or not isinstance(scale, int | float) or scale <= 1:
        hint = "give the best mark, such as 5 or 10; 1 is the worst"
        raise MalformedError([Problem(("metadata", "scale"), "must be a number above 1", hint)])
    if not 1 <= value <= scale:
        hint = "if the best mark is another one, say so: metadata: {scale: 10}"
        raise MalformedError([Problem(("value",), f"a satisfaction must be between 1 and {scale:g}", hint)])
