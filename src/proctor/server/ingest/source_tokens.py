"""The senders: the token of a request names its source, and a source may send so many records a second."""

from __future__ import annotations

import base64
import binascii
import hashlib
import time
from collections.abc import Callable, Iterator, Mapping

from aiohttp import web

from proctor.server.admission import TOKEN_HEADER

__all__ = ["SourceRates", "SourceTokens"]


class SourceRates:
    """A budget of records per source that refills with time. A request may overdraw it; the next one then waits.

    What a request holds is known only when it was read, so it is charged afterwards.
    """

    def __init__(self, rate: float | None, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate = rate
        self._clock = clock
        self._left: dict[str, tuple[float, float]] = {}

    def wait(self, source: str) -> float:
        """Return the seconds until the source may send again; 0 if it may now."""
        if self._rate is None:
            return 0.0
        left = self._now_left(source, self._rate)
        return -left / self._rate if left < 0 else 0.0

    def charge(self, source: str, records: int) -> None:
        """Take records from the source's budget."""
        if self._rate is not None:
            self._left[source] = (self._now_left(source, self._rate) - records, self._clock())

    def _now_left(self, source: str, rate: float) -> float:
        left, since = self._left.get(source, (rate, self._clock()))
        return min(rate, left + (self._clock() - since) * rate)


class SourceTokens:
    """The sources and their tokens. Without tokens every sender is admitted, and has no name."""

    def __init__(self, tokens: Mapping[str, str], *, read_token: str | None = None) -> None:
        # Only hashes are kept and compared: how long a look-up takes says nothing about a token.
        self._sources = {_digest(token.strip()): name for name, token in tokens.items()}
        self._reader = _digest(read_token.strip()) if read_token else None

    @property
    def is_open(self) -> bool:
        """Whether senders need no token."""
        return not self._sources

    def source(self, request: web.Request) -> str | None:
        """Return the name of the source whose token the request has; None if it has none that is known."""
        return next((name for each in _shown(request) if (name := self._sources.get(_digest(each)))), None)

    def may_read(self, request: web.Request) -> bool:
        """Return whether the request may use the reading API. Where senders need tokens, so do readers."""
        if self._reader is None:
            return self.is_open
        return any(_digest(each) == self._reader for each in _shown(request))


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode("utf-8", "replace")).digest()


def _shown(request: web.Request) -> Iterator[str]:
    """Yield what may be a token: our header, a bearer token, LangSmith's API key, Langfuse's secret key."""
    headers = request.headers
    for name in (TOKEN_HEADER, "x-api-key"):
        if given := headers.get(name):
            yield given.strip()
    kind, _, given = headers.get("Authorization", "").partition(" ")
    if kind.lower() == "bearer":
        yield given.strip()
    elif kind.lower() == "basic":
        try:
            pair = base64.b64decode(given.strip(), validate=True).decode()
        except (binascii.Error, UnicodeDecodeError, ValueError):
            return
        yield pair.partition(":")[2]
