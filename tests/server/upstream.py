"""A real upstream on this machine that says what it is told to, and keeps what it was asked."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import aiohttp
from aiohttp import web

from proctor.server.proxy.app import make_app
from proctor.wiring.guard import Guard
from proctor.wiring.server_settings import ProxySettings

Answer = Callable[[web.Request], Awaitable[web.StreamResponse]]


@dataclass
class Upstream:
    """What was asked, and what is said: ``say`` is set by the test."""

    say: Answer | None = None
    asked: list[tuple[str, str, dict[str, str], bytes]] = field(default_factory=list)
    url: str = ""
    gone: asyncio.Event = field(default_factory=asyncio.Event)

    async def handle(self, request: web.Request) -> web.StreamResponse:
        self.asked.append((request.method, request.raw_path, dict(request.headers), await request.read()))
        assert self.say is not None
        try:
            return await self.say(request)
        except (asyncio.CancelledError, ConnectionError):
            self.gone.set()
            raise

    def body(self, number: int = -1) -> Any:
        return json.loads(self.asked[number][3])


@asynccontextmanager
async def running(app: web.Application) -> AsyncIterator[str]:
    """The application on a free port."""
    runner = web.AppRunner(app, handler_cancellation=True, auto_decompress=True)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()


@asynccontextmanager
async def proxied(guard: Guard, **settings: Any) -> AsyncIterator[tuple[Upstream, str, aiohttp.ClientSession]]:
    """An upstream, the address of a proxy before it, and a client."""
    upstream = Upstream()
    app = web.Application(client_max_size=2**26)
    app.router.add_route("*", "/{path:.*}", upstream.handle)
    async with (
        running(app) as upstream.url,
        running(make_app(guard, upstream.url, ProxySettings(**settings), local=True)) as address,
        aiohttp.ClientSession() as client,
    ):
        yield upstream, address, client
    guard.close()


def says(data: Any, status: int = 200, headers: dict[str, str] | None = None) -> Answer:
    """Answers with JSON."""

    async def answer(request: web.Request) -> web.StreamResponse:
        return web.json_response(data, status=status, headers=headers)

    return answer


def streams(pieces: Sequence[bytes], *, then: str = "end", pause: float = 0.0) -> Answer:
    """Answers with a stream in these pieces; then ends, drops the connection, or stays silent."""

    async def answer(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        for piece in pieces:
            await response.write(piece)
            await asyncio.sleep(pause)
        if then == "drop":
            assert request.transport is not None
            await asyncio.sleep(0.05)
            request.transport.abort()
        if then == "silence":
            await asyncio.sleep(60)
        return response

    return answer


def completion(content: str | None = "Fine.", calls: Sequence[tuple[str, str]] = (), **message: Any) -> dict[str, Any]:
    """A whole chat completion."""
    made = [
        {"id": f"call_{place}", "type": "function", "function": {"name": name, "arguments": arguments}}
        for place, (name, arguments) in enumerate(calls)
    ]
    said = {"role": "assistant", "content": content, **({"tool_calls": made} if made else {}), **message}
    choice = {"index": 0, "message": said, "logprobs": None, "finish_reason": "tool_calls" if made else "stop"}
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    return {
        "id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice], "usage": usage
    }  # fmt: skip


def chunk(delta: dict[str, Any], finish: str | None = None, index: int = 0, **more: Any) -> bytes:
    """One event of a streamed chat completion."""
    choice = {"index": index, "delta": delta, "finish_reason": finish}
    data = {
        "id": "chatcmpl-1",
        "object": "chat.completion.chunk",
        "created": 1,
        "model": "m",
        "choices": [choice],
        **more,
    }
    return b"data: " + json.dumps(data, ensure_ascii=False).encode() + b"\n\n"


def deltas(text: str, size: int = 4) -> list[bytes]:
    """A text as events of so many letters each, with head and end."""
    parts = [chunk({"content": text[at : at + size]}) for at in range(0, len(text), size)]
    return [chunk({"role": "assistant", "content": ""}), *parts, chunk({}, "stop"), b"data: [DONE]\n\n"]


def read_stream(raw: bytes) -> tuple[str, list[str | None], list[dict[str, Any]]]:
    """What a client makes of a stream: the text of the first choice, why choices ended, every event."""
    events = [json.loads(line[6:]) for line in raw.decode().splitlines() if line.startswith("data: {")]
    choices = [choice for event in events for choice in event.get("choices", ())]
    text = "".join(choice["delta"].get("content") or "" for choice in choices if choice["index"] == 0)
    return text, [choice["finish_reason"] for choice in choices if choice["finish_reason"]], events
