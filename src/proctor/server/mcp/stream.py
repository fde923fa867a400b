"""Events of a tool server's stream: each is read as a message, and written again from what was read."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from proctor.server.mcp.gateway import Gateway
from proctor.server.wire.sse import SseEvent, encoded

__all__ = ["EventGate", "PassedEvent"]

_NAME: Final = re.compile(r"[a-zA-Z][\w./-]{0,31}")
_LINE: Final = re.compile(rb"\r\n|\r|\n")
_LONGEST: Final = 1_024  # bytes of the id of an event
_ALIVE: Final = b": \n\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class PassedEvent:
    """What becomes of an event: the bytes for the agent, a message for the server, an address for later messages."""

    on: bytes = b""
    back: bytes | None = None
    endpoint: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EventGate:
    """Lets the events of one stream through; ``own_place`` makes a path of this gateway of an address."""

    gateway: Gateway
    own_place: Callable[[str], str | None]

    async def passed(self, event: SseEvent) -> PassedEvent:
        """One event. Ids and times to wait are kept, since a stream is resumed by them; comments are not."""
        kept = _kept(event.raw)
        if not event.data:
            return PassedEvent(on=kept + b"\n" if kept else _ALIVE)
        if event.name == "endpoint":
            return self._endpoint(event.data, kept)
        passed = await self.gateway.from_server(_data(event))
        parts = [encoded(each.decode()) for each in passed.errors]
        if passed.on is not None and _NAME.fullmatch(event.name or "message"):
            parts.append(kept + encoded(passed.on.decode(), event.name))
        elif kept:
            parts.append(kept + b"\n")
        return PassedEvent(on=b"".join(parts), back=passed.back)

    def _endpoint(self, data: str, kept: bytes) -> PassedEvent:
        """The transport of 2024 says first where messages go to; one around this gateway is not passed on."""
        place = self.own_place(data.strip())
        if place is None:
            return PassedEvent()
        return PassedEvent(on=kept + encoded(place, "endpoint"), endpoint=place)


def _data(event: SseEvent) -> bytes:
    """The data as it came: what is not UTF-8 must not be read as if it were."""
    try:
        event.raw.decode("utf-8")
    except UnicodeDecodeError:
        return (event.data or "").encode("utf-8", "replace") + b"\xff"
    return (event.data or "").encode("utf-8")


def _kept(raw: bytes) -> bytes:
    lines = [line for line in _LINE.split(raw) if line.startswith((b"id:", b"retry:"))]
    return b"".join(line + b"\n" for line in lines if len(line) <= _LONGEST)
