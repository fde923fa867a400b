"""Texts in JSON by their pointers (RFC 6901), with ``*`` for every entry of a list."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Any

from proctor.server.frames import Slot

__all__ = ["at_pointer", "check_pointer", "made_at", "value_at"]


def check_pointer(pointer: str) -> str:
    """The pointer, when it is one.

    Raises:
        ValueError: it is none.
    """
    if pointer and not pointer.startswith("/"):
        raise ValueError(f"a JSON pointer begins with /, not as {pointer!r}")
    return pointer


def at_pointer(data: Any, pointer: str, channel: Hashable = "") -> Iterator[Slot]:
    """The texts that a pointer leads to; those of the parts where it leads to a list of them."""
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


def _texts(place: Any, key: Any, channel: Hashable) -> Iterator[Slot]:
    value = place[key]
    if isinstance(value, str):
        yield Slot(channel, place, key)
    elif isinstance(value, list):
        for number in range(len(value)):
            yield from _texts(value, number, channel)
    elif isinstance(value, dict) and "text" in value:
        yield from _texts(value, "text", channel)
