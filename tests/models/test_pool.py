from __future__ import annotations

import asyncio
import errno
import gzip
import socket
from typing import TYPE_CHECKING

import aiohttp
import pytest
from aiohttp import web
from aiohttp.client_reqrep import ConnectionKey

from proctor.core.errors import RejectedError, ReplyError, TimedOutError, UnreachableError
from proctor.core.sockets import Http
from proctor.models.http_session import explain
from proctor.models.pool import Pool
from tests.tables import table

if TYPE_CHECKING:
    from tests.models.conftest import Served


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


async def test_a_request_arrives_as_it_was_given_and_the_answer_comes_back(pool: Pool, served: Served) -> None:
    served.says({"ok": True}, status=418, headers={"X-Thing": "Yes"})
    reply = await pool.request("POST", f"{served.url}/a?b=c", headers={"X-Mine": "1"}, body=b'{"q": 1}')
    assert isinstance(pool, Http)
    assert (reply.status, reply.body, reply.headers["x-thing"]) == (418, b'{"ok": true}', "Yes")
    assert reply.latency > 0
    sent = served.requests[0]
    assert (sent.method, sent.path_qs, sent.headers["X-Mine"]) == ("POST", "/a?b=c", "1")
    assert sent.headers["User-Agent"].startswith("proctor/")
    assert served.bodies == [{"q": 1}]


async def test_connections_are_kept_and_there_is_no_limit_on_them(pool: Pool, served: Served) -> None:
    together = 150
    arrived = asyncio.Event()
    ports: set[int] = set()

    async def answer(request: web.Request) -> web.StreamResponse:
        assert request.transport is not None
        ports.add(request.transport.get_extra_info("peername")[1])
        if len(served.requests) >= together:
            arrived.set()
        await arrived.wait()  # every one must be in flight before any is answered
        return web.Response(text="{}")

    served.answer = answer
    await asyncio.gather(*(pool.request("GET", served.url, timeout=30) for _ in range(together)))
    assert len(ports) == together
    await pool.request("GET", served.url)
    assert len(ports) == together


async def test_no_cookie_is_kept(pool: Pool, served: Served) -> None:
    served.says({}, headers={"Set-Cookie": "session=1"})
    await pool.request("GET", served.url)
    await pool.request("GET", served.url)
    assert "Cookie" not in served.requests[1].headers


async def test_nothing_listens(pool: Pool) -> None:
    port = free_port()
    with pytest.raises(UnreachableError) as caught:
        await pool.request("GET", f"http://127.0.0.1:{port}/secret-path?key=hunter22")
    assert f"127.0.0.1:{port}: connection refused" in str(caught.value)
    assert "start the server" in str(caught.value)
    assert "hunter22" not in str(caught.value)


async def test_a_server_that_hangs(pool: Pool, served: Served) -> None:
    async def answer(request: web.Request) -> web.StreamResponse:
        await asyncio.sleep(60)
        return web.Response()

    served.answer = answer
    with pytest.raises(TimedOutError, match=r"no full answer within 0\.2 s"):
        await pool.request("GET", served.url, timeout=0.2)


