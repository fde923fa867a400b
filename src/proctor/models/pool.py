"""The one door to the network: a pool of connections shared by a whole run."""

from __future__ import annotations

import errno
from collections.abc import Callable, Mapping
from time import perf_counter
from types import TracebackType
from typing import Self
from urllib.parse import SplitResult, urljoin, urlsplit

import aiohttp
from yarl import URL

from proctor import __version__
from proctor.core.errors import ModelError, RejectedError, ReplyError, TimedOutError, UnreachableError
from proctor.core.sockets import HttpReply
from proctor.text.redact import redact

__all__ = ["Pool"]

_CONNECT_SECONDS = 20.0
# Common servers close an idle connection after five seconds. Letting go of it first means that no request is
# written into a connection that is just being closed.
_KEEP_ALIVE_SECONDS = 4.0
_DNS_SECONDS = 300
_MOST_REDIRECTS = 5
_RAW_BYTES = 2_000
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_SAFE_ELSEWHERE = frozenset({"accept", "accept-language", "user-agent"})
_NO_SECRET = _SAFE_ELSEWHERE | {"content-type", "accept-encoding", "content-length"}
_MOST_KEPT = 100


class Pool:
    """Sends HTTP requests over kept-alive connections; what goes wrong is one of Proctor's own errors.

    The session is made at the first request, inside the running event loop. The pool sets no limit on
    connections: how many calls are in flight is the caller's choice. It keeps no cookies. ``proxy_for`` gives
    the proxy for an address, if any; the pool itself reads no environment.
    """

    __slots__ = ("_closed", "_proxy_for", "_session", "_timeouts", "_urls")

    def __init__(self, *, proxy_for: Callable[[str], str | None] | None = None) -> None:
        self._proxy_for = proxy_for
        self._session: aiohttp.ClientSession | None = None
        self._timeouts: dict[float, aiohttp.ClientTimeout] = {}
        self._urls: dict[str, URL] = {}
        self._closed = False

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Close every connection; a request after this is refused."""
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
        timeout: float = 60.0,  # noqa: ASYNC109 - the door owns its time-out
        max_bytes: int = 8_000_000,
    ) -> HttpReply:
        """Send one request and read the whole answer, whatever its status.

        A redirect within the same host is followed. One to another host is followed only when there is
        nothing to lose: without a body, and without the headers. Otherwise the redirect is the answer.

        Raises:
            UnreachableError: no connection, or it was dropped.
            TimedOutError: no full answer within ``timeout`` seconds.
            ReplyError: the answer is larger than ``max_bytes``; ``raw`` keeps its beginning.
            RejectedError: the address or a header is not one that can be sent.
        """
        started = perf_counter()
        reply = await self._send(method, url, headers, body, timeout, max_bytes)
        for _ in range(_MOST_REDIRECTS):
            if reply.status not in _REDIRECTS:
                return reply
            onward = _redirected(method, url, headers, body, reply)
            if onward is None:
                return reply
            method, url, headers, body = onward
            left = timeout - (perf_counter() - started)
            if left <= 0:
                raise _explained(TimeoutError(), url, timeout)
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
        limit = self._timeouts.get(seconds) or self._limit(seconds)
        proxy = self._proxy_for(url) if self._proxy_for is not None else None
        started = perf_counter()
        try:
            async with session.request(
                method, self._parsed(url), data=body, headers=headers, timeout=limit, allow_redirects=False, proxy=proxy
            ) as response:
                content = await _read(response, max_bytes, headers)
                return HttpReply(
                    status=response.status,
                    headers={name.lower(): value for name, value in response.headers.items()},
                    body=content,
                    latency=perf_counter() - started,
                )
        except (aiohttp.ClientError, OSError, ValueError) as error:  # OSError holds TimeoutError
            # Not chained: the library's own text may hold the full address or a header.
            raise _explained(error, url, seconds) from None

    def _open(self) -> aiohttp.ClientSession:
        if self._closed:
            raise UnreachableError("the connection pool is closed", mend="the run has ended; start it again")
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(
                limit=0, limit_per_host=0, ttl_dns_cache=_DNS_SECONDS, keepalive_timeout=_KEEP_ALIVE_SECONDS
            ),
            cookie_jar=aiohttp.DummyCookieJar(),
            headers={"User-Agent": f"proctor/{__version__}"},
        )
        return self._session

    def _parsed(self, url: str) -> URL:
        parsed = self._urls.get(url)
        if parsed is None:
            parsed = URL(url)
            if len(self._urls) < _MOST_KEPT:
                self._urls[url] = parsed
        return parsed

    def _limit(self, seconds: float) -> aiohttp.ClientTimeout:
        limit = aiohttp.ClientTimeout(total=seconds, sock_connect=min(seconds, _CONNECT_SECONDS))
        if len(self._timeouts) < _MOST_KEPT:
            self._timeouts[seconds] = limit
        return limit


async def _read(response: aiohttp.ClientResponse, max_bytes: int, sent: Mapping[str, str] | None) -> bytes:
    """The whole body, or a ``ReplyError`` as soon as it is known to be too large."""
    told = response.content_length
    if told is not None and told <= max_bytes and "Content-Encoding" not in response.headers:
        return await response.read()
    most = 2 * _RAW_BYTES if told is not None and told > max_bytes else max_bytes
    parts: list[bytes] = []
    size = 0
    async for part in response.content.iter_any():
        parts.append(part)
        size += len(part)
        if size > most:
            response.close()
            break
    body = b"".join(parts)
    if size <= max_bytes and (told is None or told <= max_bytes):
        return body
    error = ReplyError(
        f"{_place(response.url.host, response.url.port)} sent more than {max_bytes:,} bytes",
        mend="check what the server answers, or raise `max_bytes`",
    )
    secrets = [value for name, value in (sent or {}).items() if name.lower() not in _NO_SECRET]
    secrets += [value.partition(" ")[2] for value in secrets]  # the key after "Bearer"
    # Cut after the secrets are out: half a key at the cut would not be known as one.
    error.raw = redact(body[: 2 * _RAW_BYTES].decode("utf-8", "replace"), secrets)[:_RAW_BYTES]
    raise error


# --- redirects --------------------------------------------------------------------------------------

_Onward = tuple[str, str, Mapping[str, str] | None, bytes | None]


def _redirected(
    method: str, url: str, headers: Mapping[str, str] | None, body: bytes | None, reply: HttpReply
) -> _Onward | None:
    """The request a redirect asks for, or ``None`` when it is not to be made."""
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
        return None  # 301 and 302 turn a POST into a GET, which would ask for something else
    if not keeps_method:
        method, body = "GET", None
    if same:
        return method, target, headers, body
    if body is not None or method not in ("GET", "HEAD"):
        return None
    kept = {name: value for name, value in (headers or {}).items() if name.lower() in _SAFE_ELSEWHERE}
    return method, target, kept, None


def _same_host(here: SplitResult, there: SplitResult) -> bool:
    """Whether credentials for ``here`` may go to ``there``: the same server, or the same made secure."""
    if here.hostname != there.hostname:
        return False
    upgraded = (here.scheme, there.scheme) == ("http", "https") and _port(here) == 80 and _port(there) == 443
    return upgraded or (here.scheme == there.scheme and _port(here) == _port(there))


def _port(parts: SplitResult) -> int:
    return parts.port or (443 if parts.scheme == "https" else 80)


# --- what went wrong --------------------------------------------------------------------------------


def _place(host: str | None, port: int | None) -> str:
    return f"{host or 'the server'}:{port}" if port else host or "the server"


def _explained(error: Exception, url: str, seconds: float) -> ModelError:
    """The library's error as one of ours; names the host and port, never the rest of the address."""
    try:
        parts = urlsplit(url)
        place = _place(parts.hostname, _port(parts))
    except ValueError:
        place = "the server"
    if isinstance(error, aiohttp.ConnectionTimeoutError):
        return UnreachableError(f"no connection to {place} in time", mend="check the address and the network")
    if isinstance(error, TimeoutError):
        return TimedOutError(
            f"{place} gave no full answer within {seconds:g} s", mend="raise `timeout`, or see why the server is slow"
        )
    if isinstance(error, aiohttp.ClientConnectorError):
        return _no_connection(error, place)
    if isinstance(error, aiohttp.ClientHttpProxyError):
        return UnreachableError(
            f"the proxy let no connection to {place} through (status {error.status})", mend="check the proxy's settings"
        )
    if isinstance(error, aiohttp.ClientResponseError):
        return ReplyError(
            f"{place} answered something that is not HTTP", mend="check the address: http or https, and the port"
        )
    if isinstance(error, (aiohttp.InvalidURL, aiohttp.NonHttpUrlClientError, ValueError)):
        return RejectedError(
            f"the request to {place} cannot be sent",
            mend="the address must begin with http:// or https://, and no header may hold a line break",
        )
    if isinstance(error, OSError) and error.errno == errno.EMFILE:
        return UnreachableError("too many open connections", mend="lower the number in flight, or raise `ulimit -n`")
    return UnreachableError(
        f"{place} dropped the connection before its answer was complete", mend="see the server's own log"
    )


def _no_connection(error: aiohttp.ClientConnectorError, place: str) -> ModelError:
    if isinstance(error, (aiohttp.ClientSSLError, aiohttp.ClientConnectorCertificateError)):
        mend = "check the certificate; a private authority goes into SSL_CERT_FILE"
        return UnreachableError(f"no secure connection to {place}", mend=mend)
    if isinstance(error, aiohttp.ClientProxyConnectionError):
        return UnreachableError(
            f"the proxy {_place(error.host, error.port)} cannot be reached", mend="check the proxy's address"
        )
    if isinstance(error, aiohttp.ClientConnectorDNSError):
        return UnreachableError(f"no host named {place.rpartition(':')[0]}", mend="check the host name in the address")
    if error.os_error.errno == errno.EMFILE:
        return UnreachableError("too many open connections", mend="lower the number in flight, or raise `ulimit -n`")
    reason = "connection refused" if error.os_error.errno == errno.ECONNREFUSED else "no connection"
    return UnreachableError(f"{place}: {reason}", mend="start the server, or check the address and the port")
