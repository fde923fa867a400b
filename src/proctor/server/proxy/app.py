"""An OpenAI-compatible proxy: clients stay unchanged, and every message, call and answer passes the gates."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import aiohttp
from aiohttp import web
from yarl import URL

from proctor.core.errors import InputError
from proctor.core.verdict import Verdict
from proctor.server.admission import admit
from proctor.server.conversation import Conversations, Record, Said, chained
from proctor.server.dialects.anthropic_messages import Messages
from proctor.server.dialects.chat import Chat
from proctor.server.dialects.completions import Completions
from proctor.server.dialects.ollama_chat import OllamaChat, OllamaGenerate
from proctor.server.dialects.responses import ResponsesShape
from proctor.server.guarded_request import RequestTurn
from proctor.server.proxy.request_context import RequestContext, asked
from proctor.server.proxy.routes import route_of, wire_at
from proctor.server.proxy.screen_messages import mask_messages, screen_messages, sources_of
from proctor.server.proxy.upstream_answer import Answered, Exchange, Shape
from proctor.server.upstream import (
    address,
    answer_headers,
    error,
    pass_on,
    request_headers,
    to_upstream,
    unreachable,
)
from proctor.server.wire.stream_events import compact
from proctor.server.wire.strict_json import load_object
from proctor.wiring.guard import Guard
from proctor.wiring.guard_settings import Living
from proctor.wiring.server_settings import Expose, ProxySettings

__all__ = ["Proxy", "make_app"]

HEALTH_PATH: Final = "/proctor/health"
_SHAPES: Final[Mapping[str, Shape]] = {
    "chat/completions": Chat(),
    "responses": ResponsesShape(),
    "messages": Messages(),
    "completions": Completions(),
    "api/chat": OllamaChat(),
    "api/generate": OllamaGenerate(),
}


def make_app(
    guard: Guard,
    upstream: str,
    settings: ProxySettings | None = None,
    *,
    sessions: Living | None = None,
    proxy_for: Callable[[str], str | None] | None = None,
    token: str | None = None,
    warning: str | None = None,
    local: bool = False,
) -> web.Application:
    """Return the proxy as an application.

    ``sessions`` is the number of remembered conversations, and their lifetime in seconds after the last request.
    ``proxy_for`` returns the HTTP proxy for a URL, if any. With a ``token``, clients must send it in the header
    ``X-Proctor-Token``. ``warning`` is shown by the health endpoint. ``local`` means that only this machine can
    connect: then clients see the findings, unless the settings forbid it.
    """
    settings = settings or ProxySettings()
    proxy = Proxy(guard=guard, upstream=upstream, settings=settings, hop=proxy_for(upstream) if proxy_for else None)
    proxy.warning, proxy.expose = warning, settings.exposed(local=local)
    living = sessions or Living()
    proxy.conversations.most, proxy.conversations.idle = living.most, living.idle
    app = web.Application(client_max_size=settings.most_bytes)
    door = admit(_turned_away, token=token, hosts=settings.hosts, origins=settings.origins, open_paths=(HEALTH_PATH,))
    app.middlewares.append(door)
    app.router.add_get(HEALTH_PATH, proxy.health)
    app.router.add_route("*", "/{path:.*}", proxy.handle)
    app.cleanup_ctx.append(proxy.connected)
    return app


@dataclass(slots=True, kw_only=True)
class Proxy:
    """Forwards requests to one upstream. API keys are forwarded in headers; they are not stored or logged."""

    guard: Guard
    upstream: str
    settings: ProxySettings
    hop: str | None = None
    warning: str | None = None
    expose: Expose = "none"
    conversations: Conversations = field(default_factory=Conversations)
    _client: aiohttp.ClientSession | None = None

    async def connected(self, app: web.Application) -> AsyncIterator[None]:
        """Load the models, and keep the connections to the upstream open while the application runs."""
        await self.guard.warm()
        async with to_upstream(self.settings.timeout) as self._client:
            yield

    async def health(self, request: web.Request) -> web.StreamResponse:
        """Return the state of the guard, as in the sidecar."""
        told = {"warning": self.warning} if self.warning else {}
        if self.expose != "none":  # clients that may not see verdicts may not see settings and paths
            told = {**self.guard.health, **told}
        return web.json_response({"status": "ok", **told})

    async def handle(self, request: web.Request) -> web.StreamResponse:
        """Answer one request."""
        url = address(self.upstream, request.raw_path)
        if url is None:
            return error(400, "the path must begin with /", "invalid_request_error")
        wire = wire_at(url.path)
        try:
            return wire.told(await self._routed(request, url))
        except (aiohttp.ClientError, TimeoutError) as failure:
            return wire.told(unreachable(failure, self.upstream))

    async def _routed(self, request: web.Request, url: URL) -> web.StreamResponse:
        route, kind = route_of(request.method, url.path, self.settings.allow, request.path)
        if route == "guarded":
            return await self._guarded(request, url, kind)
        if route == "kept":
            return await self._looked_up(request, url, kind)
        if route == "unreadable":
            return error(400, "the path has escaped signs that end a path", "invalid_request_error")
        if route == "method":
            return error(405, f"this path takes POST, not {request.method}", "method_not_allowed", {"Allow": "POST"})
        return await self._passed(request, url, listed=route == "passed")

    async def _passed(self, request: web.Request, url: URL, *, listed: bool) -> web.StreamResponse:
        if "Upgrade" in request.headers.get("Connection", "").title():
            return error(501, "the proxy guards no WebSocket connections, so it passes none on", "not_supported")
        if not listed and self.settings.others == "refuse":
            entry = f"{request.method} {request.path}" if request.path.isascii() else "METHOD PATH"
            hint = f"`guard: {{proxy: {{allow: ['{entry[:200]}']}}}}` in proctor.yaml lets it through unguarded"
            return error(403, f"this path is not guarded, so it is refused; {hint}", "not_guarded")
        assert self._client is not None
        return await pass_on(request, self._client, url, allow_redirects=False, proxy=self.hop)

    async def _guarded(self, request: web.Request, url: URL, kind: str) -> web.StreamResponse:
        shape = _SHAPES[kind]
        try:
            raw = await request.read()
            body = await load_object(raw)
            said = shape.said(body)
        except web.HTTPRequestEntityTooLarge:
            return error(413, f"the body has more than {self.settings.most_bytes:,} bytes", "invalid_request_error")
        except ValueError as wrong:
            return error(400, f"the body {wrong}", "invalid_request_error")
        try:
            told = asked(request.headers, body)
            record = self._record(told, said)
            session = self.guard.session(record.id, customer=told.customer)
        except InputError as wrong:
            hint = f"; {wrong.hint}" if wrong.hint else ""
            return error(400, wrong.message + hint, "invalid_request_error")
        turn = RequestTurn(
            session=session,
            escalate=self.settings.escalate,
            intents=told.intents,
            section=told.section,
            confirmed=told.confirmed,
            restores=self.settings.restore,
            expose=self.expose,
        )
        stopped, altered = await self._looked_at(turn, said, record)
        exchange = Exchange(
            shape=shape, turn=turn, settings=self.settings, body=body, answered=self._marking(turn, said, record)
        )
        if stopped is not None:
            return await exchange.refuse(request, stopped)
        turn.sources = (*sources_of(said), *told.sources)
        altered |= turn.restores != "none" and mask_messages(turn, said)
        altered |= body.pop("proctor", None) is not None
        return await self._sent(request, url, compact(body).encode() if altered else raw, exchange)

    async def _looked_up(self, request: web.Request, url: URL, kind: str) -> web.StreamResponse:
        """Return a stored answer of the upstream, checked again: the client received it changed."""
        try:
            customer = asked(request.headers, {}).customer
        except InputError as wrong:
            return error(400, wrong.message, "invalid_request_error")
        record = self.conversations.at(b"id:" + request.path.rpartition("/")[2].encode(), customer)
        session = self.guard.session(record.id if record else None, customer=customer)
        turn = RequestTurn(
            session=session, escalate=self.settings.escalate, restores=self.settings.restore, expose=self.expose
        )
        exchange = Exchange(shape=_SHAPES[kind], turn=turn, settings=self.settings, body={})
        return await self._sent(request, url, None, exchange)

    async def _sent(self, request: web.Request, url: URL, data: bytes | None, exchange: Exchange) -> web.StreamResponse:
        assert self._client is not None
        headers = request_headers(request.headers, url, "Content-Length", "Content-Encoding", "Accept-Encoding")
        headers["Accept-Encoding"] = "gzip, deflate"  # the encodings supported here
        async with self._client.request(
            request.method, url, headers=headers, data=data, allow_redirects=False, proxy=self.hop,
            skip_auto_headers=("User-Agent", "Accept", "Content-Type"),
        ) as answer:  # fmt: skip
            kept = answer_headers(answer.headers, "Content-Length", "Content-Encoding")
            return await exchange.relay(request, answer, kept)

    def _record(self, told: RequestContext, said: Sequence[Said]) -> Record:
        """Return the record of the conversation: by name, by the previous answer's id, or by its messages."""
        if told.session is not None:
            return self.conversations.named(told.session, told.customer)
        if told.follows is not None and (
            record := self.conversations.at(b"id:" + told.follows.encode("utf-8", "replace"), told.customer)
        ):
            return record
        return self.conversations.continued(said, told.customer)

    async def _looked_at(self, turn: RequestTurn, said: Sequence[Said], record: Record) -> tuple[Verdict | None, bool]:
        for each in said:
            if each.kind == "tool" and not each.name:
                each.name = record.calls.get(each.call_id or "", "tool")
        links = chained(each.digest for each in said if not each.aside)
        again = bool(links) and record.last == links[-1]
        found = await screen_messages(turn, said, record, again=again)
        if links:
            record.last = links[-1]
            self.conversations.mark(record, links[-1])
        return found

    def _marking(self, turn: RequestTurn, said: Sequence[Said], record: Record) -> Answered:
        """Return a callback that makes the conversation findable by its answer and the answer's id."""
        digests = [each.digest for each in said if not each.aside]

        def mark(made: Sequence[bytes], id: str | None) -> None:
            if id:
                self.conversations.mark(record, b"id:" + id.encode("utf-8", "replace"))
            if made:
                self.conversations.mark(record, chained([*digests, *made])[-1])
            for call, name in turn.made:
                record.called(call, name)

        return mark


def _turned_away(request: web.Request, status: int, message: str, hint: str) -> web.StreamResponse:
    kind = "authentication_error" if status == 401 else "permission_error"
    return wire_at(request.path).told(error(status, f"{message}; {hint}", kind))
