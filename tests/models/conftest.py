"""A real local server that answers as it is told and keeps what it was sent, and the kit to reach it."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest
from aiohttp import web

from proctor.core.sockets import Kit, Model
from proctor.models.pool import Pool

Answer = Callable[[web.Request], Awaitable[web.StreamResponse]]


@dataclass
class Served:
    """One running server: where it is, and every request it got."""

    url: str = ""
    answer: Answer | None = None
    requests: list[web.Request] = field(default_factory=list)
    bodies: list[Any] = field(default_factory=list)

    def says(self, data: object, *, status: int = 200, headers: Mapping[str, str] | None = None) -> None:
        """From now on, answer with this JSON (or text, or bytes)."""

        async def answer(request: web.Request) -> web.StreamResponse:
            if isinstance(data, bytes):
                return web.Response(body=data, status=status, headers=headers)
            if isinstance(data, str):
                return web.Response(text=data, status=status, headers=headers)
            return web.json_response(data, status=status, headers=headers)

        self.answer = answer

    async def handle(self, request: web.Request) -> web.StreamResponse:
        self.requests.append(request)
        raw = await request.read()
        self.bodies.append(json.loads(raw) if raw else None)
        assert self.answer is not None
        return await self.answer(request)


@pytest.fixture
async def served() -> AsyncIterator[Served]:
    server = Served()
    app = web.Application(client_max_size=64_000_000)
    app.router.add_route("*", "/{path:.*}", server.handle)
    runner = web.AppRunner(app, shutdown_timeout=0.1, access_log=None)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    server.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
    yield server
    await runner.cleanup()


@pytest.fixture
async def pool() -> AsyncIterator[Pool]:
    async with Pool() as opened:
        yield opened


KitOf = Callable[..., Kit]


@pytest.fixture
def kit_of(pool: Pool) -> KitOf:
    """A kit with these settings; ``env`` is the whole environment."""

    def make(settings: Mapping[str, Any], env: Mapping[str, str] | None = None) -> Kit:
        def no_model(name: str | None) -> Model:
            raise AssertionError(f"asked for model {name}")

        return Kit(name="m", settings=settings, folder=".", env=(env or {}).get, http=pool, model=no_model)

    return make
