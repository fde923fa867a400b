"""Server-sent events out of bytes that come in any pieces, and back; every byte is kept."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

__all__ = ["MOST_BYTES", "EventTooLongError", "Parser", "SseEvent", "encoded"]

MOST_BYTES: Final = 16_000_000  # of one event that has not ended: more is no event stream

_END = re.compile(rb"(?:\r\n|\r(?!\n)|\n){2}")
_LINE = re.compile(rb"\r\n|\r|\n")
_BOM = b"\xef\xbb\xbf"


class EventTooLongError(ValueError):
    """An event that never ends."""


@dataclass(frozen=True, slots=True)
class SseEvent:
    """One event as it came: its bytes, and what they say. ``data`` is None where there are only comments."""

    raw: bytes
    data: str | None = None
    name: str = ""


class Parser:
    """Bytes in, events out. What the events' ``raw`` add up to, with ``rest``, is what was fed."""

    __slots__ = ("_held", "_plain", "_seen")

    def __init__(self) -> None:
        self._held = bytearray()
        self._plain = True  # no carriage return has come: an event ends where an empty line does
        self._seen = 0

    def feed(self, chunk: bytes) -> list[SseEvent]:
        """The events that are complete with this piece.

        Raises:
            TooLongError: more than ``MOST_BYTES`` came without the end of an event.
        """
        self._plain = self._plain and b"\r" not in chunk
        if self._plain and not self._held and chunk.find(b"\n\n") == len(chunk) - 2 >= 0:
            return [_read(chunk)]  # one event in one piece, as most come
        held = self._held
        held += chunk
        found: list[SseEvent] = []
        start = 0
        while self._plain and (at := held.find(b"\n\n", max(start, self._seen))) >= 0:
            found.append(_read(bytes(held[start : at + 2])))
            start = self._seen = at + 2
        while not self._plain and (end := _END.search(held, max(start, self._seen))):
            if end.end() == len(held) and held[-1] == 13:  # the line feed of this carriage return may be on its way
                break
            found.append(_read(bytes(held[start : end.end()])))
            start = self._seen = end.end()
        del held[:start]
        self._seen = max(0, len(held) - 4)
        if len(held) > MOST_BYTES:
            raise EventTooLongError(f"an event of more than {MOST_BYTES:,} bytes")
        return found

    def rest(self) -> SseEvent | None:
        """What stands after the last event that ended; the stream is over."""
        held, self._held, self._seen = bytes(self._held), bytearray(), 0
        return _read(held) if held else None


def _read(raw: bytes) -> SseEvent:
    if (
        raw.startswith(b"data: ") and raw.find(b"\n") == len(raw) - 2 and b"\r" not in raw
    ):  # the way of nearly every one
        return SseEvent(raw, raw[6:-2].decode("utf-8", "replace"))
    data: list[bytes] = []
    name = b""
    for line in _LINE.split(raw.removeprefix(_BOM)):
        field, _, value = line.partition(b":")
        if field == b"data":
            data.append(value.removeprefix(b" "))
        elif field == b"event":
            name = value.removeprefix(b" ")
    # Bytes that are no UTF-8 are only read loosely: what goes on is ``raw``.
    told = b"\n".join(data).decode("utf-8", "replace") if data else None
    return SseEvent(raw, told, name.decode("utf-8", "replace"))


def encoded(data: str, name: str = "") -> bytes:
    """An event with this data, and its name where it has one."""
    lines = [f"event: {name}"] if name else []
    lines += [f"data: {line}" for line in re.split(r"\r\n|\r|\n", data)]
    return ("\n".join(lines) + "\n\n").encode("utf-8", "surrogatepass")
