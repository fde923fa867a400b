"""Texts in JSON by their pointers (RFC 6901), with ``*`` for every entry of a list."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator
from typing import Any, Final

from proctor.server.wire.stream_events import Slot

__all__ = ["at_pointer", "check_pointer", "made_at", "strings_in", "value_at"]

# What tells an event or a part from others and is no text. Elsewhere the same word is read like any other.
_CONTROL_KEYS: Final = frozenset(
    {"type", "event", "object", "role", "id", "model", "status", "finish_reason", "stop_reason", "session"}
)
_IDENTIFIER: Final = re.compile(r"[A-Za-z0-9_.:/-]{1,64}")


def check_pointer(pointer: str) -> str:
    """The pointer, when it is one.

    Raises:
        ValueError: it is none.
    """
    if pointer and not pointer.startswith("/"):
        raise ValueError(f"a JSON pointer begins with /, not as {pointer!r}")
    return pointer


def at_pointer(data: Any, pointer: str, channel: Hashable = "") -> Iterator[Slot]:
    """The texts that a pointer leads to; all those inside where it leads to a list or an object."""
    *way, last = [step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/")[1:]] or [""]
    places = [data]
    for step in way:
        places = [found for place in places for found in _into(place, step)]
    for place in places:
        for key in _keys(place, last):
            yield from _texts(place, key, channel)


def value_at(data: Any, pointer: str) -> str | None:
    """The first text or number that a pointer leads to."""
    way = [step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/")[1:]]
    for step in way:
        data = next(iter(_into(data, step)), None)
    return str(data) if isinstance(data, (str, int)) and not isinstance(data, bool) and data != "" else None


def made_at(pointer: str, text: str) -> Any:
    """JSON that has a text where the pointer leads; a list has that one entry."""
    data: Any = text
    for step in reversed(pointer.split("/")[1:]):
        name = step.replace("~1", "/").replace("~0", "~")
        data = [data] if name == "*" or name.isdecimal() else {name: data}
    return data


def _into(place: Any, step: str) -> list[Any]:
    return [place[key] for key in _keys(place, step)]


def _keys(place: Any, step: str) -> list[Any]:
    if isinstance(place, list):
        if step == "*":
            return list(range(len(place)))
        return [int(step)] if step.isdecimal() and int(step) < len(place) else []
    return [step] if isinstance(place, dict) and step in place else []


def strings_in(data: Any) -> Iterator[tuple[tuple[Any, ...], Slot]]:
    """Every string of some JSON with the path to it, but for identifiers under keys that name kinds and ids."""
    yield from _strings({"": data}, "", ())


def _strings(place: Any, key: Any, path: tuple[Any, ...]) -> Iterator[tuple[tuple[Any, ...], Slot]]:
    value = place[key]
    if isinstance(value, str):
        if not (key in _CONTROL_KEYS and _IDENTIFIER.fullmatch(value)):
            yield path, Slot(path, place, key)
    elif isinstance(value, dict):
        for name in value:
            yield from _strings(value, name, (*path, name))
    elif isinstance(value, list):
        for number in range(len(value)):
            yield from _strings(value, number, (*path, number))


def _texts(place: Any, key: Any, channel: Hashable) -> Iterator[Slot]:
    """All texts of a value, however deep: a part that is left out would be read by the application alone."""
    for _, slot in _strings(place, key, ()):
        slot.channel = channel
        yield slot
