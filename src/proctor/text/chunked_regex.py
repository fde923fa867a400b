"""Run regexes over long texts in chunks, so that other threads can run and the work can be cancelled.

A regex holds the interpreter lock while it runs; over a megabyte that blocks every other thread for half a second.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator, Mapping
from time import monotonic
from typing import Final, Protocol

__all__ = ["MARGIN", "PIECE", "GivenUp", "Work", "breathe", "finditer", "spans", "translated", "works_for"]

PIECE: Final = 24_576  # characters per call of a pattern: a few milliseconds
MARGIN: Final = 4_608  # characters that two chunks share; more than any pattern here needs to decide on a match

_BLANKS: Final = re.compile(r"\s{64,}")
_BLANK: Final = re.compile(r"\s*")
_MOST_RUNS: Final = 8  # maximum blank runs skipped at the end of a chunk, and maximum characters added by them
_MOST_BLANKS: Final = 4 * PIECE


class GivenUp(BaseException):  # not an Exception: handlers of those expect failures of the work
    """The work of this thread was cancelled."""


class Work(Protocol):
    """A unit of work; ``done`` becomes true when its result is no longer needed."""

    breathed: float  # time of its last pause between chunks

    @property
    def done(self) -> bool:
        """Whether it was answered or cancelled."""
        ...


class _Here(threading.local):
    work: Work | None = None
    give_way: Callable[[], None] | None = None


_here: Final = _Here()


def works_for(work: Work | None, give_way: Callable[[], None] | None = None) -> None:
    """Set the work of this thread; ``give_way`` is called between chunks of that work."""
    _here.work, _here.give_way = work, give_way


def breathe() -> None:
    """Pause between chunks of long work and stop if its result is no longer needed.

    Raises:
        GivenUp: the work was cancelled.
    """
    work = _here.work
    if work is not None:
        if work.done:
            raise GivenUp
        if _here.give_way is not None:
            _here.give_way()
        work.breathed = monotonic()


def finditer(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """Return the same matches as the pattern's own ``finditer``; a long text is read in chunks.

    A match longer than ``MARGIN`` is complete too, unless the pattern needs more lookahead than that to match at all.
    """
    return pattern.finditer(text) if len(text) <= PIECE else _by_pieces(pattern, text)


def spans(length: int) -> Iterator[tuple[int, int]]:
    """Yield the spans of adjacent chunks that cover a text of this length."""
    for start in range(0, length, PIECE):
        breathe()
        yield start, min(start + PIECE, length)


def translated(text: str, table: Mapping[int, int | str]) -> str:
    """Return the text translated as by ``str.translate``."""
    if len(text) <= PIECE:
        return text.translate(table)
    return "".join(text[start:end].translate(table) for start, end in spans(len(text)))


def _end(text: str, end: int) -> int:
    """Return the end of a chunk, moved so that its overlap with the next is not a run of blanks.

    Most patterns accept any number of blanks and must see what follows them.
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
        sure = end if end == len(text) else end - MARGIN  # after this a match could differ with more text
        after = sure
        for hit in pattern.finditer(text, at, end):
            if end < len(text) and (hit.end() > sure or hit.start() == sure):
                after = min(hit.start(), sure)
                break
            if hit.span() != last:  # an empty match may be where the last chunk ended
                yield hit
                last = hit.span()
                breathe()
        if end == len(text):
            return
        room = PIECE if after > at else 2 * room
        at = after
