"""The answer of an upstream on its way back: whole or as a stream, put before the gates before it leaves."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import aiohttp
from aiohttp import web
from multidict import CIMultiDict

from proctor.core.verdict import Verdict
from proctor.guard.capacity import is_busy
from proctor.server.conversation import Said
from proctor.server.dialects.openai_answer import strings_of
from proctor.server.dialects.wire_format import WireFormat, wire_of
from proctor.server.guarded_request import RequestTurn
from proctor.server.guarded_stream import Stream
from proctor.server.upstream import error
from proctor.server.verdict_json import RETRY_AFTER
from proctor.server.wire.sse import EventTooLongError
from proctor.server.wire.stream_events import Dialect, Slot, compact, is_unread_json, listed
from proctor.server.wire.strict_json import load_json
from proctor.server.wire.text_slots import joined
from proctor.wiring.server_settings import ProxySettings

__all__ = ["Answered", "Exchange", "Shape"]

Answered = Callable[[Sequence[bytes], str | None], None]


class Shape(Protocol):
    """Where an API has its texts and calls."""

    def dialect(self) -> Dialect:
        """A reader for one stream."""
        ...

    def said(self, body: dict[str, Any]) -> list[Said]:
        """The messages of a request.

        Raises:
            ValueError: a part of it has a shape that cannot be read whole. The message continues "the body".
        """
        ...

    def answered(self, data: Mapping[str, Any]) -> list[bytes]:
        """What tells an answer from others when it is repeated as messages."""
        ...

    def streamed(self, said: Mapping[Any, str], calls: Sequence[Any], tail: str) -> list[bytes]:
        """The same for an answer that was streamed."""
        ...

    async def check(self, data: dict[str, Any], turn: RequestTurn) -> bool:
        """Take out of an answer what must not leave; says whether anything changed."""
        ...

    def reply(self, body: Mapping[str, Any], text: str, turn: RequestTurn) -> dict[str, Any]:
        """An answer from the guard."""
        ...

    def reply_stream(self, body: Mapping[str, Any], text: str, turn: RequestTurn) -> bytes:
        """The same as a stream."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """One request and the way its answer goes; ``answered`` is told what has left, to know it when it comes back."""

    shape: Shape
    turn: RequestTurn
    settings: ProxySettings
    body: Mapping[str, Any]
    answered: Answered | None = None

    @property
    def wire(self) -> WireFormat:
        """How the API writes its streams and errors."""
        return wire_of(self.shape)

    async def refuse(self, request: web.Request, verdict: Verdict) -> web.StreamResponse:
        """Say the configured reply, as if the model had; a guard over capacity says that it is."""
        if is_busy(verdict):
            return self._busy()
        text, headers = self.turn.reply(verdict), self._headers(CIMultiDict())
        data = self.shape.reply(self.body, text, self.turn)
        self._done(self.shape.answered(data), str(data["id"]) if data.get("id") else None)
        if self.wire.asks_for_stream(self.body):
            headers["Content-Type"] = f"{self.wire.media}; charset=utf-8"
            return web.Response(body=self.shape.reply_stream(self.body, text, self.turn), headers=headers)
        return web.json_response(data, dumps=compact, headers=headers)

    async def relay(
        self, request: web.Request, answer: aiohttp.ClientResponse, headers: CIMultiDict[str]
    ) -> web.StreamResponse:
        """Pass the answer on, also one that says that it failed."""
        headers = self._headers(headers)
        failed = not 200 <= answer.status < 300
        if self.wire.is_stream(answer.content_type, self.body) and not failed:
            return await self._stream(request, answer, headers)
        raw = await _read(answer, self.settings.most_bytes)
        if raw is None:
            return error(502, f"the answer has more than {self.settings.most_bytes:,} bytes", "upstream_error")
        if failed:
            return await self._failure(answer.status, headers, raw)
        try:
            return await self._whole(request, answer, headers, raw)
        except (ValueError, RecursionError):
            return error(502, "the answer cannot be read whole, so it is not passed on", "upstream_error")

    async def _whole(
        self, request: web.Request, answer: aiohttp.ClientResponse, headers: CIMultiDict[str], raw: bytes
    ) -> web.StreamResponse:
        changed = False
        try:
            data = await load_json(raw)
        except ValueError:
            try:
                data, changed = json.loads(raw), True  # what leaves is what was read
            except json.JSONDecodeError:
                return await self._text(request, answer, headers, raw)
        if not isinstance(data, dict):
            return await self._text(request, answer, headers, raw, strings_of("answer", {"answer": data}, "answer"))
        entries = data.get("data")
        if isinstance(entries, list) and not all(isinstance(each, dict) for each in entries):
            entries = data["data"] = [each for each in entries if isinstance(each, dict)]
            changed = True
        for each in [data, *listed(entries)]:
            changed |= await self.shape.check(each, self.turn)
        if any(is_busy(each) for each in self.turn.verdicts):
            return self._busy()  # the answer was not looked at; what took its place is no refusal
        self._done(self.shape.answered(data), str(data["id"]) if data.get("id") else None)
        headers = self._headers(headers)
        body = compact(data).encode() if changed else raw
        return web.Response(status=answer.status, body=body, headers=headers)

    async def _failure(self, status: int, headers: CIMultiDict[str], raw: bytes) -> web.StreamResponse:
        """An answer that says that it failed: it may repeat what was asked, so its text is read, too."""
        try:
            data = {"failure": await load_json(raw)} if raw.strip() else {}
            slot = joined("failure", list(strings_of("failure", data, "failure"))) if data else None
        except (ValueError, RecursionError):
            data = {"failure": raw.decode("utf-8", "replace")}
            slot = None if is_unread_json(data["failure"]) else Slot("failure", data, "failure")
            if slot is None:
                return self._withheld(status, headers)
        verdict = await self.turn.output(slot.text) if slot is not None else None
        headers = self._headers(headers)
        if verdict is None or slot is None or (not self.turn.stops(verdict) and verdict.text in (None, slot.text)):
            return web.Response(status=status, body=raw, headers=headers)
        if self.turn.stops(verdict):
            return self._withheld(status, headers)
        slot.place[slot.key] = verdict.text
        told = data["failure"]
        body = told if isinstance(told, str) and slot.place is data else compact(told)
        return web.Response(status=status, body=body.encode("utf-8", "replace"), headers=headers)

    def _withheld(self, status: int, headers: CIMultiDict[str]) -> web.StreamResponse:
        headers.popall("Content-Type", None)
        return error(status, "the upstream failed; what it says of it is withheld", "upstream_error", headers)

    async def _text(
        self,
        request: web.Request,
        answer: aiohttp.ClientResponse,
        headers: CIMultiDict[str],
        raw: bytes,
        strings: Iterable[Slot] | None = None,
    ) -> web.StreamResponse:
        """An answer that is no JSON object: it is looked at as a text, and goes as it is or not at all."""
        text = raw.decode("utf-8", "replace") if strings is None else "\n".join(slot.text for slot in strings)
        verdict = await self.turn.output(text) if text.strip() else None
        if verdict is not None and (self.turn.stops(verdict) or verdict.text not in (None, text)):
            return await self.refuse(request, verdict)
        return web.Response(status=answer.status, body=raw, headers=self._headers(headers))

    async def _stream(
        self, request: web.Request, answer: aiohttp.ClientResponse, headers: CIMultiDict[str]
    ) -> web.StreamResponse:
        response = web.StreamResponse(status=answer.status, headers=headers)
        await response.prepare(request)
        parser, dialect = self.wire.parser(), self.shape.dialect()
        stream = Stream(
            dialect=dialect,
            watch=self.turn,
            mode=self.settings.stream,
            hold=self.settings.hold,
            restore=self.turn.restored if self.turn.restores != "none" else None,
            restore_call=self.turn.restored_call if self.turn.restores == "all" else None,
        )
        broken = False
        try:
            async for piece in answer.content.iter_any():
                if out := await stream.feed(parser.feed(piece)):
                    await response.write(out)
                if stream.stopped:
                    break
        except (aiohttp.ClientError, TimeoutError, EventTooLongError):
            broken = True
        rest = parser.rest()
        out = b"".join((await stream.feed([rest] if rest else []), await stream.finish()))
        if out:
            await response.write(out)
        self._done(self.shape.streamed(stream.said, list(dialect.calls.values()), stream.tail), dialect.id or None)
        if broken and not stream.stopped:
            # The client sees the stream break off where it did, and not an end that never came.
            response.force_close()
            if request.transport is not None:
                request.transport.abort()
        return response

    def _busy(self) -> web.Response:
        message = "the guard is over capacity; ask again later"
        return error(503, message, "over_capacity", self._headers(CIMultiDict(RETRY_AFTER)))

    def _headers(self, headers: CIMultiDict[str]) -> CIMultiDict[str]:
        headers.update(self.turn.headers())
        return headers

    def _done(self, made: Sequence[bytes], id: str | None) -> None:
        if self.answered is not None:
            self.answered(made, id)


async def _read(answer: aiohttp.ClientResponse, most: int) -> bytes | None:
    """The whole body; None when it is larger than may be held."""
    parts: list[bytes] = []
    size = 0
    async for piece in answer.content.iter_any():
        parts.append(piece)
        size += len(piece)
        if size > most:
            return None
    return b"".join(parts)
