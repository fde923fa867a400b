"""Server-sent events: pages hear that something changed, and load what they show again."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from aiohttp import web

from proctor.core.errors import ProctorError

if TYPE_CHECKING:
    from proctor.server.pages.page_stores import PageStorePool, PageStores

__all__ = ["TOPICS", "LiveFeed"]

_LOOK_EVERY: Final = 2.0  # seconds; one look for all viewers
_BREATH_EVERY: Final = 20.0
_LASTS: Final = 600.0  # then the browser asks again, and it is checked again who it is
_MAX_LISTENERS: Final = 500
_CLOCK_STEP: Final = 0.05  # seconds by which the time of a file may lag behind the clock
_log = logging.getLogger(__name__)


class _Listener:
    """What one page wants to hear, and what it has not heard yet."""

    def __init__(self, wanted: set[str]) -> None:
        self.wanted = wanted
        self.due: set[str] = set()
        self.is_done = False
        self.told = asyncio.Event()

    def tell(self, topics: set[str]) -> None:
        if heard := topics & self.wanted:
            self.due |= heard
            self.told.set()

    def end(self) -> None:
        self.is_done = True
        self.told.set()


class LiveFeed:
    """Looks at the stores while somebody listens, and tells each listener which of its topics changed."""

    def __init__(self, pool: PageStorePool, *, every: float = _LOOK_EVERY) -> None:
        self.pool = pool
        self.every = every
        self._listeners: set[_Listener] = set()
        self._task: asyncio.Task[None] | None = None
        self._is_closed = False

    async def stream(self, request: web.Request) -> web.StreamResponse:
        """Send the name of a topic whenever it changed."""
        wanted = set(request.query.get("topics", "").split(",")) & set(TOPICS)
        if not wanted:
            return web.Response(status=204)  # the browser does not ask again
        if self._is_closed or len(self._listeners) >= _MAX_LISTENERS:
            return web.Response(status=503, headers={"Retry-After": "60"})
        answer = web.StreamResponse(headers={"Content-Type": "text/event-stream", "Cache-Control": "no-store"})
        answer.headers["X-Accel-Buffering"] = "no"
        await answer.prepare(request)
        listener = _Listener(wanted)
        self._listeners.add(listener)
        listener.tell(await self._missed(request.query.get("since", "")))
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._look())
        try:
            await self._send(answer, listener)
        except ConnectionResetError:
            pass
        finally:
            self._listeners.discard(listener)
        return answer

    async def _send(self, answer: web.StreamResponse, listener: _Listener) -> None:
        until = time.monotonic() + _LASTS
        await answer.write(b"retry: 3000\n\n")
        while not listener.is_done and time.monotonic() < until:
            try:
                await asyncio.wait_for(listener.told.wait(), _BREATH_EVERY)
            except TimeoutError:
                await answer.write(b": still here\n\n")
                continue
            listener.told.clear()
            due, listener.due = listener.due, set()
            for topic in sorted(due):
                await answer.write(f"event: changed\ndata: {topic}\n\n".encode())

    async def _missed(self, since: str) -> set[str]:
        """Return the topics whose file was written after the page had read it, and before it listened."""
        try:
            read_at = float(since)
        except ValueError:
            return set()
        try:
            return await self.pool.run(partial(_written_since, read_at=read_at)) if read_at > 0 else set()
        except ProctorError:
            return set()

    async def _look(self) -> None:
        before = await self._seen({})
        while self._listeners:
            await asyncio.sleep(self.every)
            now = await self._seen(before)
            changed = {name for name in now if now[name] != before.get(name)}
            for each in list(self._listeners):
                each.tell(changed)
            before = now

    async def _seen(self, before: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the version of each topic; one that cannot be read now counts as unchanged."""
        try:
            return await self.pool.run(_versions)
        except ProctorError as error:
            _log.warning("live pages do not hear of changes: %s", error)
            return before

    async def close(self) -> None:
        """Let every listener go."""
        self._is_closed = True
        for each in list(self._listeners):
            each.end()
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task


def _alerts(stores: PageStores) -> Any:
    return stores.alerts.version(time.time())  # the file changes with every look of the rules


def _marks(stores: PageStores, name: str) -> list[int]:
    """Return what changes when a database is written: size and time of the file and of its log."""
    found: list[int] = []
    for end in ("", "-wal"):
        with contextlib.suppress(OSError):
            seen = (stores.config.store / f"{name}{end}").stat()
            found += [seen.st_size, seen.st_mtime_ns]
    return found


def _written_since(stores: PageStores, read_at: float) -> set[str]:
    earliest = (read_at - _CLOCK_STEP) * 1e9
    return {
        topic for topic, name in _FILES.items() if any(time_ns > earliest for time_ns in _marks(stores, name)[1::2])
    }


_FILES: Final[Mapping[str, str]] = {
    "runs": "proctor.db",
    "audit": "audit.db",
    "guard": "guard.db",
    "measured": "measured/state.json",
}
# What a page can listen to, and what changes with it.
TOPICS: Final[Mapping[str, Callable[[PageStores], Any]]] = {
    "alerts": _alerts,
    **{topic: partial(_marks, name=name) for topic, name in _FILES.items()},
}


def _versions(stores: PageStores) -> Mapping[str, Any]:
    return {topic: version(stores) for topic, version in TOPICS.items()}
