"""Cache replies by everything that decides them, including the sample's index."""

from __future__ import annotations

import asyncio
import hashlib
import logging
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import orjson

from proctor.core.chat import Reply, Request
from proctor.core.codec import content_id, encode
from proctor.core.errors import RejectedError, StoreError
from proctor.core.sockets import Cache, Model

__all__ = ["Cached", "Mode", "Sharing", "request_key"]

Mode = Literal["use", "refresh", "only"]

_log = logging.getLogger(__name__)
_KEY_DIGITS = 40
_MAX_SHOWN_CHARS = 80  # of a question in a message


def request_key(identity: Any, request: Request) -> str:
    """Return the cache key: a hash of the model's identity and the whole request."""
    try:
        text = orjson.dumps([identity, request], option=orjson.OPT_SORT_KEYS)
    except TypeError:  # values that orjson rejects: half a surrogate pair, a huge number, an odd object
        return content_id([identity, encode(request)], length=_KEY_DIGITS)
    return hashlib.sha256(text).hexdigest()[:_KEY_DIGITS]


class Sharing:
    """State shared by the users of one cache: pending requests, and failures of the cache.

    ``notes`` are for the run's record: a failing cache must not fail the run, and must not fail silently.
    """

    __slots__ = ("notes", "waiting")

    def __init__(self) -> None:
        self.waiting: dict[str, list[asyncio.Future[Reply | None]]] = {}
        self.notes: list[str] = []

    def trouble(self, what: str, error: StoreError) -> None:
        """Note a failure of the cache, once per kind."""
        note = f"{what}: {error}"
        if note not in self.notes:
            self.notes.append(note)
            _log.warning("%s", note)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cached:
    """Returns cached replies.

    ``use`` calls the model only for replies that are not cached, and once for equal concurrent requests. ``refresh``
    calls it for everything and stores the replies. ``only`` never calls it: a missing reply is an error, which is how
    a recording is replayed. ``identity`` distinguishes models (settings, address) and is part of every key. Errors are
    never cached.
    """

    model: Model
    cache: Cache
    identity: Any = None
    mode: Mode = "use"
    sharing: Sharing = field(default_factory=Sharing, repr=False, compare=False)

    @property
    def name(self) -> str:
        """The name of the wrapped model."""
        return self.model.name

    async def complete(self, request: Request) -> Reply:
        """Return the reply to the request, from the cache if possible."""
        key = request_key(self.identity, request)
        if self.mode == "refresh":
            return self._kept(key, request, await self.model.complete(request))
        while True:
            if (reply := self._find(key)) is not None:
                return replace(reply, cached=True)
            if self.mode == "only":
                raise self._not_recorded(key, request)
            asking = self.sharing.waiting.get(key)
            if asking is None:
                return await self._ask(key, request)
            answered: asyncio.Future[Reply | None] = asyncio.get_running_loop().create_future()
            asking.append(answered)
            if (shared := await answered) is not None:
                return replace(shared, cached=True)
            # The task that asked was cancelled: look again, and ask in its place.

    async def _ask(self, key: str, request: Request) -> Reply:
        waiting = self.sharing.waiting[key] = []
        try:
            reply = self._kept(key, request, await self.model.complete(request))
        except Exception as error:
            self.sharing.waiting.pop(key, None)
            for each in waiting:
                if not each.done():
                    each.set_exception(error)
            raise
        except BaseException:
            self.sharing.waiting.pop(key, None)
            for each in waiting:
                if not each.done():
                    each.set_result(None)
            raise
        self.sharing.waiting.pop(key, None)
        for each in waiting:
            if not each.done():
                each.set_result(reply)
        return reply

    def _find(self, key: str) -> Reply | None:
        try:
            return self.cache.get(key)
        except StoreError as error:
            if self.mode == "only":
                raise
            self.sharing.trouble("a cached answer could not be read, so the model was called again", error)
            return None

    def _kept(self, key: str, request: Request, reply: Reply) -> Reply:
        try:
            self.cache.put(key, request, reply, model=self.model.name)
        except StoreError as error:
            self.sharing.trouble("an answer could not be kept; the run went on without", error)
        return reply

    def _not_recorded(self, key: str, request: Request) -> RejectedError:
        last = request.messages[-1].content if request.messages else ""
        asked = last if len(last) <= _MAX_SHOWN_CHARS else last[: _MAX_SHOWN_CHARS - 1] + "…"
        sample = f", sample {request.sample}" if request.sample else ""
        return RejectedError(
            f"{self.name}: the recording has no answer to {asked!r}{sample} (key {key[:12]})",
            hint="record it: run the same suite once with the cache in use",
        )
