"""The gateway for a server of tools behind an address (streamable HTTP)."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Final

import aiohttp
from aiohttp import web
from multidict import CIMultiDict

from proctor.server.admission import admit
from proctor.server.mcp import Gateway
from proctor.server.passing import address, answer_headers, error, pass_on, request_headers, to_upstream, unreachable
from proctor.server.sse import Event, Parser, TooLongError, encoded
from proctor.wiring.guard import Guard
from proctor.wiring.guard_serving import McpSettings

__all__ = ["make_app"]

_MOST_BYTES: Final = 64_000_000
_MOST_SESSIONS: Final = 10_000
_SESSION: Final = "Mcp-Session-Id"


def make_app(
    guard: Guard, upstream: str, settings: McpSettings | None = None, *, token: str | None = None
) -> web.Application:
    """The gateway as an application; ``upstream`` is the server's address without the path that agents add.

    With a ``token``, agents must show it in the header ``X-Proctor-Token``.
    """
    settings = settings or McpSettings()
    door = HttpGateway(guard=guard, upstream=upstream, settings=settings)
    app = web.Application(client_max_size=_MOST_BYTES)
    app.router.add_route("*", "/{path:.*}", door.handle)
    app.cleanup_ctx.append(door.connected)
    app.middlewares.append(admit(_turned_away, token=token, hosts=settings.hosts, origins=settings.origins))
    return app


def _turned_away(request: web.Request, status: int, message: str, hint: str) -> web.StreamResponse:
    return error(status, f"{message}; {hint}", "permission_error")


@dataclass(slots=True, kw_only=True)
class HttpGateway:
    """Passes messages on to one server, with a gateway for each session that the server has opened."""

    guard: Guard
    upstream: str
    settings: McpSettings
    _gateways: OrderedDict[str, Gateway] = field(default_factory=OrderedDict)
    _client: aiohttp.ClientSession | None = None

    async def connected(self, app: web.Application) -> AsyncIterator[None]:
        """Hold the connections to the server as long as the application runs."""
        await self.guard.warm()
        async with to_upstream() as self._client:
            yield

    async def handle(self, request: web.Request) -> web.StreamResponse:
        """Answer one request."""
        url = address(self.upstream, request.raw_path)
        if url is None:
            return error(400, "the path must begin with /", "invalid_request_error")
        assert self._client is not None
        try:
            if request.method not in ("POST", "GET"):
                return await pass_on(request, self._client, url, allow_redirects=False)
            return await self._passed(request, str(url))
        except web.HTTPRequestEntityTooLarge:
            return error(413, f"the message has more than {_MOST_BYTES:,} bytes", "invalid_request_error")
        except (aiohttp.ClientError, TimeoutError) as failure:
            return unreachable(failure, self.upstream)

    async def _passed(self, request: web.Request, url: str) -> web.StreamResponse:
        gateway = self._gateway(request)
        data = None
        if request.method == "POST":
            passed = await gateway.from_agent(await request.read())
            if passed.on is None:
                if passed.back is None:
                    return web.Response(status=202)
                return web.Response(body=passed.back, content_type="application/json")
            data = passed.on
        headers = request_headers(request.headers, "Content-Length", "Content-Encoding", "Accept-Encoding")
        headers["Accept-Encoding"] = "gzip, deflate"
        assert self._client is not None
        async with self._client.request(
            request.method, url, data=data, headers=headers, allow_redirects=False
        ) as answer:
            kept = answer_headers(answer.headers, "Content-Length", "Content-Encoding")
            if (name := answer.headers.get(_SESSION)) and name not in self._gateways:
                self._keep(name, gateway)
            if answer.content_type == "text/event-stream":
                return await _streamed(request, answer, gateway, kept)
            raw = await answer.read()
            if raw.strip() and answer.status < 400:
                told = await gateway.from_server(raw)
                raw = told.on if told.on is not None else told.back or b""
            return web.Response(status=answer.status, body=raw, headers=kept)

    def _gateway(self, request: web.Request) -> Gateway:
        """The gateway of the session; a server that opens none has one for each caller."""
        name = request.headers.get(_SESSION) or ""
        if not name:
            who = f"{request.headers.get('Authorization', '')}|{request.remote}"
            name = f"mcp-{hashlib.blake2b(who.encode(), digest_size=8).hexdigest()}"
        found = self._gateways.get(name)
        if found is None:
            session = self.guard.session(customer=self.settings.customer)
            found = Gateway(guard=self.guard, session=session, settings=self.settings)
            self._keep(name, found)
        self._gateways.move_to_end(name)
        return found

    def _keep(self, name: str, gateway: Gateway) -> None:
        self._gateways[name] = gateway
        while len(self._gateways) > _MOST_SESSIONS:
            self._gateways.popitem(last=False)


async def _streamed(
    request: web.Request, answer: aiohttp.ClientResponse, gateway: Gateway, headers: CIMultiDict[str]
) -> web.StreamResponse:
    response = web.StreamResponse(status=answer.status, reason=answer.reason, headers=headers)
    await response.prepare(request)
    parser = Parser()
    try:
        async for piece in answer.content.iter_any():
            for event in parser.feed(piece):
                await response.write(await _event(event, gateway))
    except (aiohttp.ClientError, TimeoutError, TooLongError):
        response.force_close()
        if request.transport is not None:
            request.transport.abort()
        return response
    if (rest := parser.rest()) is not None:
        await response.write(await _event(rest, gateway))
    return response


async def _event(event: Event, gateway: Gateway) -> bytes:
    if not event.data:
        return event.raw
    raw = event.data.encode("utf-8", "surrogatepass")
    told = await gateway.from_server(raw)
    if told.on is raw:
        return event.raw
    if told.on is None:
        return b""
    ids = [line for line in event.raw.splitlines(keepends=True) if line.startswith((b"id:", b"retry:"))]
    return b"".join(ids) + encoded(told.on.decode(), event.name)
