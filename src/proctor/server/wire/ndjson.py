"""Lines of JSON out of bytes that come in any pieces; every byte is kept."""

from __future__ import annotations

from proctor.server.wire.sse import MOST_BYTES, EventTooLongError, SseEvent

__all__ = ["LineParser", "line"]


class LineParser:
    """Bytes in, one event for each line out. What the events' ``raw`` add up to, with ``rest``, is what was fed."""

    __slots__ = ("_held", "_seen")

    def __init__(self) -> None:
        self._held = bytearray()
        self._seen = 0

    def feed(self, chunk: bytes) -> list[SseEvent]:
        """The lines that are complete with this piece.

        Raises:
            TooLongError: more than ``MOST_BYTES`` came without the end of a line.
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
        """What stands after the last line that ended; the stream is over."""
        held, self._held, self._seen = bytes(self._held), bytearray(), 0
        return _read(held) if held else None


def _read(raw: bytes) -> SseEvent:
    text = raw.decode("utf-8", "replace").strip()
    return SseEvent(raw, text or None)


def line(text: str) -> bytes:
    """A line with this JSON."""
    return text.encode("utf-8", "surrogatepass") + b"\n"
