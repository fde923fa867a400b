"""Send HTTP requests over one aiohttp session and map its errors to Proctor's own.

Importing aiohttp takes 0.2 s. `pool` therefore imports this module with the first request, and not before.
"""

from __future__ import annotations

import errno
from collections.abc import Callable, Mapping
from time import perf_counter
from urllib.parse import urlsplit

import aiohttp
from yarl import URL

from proctor import __version__
from proctor.core.errors import ModelError, RejectedError, ReplyError, TimedOutError, UnreachableError
from proctor.core.sockets import HttpReply
from proctor.text.redact import redact

__all__ = ["HttpSession", "explain"]

_CONNECT_SECONDS = 20.0
# Common servers close an idle connection after five seconds. Closing it first ensures that no request is sent over
# a connection that is just being closed.
_KEEP_ALIVE_SECONDS = 4.0
_DNS_SECONDS = 300
_RAW_BYTES = 2_000
_NO_SECRET = frozenset({"accept", "accept-language", "user-agent", "content-type", "accept-encoding", "content-length"})
_MAX_CACHED = 100
_MAX_ARRIVALS = 10_000
_STREAMS = frozenset(
    {"text/event-stream", "application/x-ndjson", "application/ndjson", "application/jsonl", "application/x-jsonlines"}
)


class HttpSession:
    """Sends single requests over kept-alive connections; follows no redirect. Must be made inside the event loop."""

    __slots__ = ("_session", "_timeouts", "_urls")

    def __init__(self) -> None:
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(
                limit=0, limit_per_host=0, ttl_dns_cache=_DNS_SECONDS, keepalive_timeout=_KEEP_ALIVE_SECONDS
            ),
            cookie_jar=aiohttp.DummyCookieJar(),
            headers={"User-Agent": f"proctor/{__version__}"},
        )
        self._timeouts: dict[float, aiohttp.ClientTimeout] = {}
        self._urls: dict[str, URL] = {}

    async def close(self) -> None:
        """Close every connection."""
        await self._session.close()

    async def send(
        self,
        method: str,
        url: str,
        *,
        headers: Mapping[str, str] | None,
        body: bytes | None,
        seconds: float,
        max_bytes: int,
        proxy: str | None,
    ) -> HttpReply:
        """Send one request and read the whole answer, whatever its status.

        Raises:
            ModelError: see `Pool.request`.
        """
        limit = self._timeouts.get(seconds) or self._limit(seconds)
        started = perf_counter()
        try:
            async with self._session.request(
                method, self._parsed(url), data=body, headers=headers, timeout=limit, allow_redirects=False, proxy=proxy
            ) as response:
                arrivals: list[tuple[float, int]] = []
                content = await _read(response, max_bytes, headers, lambda size: _note(arrivals, started, size))
                return HttpReply(
                    status=response.status,
                    headers={name.lower(): value for name, value in response.headers.items()},
                    body=content,
                    latency=perf_counter() - started,
                    arrivals=tuple(arrivals) if response.content_type in _STREAMS else (),
                )
        except (aiohttp.ClientError, OSError, ValueError) as error:  # OSError includes TimeoutError
            # Not chained: the library's message may contain the full address or a header.
            raise explain(error, url, seconds) from None

    def _parsed(self, url: str) -> URL:
        parsed = self._urls.get(url)
        if parsed is None:
            parsed = URL(url)
            if len(self._urls) < _MAX_CACHED:
                self._urls[url] = parsed
        return parsed

    def _limit(self, seconds: float) -> aiohttp.ClientTimeout:
        limit = aiohttp.ClientTimeout(total=seconds, sock_connect=min(seconds, _CONNECT_SECONDS))
        if len(self._timeouts) < _MAX_CACHED:
            self._timeouts[seconds] = limit
        return limit


def _note(arrivals: list[tuple[float, int]], started: float, size: int) -> None:
    if len(arrivals) < _MAX_ARRIVALS:
        arrivals.append((perf_counter() - started, size))


