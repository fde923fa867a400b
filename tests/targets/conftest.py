"""A real agent behind HTTP, and kits with a real pool."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from proctor.core.sockets import Kit, Model
from proctor.models.fake import Scripted
from proctor.models.pool import Pool

Handler = Callable[[web.Request, Any], Awaitable[web.StreamResponse] | web.StreamResponse]


@dataclass
class Agent:
    """One running agent: where it is, how it answers, and what it was asked."""

    url: str = ""
    handler: Handler | None = None
    requests: list[web.Request] = field(default_factory=list)
    bodies: list[Any] = field(default_factory=list)

    async def handle(self, request: web.Request) -> web.StreamResponse:
        raw = await request.read()
        body = json.loads(raw) if raw else None
        self.requests.append(request)
        self.bodies.append(body)
        assert self.handler is not None
        answer = self.handler(request, body)
        return answer if isinstance(answer, web.StreamResponse) else await answer

    def says(self, *answers: Any) -> None:
        """Answer with these in turn, the last one for ever: JSON data, or a finished response."""
        waiting = list(answers)

        def handler(request: web.Request, body: Any) -> web.StreamResponse:
            answer = waiting.pop(0) if len(waiting) > 1 else waiting[0]
            if callable(answer):
                answer = answer()
            return answer if isinstance(answer, web.StreamResponse) else web.json_response(answer)

        self.handler = handler


@pytest.fixture
async def agent() -> AsyncIterator[Agent]:
    made = Agent()
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", made.handle)
    runner = web.AppRunner(app, shutdown_timeout=0.1, access_log=None)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    made.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
    yield made
    await runner.cleanup()


@pytest.fixture
async def pool() -> AsyncIterator[Pool]:
    async with Pool() as opened:
        yield opened


KitOf = Callable[..., Kit]


@pytest.fixture
def kit_of(pool: Pool, tmp_path: Path) -> KitOf:
    """A kit with these settings; paths are relative to the test's folder."""

    def make(settings: Mapping[str, Any], *, model: Model | None = None, asked: list[str | None] | None = None) -> Kit:
        def get(name: str | None) -> Model:
            if asked is not None:
                asked.append(name)
            return model or Scripted(replies=())

        return Kit(name="t", settings=settings, folder=str(tmp_path), env=lambda name: None, http=pool, model=get)

    return make
