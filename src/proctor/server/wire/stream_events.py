"""An event of a streamed answer with its texts and calls, independent of the API."""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import orjson

from proctor.server.wire.sse import SseEvent

__all__ = ["Call", "Dialect", "Frame", "Slot", "compact", "event_data", "is_unread_json", "listed", "slots"]


@dataclass(slots=True)
class Slot:
    """The place of a text: ``place[key]``, and its channel. ``whole``: it repeats the complete channel."""

    channel: Hashable
    place: Any
    key: Any
    whole: bool = False
    start: int = 0
    end: int = 0

    @property
    def text(self) -> str:
        """The text."""
        return str(self.place[self.key])


@dataclass(slots=True, kw_only=True)
class Call:
    """A tool call, possibly incomplete.

    ``free``: its arguments are text, not JSON. ``restored``: placeholders in its arguments were replaced. ``fixed``:
    its arguments stay unchanged. ``unknown``: it is of an unknown kind, given as its name.
    """

    key: Hashable
    name: str = ""
    arguments: str = ""
    free: bool = False
    id: str = ""
    complete: bool = False
    refused: bool | None = None
    restored: bool = False
    fixed: bool = False
    unknown: bool = False


@dataclass(slots=True, kw_only=True)
class Frame:
    """One pending event: its data, its texts and calls, and the texts and calls that end with it.

    ``telling`` is the place for findings, if there are any. ``dropped``: it is not sent. ``changed``: something was
    removed from it without a verdict.
    """

    event: SseEvent
    data: dict[str, Any] | None = None
    slots: list[Slot] = field(default_factory=list)
    calls: set[Hashable] = field(default_factory=set)
    ends: set[Hashable] = field(default_factory=set)
    telling: dict[str, Any] | None = None
    dropped: bool = False
    changed: bool = False


class Dialect(Protocol):
    """The stream format of one API. It is created for each stream and keeps state."""

    calls: dict[Hashable, Call]

    @property
    def id(self) -> str:
        """The id of the answer, once known."""
        ...

    def read(self, event: SseEvent) -> Frame:
        """Parse the event."""
        ...

    def write(self, frame: Frame, changed: bool, refusal: str) -> bytes:
        """Return the event as bytes, without refused calls.

        ``changed``: its texts were replaced. ``refusal`` is the text to send when no call is left.
        """
        ...

    def closing(self, reply: str, said: Mapping[Hashable, str], told: Mapping[str, Any]) -> bytes:
        """Return the bytes that end the stream properly after a stop; ``said`` is what was sent."""
        ...


def slots(channel: Hashable, place: Any, key: str) -> Iterator[Slot]:
    """Yield the texts at ``place[key]``: a string, or the texts of its parts, of any type."""
    value = place.get(key) if isinstance(place, dict) else None
    if isinstance(value, str):
        yield Slot(channel, place, key)
    for number, part in enumerate(listed(value)):
        if isinstance(part, str):
            yield Slot(channel, value, number)
        elif isinstance(part, dict):
            yield from (Slot(channel, part, name) for name in ("text", "refusal") if isinstance(part.get(name), str))


def event_data(text: str) -> Any:
    """Parse the data of an event; None if it is not a JSON object."""
    try:
        data = orjson.loads(text)
    except ValueError:  # lone surrogates and infinite numbers are valid JSON for some readers
        try:
            data = json.loads(text)
        except (ValueError, RecursionError):
            return None
    return data if isinstance(data, dict) else None


def is_unread_json(text: str) -> bool:
    """Return whether a client may parse data that ``event_data`` rejects: lists, or deep nesting."""
    try:
        return isinstance(json.loads(text), (list, str))
    except json.JSONDecodeError:
        return False
    except (ValueError, RecursionError):
        return True


def compact(data: Any) -> str:
    """Return JSON without spaces, as APIs write it; lone surrogates are escaped."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(data, separators=(",", ":"))
    return text


def listed(value: Any) -> Sequence[Any]:
    """Return a list unchanged; anything else as an empty list."""
    return value if isinstance(value, list) else ()
