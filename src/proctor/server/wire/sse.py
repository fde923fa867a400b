"""Parse server-sent events from chunks of bytes, and write them; every byte is kept."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

__all__ = ["MOST_BYTES", "EventTooLongError", "Parser", "SseEvent", "encoded"]

MOST_BYTES: Final = 16_000_000  # maximum size of an incomplete event

_END = re.compile(rb"(?:\r\n|\r(?!\n)|\n){2}")
_LINE = re.compile(rb"\r\n|\r|\n")
_BOM = b"\xef\xbb\xbf"


class EventTooLongError(ValueError):
    """An event exceeds the maximum size."""


@dataclass(frozen=True, slots=True)
class SseEvent:
    """One event: its bytes and its fields. ``data`` is None for comments only."""

    raw: bytes
    data: str | None = None
    name: str = ""


class Parser:
    """Parses bytes into events. The ``raw`` of all events and ``rest`` add up to the input."""

    __slots__ = ("_held", "_plain", "_seen")

    def __init__(self) -> None:
        self._held = bytearray()
        self._plain = True  # no carriage return so far: an empty line ends an event
        self._seen = 0

    def feed(self, chunk: bytes) -> list[SseEvent]:
        """Return the events completed by this chunk.

        Raises:
            TooLongError: more than ``MOST_BYTES`` without the end of an event.
        """
        self._plain = self._plain and b"\r" not in chunk
        if self._plain and not self._held and chunk.find(b"\n\n") == len(chunk) - 2 >= 0:
            return [_read(chunk)]  # one event per chunk, the usual case
        held = self._held
        held += chunk
        found: list[SseEvent] = []
        start = 0
        while self._plain and (at := held.find(b"\n\n", max(start, self._seen))) >= 0:
            found.append(_read(bytes(held[start : at + 2])))
            start = self._seen = at + 2
        while not self._plain and (end := _END.search(held, max(start, self._seen))):
            if end.end() == len(held) and held[-1] == 13:  # its line feed may come in the next chunk
                break
            found.append(_read(bytes(held[start : end.end()])))
            start = self._seen = end.end()
        del held[:start]
        self._seen = max(0, len(held) - 4)
        if len(held) > MOST_BYTES:
            raise EventTooLongError(f"an event of more than {MOST_BYTES:,} bytes")
        return found

    def rest(self) -> SseEvent | None:
        """Return the data after the last complete event, at the end of the stream."""
        held, self._held, self._seen = bytes(self._held), bytearray(), 0
        return _read(held) if held else None


def _read(raw: bytes) -> SseEvent:
    if raw.startswith(b"data: ") and raw.find(b"\n") == len(raw) - 2 and b"\r" not in raw:  # fast path for most events
        return SseEvent(raw, raw[6:-2].decode("utf-8", "replace"))
    data: list[bytes] = []
    name = b""
    for line in _LINE.split(raw.removeprefix(_BOM)):
        field, _, value = line.partition(b":")
        if field == b"data":
            data.append(value.removeprefix(b" "))
        elif field == b"event":
            name = value.removeprefix(b" ")
    # Invalid UTF-8 is decoded leniently, because ``raw`` is what is forwarded.
    told = b"\n".join(data).decode("utf-8", "replace") if data else None
    return SseEvent(raw, told, name.decode("utf-8", "replace"))


def encoded(data: str, name: str = "") -> bytes:
    """Return an event with this data and, if given, name."""
    lines = [f"event: {name}"] if name else []
    lines += [f"data: {line}" for line in re.split(r"\r\n|\r|\n", data)]
    return ("\n".join(lines) + "\n\n").encode("utf-8", "surrogatepass")
