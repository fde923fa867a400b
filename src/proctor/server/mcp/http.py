"""The gateway for an MCP server with streamable HTTP, and the filter of its streams of events."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import Any, Final

import aiohttp
from aiohttp import web
from multidict import CIMultiDict
from yarl import URL

from proctor.server.admission import admit
from proctor.server.mcp.gateway import Gateway
from proctor.server.mcp.messages import REFUSED, read_message, written
from proctor.server.mcp.messages import error as rpc_error
from proctor.server.mcp.sessions import SESSION, HttpSessions
from proctor.server.upstream import address, answer_headers, error, request_headers, to_upstream, unreachable
from proctor.server.wire.sse import EventTooLongError, Parser, SseEvent, encoded
from proctor.wiring.guard import Guard
from proctor.wiring.server_settings import McpSettings

__all__ = ["EventGate", "PassedEvent", "make_app"]

_MOST_BYTES: Final = 64_000_000
_METHODS: Final = frozenset({"GET", "POST", "DELETE", "OPTIONS", "HEAD"})
_OURS: Final = ("Content-Length", "Content-Encoding", "Content-Type", "Location")  # headers that are written again
_REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
_TO_SERVER: Final = aiohttp.ClientTimeout(total=20.0)
_NAME: Final = re.compile(r"[a-zA-Z][\w./-]{0,31}")
_LINE: Final = re.compile(rb"\r\n|\r|\n")
_LONGEST: Final = 1_024  # maximum bytes of an event id
_ALIVE: Final = b": \n\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class PassedEvent:
    """The outcome of an event: bytes for the agent, a message for the server, a URL for later messages."""

    on: bytes = b""
    back: bytes | None = None
    endpoint: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EventGate:
    """Filters the events of one stream; ``own_place`` maps a URL to a path of this gateway."""

    gateway: Gateway
    own_place: Callable[[str], str | None]

    async def passed(self, event: SseEvent) -> PassedEvent:
        """Process one event. Ids and retry times are kept, because they are needed to resume; comments are dropped."""
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
        """Return the endpoint event of the 2024 transport; a URL that bypasses this gateway is dropped."""
        place = self.own_place(data.strip())
        if place is None:
            return PassedEvent()
        return PassedEvent(on=kept + encoded(place, "endpoint"), endpoint=place)


def make_app(
    guard: Guard, upstream: str, settings: McpSettings | None = None, *, token: str | None = None
) -> web.Application:
    """Return the gateway as an application; ``upstream`` is the server's URL without the path of the agent.

    With a ``token``, agents must send it in the header ``X-Proctor-Token``.
    """
    settings = settings or McpSettings()
    sessions = HttpSessions(guard=guard, settings=settings)
    door = HttpGateway(guard=guard, upstream=upstream, sessions=sessions)
    app = web.Application(client_max_size=_MOST_BYTES)
    app.router.add_route("*", "/{path:.*}", door.handle)
    app.cleanup_ctx.append(door.connected)
    app.middlewares.append(admit(_turned_away, token=token, hosts=settings.hosts, origins=settings.origins))
    return app


def _turned_away(request: web.Request, status: int, message: str, hint: str) -> web.StreamResponse:
    return error(status, f"{message}; {hint}", "permission_error")


@dataclass(slots=True, kw_only=True)
class HttpGateway:
    """Forwards messages to one server, with a gateway per request and a state per session."""

    guard: Guard
    upstream: str
    sessions: HttpSessions
    _client: aiohttp.ClientSession | None = None

    async def connected(self, app: web.Application) -> AsyncIterator[None]:
        """Keep the connections to the server open while the application runs."""
        await self.guard.warm()
        async with to_upstream() as self._client:
            yield

    async def handle(self, request: web.Request) -> web.StreamResponse:
        """Answer one request."""
        url = address(self.upstream, request.raw_path)
        if url is None:
            return error(400, "the path must begin with /", "invalid_request_error")
        if request.method not in _METHODS:
            return error(405, f"{request.method} is not a method of this protocol", "invalid_request_error")
        try:
            return await self._passed(request, url)
        except web.HTTPRequestEntityTooLarge:
            return error(413, f"the message has more than {_MOST_BYTES:,} bytes", "invalid_request_error")
        except (aiohttp.ClientError, TimeoutError) as failure:
            return unreachable(failure, self.upstream)

    async def _passed(self, request: web.Request, url: URL) -> web.StreamResponse:
        body = await request.read() if request.method == "POST" else None
        begins = body is not None and _begins(body)
        gateway = self.sessions.gateway(request.headers, request.remote, request.raw_path, begins=begins)
        data, refusals = None, None
        if body is not None:
            passed = await gateway.from_agent(body)
            data, refusals = passed.on, passed.back
            if data is None:
                return _json(200, refusals) if refusals is not None else web.Response(status=202)
        headers = request_headers(request.headers, url, "Content-Length", "Content-Encoding", "Accept-Encoding")
        headers["Accept-Encoding"] = "gzip, deflate"
        if data is not None:
            headers["Content-Type"] = "application/json"
        assert self._client is not None
        async with self._client.request(
            request.method, url, data=data, headers=headers, allow_redirects=False
        ) as answer:
            asked, given = request.headers.get(SESSION), answer.headers.get(SESSION)
            if answer.status < 400:
                self.sessions.accepted(gateway, asked, given)
                if request.method == "DELETE" and asked is not None:
                    self.sessions.end(asked)
            exchange = _Exchange(request, answer, gateway, url, headers, refusals)
            if answer.content_type == "text/event-stream" and request.method != "HEAD":
                return await self._streamed(exchange)
            return await self._answered(exchange)

    async def _answered(self, exchange: _Exchange) -> web.Response:
        """Return an answer that is not a stream; it is read completely and written again."""
        answer, kept = exchange.answer, exchange.kept()
        if answer.status in _REDIRECTS:
            place = _own_place(answer.headers.get("Location", ""), exchange.url)
            if place is None:
                return error(502, "the server sends its callers elsewhere, around the guard", "upstream_error")
            kept["Location"] = place
            return web.Response(status=answer.status, headers=kept)
        raw = await _read(answer) if exchange.request.method != "HEAD" else b""
        if raw is None:
            return error(502, f"the server's answer has more than {_MOST_BYTES:,} bytes", "upstream_error")
        if not raw.strip() or answer.status == 202:  # an accepted message is answered elsewhere, if at all
            if exchange.refusals is not None:
                return _json(200, exchange.refusals, kept)
            return web.Response(status=answer.status, headers=kept)
        told = await self._told(exchange, raw)
        if told is None:
            return web.Response(status=202, headers=kept)
        return _json(answer.status, told, kept)

    async def _told(self, exchange: _Exchange, raw: bytes) -> bytes | None:
        """Return a complete answer as the agent sees it; None if nothing is left."""
        gateway = exchange.gateway
        if exchange.request.method != "POST":
            return await _document(gateway, raw, exchange.answer.status)
        passed = await gateway.from_server(raw)
        if passed.back is not None:
            await self._to_server(exchange, passed.back)
        told: list[Any] = [json.loads(each) for each in passed.errors]
        for each in (passed.on, exchange.refusals):
            if each is not None:
                read = json.loads(each)
                told.extend(read if isinstance(read, list) else [read])
        if exchange.answer.status < 400:  # this was the complete answer
            told.extend(json.loads(each) for each in gateway.left("the server did not answer the request"))
        batch = exchange.refusals is not None or (passed.on or b"").startswith(b"[") or len(told) > 1
        return (written(told) if batch else written(told[0])) if told else None

    async def _streamed(self, exchange: _Exchange) -> web.StreamResponse:
        request, gateway = exchange.request, exchange.gateway
        headers = {**exchange.kept(), "Content-Type": "text/event-stream"}
        response = web.StreamResponse(status=exchange.answer.status, headers=headers)
        await response.prepare(request)
        gate = EventGate(gateway=gateway, own_place=lambda place: _own_place(place, exchange.url))
        parser = Parser()
        try:
            if exchange.refusals is not None:
                await response.write(encoded(exchange.refusals.decode(), "message"))
            async for piece in exchange.answer.content.iter_any():
                for event in parser.feed(piece):
                    await self._event(exchange, gate, event, response)
            if (rest := parser.rest()) is not None:
                await self._event(exchange, gate, rest, response)
        except (aiohttp.ClientError, TimeoutError, EventTooLongError):
            response.force_close()
            if request.transport is not None:
                request.transport.abort()
        finally:
            self.sessions.close_endpoints(gateway)
        return response

    async def _event(self, exchange: _Exchange, gate: EventGate, event: Any, response: web.StreamResponse) -> None:
        passed = await gate.passed(event)
        if passed.endpoint is not None:
            self.sessions.open_endpoint(passed.endpoint, exchange.gateway)
        if passed.on:
            await response.write(passed.on)
        if passed.back is not None:
            await self._to_server(exchange, passed.back)

    async def _to_server(self, exchange: _Exchange, message: bytes) -> None:
        """Answer a refused request of the server in place of the agent."""
        headers = exchange.headers.copy()
        for name in ("Last-Event-ID", "Accept"):
            headers.pop(name, None)
        headers["Content-Type"], headers["Accept"] = "application/json", "application/json, text/event-stream"
        given = exchange.answer.headers.get(SESSION)
        if given is not None:
            headers[SESSION] = given
        assert self._client is not None
        try:
            async with self._client.post(
                exchange.url, data=message, headers=headers, allow_redirects=False, timeout=_TO_SERVER
            ):
                pass
        except (aiohttp.ClientError, TimeoutError):
            return  # the server is gone


@dataclass(frozen=True, slots=True)
class _Exchange:
    """One request and its open answer; ``refusals`` answer the refused part of a batch."""

    request: web.Request
    answer: aiohttp.ClientResponse
    gateway: Gateway
    url: URL
    headers: CIMultiDict[str]
    refusals: bytes | None

    def kept(self) -> CIMultiDict[str]:
        return answer_headers(self.answer.headers, *_OURS)


def _begins(body: bytes) -> bool:
    """Return whether the message only opens a session."""
    try:
        message = read_message(body) if b"initialize" in body else None
    except ValueError:
        return False
    return isinstance(message, dict) and message.get("method") == "initialize"


async def _read(answer: aiohttp.ClientResponse) -> bytes | None:
    held = bytearray()
    async for piece in answer.content.iter_any():
        held += piece
        if len(held) > _MOST_BYTES:
            return None
    return bytes(held)


async def _document(gateway: Gateway, raw: bytes, status: int) -> bytes:
    """Return a checked document that is not a message, such as login metadata; it is withheld as a whole."""
    return await gateway.document(raw) or written(
        rpc_error(None, REFUSED, f"the server's answer with status {status} was withheld by the guard")
    )


def _json(status: int, body: bytes, headers: CIMultiDict[str] | None = None) -> web.Response:
    kept = CIMultiDict(headers or {})
    kept["Content-Type"] = "application/json"
    return web.Response(status=status, body=body, headers=kept)


def _own_place(place: str, url: URL) -> str | None:
    """Return the server's redirect as a path of this gateway; None for another host."""
    try:
        target = url.join(URL(place, encoded=True))
    except ValueError:
        return None
    return target.raw_path_qs if target.origin() == url.origin() and place else None


def _data(event: SseEvent) -> bytes:
    """Return the data as bytes, since it may not be valid UTF-8."""
    try:
        event.raw.decode("utf-8")
    except UnicodeDecodeError:
        return (event.data or "").encode("utf-8", "replace") + b"\xff"
    return (event.data or "").encode("utf-8")


def _kept(raw: bytes) -> bytes:
    lines = [line for line in _LINE.split(raw) if line.startswith((b"id:", b"retry:"))]
    return b"".join(line + b"\n" for line in lines if len(line) <= _LONGEST)
