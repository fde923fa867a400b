"""An event of a streamed answer with the texts and calls in it, whatever the dialect it is written in."""

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
    """Where a text stands: ``place[key]``, and the channel it is a part of. ``whole``: it repeats all of that."""

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
    """A tool call as far as it has come.

    ``free``: its arguments are a text and no JSON. ``restored``: they are others than those that came. ``fixed``: they
    stay as they came. ``unknown``: it is of a kind that is not known, under its name.
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
    """One event on its way: what it says, which texts and calls are in it, and what ends with it.

    ``telling`` is where it may be told what was found, when anything was. ``dropped``: it does not leave at all.
    ``changed``: something was taken out of it that needs no verdict.
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
    """How one API writes its streams. It is made anew for each stream and remembers what it has read."""

    calls: dict[Hashable, Call]

    @property
    def id(self) -> str:
        """The name of the answer, as far as it is known."""
        ...

    def read(self, event: SseEvent) -> Frame:
        """The event taken apart."""
        ...

    def write(self, frame: Frame, changed: bool, refusal: str) -> bytes:
        """The event put together again, without the calls that were refused.

        ``changed``: its texts were set anew. ``refusal`` is said where no call is left.
        """
        ...

    def closing(self, reply: str, said: Mapping[Hashable, str], told: Mapping[str, Any]) -> bytes:
        """What ends the stream in good order when nothing more of it may leave; ``said`` is what has."""
        ...


def slots(channel: Hashable, place: Any, key: str) -> Iterator[Slot]:
    """The texts at ``place[key]``: itself, or those of its parts, whatever they call themselves."""
    value = place.get(key) if isinstance(place, dict) else None
    if isinstance(value, str):
        yield Slot(channel, place, key)
    for number, part in enumerate(listed(value)):
        if isinstance(part, str):
            yield Slot(channel, value, number)
        elif isinstance(part, dict):
            yield from (Slot(channel, part, name) for name in ("text", "refusal") if isinstance(part.get(name), str))


def event_data(text: str) -> Any:
    """What the data of an event says; None when it is no JSON object."""
    try:
        data = orjson.loads(text)
    except ValueError:  # half a character, or an endless number, is still JSON to some
        try:
            data = json.loads(text)
        except (ValueError, RecursionError):
            return None
    return data if isinstance(data, dict) else None


def is_unread_json(text: str) -> bool:
    """Whether a client could read texts out of data for which ``event_data`` is None: lists, or what is too deep."""
    try:
        return isinstance(json.loads(text), (list, str))
    except json.JSONDecodeError:
        return False
    except (ValueError, RecursionError):
        return True


def compact(data: Any) -> str:
    """JSON without spaces, as APIs write it; letters that are half a character are escaped."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(data, separators=(",", ":"))
    return text


def listed(value: Any) -> Sequence[Any]:
    """A list as it is; anything else is an empty one."""
    return value if isinstance(value, list) else ()
