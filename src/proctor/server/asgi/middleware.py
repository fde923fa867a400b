"""Middleware for a user's own ASGI application: what comes in and what goes out passes the gates."""

from __future__ import annotations

import codecs
from collections.abc import Awaitable, Callable, MutableMapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from proctor.core.codec import dumps
from proctor.core.errors import InputError
from proctor.core.verdict import Verdict
from proctor.guard.capacity import is_busy
from proctor.guard.current_session import turn_of
from proctor.server.asgi.json_pointers import at_pointer, check_pointer, made_at, value_at
from proctor.server.asgi.stream import EventStream, TextStream, beside
from proctor.server.guarded_request import RequestTurn
from proctor.server.guarded_stream import Stream
from proctor.server.session_names import check_name
from proctor.server.verdict_json import RETRY_AFTER
from proctor.server.wire.sse import Parser, SseEvent
from proctor.server.wire.stream_events import Slot
from proctor.server.wire.strict_json import read_json
from proctor.server.wire.text_slots import put
from proctor.wiring.guard import Guard
from proctor.wiring.server_settings import Expose

__all__ = ["GuardMiddleware", "Route"]

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """One chat endpoint: where in its JSON the user's words stand, where the answer's, and what names the conversation.

    Places are JSON pointers, with ``*`` for every entry of a list. ``stream`` is where the next words stand in an
    event of a streamed answer. ``status`` is what a stopped request is answered with, beside the configured reply.
    Strings elsewhere in an answer are read too; ``ignore`` is where the application's own stand, which no gate reads.
    """

    path: str
    text: str = "/message"
    answer: str = "/reply"
    stream: str = "/delta"
    session: str | None = "/session"
    status: Literal[200, 403] = 200
    ignore: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for pointer in (self.text, self.answer, self.stream, self.session or "", *self.ignore):
            check_pointer(pointer)


