"""Find the position of each value of a YAML text: the tree for editing.

Built from events and not from nodes, because a node reached by an alias has the position of its anchor.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

from ruamel.yaml import YAML
from ruamel.yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    StreamStartEvent,
)

__all__ = ["ValuePlace", "places_in"]


@dataclass(slots=True, kw_only=True)
class ValuePlace:
    """A value in the text: ``start`` and ``end`` are offsets, without what follows it on its line.

    ``entries`` are the keys and values of a mapping; ``items`` those of a list. ``block`` is a text written as
    an indented block. ``flow`` is a collection in brackets.
    """

    kind: Literal["scalar", "map", "list", "alias"]
    start: int
    end: int
    column: int
    text: str = ""
    flow: bool = False
    block: bool = False
    entries: list[tuple[ValuePlace, ValuePlace]] = field(default_factory=list)
    items: list[ValuePlace] = field(default_factory=list)


def places_in(text: str) -> ValuePlace | None:
    """Return the tree of a text with one document, or None if it is empty.

    Raises:
        YAMLError: the text is not YAML.
    """
    events = iter(YAML(typ="safe", pure=True).parse(text))
    for event in events:
        if isinstance(event, (StreamStartEvent, DocumentStartEvent)):
            continue
        made = _place(event, events, text)
        return made if isinstance(made, ValuePlace) else None
    return None


def _place(event: Any, events: Iterator[Any], text: str) -> ValuePlace | None:
    start, end, column = event.start_mark.index, event.end_mark.index, event.start_mark.column
    if isinstance(event, AliasEvent):
        return ValuePlace(kind="alias", start=start, end=end, column=column)
    if isinstance(event, ScalarEvent):
        block = event.style in ("|", ">")
        if block:
            end = _block_end(text, start, end)
        return ValuePlace(kind="scalar", start=start, end=end, column=column, text=event.value, block=block)
    if isinstance(event, MappingStartEvent):
        place = ValuePlace(kind="map", start=start, end=end, column=column, flow=bool(event.flow_style))
        return _mapping(place, events, text)
    if isinstance(event, SequenceStartEvent):
        place = ValuePlace(kind="list", start=start, end=end, column=column, flow=bool(event.flow_style))
        return _sequence(place, events, text)
    return None  # the end of the document


def _block_end(text: str, start: int, end: int) -> int:
    """Return where a block ends: with its last line of text, unless its header keeps empty lines."""
    said = text[start:end]
    head = said.partition("\n")[0].partition("#")[0]
    return start + len(said.removesuffix("\n").removesuffix("\r") if "+" in head else said.rstrip())


def _mapping(place: ValuePlace, events: Iterator[Any], text: str) -> ValuePlace:
    for event in events:
        if isinstance(event, MappingEndEvent):
            # A block ends with its last value; the parser would report where the next token begins.
            place.end = event.end_mark.index if place.flow else place.entries[-1][1].end
            return place
        key = _place(event, events, text)
        value = _place(next(events), events, text)
        if key is not None and value is not None:
            value.end = max(value.end, key.end)
            place.entries.append((key, value))
    return place


def _sequence(place: ValuePlace, events: Iterator[Any], text: str) -> ValuePlace:
    for event in events:
        if isinstance(event, SequenceEndEvent):
            place.end = event.end_mark.index if place.flow else place.items[-1].end
            return place
        item = _place(event, events, text)
        if item is not None:
            place.items.append(item)
    return place
