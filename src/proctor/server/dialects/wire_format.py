"""How an API writes what is around its answers: streams, errors, and whether a request asks for a stream."""

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
    """Bytes in, events out."""

    def feed(self, chunk: bytes) -> list[SseEvent]:
        """The events that are complete with this piece."""
        ...

    def rest(self) -> SseEvent | None:
        """What stands after the last event that ended."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class WireFormat:
    """The media type of streams, the shape of errors; ``streams`` says that a request asks for one by default."""

    media: str = _EVENTS
    errors: Literal["openai", "anthropic", "ollama"] = "openai"
    streams: bool = False

    def asks_for_stream(self, body: Mapping[str, Any]) -> bool:
        """Whether a request asks for a stream."""
        return body.get("stream") is not False if self.streams else body.get("stream") is True

    def is_stream(self, media: str, body: Mapping[str, Any]) -> bool:
        """Whether an answer of this media type is to be read as a stream."""
        # Lines of JSON are sent under several names, and one line is the same whole and as a stream.
        return media == self.media or (self.media == _LINES and self.asks_for_stream(body))

    def parser(self) -> EventParser:
        """A parser for one stream."""
        return LineParser() if self.media == _LINES else Parser()

    def told(self, answer: web.StreamResponse) -> web.StreamResponse:
        """A failure that the proxy tells of itself, as clients of this API read it; anything else as it is."""
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
    """How the API of a shape is written: as OpenAI's are, unless the shape says otherwise."""
    wire = getattr(shape, "wire", OPENAI)
    return wire if isinstance(wire, WireFormat) else OPENAI