async def _read(
    response: aiohttp.ClientResponse,
    max_bytes: int,
    sent: Mapping[str, str] | None,
    came: Callable[[int], None] = lambda size: None,
) -> bytes:
    """Return the whole body, or raise a ``ReplyError`` as soon as it is too large."""
    told = response.content_length
    if told is not None and told <= max_bytes and "Content-Encoding" not in response.headers:
        return await response.read()
    most = 2 * _RAW_BYTES if told is not None and told > max_bytes else max_bytes
    parts: list[bytes] = []
    size = 0
    async for part in response.content.iter_any():
        parts.append(part)
        size += len(part)
        came(size)
        if size > most:
            response.close()
            break
    body = b"".join(parts)
    if size <= max_bytes and (told is None or told <= max_bytes):
        return body
    error = ReplyError(
        f"{_place(response.url.host, response.url.port)} sent more than {max_bytes:,} bytes",
        hint="check what the server answers, or raise `max_bytes`",
    )
    secrets = [value for name, value in (sent or {}).items() if name.lower() not in _NO_SECRET]
    secrets += [value.partition(" ")[2] for value in secrets]  # the key after "Bearer"
    # Truncate after redaction: half a key would not be recognised as one.
    error.raw = redact(body[: 2 * _RAW_BYTES].decode("utf-8", "replace"), secrets)[:_RAW_BYTES]
    raise error


def _place(host: str | None, port: int | None) -> str:
    return f"{host or 'the server'}:{port}" if port else host or "the server"


def explain(error: Exception, url: str, seconds: float) -> ModelError:
    """Convert the library's error to a ``ModelError``; it names the host and port, never the rest of the address."""
    try:
        parts = urlsplit(url)
        place = _place(parts.hostname, parts.port or (443 if parts.scheme == "https" else 80))
    except ValueError:
        place = "the server"
    if isinstance(error, aiohttp.ConnectionTimeoutError):
        return UnreachableError(f"no connection to {place} in time", hint="check the address and the network")
    if isinstance(error, TimeoutError):
        return TimedOutError(
            f"{place} gave no full answer within {seconds:g} s", hint="raise `timeout`, or see why the server is slow"
        )
    if isinstance(error, aiohttp.ClientConnectorError):
        return _no_connection(error, place)
    if isinstance(error, aiohttp.ClientHttpProxyError):
        return UnreachableError(
            f"the proxy let no connection to {place} through (status {error.status})", hint="check the proxy's settings"
        )
    if isinstance(error, aiohttp.ClientResponseError):
        return ReplyError(
            f"{place} answered something that is not HTTP", hint="check the address: http or https, and the port"
        )
    if isinstance(error, (aiohttp.InvalidURL, aiohttp.NonHttpUrlClientError, ValueError)):
        return RejectedError(
            f"the request to {place} cannot be sent",
            hint="the address must begin with http:// or https://, and no header may hold a line break",
        )
    if isinstance(error, OSError) and error.errno == errno.EMFILE:
        return UnreachableError("too many open connections", hint="lower the number in flight, or raise `ulimit -n`")
    return UnreachableError(
        f"{place} dropped the connection before its answer was complete", hint="see the server's own log"
    )


def _no_connection(error: aiohttp.ClientConnectorError, place: str) -> ModelError:
    if isinstance(error, (aiohttp.ClientSSLError, aiohttp.ClientConnectorCertificateError)):
        hint = "check the certificate; a private authority goes into SSL_CERT_FILE"
        return UnreachableError(f"no secure connection to {place}", hint=hint)
    if isinstance(error, aiohttp.ClientProxyConnectionError):
        return UnreachableError(
            f"the proxy {_place(error.host, error.port)} cannot be reached", hint="check the proxy's address"
        )
    if isinstance(error, aiohttp.ClientConnectorDNSError):
        return UnreachableError(f"no host named {place.rpartition(':')[0]}", hint="check the host name in the address")
    if error.os_error.errno == errno.EMFILE:
        return UnreachableError("too many open connections", hint="lower the number in flight, or raise `ulimit -n`")
    reason = "connection refused" if error.os_error.errno == errno.ECONNREFUSED else "no connection"
    return UnreachableError(f"{place}: {reason}", hint="start the server, or check the address and the port")
