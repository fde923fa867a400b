"""Write a conversation as lines of token numbers for the large network, with the places where its agent is judged.

A line holds the sources and the events in their order, and after each act of the agent a mark; what the network says
at a mark is about the act before it, given all that came before. A long conversation becomes several lines. With
``notes`` the values of an act that nothing before gave stand before its mark.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from proctor.core.talk_event import TalkEvent, Who
from proctor.models.local.new_values import GivenValues

__all__ = ["TalkLine", "talk_lines"]

FRAMES: Final[dict[Who, str]] = {
    "source": "Source: ",
    "customer": "\nCustomer: ",
    "agent": "\nAgent: ",
    "call": "\nCall: ",
}
RESULT: Final = "\nResult: "
NEW: Final = "\nNot given before: "
MARK: Final = "\nFault:"
LONGEST: Final = 1_280  # tokens of a line
AGAIN: Final = 480  # tokens of events that a further line shows again
SOURCE, TEXT, ARGUMENTS, ANSWER = 260, 220, 90, 240  # tokens of a source, a message, a call, and its result
NOTE: Final = 60  # tokens of the values that are new
SOURCES: Final = 520  # tokens of all sources
READ: Final = 4_000  # characters of one text

Encode = Callable[[str], Sequence[int]]


@dataclass(frozen=True, slots=True)
class TalkLine:
    """Token numbers, and for each mark its place in them and the event that it judges."""

    ids: tuple[int, ...]
    marks: tuple[tuple[int, int], ...]


def talk_lines(
    encode: Encode, events: Sequence[TalkEvent], longest: int = LONGEST, *, notes: bool = False
) -> list[TalkLine]:
    """Return the lines of a conversation; each act of the agent is judged once."""
    mark = tuple(encode(MARK))
    told = _notes(events) if notes else {}
    head: list[int] = []
    for event in events:
        if event.who == "source" and len(head) < SOURCES:
            head += _cut([*encode(FRAMES["source"]), *encode(event.text[:READ]), *encode("\n")], SOURCE)
    parts = [
        (at, _part(encode, event, [*_cut([*encode(told[at])], NOTE), *mark] if at in told else mark))
        for at, event in enumerate(events)
        if event.who != "source"
    ]
    found: list[TalkLine] = []
    start = 0
    while start < len(parts):
        ids, marks, at = list(head), list[tuple[int, int]](), start
        shown = start
        room = AGAIN
        while shown and len(parts[shown - 1][1]) <= room:  # what came just before, which is not judged again
            shown -= 1
            room -= len(parts[shown][1])
        for _, part in parts[shown:start]:
            ids += part
        while at < len(parts) and (at == start or len(ids) + len(parts[at][1]) <= longest):
            number, part = parts[at]
            ids += part
            if events[number].who in ("agent", "call"):
                marks.append((len(ids) - 1, number))
            at += 1
        found.append(TalkLine(tuple(ids), tuple(marks)))
        start = at
    return [each for each in found if each.marks]


def _notes(events: Sequence[TalkEvent]) -> dict[int, str]:
    """Return what is to be said of the values of each act that nothing before it gave."""
    given, found = GivenValues(), dict[int, str]()
    for at, event in enumerate(events):
        if event.who in ("agent", "call") and (new := given.new_in(event.text)):
            found[at] = NEW + ", ".join(new)
        given.add(event.text)
        if event.result:
            given.add(event.result)
    return found


def _part(encode: Encode, event: TalkEvent, mark: Sequence[int]) -> list[int]:
    most = ARGUMENTS if event.who == "call" else TEXT
    ids = _cut([*encode(FRAMES[event.who]), *encode(event.text[:READ])], most)
    if event.who == "call":
        ids += _cut([*encode(RESULT), *encode(event.result[:READ])], ANSWER)
    return ids if event.who == "customer" else [*ids, *mark]


def _cut(ids: list[int], most: int) -> list[int]:
    """Keep the beginning and the end of what is too long."""
    return ids if len(ids) <= most else [*ids[: most * 2 // 3], *ids[-(most - most * 2 // 3) :]]
