"""The lines of the event log: the fields of a row as a JSON object, with the event itself as the last field."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

import orjson

from proctor.core.codec import dumps, loads
from proctor.core.event_row import EventRow
from proctor.text.known_secrets import has_secret, hide_secrets_in_data

__all__ = ["ROW_FIELDS", "ids_in", "lines_of", "row_in"]

ROW_FIELDS: Final = EventRow._fields[1:]  # all but the line
_EVENT: Final = b',"event":'  # cannot occur in a JSON string, where a quotation mark is escaped
_SURROGATE: Final = b"\\ud"
_ID: Final = re.compile(rb'\{"id":("(?:[^"\\\n]|\\.)*")')


def lines_of(rows: Sequence[EventRow]) -> bytes:
    """Return rows as lines; secrets that this process knows are masked."""
    made = b"".join([_line(row) for row in rows])
    return b"".join([_without_secrets(_line(row)) for row in rows]) if has_secret(made) else made


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


def ids_in(block: bytes) -> Iterator[str]:
    """Yield the ids of a block of whole lines, without reading the rest of each line."""
    start = 0
    while start < len(block):
        if found := _ID.match(block, start):
            yield orjson.loads(found.group(1))
        start = block.find(b"\n", start) + 1 or len(block)


def _line(row: EventRow) -> bytes:
    head: dict[str, Any] = {"id": row.id, "kind": row.kind, "time": row.time}
    for name, value in zip(ROW_FIELDS[3:-1], row[4:-1], strict=True):
        if value is not None:
            head[name] = value
    if row.signals:
        head["signals"] = row.signals
    try:
        made = orjson.dumps(head)
    except TypeError:  # half a surrogate pair
        made = dumps(head)
    event = row.line
    if _SURROGATE in event or _SURROGATE in made:
        made, event = _without_surrogates(made), _without_surrogates(event)
    return b"".join((made[:-1], _EVENT, event, b"}\n"))


def _without_surrogates(line: bytes) -> bytes:
    """Replace halves of surrogate pairs, which are in no Unicode text and which DuckDB refuses."""
    text = json.dumps(loads(line), ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode()


def _without_secrets(line: bytes) -> bytes:
    if not has_secret(line):
        return line
    head, _, event = line[:-2].partition(_EVENT)
    hidden = [dumps(hide_secrets_in_data(orjson.loads(part))) for part in (head + b"}", event)]
    return b"".join((hidden[0][:-1], _EVENT, hidden[1], b"}\n"))
