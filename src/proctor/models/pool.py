"""The connection pool shared by a whole run; all network access goes through it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from time import perf_counter
from types import TracebackType
from typing import TYPE_CHECKING, Self
from urllib.parse import SplitResult, urljoin, urlsplit

from proctor.core.errors import UnreachableError
from proctor.core.sockets import HttpReply

if TYPE_CHECKING:
    from proctor.models.http_session import HttpSession

__all__ = ["Pool"]

_MAX_REDIRECTS = 5
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_SAFE_ELSEWHERE = frozenset({"accept", "accept-language", "user-agent"})


class Pool:
    """Sends HTTP requests over kept-alive connections; failures are raised as Proctor's own errors.

    The session is made at the first request, inside the running event loop. The pool sets no limit on
    connections: the caller limits concurrency. It keeps no cookies. ``proxy_for`` returns the proxy for an
    address, if any; the pool itself reads no environment variables.
    """

    __slots__ = ("_closed", "_proxy_for", "_session")

    def __init__(self, *, proxy_for: Callable[[str], str | None] | None = None) -> None:
        self._proxy_for = proxy_for
        self._session: HttpSession | None = None
        self._closed = False

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Close every connection; later requests are refused."""
        self._closed = True
        session, self._session = self._session, None
        if session is not None:
            await session.close()

    async def request(
        self,
        method: str,
        url: str,
        *,
        headers: Mapping[str, str] | None = None,
        body: bytes | None = None,
        timeout: float = 60.0,  # noqa: ASYNC109 - the caller passes the timeout
        max_bytes: int = 8_000_000,
    ) -> HttpReply:
        """Send one request and read the whole answer, whatever its status.

        A redirect within the same host is followed. A redirect to another host is followed only without a body,
        and the headers are dropped. Otherwise the redirect itself is returned.

        Raises:
            UnreachableError: no connection, or it was dropped.
            TimedOutError: no full answer within ``timeout`` seconds.
            ReplyError: the answer is larger than ``max_bytes``; ``raw`` keeps its beginning.
            RejectedError: the address or a header is invalid.
        """
        started = perf_counter()
        reply = await self._send(method, url, headers, body, timeout, max_bytes)
        for _ in range(_MAX_REDIRECTS):
            if reply.status not in _REDIRECTS:
                return reply
            onward = _redirected(method, url, headers, body, reply)
            if onward is None:
                return reply
            method, url, headers, body = onward
            left = timeout - (perf_counter() - started)
            if left <= 0:
                from proctor.models.http_session import explain  # noqa: PLC0415 - loaded by the first request

                raise explain(TimeoutError(), url, timeout)
            reply = await self._send(method, url, headers, body, left, max_bytes)
        return reply

    async def _send(
        self,
        method: str,
        url: str,
        headers: Mapping[str, str] | None,
        body: bytes | None,
        seconds: float,
        max_bytes: int,
    ) -> HttpReply:
        session = self._session or self._open()
        proxy = self._proxy_for(url) if self._proxy_for is not None else None
        return await session.send(
            method, url, headers=headers, body=body, seconds=seconds, max_bytes=max_bytes, proxy=proxy
        )

    def _open(self) -> HttpSession:
        if self._closed:
            raise UnreachableError("the connection pool is closed", hint="the run has ended; start it again")
        from proctor.models.http_session import HttpSession  # noqa: PLC0415 - aiohttp takes 0.2 s to import

        self._session = HttpSession()
        return self._session


_Onward = tuple[str, str, Mapping[str, str] | None, bytes | None]


def _redirected(
    method: str, url: str, headers: Mapping[str, str] | None, body: bytes | None, reply: HttpReply
) -> _Onward | None:
    """Return the redirected request, or ``None`` if it must not be followed."""
    location = reply.headers.get("location")
    if not location:
        return None
    try:
        target = urljoin(url, location)
        here, there = urlsplit(url), urlsplit(target)
        same = _same_host(here, there)
    except ValueError:
        return None
    if there.scheme not in ("http", "https"):
        return None
    keeps_method = reply.status in (307, 308) or method in ("GET", "HEAD")
    if not keeps_method and reply.status != 303:
        return None  # 301 and 302 turn a POST into a GET, which is another request
    if not keeps_method:
        method, body = "GET", None
    if same:
        return method, target, headers, body
    if body is not None or method not in ("GET", "HEAD"):
        return None
    kept = {name: value for name, value in (headers or {}).items() if name.lower() in _SAFE_ELSEWHERE}
    return method, target, kept, None


def _same_host(here: SplitResult, there: SplitResult) -> bool:
    """Return whether credentials for ``here`` may go to ``there``: the same server, or its upgrade to https."""
    if here.hostname != there.hostname:
        return False
    upgraded = (here.scheme, there.scheme) == ("http", "https") and _port(here) == 80 and _port(there) == 443
    return upgraded or (here.scheme == there.scheme and _port(here) == _port(there))


def _port(parts: SplitResult) -> int:
    return parts.port or (443 if parts.scheme == "https" else 80)
