"""Parse JSON lines from chunks of bytes; every byte is kept."""

from __future__ import annotations

from proctor.server.wire.sse import MOST_BYTES, EventTooLongError, SseEvent

__all__ = ["LineParser", "line"]


class LineParser:
    """Parses bytes into one event per line. The ``raw`` of all events and ``rest`` add up to the input."""

    __slots__ = ("_held", "_seen")

    def __init__(self) -> None:
        self._held = bytearray()
        self._seen = 0

    def feed(self, chunk: bytes) -> list[SseEvent]:
        """Return the lines completed by this chunk.

        Raises:
            TooLongError: more than ``MOST_BYTES`` without a line end.
        """
        held = self._held
        held += chunk
        found: list[SseEvent] = []
        start = 0
        while (at := held.find(b"\n", max(start, self._seen))) >= 0:
            found.append(_read(bytes(held[start : at + 1])))
            start = at + 1
        del held[:start]
        self._seen = len(held)
        if len(held) > MOST_BYTES:
            raise EventTooLongError(f"a line of more than {MOST_BYTES:,} bytes")
        return found

    def rest(self) -> SseEvent | None:
        """Return the data after the last complete line, at the end of the stream."""
        held, self._held, self._seen = bytes(self._held), bytearray(), 0
        return _read(held) if held else None


def _read(raw: bytes) -> SseEvent:
    text = raw.decode("utf-8", "replace").strip()
    return SseEvent(raw, text or None)


def line(text: str) -> bytes:
    """Return a line with this JSON."""
    return text.encode("utf-8", "surrogatepass") + b"\n"
