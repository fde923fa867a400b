"""Read events from a log: JSON lines as a stream, each with its line, sorted by time."""

from __future__ import annotations

import gzip
import heapq
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import BinaryIO, Final, cast

from proctor.core.codec import loads
from proctor.core.decode import decode
from proctor.core.errors import InputError, MalformedError, NotFoundError, Problem
from proctor.core.event import Event
from proctor.core.event_id import id_of_content
from proctor.monitor.completion import in_utc

__all__ = ["Placed", "in_order", "read_events"]

MAX_LINE: Final = 16_000_000
_EXAMPLE: Final = 'write {"kind": "turn", "time": "2026-11-15T09:30:00Z", "session": "s1", …} on a line'


@dataclass(frozen=True, slots=True, kw_only=True)
class Placed:
    """An event and its location."""

    event: Event
    file: str
    line: int


def read_events(path: Path, *, with_ids: bool = False) -> Iterator[Placed]:
    """Yield the events of a file, in the order they were written; ``with_ids`` names those that have no id.

    Raises:
        NotFoundError: there is no such file.
        InputError: it cannot be read, or contains no events.
        MalformedError: a line is no event; its line and the problem are named.
    """
    found = False
    for number, line in _lines(path):
        if not line.strip():
            continue
        found = True
        yield Placed(event=_event(line, number, str(path), with_ids), file=str(path), line=number)
    if not found:
        raise InputError("there are no events in it", file=str(path), hint=_EXAMPLE)


def in_order(events: Iterable[Placed], *, late: float) -> Iterator[Placed]:
    """Yield the events in time order; one that is late by at most ``late`` seconds is put in its place.

    Raises:
        MalformedError: an event is later than that.
    """
    waiting: list[tuple[datetime, int, Placed]] = []
    newest: datetime | None = None
    given: datetime | None = None
    for number, placed in enumerate(events):
        time = in_utc(placed.event.time)
        if given is not None and time < given:
            raise _too_late(placed, (given - time).total_seconds(), late)
        newest = time if newest is None else max(newest, time)
        heapq.heappush(waiting, (time, number, placed))
        while (newest - waiting[0][0]).total_seconds() > late:
            given, _, ready = heapq.heappop(waiting)
            yield ready
    while waiting:
        yield heapq.heappop(waiting)[2]


def _too_late(placed: Placed, seconds: float, late: float) -> MalformedError:
    message = f"is {seconds:g} s before an event that was to be counted already ({late:g} s of delay are allowed)"
    hint = "sort the log by time, or allow more under `late:`"
    return MalformedError([Problem(("time",), message, hint, placed.line)], file=placed.file)


def _event(line: bytes, number: int, file: str, with_ids: bool) -> Event:
    try:
        data = loads(line.decode("utf-8-sig" if number == 1 else "utf-8"))
    except UnicodeDecodeError as error:
        problem = Problem((), f"is not UTF-8 text (byte {error.start} of the line)", "save the file as UTF-8", number)
        raise MalformedError([problem], file=file) from None
    except (ValueError, RecursionError) as error:
        raise MalformedError([Problem((), f"is not JSON: {error}", _EXAMPLE, number)], file=file) from None
    try:
        event = decode(Event, data)
    except MalformedError as error:
        raise MalformedError([replace(each, line=number) for each in error.problems], file=file) from None
    return replace(event, id=id_of_content(data)) if with_ids and not event.id else event


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    number = 0
    try:
        with _opened(path) as handle:
            while line := handle.readline(MAX_LINE + 1):
                number += 1
                if len(line) > MAX_LINE:
                    problem = Problem(
                        (), f"is longer than {MAX_LINE // 1_000_000} MB", "write one event a line", number
                    )
                    raise MalformedError([problem], file=str(path))
                yield number, line
    except FileNotFoundError:
        raise NotFoundError("there is no such file", file=str(path), hint="check the path of the events") from None
    except (OSError, EOFError, zlib.error) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise InputError(
            f"cannot be read: {why}", file=str(path), line=number + 1, hint="check the file; is it whole?"
        ) from None


def _opened(path: Path) -> BinaryIO:
    if path.suffix == ".gz":
        return cast(BinaryIO, gzip.open(path, "rb"))
    return path.open("rb")
