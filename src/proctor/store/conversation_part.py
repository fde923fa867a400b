"""A part of a conversation: some of its turns, with what happened around them and what is known of the whole."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Final

from proctor.core.codec import loads
from proctor.core.conversation_summary import ConversationSummary
from proctor.core.decode import decode
from proctor.core.event import Event
from proctor.store.log_lines import event_of_session
from proctor.store.segments import SessionLine

__all__ = ["ConversationPart", "PartRequest", "event_in", "in_order", "logged_lines", "part_of"]

_AROUND: Final = frozenset({"turn", "gate", "escalation"})  # belong to the turn at their time
_MAX_ABOUT: Final = 500  # events about the whole conversation that are decoded
_MAX_GAP_BYTES: Final = 65_536  # between two events of a file that are read in one piece
_MAX_PIECE_BYTES: Final = 1_048_576


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationPart:
    """Some turns of a conversation. ``first`` is the number of the first one, from 0; ``turns`` how many there are.

    ``events`` are those of the turns, their gates and hand-offs, in the order of time; ``earlier`` those of turns
    before them. ``about`` are scores, ratings, outcomes and notes of the whole conversation.
    """

    summary: ConversationSummary
    turns: int
    first: int
    events: tuple[Event, ...]
    earlier: tuple[Event, ...]
    about: tuple[Event, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PartRequest:
    """Which turns are wanted: ``count`` from the turn ``first`` on, and ``before`` earlier ones beside them.

    With ``at``, the time of a turn, it is the page of ``count`` turns that has this turn.
    """

    first: int = 0
    count: int = 50
    before: int = 0
    at: float | None = None


def part_of(known: ConversationSummary, lines: Sequence[SessionLine], wanted: PartRequest) -> ConversationPart:
    """Return some turns of the lines of a conversation, which are in the order of time."""
    around = [each for each in lines if each.kind in _AROUND]
    places = [place for place, each in enumerate(around) if each.kind == "turn"]
    first = wanted.first
    if wanted.at is not None:
        passed = sum(around[place].time < wanted.at for place in places)
        first = passed // wanted.count * wanted.count
    first = max(0, first)
    if first >= len(places):  # beyond the end: the last page
        first = max(0, len(places) - 1) // wanted.count * wanted.count

    def place_of(turn: int) -> int:
        """Return where a turn begins: with the decisions of gates about it, which come before it is told."""
        if turn <= 0 or turn >= len(places):
            return 0 if turn <= 0 else len(around)
        place, before = places[turn], places[turn - 1]
        while place - 1 > before and around[place - 1].kind == "gate" and around[place - 1].time > around[before].time:
            place -= 1
        return place

    start, end = place_of(first), place_of(first + wanted.count)
    about = [each for each in lines if each.kind not in _AROUND]
    return ConversationPart(
        summary=known,
        turns=len(places),
        first=first,
        events=tuple(event_in(each) for each in around[start:end]),
        earlier=tuple(event_in(each) for each in around[place_of(first - wanted.before) : start]),
        about=tuple(event_in(each) for each in about[-_MAX_ABOUT:]),
    )


def event_in(line: SessionLine) -> Event:
    """Return the event of a line."""
    return decode(Event, loads(line.line))


def in_order(lines: Iterable[SessionLine]) -> list[SessionLine]:
    """Return lines in the order of time, each event once; of the same moment the turn comes first."""
    once = {each.id: each for each in lines}
    return sorted(once.values(), key=lambda each: (each.time, each.kind != "turn"))


def logged_lines(folder: Path, places: Iterable[tuple[str, int, int]], session: str) -> Iterator[SessionLine]:
    """Yield the events of a conversation at these places of the log; a file that was sealed meanwhile is left out."""
    for name, group in groupby(sorted(places), key=lambda place: place[0]):
        with suppress(FileNotFoundError), (folder / name).open("rb") as file:
            for start, piece in _pieces([(at, length) for _, at, length in group]):
                block = os.pread(file.fileno(), piece[-1][0] + piece[-1][1] - start, start)
                for at, length in piece:
                    found = event_of_session(block[at - start : at - start + length], session)
                    if found is not None:
                        yield SessionLine._make(found)


def _pieces(places: Sequence[tuple[int, int]]) -> Iterator[tuple[int, list[tuple[int, int]]]]:
    """Yield places that are near each other together, with where the first one begins."""
    piece: list[tuple[int, int]] = []
    for at, length in places:
        if piece and (at - sum(piece[-1]) > _MAX_GAP_BYTES or at + length - piece[0][0] > _MAX_PIECE_BYTES):
            yield piece[0][0], piece
            piece = []
        piece.append((at, length))
    if piece:
        yield piece[0][0], piece
