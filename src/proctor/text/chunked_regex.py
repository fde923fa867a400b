"""Long texts at a pace that leaves room for others: patterns go over them piece by piece, and stop when told to.

A regular expression holds the interpreter for as long as it runs; over a megabyte that is half a second in which no
other thread does anything.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator, Mapping
from time import monotonic
from typing import Final, Protocol

__all__ = ["MARGIN", "PIECE", "GivenUp", "Work", "breathe", "finditer", "spans", "translated", "works_for"]

PIECE: Final = 24_576  # letters that one call of a pattern reads: some milliseconds
MARGIN: Final = 4_608  # letters that two pieces share; more than any pattern here needs to see to decide on a match

_BLANKS: Final = re.compile(r"\s{64,}")
_BLANK: Final = re.compile(r"\s*")
_MOST_RUNS: Final = 8  # runs of blanks that are passed over for the end of one piece, and how long it gets by them
_MOST_BLANKS: Final = 4 * PIECE


class GivenUp(BaseException):  # no Exception: who catches those means failures of the work, and this is none
    """Nobody waits any more for what this thread works on."""


class Work(Protocol):
    """Something that is worked on; ``done`` turns true when nobody waits for it any more."""

    breathed: float  # when it last came between two pieces of its work

    @property
    def done(self) -> bool:
        """Whether it was answered, or given up."""
        ...


class _Here(threading.local):
    work: Work | None = None
    give_way: Callable[[], None] | None = None


_here: Final = _Here()


def works_for(work: Work | None, give_way: Callable[[], None] | None = None) -> None:
    """Say what this thread works for from now on; ``give_way`` is called between the pieces of that work."""
    _here.work, _here.give_way = work, give_way


def breathe() -> None:
    """Go on only if somebody still waits for the work of this thread; called between the pieces of long work.

    Raises:
        GivenUp: nobody does.
    """
    work = _here.work
    if work is not None:
        if work.done:
            raise GivenUp
        if _here.give_way is not None:
            _here.give_way()
        work.breathed = monotonic()


def finditer(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """The matches that the pattern's own ``finditer`` has, in a long text piece by piece.

    A match that is longer than ``MARGIN`` is whole too, unless the pattern has to see more than that before it can
    match at all.
    """
    return pattern.finditer(text) if len(text) <= PIECE else _by_pieces(pattern, text)


def spans(length: int) -> Iterator[tuple[int, int]]:
    """The places of pieces that stand side by side and are all of a text of this length."""
    for start in range(0, length, PIECE):
        breathe()
        yield start, min(start + PIECE, length)


def translated(text: str, table: Mapping[int, int | str]) -> str:
    """The text with its letters exchanged, as ``str.translate`` does it."""
    if len(text) <= PIECE:
        return text.translate(table)
    return "".join(text[start:end].translate(table) for start, end in spans(len(text)))


def _end(text: str, end: int) -> int:
    """Where a piece ends that should end here: the letters that it shares with the next are no run of blanks.

    Most patterns take any number of blanks for one, and must see what stands behind them.
    """
    most = end + _MOST_BLANKS
    for _ in range(_MOST_RUNS):
        if end >= len(text) or (hit := _BLANKS.search(text, end - MARGIN, end)) is None:
            break
        run = _BLANK.match(text, hit.start(), most)
        end = (run.end() if run else end) + MARGIN
    return min(end, len(text))


def _by_pieces(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    at, room, last = 0, PIECE, (-1, -1)
    while True:
        breathe()
        end = _end(text, at + room)
        sure = end if end == len(text) else end - MARGIN  # behind it a match could go another way with more to see
        after = sure
        for hit in pattern.finditer(text, at, end):
            if end < len(text) and (hit.end() > sure or hit.start() == sure):
                after = min(hit.start(), sure)
                break
            if hit.span() != last:  # an empty one may stand where the last piece ended
                yield hit
                last = hit.span()
                breathe()
        if end == len(text):
            return
        room = PIECE if after > at else 2 * room
        at = after
