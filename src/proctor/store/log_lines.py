"""The lines of the event log: the fields of a row as a JSON object, with the event itself as the last field."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, Final

import orjson

from proctor.core.codec import dumps, loads
from proctor.core.event_row import EventRow
from proctor.text.known_secrets import has_secret, hide_secrets_in_data

__all__ = ["ROW_FIELDS", "event_of_session", "ids_in", "lines_of", "row_in"]

ROW_FIELDS: Final = EventRow._fields[1:]  # all but the line
_OPTIONAL: Final = EventRow._fields[4:-1]
_EVENT: Final = b',"event":'  # cannot occur in a JSON string, where a quotation mark is escaped
_SURROGATE: Final = b"\\ud"
_HEAD: Final = re.compile(rb'\{"id":"([^"\\\n]*)","kind":"(\w+)","time":([-+.\dEe]+)')
_ID: Final = re.compile(rb'\{"id":("(?:[^"\\\n]|\\.)*")')


def lines_of(rows: Sequence[EventRow]) -> bytes:
    """Return rows as lines; secrets that this process knows are masked."""
    made = b"".join([part for row in rows for part in _parts(row)])
    if _SURROGATE in made:  # one search for all of them: nearly no line has any
        made = b"".join([_without_surrogates(row) for row in rows])
    if has_secret(made):
        made = b"".join([_without_secrets(_without_surrogates(row)) for row in rows])
    return made


def row_in(line: bytes) -> EventRow | None:
    """Return the row of a line without its newline; ``None`` if the line was erased, torn or damaged."""
    cut = line.find(_EVENT)
    if cut < 0 or line[-2:] != b"}}":
        return None
    try:
        get = orjson.loads(line[:cut] + b"}").get
        found = (line[cut + len(_EVENT) : -1], *map(get, ROW_FIELDS[:-1]), tuple(get("signals") or ()))
        return EventRow._make(found)
    except (orjson.JSONDecodeError, TypeError, AttributeError):
        return None


def event_of_session(line: bytes, session: str) -> tuple[str, str, float, bytes] | None:
    """Return id, kind, time and the JSON of the event of a line; ``None`` if it is of another session or damaged.

    It reads no more of the line than it needs: a long conversation has thousands.
    """
    cut, found = line.find(_EVENT), _HEAD.match(line)
    if cut > 0 and found is not None and line[-2:] == b"}}" and _session_field(session) in line[:cut]:
        return found[1].decode(), found[2].decode(), float(found[3]), line[cut + len(_EVENT) : -1]
    row = row_in(line)
    return (row.id, row.kind, row.time, row.line) if row is not None and row.session == session else None


@lru_cache(maxsize=16)
def _session_field(session: str) -> bytes:
    try:
        return b',"session":' + orjson.dumps(session) + b","
    except TypeError:  # half a surrogate pair
        return _EVENT  # in no head


def ids_in(block: bytes) -> Iterator[str]:
    """Yield the ids of a block of whole lines, without reading the rest of each line."""
    start = 0
    while start < len(block):
        if found := _ID.match(block, start):
            yield orjson.loads(found.group(1))
        start = block.find(b"\n", start) + 1 or len(block)


def _parts(row: EventRow) -> tuple[bytes, bytes, bytes, bytes]:
    line, id_, kind, time, *rest, signals = row
    head: dict[str, Any] = {"id": id_, "kind": kind, "time": time}
    for name, value in zip(_OPTIONAL, rest):  # noqa: B905 - of equal length, and `strict` takes time
        if value is not None:
            head[name] = value
    if signals:
        head["signals"] = signals
    try:
        made = orjson.dumps(head)
    except TypeError:  # half a surrogate pair
        made = dumps(head)
    return made[:-1], _EVENT, line, b"}\n"


def _without_surrogates(row: EventRow) -> bytes:
    """Return a line in which halves of surrogate pairs are replaced: no Unicode text has them, and DuckDB refuses."""
    head, name, event, end = _parts(row)
    if _SURROGATE in event or _SURROGATE in head:
        head, event = _whole_text(head + b"}")[:-1], _whole_text(event)
    return b"".join((head, name, event, end))


def _whole_text(line: bytes) -> bytes:
    text = json.dumps(loads(line), ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode()


def _without_secrets(line: bytes) -> bytes:
    if not has_secret(line):
        return line
    head, _, event = line[:-2].partition(_EVENT)
    hidden = [dumps(hide_secrets_in_data(orjson.loads(part))) for part in (head + b"}", event)]
    return b"".join((hidden[0][:-1], _EVENT, hidden[1], b"}\n"))