async def test_a_server_that_trickles_is_late_too(pool: Pool, served: Served) -> None:
    async def answer(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse()
        await response.prepare(request)
        for _ in range(600):
            await response.write(b" ")
            await asyncio.sleep(0.05)
        return response

    served.answer = answer
    with pytest.raises(TimedOutError):
        await pool.request("GET", served.url, timeout=0.3)


@pytest.mark.parametrize("length", ["100", None])
async def test_a_connection_dropped_in_the_middle_of_the_answer(pool: Pool, served: Served, length: str | None) -> None:
    async def answer(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Length": length} if length else None)
        await response.prepare(request)
        await response.write(b'{"half": ')
        assert request.transport is not None
        request.transport.abort()
        return response

    served.answer = answer
    with pytest.raises(UnreachableError, match="dropped the connection"):
        await pool.request("GET", served.url)


async def test_a_connection_dropped_before_the_answer(pool: Pool, served: Served) -> None:
    async def answer(request: web.Request) -> web.StreamResponse:
        assert request.transport is not None
        request.transport.abort()
        return web.Response()

    served.answer = answer
    with pytest.raises(UnreachableError, match="dropped the connection"):
        await pool.request("POST", served.url, body=b"{}")


@pytest.mark.parametrize("told", [True, False], ids=["with its length", "without"])
async def test_an_answer_that_is_too_large_is_not_read_to_its_end(pool: Pool, served: Served, told: bool) -> None:
    piece, pieces, sent = b"x" * 100_000, 400, 0  # more than any socket buffers

    async def answer(request: web.Request) -> web.StreamResponse:
        nonlocal sent
        response = web.StreamResponse(headers={"Content-Length": str(len(piece) * pieces)} if told else None)
        await response.prepare(request)
        await response.write(b"begin key-12345 " + piece[16:])
        for _ in range(pieces - 1):
            await response.write(piece)
            sent += 1
        return response

    served.answer = answer
    with pytest.raises(ReplyError, match="sent more than 1,000,000 bytes") as caught:
        await pool.request("GET", served.url, headers={"X-Api-Key": "key-12345"}, max_bytes=1_000_000)
    assert caught.value.raw.startswith("begin *** xxx")
    assert len(caught.value.raw) <= 2_000
    assert sent < pieces - 1


async def test_the_limit_counts_what_is_unpacked(pool: Pool, served: Served) -> None:
    async def answer(request: web.Request) -> web.StreamResponse:
        packed = gzip.compress(b"[" + b" " * 1_000_000 + b"]")
        assert len(packed) < 10_000
        return web.Response(body=packed, headers={"Content-Encoding": "gzip"})

    served.answer = answer
    reply = await pool.request("GET", served.url, max_bytes=2_000_000)
    assert len(reply.body) == 1_000_002
    with pytest.raises(ReplyError, match="more than 100,000 bytes"):
        await pool.request("GET", served.url, max_bytes=100_000)


async def test_an_answer_as_large_as_allowed_is_whole(pool: Pool, served: Served) -> None:
    served.says(b"y" * 100_000)
    assert (await pool.request("GET", served.url, max_bytes=100_000)).body == b"y" * 100_000


async def test_secure_where_the_server_is_not(pool: Pool, served: Served) -> None:
    with pytest.raises(UnreachableError, match="no secure connection to 127"):
        await pool.request("GET", served.url.replace("http:", "https:"))


async def test_an_answer_that_is_not_http(pool: Pool) -> None:
    async def rude(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readline()
        writer.write(b"SSH-2.0-OpenSSH_9.6\r\n\r\n")
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(rude, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    try:
        with pytest.raises(ReplyError, match="not HTTP"):
            await pool.request("GET", f"http://127.0.0.1:{port}/")
    finally:
        server.close()
        await server.wait_closed()


@pytest.mark.parametrize("url", ["not a url", "ftp://127.0.0.1/x", "http://", "http://[::1/x", ""])
async def test_an_address_that_is_none(pool: Pool, url: str) -> None:
    with pytest.raises(RejectedError, match="cannot be sent"):
        await pool.request("GET", url)


async def test_a_header_with_a_line_break_is_refused_and_not_shown(pool: Pool, served: Served) -> None:
    with pytest.raises(RejectedError) as caught:
        await pool.request("GET", served.url, headers={"Authorization": "Bearer hunter22\r\nX: y"})
    assert "hunter22" not in f"{caught.value} {caught.value!r}"
    assert caught.value.__cause__ is None


KEY_OF_HOST = ConnectionKey("nowhere.invalid", 443, True, True, None, None, None)


def test_a_host_that_does_not_exist_is_named() -> None:
    error = aiohttp.ClientConnectorDNSError(KEY_OF_HOST, OSError(-2, "Name or service not known"))
    shown = explain(error, "https://nowhere.invalid/v1?key=hunter22", 5)
    assert isinstance(shown, UnreachableError)
    assert shown.message == "no host named nowhere.invalid"
    assert "hunter22" not in str(shown)


@table(
    ("error", "words"),
    [
        (aiohttp.ConnectionTimeoutError("https://nowhere.invalid/?key=hunter22"), "no connection to nowhere"),
        (aiohttp.ClientConnectorError(KEY_OF_HOST, OSError(errno.EMFILE, "Too many open files")), "too many open"),
        (OSError(errno.EMFILE, "Too many open files"), "too many open"),
        (aiohttp.ClientConnectorError(KEY_OF_HOST, OSError(errno.EHOSTUNREACH, "No route")), "no connection"),
    ],
)
def test_what_is_hard_to_bring_about_is_explained_too(error: Exception, words: str) -> None:
    shown = explain(error, "https://nowhere.invalid/v1", 5)
    assert isinstance(shown, UnreachableError)
    assert words in str(shown)
    assert shown.hint
    assert "hunter22" not in str(shown)


# --- redirects --------------------------------------------------------------------------------------


async def test_a_redirect_on_the_same_host_keeps_method_body_and_headers(pool: Pool, served: Served) -> None:
    async def answer(request: web.Request) -> web.StreamResponse:
        if request.path == "/old":
            return web.Response(status=307, headers={"Location": "/new"})
        return web.Response(text="{}")

    served.answer = answer
    await pool.request("POST", f"{served.url}/old", headers={"X-Api-Key": "k"}, body=b'{"a": 1}')
    assert [request.path for request in served.requests] == ["/old", "/new"]
    assert served.bodies == [{"a": 1}, {"a": 1}]
    assert served.requests[1].headers["X-Api-Key"] == "k"


@pytest.mark.parametrize("status", [301, 302, 307, 308])
async def test_a_body_is_never_sent_on_to_another_host(pool: Pool, served: Served, status: int) -> None:
    elsewhere = served.url.replace("127.0.0.1", "localhost")
    served.says({}, status=status, headers={"Location": f"{elsewhere}/x"})
    reply = await pool.request("POST", served.url, headers={"Authorization": "Bearer k"}, body=b"{}")
    assert (reply.status, len(served.requests)) == (status, 1)


async def test_a_get_goes_on_to_another_host_without_its_headers(pool: Pool, served: Served) -> None:
    elsewhere = served.url.replace("127.0.0.1", "localhost")

    async def answer(request: web.Request) -> web.StreamResponse:
        if request.path == "/a":
            return web.Response(status=302, headers={"Location": f"{elsewhere}/b"})
        return web.Response(text="here")

    served.answer = answer
    reply = await pool.request("GET", f"{served.url}/a", headers={"Authorization": "Bearer k", "Accept": "x/y"})
    assert reply.body == b"here"
    assert "Authorization" not in served.requests[1].headers
    assert served.requests[1].headers["Accept"] == "x/y"


async def test_see_other_is_asked_for_without_the_body(pool: Pool, served: Served) -> None:
    async def answer(request: web.Request) -> web.StreamResponse:
        if request.path == "/make":
            return web.Response(status=303, headers={"Location": "/made"})
        return web.Response(text="{}")

    served.answer = answer
    await pool.request("POST", f"{served.url}/make", body=b"{}")
    assert [(request.method, request.path) for request in served.requests] == [("POST", "/make"), ("GET", "/made")]
    assert served.bodies == [{}, None]


async def test_redirects_share_one_time(pool: Pool, served: Served) -> None:
    async def answer(request: web.Request) -> web.StreamResponse:
        await asyncio.sleep(0.2)
        return web.Response(status=302, headers={"Location": "/again"})

    served.answer = answer
    with pytest.raises(TimedOutError):
        await pool.request("GET", served.url, timeout=0.5)


@pytest.mark.parametrize("location", ["file:///etc/passwd", "http://[broken", ""])
async def test_a_redirect_to_nowhere_is_the_answer(pool: Pool, served: Served, location: str) -> None:
    served.says({}, status=302, headers={"Location": location})
    assert (await pool.request("GET", served.url)).status == 302
    assert len(served.requests) == 1


async def test_redirects_in_a_circle_end(pool: Pool, served: Served) -> None:
    served.says({}, status=302, headers={"Location": "/again"})
    assert (await pool.request("GET", served.url)).status == 302
    assert len(served.requests) == 6


# --- life -------------------------------------------------------------------------------------------


async def test_a_closed_pool_refuses(served: Served) -> None:
    served.says({})
    pool = Pool()
    async with pool:
        await pool.request("GET", served.url)
    await pool.close()
    with pytest.raises(UnreachableError, match="pool is closed"):
        await pool.request("GET", served.url)


async def test_a_pool_that_was_never_used_closes() -> None:
    async with Pool():
        pass


async def test_a_proxy_is_asked_when_there_is_one(served: Served) -> None:
    served.says({"from": "proxy"})
    async with Pool(proxy_for=lambda url: served.url if "example" in url else None) as pool:
        reply = await pool.request("GET", "http://example.test/path")
        assert reply.body == b'{"from": "proxy"}'
        await pool.request("GET", f"{served.url}/direct")
    assert served.requests[0].headers["Host"] == "example.test"
    assert served.requests[1].path == "/direct"


async def test_a_proxy_that_is_not_there(served: Served) -> None:
    port = free_port()
    async with Pool(proxy_for=lambda url: f"http://127.0.0.1:{port}") as pool:
        with pytest.raises(UnreachableError, match=f"the proxy 127.0.0.1:{port} cannot be reached"):
            await pool.request("GET", "http://example.test/path")
