"""Server-sent events: pages hear that something changed, and load what they show again."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from aiohttp import web

if TYPE_CHECKING:
    from proctor.server.pages.desk import Desk, DeskPool

__all__ = ["LiveFeed"]

_LOOK_EVERY: Final = 2.0  # seconds; one look for all viewers
_BREATH_EVERY: Final = 20.0
_FILES: Final = {
    "alerts": "alerts.db",
    "runs": "proctor.db",
    "audit": "audit.db",
    "guard": "guard.db",
    "measured": "measured/state.json",
}


class LiveFeed:
    """Looks at the databases while somebody listens, and tells each listener which of its topics changed."""

    def __init__(self, desks: DeskPool) -> None:
        self.desks = desks
        self._listeners: set[asyncio.Queue[str]] = set()
        self._looking: asyncio.Task[None] | None = None

    async def stream(self, request: web.Request) -> web.StreamResponse:
        """Send the name of a topic whenever it changed."""
        wanted = set(request.query.get("topics", "").split(",")) & set(_FILES)
        answer = web.StreamResponse(headers={"Content-Type": "text/event-stream", "Cache-Control": "no-store"})
        await answer.prepare(request)
        heard: asyncio.Queue[str] = asyncio.Queue()
        self._listeners.add(heard)
        if self._looking is None or self._looking.done():
            self._looking = asyncio.create_task(self._look())
        try:
            while True:
                try:
                    topic = await asyncio.wait_for(heard.get(), _BREATH_EVERY)
                except TimeoutError:
                    await answer.write(b": still here\n\n")
                    continue
                if topic == "":
                    return answer
                if topic in wanted:
                    await answer.write(f"event: changed\ndata: {topic}\n\n".encode())
        except (ConnectionResetError, asyncio.CancelledError):
            return answer
        finally:
            self._listeners.discard(heard)

    async def _look(self) -> None:
        before = await self.desks.run(_versions)
        while self._listeners:
            await asyncio.sleep(_LOOK_EVERY)
            now = await self.desks.run(_versions)
            for topic in [name for name in now if now[name] != before.get(name)]:
                for each in list(self._listeners):
                    each.put_nowait(topic)
            before = now

    async def close(self) -> None:
        """Let every listener go."""
        for each in list(self._listeners):
            each.put_nowait("")
        if self._looking is not None:
            self._looking.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._looking


def _versions(desk: Desk) -> Mapping[str, tuple[int, ...]]:
    """Return what changes when a database is written: size and time of the file and of its log."""
    found = {}
    for topic, name in _FILES.items():
        marks: list[int] = []
        for end in ("", "-wal"):
            with contextlib.suppress(OSError):
                seen = (desk.config.store / f"{name}{end}").stat()
                marks += [seen.st_size, seen.st_mtime_ns]
        found[topic] = tuple(marks)
    return found