class GuardMiddleware:
    """Guards the routes it is given and lets everything else through. The turn stands in ``scope["proctor"]``.

    ``expose`` is what clients read of verdicts beside the reply: nothing, the action, or gates and reasons too.
    """

    def __init__(
        self,
        app: App,
        guard: Guard,
        routes: Sequence[Route],
        *,
        hold: Literal["sentence", "whole"] = "sentence",
        escalate: Literal["reply", "header"] = "reply",
        most_bytes: int = 4_000_000,
        expose: Expose = "none",
    ) -> None:
        self.app, self.guard, self.hold, self.escalate, self.most_bytes = app, guard, hold, escalate, most_bytes
        self.expose: Expose = "action" if expose == "none" and escalate == "header" else expose
        self.routes = {route.path.rstrip("/") or "/": route for route in routes}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one connection."""
        route = self.routes.get(str(scope.get("path")).rstrip("/") or "/") if scope["type"] == "http" else None
        if route is None or scope["method"] not in ("POST", "PUT", "PATCH"):
            await self.app(scope, receive, send)
            return
        raw = await _body(receive, self.most_bytes)
        if raw is None:
            await _say(send, 413, {"error": {"message": f"the body has more than {self.most_bytes:,} bytes"}})
            return
        try:
            data = read_json(raw)
            session = self.guard.session(check_name("session", _session(scope, data, route)))
        except ValueError as error:
            await _say(send, 400, {"error": {"message": f"the body {error}", "hint": "send JSON"}})
            return
        except InputError as error:
            await _say(send, 400, {"error": {"message": error.message}})
            return
        turn = RequestTurn(session=session, escalate=self.escalate, expose=self.expose)
        slots = list(at_pointer(data, route.text))
        if not slots:  # what is not found cannot be guarded
            await _say(send, 400, {"error": {"message": f"there is no text at {route.text}", "field": route.text}})
            return
        verdict = await turn.input("\n".join(slot.text for slot in slots))
        if turn.stops(verdict):
            if is_busy(verdict):
                await _say(send, 503, {"error": {"message": "the guard is over capacity; ask again later"}}, turn)
                return
            await _say(send, route.status, _reply(route, turn, verdict), turn)
            return
        if verdict.text is not None and put(slots, verdict.text):
            raw = dumps(data)
        await self._run(
            {**scope, "proctor": turn, "headers": _sized(scope["headers"], len(raw)), "extensions": {}},
            receive,
            send,
            raw,
        )

    async def _run(self, scope: Scope, receive: Receive, send: Send, raw: bytes) -> None:
        turn: RequestTurn = scope["proctor"]
        route = self.routes[str(scope["path"]).rstrip("/") or "/"]
        given = False

        async def replay() -> Message:
            nonlocal given
            if given:
                return await receive()
            given = True
            return {"type": "http.request", "body": raw, "more_body": False}

        back = _Back(send=send, turn=turn, route=route, hold=self.hold)
        with turn_of(turn.session):
            await self.app(scope, replay, back.take)


@dataclass(slots=True, kw_only=True)
class _Back:
    """What the application answers, on its way out."""

    send: Send
    turn: RequestTurn
    route: Route
    hold: Literal["sentence", "whole"]
    start: Message | None = None
    held: bytearray = field(default_factory=bytearray)
    stream: Stream | None = None
    over: bool = False
    _parser: Parser = field(default_factory=Parser)
    _decoder: codecs.IncrementalDecoder | None = None

    async def take(self, message: Message) -> None:
        """Take one message of the application."""
        if self.over:
            return
        if message["type"] == "http.response.start":
            await self._begin(message)
        elif message["type"] == "http.response.body":
            body, more = bytes(message.get("body", b"")), bool(message.get("more_body"))
            await (self._piece(body, more) if self.stream is not None else self._part(body, more))
        # Trailers and files named by their path would leave unread, so they do not leave.

    async def _begin(self, message: Message) -> None:
        self.start = message
        kind = _header(message.get("headers", ()), b"content-type").partition(b";")[0].strip().lower()
        if _header(message.get("headers", ()), b"content-encoding"):
            return  # what is packed cannot be looked at piece by piece
        if kind == b"text/event-stream":
            self.stream = self._streaming(EventStream(self.route.stream, self.route.ignore))
        elif kind == b"text/plain":
            self.stream = self._streaming(TextStream())
            self._decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
        if self.stream is not None:
            headers = [pair for pair in message.get("headers", ()) if pair[0].lower() != b"content-length"]
            await self.send({**message, "headers": [*headers, *_told(self.turn)]})

    def _streaming(self, dialect: Any) -> Stream:
        return Stream(dialect=dialect, watch=self.turn, mode=self.hold)

    async def _piece(self, body: bytes, more: bool) -> None:
        assert self.stream is not None
        events = self._events(body, more)
        out = await self.stream.feed(events)
        if not more:
            out += await self.stream.finish()
        self.over = not more or self.stream.stopped is not None
        if out or self.over:
            await self.send({"type": "http.response.body", "body": out, "more_body": not self.over})

    def _events(self, body: bytes, more: bool) -> list[SseEvent]:
        if self._decoder is not None:
            text = self._decoder.decode(body, not more)
            return [SseEvent(text.encode("utf-8", "surrogateescape"), text)] if text else []
        events = self._parser.feed(body)
        rest = None if more else self._parser.rest()
        return [*events, rest] if rest is not None else events

    async def _part(self, body: bytes, more: bool) -> None:
        self.held += body
        if more:
            return
        assert self.start is not None
        raw, status = bytes(self.held), self.start["status"]
        if raw:
            raw, status = await self._checked(raw, status)
        headers = _sized(self.start.get("headers", ()), len(raw))
        if raw != self.held:
            headers = [pair for pair in headers if bytes(pair[0]).lower() not in (b"content-type", b"content-encoding")]
            headers.append((b"content-type", b"application/json"))
        await self.send({**self.start, "status": status, "headers": [*headers, *_told(self.turn)]})
        await self.send({"type": "http.response.body", "body": raw, "more_body": False})
        self.over = True

    async def _checked(self, raw: bytes, status: int) -> tuple[bytes, int]:
        assert self.start is not None
        if _header(self.start.get("headers", ()), b"content-encoding"):
            hint = "add the middleware that packs answers before this one, so that it stands outside of it"
            return dumps({"error": {"message": "the answer is packed and cannot be looked at", "hint": hint}}), 500
        try:
            data = read_json(raw)
        except ValueError:
            data = None
        found = list(at_pointer(data, self.route.answer, "answer"))
        if not found:  # the answer is not where it should be: it is read as a text, and goes as it is or not at all
            found = [Slot("", {"text": raw.decode("utf-8", "replace")}, "text")]
        changed = False
        for slot in found:
            verdict = await self.turn.output(slot.text) if slot.text.strip() else None
            if verdict is None:
                continue
            if is_busy(verdict):
                return dumps({"error": {"message": "the guard is over capacity; ask again later"}}), 503
            edits = verdict.text is not None and verdict.text != slot.text
            if self.turn.stops(verdict) or (edits and slot.channel == ""):
                return self._replaced(verdict, status)
            if edits:
                slot.place[slot.key] = verdict.text
                changed = True
        rest = beside(data, (self.route.answer, *self.route.ignore)) if found[0].channel == "answer" else []
        if any(slot.text.strip() for slot in rest):
            verdict = await self.turn.glimpse("\n".join(slot.text for slot in rest))
            if self.turn.stops(verdict):
                return self._replaced(verdict, status)
            changed |= verdict.text is not None and put(rest, verdict.text)
        return (dumps(data) if changed else raw), status

    def _replaced(self, verdict: Verdict, status: int) -> tuple[bytes, int]:
        """The configured reply; an answer that says that it failed goes on saying so."""
        return dumps(_reply(self.route, self.turn, verdict)), status if status >= 400 else self.route.status


async def _body(receive: Receive, most: int) -> bytes | None:
    held = bytearray()
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return bytes(held)
        held += message.get("body", b"")
        if len(held) > most:
            return None
        if not message.get("more_body"):
            return bytes(held)


def _session(scope: Scope, data: Any, route: Route) -> str | None:
    named = _header(scope["headers"], b"x-proctor-session").decode("latin-1")
    return named or (value_at(data, route.session) if route.session else None)


def _reply(route: Route, turn: RequestTurn, verdict: Verdict) -> Any:
    made, told = made_at(route.answer, turn.reply(verdict)), turn.told()
    return {**made, "proctor": told} if told and isinstance(made, dict) else made


def _header(headers: Any, name: bytes) -> bytes:
    return next((bytes(value) for key, value in headers if bytes(key).lower() == name), b"")


def _sized(headers: Any, size: int) -> list[tuple[bytes, bytes]]:
    kept = [
        (key, value) for key, value in headers if bytes(key).lower() not in (b"content-length", b"transfer-encoding")
    ]
    return [*kept, (b"content-length", str(size).encode())]


def _told(turn: RequestTurn) -> list[tuple[bytes, bytes]]:
    return [(key.lower().encode(), value.encode("ascii", "replace")) for key, value in turn.headers().items()]


async def _say(send: Send, status: int, data: Any, turn: RequestTurn | None = None) -> None:
    raw = dumps(data)
    headers = _sized([(b"content-type", b"application/json")], len(raw))
    headers += [(b"retry-after", RETRY_AFTER["Retry-After"].encode())] if status == 503 else []
    start = {"type": "http.response.start", "status": status, "headers": [*headers, *(_told(turn) if turn else [])]}
    await send(start)
    await send({"type": "http.response.body", "body": raw, "more_body": False})
