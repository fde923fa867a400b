"""Read events that were sent as JSON into rows of the log, without building an object for each."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import cache
from typing import Any, Final

import orjson

from proctor.core.codec import dumps
from proctor.core.decode import decode
from proctor.core.errors import MalformedError, Problem
from proctor.core.event import Event
from proctor.core.event_id import id_of_content
from proctor.core.event_row import EventRow, row_of, signals_of
from proctor.core.schema import schema_of
from proctor.store.mask_events import EventMasker, is_plain

__all__ = ["row_of_data"]

_EXAMPLE: Final = 'send {"kind": "turn", "session": "s1", "input": "Where is my order?", "output": "…"}'
_MAX_ID_CHARS: Final = 200
_PLAIN_KINDS: Final = frozenset({"turn", "contact", "note"})


def row_of_data(
    data: Any,
    *,
    received: datetime,
    source: str | None = None,
    masking: bool = False,
    masker: EventMasker | None = None,
) -> EventRow | Event:
    """Return an event of JSON data as a row of the log; with ``masking`` the event, if it has to be masked first.

    A ``masker`` masks a plain one at once, without building an object.

    ``kind`` is a turn and ``time`` the time of its arrival if the sender leaves them out; without an ``id`` it gets the
    hash of its content, so that a repeated delivery is known. ``input`` and ``output`` are short for the two messages
    of a turn. ``source`` is what the sender's token names.

    Raises:
        MalformedError: it is no event; all problems are named.
    """
    if type(data) is not dict:
        raise MalformedError([Problem((), "is no JSON object", _EXAMPLE)])
    data.setdefault("kind", "turn")
    if "input" in data or "output" in data:
        _expand(data)
    if source is not None:
        data["source"] = source
    if data.get("id") is None:  # some senders write null for what they do not know
        data.pop("id", None)
        data["id"] = id_of_content(data)
    time = data.get("time")
    if type(time) is str:
        moment = _parsed(time)
    elif time is None:
        moment = received
        data["time"] = moment.isoformat()
    else:
        moment = _of_number(time)
        data["time"] = moment.isoformat() if moment else time
    if moment is None or not _validator().is_valid(data) or not 0 < len(data["id"]) <= _MAX_ID_CHARS:
        return _checked(data, masking)
    if masking and not data.get("masked"):
        if masker is not None and is_plain(data):
            return masker.data_row(data, _row(data, moment, b""))
        return decode(Event, data)
    return _row(data, moment, _line(data))


def _row(data: dict[str, Any], moment: datetime, line: bytes) -> EventRow:
    get = data.get
    turn = get("turn")
    latency = cost = confidence = None
    intent = get("intent")
    if turn is not None:
        latency, cost, confidence = turn.get("latency"), turn.get("cost"), turn.get("confidence")
        if intent is None and turn.get("intents"):
            first = turn["intents"][0]
            intent = first if isinstance(first, str) else first.get("name")
    return EventRow(
        line,
        data["id"],
        data["kind"],
        moment.timestamp(),
        get("session"),
        get("customer"),
        intent,
        get("model"),
        get("version"),
        get("source"),
        get("name"),
        get("value"),
        latency,
        cost,
        confidence,
        _signals(data, turn),
    )


def _signals(data: dict[str, Any], turn: dict[str, Any] | None) -> tuple[str, ...]:
    """Return what alert rules count; only an event that may have a signal is decoded."""
    if data["kind"] in _PLAIN_KINDS and (
        turn is None or not (turn.get("error") or turn.get("verdicts") or turn.get("escalation") is not None)
    ):
        return ()
    return signals_of(decode(Event, data))


def _checked(data: dict[str, Any], masking: bool) -> EventRow | Event:
    """Name what is wrong with an event; one that the strict check refuses and the reader of files reads is kept."""
    try:
        event = decode(Event, data, as_json=True)
    except MalformedError as error:
        raise MalformedError([_named(each) for each in error.problems]) from None
    if not event.id or len(event.id) > _MAX_ID_CHARS:
        raise MalformedError([Problem(("id",), f"must have 1 to {_MAX_ID_CHARS} characters")])
    return event if masking and not event.masked else row_of(event)


def _named(problem: Problem) -> Problem:
    return problem if problem.hint or problem.path else Problem(problem.path, problem.message, _EXAMPLE)


def _expand(data: dict[str, Any]) -> None:
    asked, answered = data.pop("input", None), data.pop("output", None)
    turn = data.setdefault("turn", {})
    if not isinstance(turn, dict) or turn.get("messages"):
        return
    said = [("user", asked), ("assistant", answered)]
    turn["messages"] = [{"role": role, "content": text} for role, text in said if text is not None]
    for name in ("latency", "cost", "confidence", "error", "escalation", "usage"):
        if name in data:
            turn.setdefault(name, data.pop(name))


def _line(data: Any) -> bytes:
    try:
        return orjson.dumps(data)
    except TypeError:  # a large integer, half a surrogate pair
        return dumps(data)


def _parsed(text: str) -> datetime | None:
    try:
        made = datetime.fromisoformat(text)
    except ValueError:
        return None
    return made if made.tzinfo else made.replace(tzinfo=UTC)


def _of_number(value: Any) -> datetime | None:
    """Read seconds, or milliseconds, since the epoch."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        return datetime.fromtimestamp(value / 1000 if abs(value) > 1e11 else value, UTC)
    except (ValueError, OverflowError, OSError):
        return None


@cache
def _validator() -> Any:
    import jsonschema_rs  # noqa: PLC0415 - 20 ms

    return jsonschema_rs.validator_for(_open(schema_of(Event)))


def _open(schema: Any) -> Any:
    """Return the schema of an event, where unknown keys are kept as they are in files."""
    if isinstance(schema, dict):
        made = {key: _open(value) for key, value in schema.items() if key not in ("additionalProperties", "format")}
        if isinstance(inside := schema.get("additionalProperties"), dict):
            made["additionalProperties"] = _open(inside)
        return made
    return [_open(each) for each in schema] if isinstance(schema, list) else schema
