"""The wire format of an API: its streams, its errors, and whether streaming is the default."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, Protocol

from aiohttp import web

from proctor.server.upstream import Failure
from proctor.server.wire.ndjson import LineParser
from proctor.server.wire.sse import Parser, SseEvent
from proctor.server.wire.stream_events import compact

__all__ = ["ANTHROPIC", "OLLAMA", "OPENAI", "EventParser", "WireFormat", "wire_of"]

_EVENTS: Final = "text/event-stream"
_LINES: Final = "application/x-ndjson"
_ANTHROPIC_KINDS: Final = {
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    502: "api_error",
    503: "overloaded_error",
    504: "timeout_error",
}


class EventParser(Protocol):
    """Parses bytes into events."""

    def feed(self, chunk: bytes) -> list[SseEvent]:
        """Return the events completed by this chunk."""
        ...

    def rest(self) -> SseEvent | None:
        """Return the data after the last complete event."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class WireFormat:
    """The media type of streams and the format of errors; ``streams`` means that streaming is the default."""

    media: str = _EVENTS
    errors: Literal["openai", "anthropic", "ollama"] = "openai"
    streams: bool = False

    def asks_for_stream(self, body: Mapping[str, Any]) -> bool:
        """Return whether a request asks for a stream."""
        return body.get("stream") is not False if self.streams else body.get("stream") is True

    def is_stream(self, media: str, body: Mapping[str, Any]) -> bool:
        """Return whether an answer of this media type must be read as a stream."""
        # JSON lines have several media types, and a single line is valid either way.
        return media == self.media or (self.media == _LINES and self.asks_for_stream(body))

    def parser(self) -> EventParser:
        """Return a parser for one stream."""
        return LineParser() if self.media == _LINES else Parser()

    def told(self, answer: web.StreamResponse) -> web.StreamResponse:
        """Return an error of the proxy in the API's format; any other response unchanged."""
        if not isinstance(answer, Failure) or self.errors == "openai":
            return answer
        if self.errors == "ollama":
            body: dict[str, Any] = {"error": answer.message}
        else:
            kind = _ANTHROPIC_KINDS.get(answer.status, answer.kind)
            body = {"type": "error", "error": {"type": kind, "message": answer.message}}
        answer.text = compact(body)
        return answer


OPENAI: Final = WireFormat()
ANTHROPIC: Final = WireFormat(errors="anthropic")
OLLAMA: Final = WireFormat(media=_LINES, errors="ollama", streams=True)


def wire_of(shape: object) -> WireFormat:
    """Return the wire format of a dialect; the default is OpenAI's."""
    wire = getattr(shape, "wire", OPENAI)
    return wire if isinstance(wire, WireFormat) else OPENAI
