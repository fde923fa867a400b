"""Forward requests to an upstream and answers to the client: headers, and errors."""

from __future__ import annotations

import posixpath
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any, Final
from urllib.parse import unquote

import aiohttp
from aiohttp import web
from multidict import CIMultiDict, CIMultiDictProxy
from yarl import URL

from proctor.server.wire.stream_events import compact

__all__ = [
    "OURS",
    "Failure",
    "address",
    "answer_headers",
    "error",
    "guarded_path",
    "is_server_url",
    "pass_on",
    "place_of",
    "request_headers",
    "to_upstream",
    "unreachable",
]

OURS: Final = "x-proctor-"  # headers for the proxy, not forwarded
_HOP: Final = frozenset(
    {"connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "proxy-connection", "te", "trailer"}
    | {"transfer-encoding", "upgrade"}
)
_SKIPPED: Final = ("User-Agent", "Accept", "Accept-Encoding", "Content-Type")
_PIECE: Final = 65_536
_MOST_ESCAPES: Final = 4


def address(upstream: str, raw_path: str) -> URL | None:
    """Return the upstream URL of a request; None if its path could lead to another host."""
    if not raw_path.startswith("/"):
        return None
    base = upstream.rstrip("/")
    end = URL(base).path.rstrip("/")
    if end and (raw_path == end or raw_path.startswith(f"{end}/")):  # /v1 is in the client's path and in the upstream
        base = base.removesuffix(end)
    return URL(base + raw_path, encoded=True)


@asynccontextmanager
async def to_upstream(timeout: float | None = None) -> AsyncIterator[aiohttp.ClientSession]:  # noqa: ASYNC109 - per read
    """Yield a client session: unlimited connections, no cookies; ``timeout`` is per read, in seconds."""
    limits = aiohttp.ClientTimeout(total=None, sock_connect=20.0, sock_read=timeout)
    connector = aiohttp.TCPConnector(limit=0, keepalive_timeout=4.0)
    jar = aiohttp.DummyCookieJar()
    async with aiohttp.ClientSession(connector=connector, cookie_jar=jar, timeout=limits, read_bufsize=2**18) as client:
        yield client


def guarded_path(path: str) -> str:
    """Return the path in one normal form, whatever its dots, slashes, case and escapes."""
    for _ in range(_MOST_ESCAPES):  # some servers decode escapes more than once
        if (read := unquote(path)) == path:
            break
        path = read
    plain = "/".join(part.partition(";")[0].strip() for part in path.replace("\\", "/").split("/"))
    return posixpath.normpath(f"/{plain.lstrip('/')}").lower()


def request_headers(headers: CIMultiDictProxy[str], url: URL, *drop: str) -> CIMultiDict[str]:
    """Return the headers for the upstream; credentials in its URL replace the client's."""
    own = () if url.user is None else ("authorization",)
    return _kept(headers, {"host", *own, *(name.lower() for name in drop)})


def answer_headers(headers: CIMultiDictProxy[str], *drop: str) -> CIMultiDict[str]:
    """Return the headers for the client."""
    return _kept(headers, {name.lower() for name in drop})


def _kept(headers: CIMultiDictProxy[str], drop: set[str]) -> CIMultiDict[str]:
    named = {part.strip().lower() for value in headers.getall("Connection", ()) for part in value.split(",")}
    gone = _HOP | named | drop
    kept = ((key, value) for key, value in headers.items() if key.lower() not in gone)
    return CIMultiDict((key, value) for key, value in kept if not key.lower().startswith(OURS))


async def pass_on(request: web.Request, client: aiohttp.ClientSession, url: URL, **options: Any) -> web.StreamResponse:
    """Forward a request and stream its answer back."""
    packed = "Content-Encoding" in request.headers  # aiohttp has decompressed the body
    headers = request_headers(request.headers, url, *(("Content-Encoding", "Content-Length") if packed else ()))
    body = request.content if request.body_exists else None
    async with client.request(
        request.method, url, headers=headers, data=body, skip_auto_headers=_SKIPPED, auto_decompress=False, **options
    ) as answer:
        response = web.StreamResponse(
            status=answer.status, reason=answer.reason, headers=answer_headers(answer.headers)
        )
        await response.prepare(request)
        if request.method != "HEAD":
            async for piece in answer.content.iter_chunked(_PIECE):
                await response.write(piece)
        await response.write_eof()
        return response


class Failure(web.Response):
    """An error response of the proxy itself, with its message as a field."""

    def __init__(self, status: int, message: str, kind: str, headers: Mapping[str, str] | None = None) -> None:
        body = {"error": {"message": message, "type": kind, "param": None, "code": None}}
        super().__init__(status=status, text=compact(body), content_type="application/json", headers=headers)
        self.message, self.kind = message, kind


def error(status: int, message: str, kind: str, headers: Mapping[str, str] | None = None) -> Failure:
    """Return an error in the format of OpenAI's APIs."""
    return Failure(status, message, kind, headers)


def is_server_url(url: str) -> bool:
    """Return whether a URL names a server: http or https, and a host."""
    try:
        parts = URL(url)
        return parts.scheme in ("http", "https") and bool(parts.host)
    except ValueError:
        return False


def place_of(upstream: str) -> str:
    """Return host and port of a URL. User name, password, path and query may be secret and are left out."""
    try:
        url = URL(upstream)
        host, port = url.host, url.explicit_port
    except ValueError:
        return "the upstream"
    if not host:
        return "the upstream"
    name = f"[{host}]" if ":" in host else host
    return name if port is None else f"{name}:{port}"


def unreachable(failure: BaseException, upstream: str) -> Failure:
    """Return the error for an upstream without an answer; the library's message may contain a key."""
    place = place_of(upstream)
    if isinstance(failure, TimeoutError):
        return error(504, f"{place} gave no answer in time", "timeout_error")
    if isinstance(failure, aiohttp.ClientConnectorError):
        return error(502, f"no connection to {place}", "upstream_error")
    return error(502, f"{place} broke off before its answer was complete", "upstream_error")
