"""Every snippet of the page runs, against a real proxy or sidecar with the gates that ship."""

from __future__ import annotations

import asyncio
import os
import re
import sys
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from aiohttp import web

from proctor.server.proxy import app as proxy
from proctor.server.sidecar import app as sidecar
from proctor.wiring.guard import Guard
from tests.server.dialects.responses_upstream import call, events, message, response
from tests.server.upstream import completion, deltas, running

_DOCS = Path(__file__).parents[2] / "docs"
PAGE = "\n".join((_DOCS / name).read_text(encoding="utf-8") for name in ("proxy.md", "guard_clients.md"))
SNIPPETS = dict(re.findall(r"<!-- run: (\w+) -->\n```python\n(.*?)```", PAGE, re.DOTALL))
REPLY = "I am sorry, I cannot help with that."
SETTINGS = """
guard:
  timeout: 10
  input: [injection]
  tool_result: [{banned: [casino]}]
  tool_call: [{permissions: {matrix: {booking: [get_booking]}}}]
  output: [{banned: [casino]}]
"""


async def _model(request: web.Request) -> web.StreamResponse:
    """A model that looks a booking up when it may, and else says when the shop opens."""
    asked = await request.json()
    if request.path.endswith("/responses"):
        told = [item for item in asked["input"] if item.get("type") == "function_call_output"]
        output = [message(f"You have {told[0]['output']}")] if told else [call("get_booking", '{"id": "B1"}')]
        if asked.get("stream"):
            return web.Response(body=b"".join(events(output)), content_type="text/event-stream")
        return web.json_response(response(output))
    if asked.get("stream"):
        return web.Response(body=b"".join(deltas("The shop opens at 9. See you.")), content_type="text/event-stream")
    return web.json_response(completion("The shop opens at 9."))


@pytest.fixture
async def guard(tmp_path: Path) -> AsyncIterator[Guard]:
    file = tmp_path / "proctor.yaml"
    file.write_text(SETTINGS)
    made = Guard.from_config(file, record=False)
    yield made
    made.close()


@asynccontextmanager
async def _doors(guard: Guard) -> AsyncIterator[dict[str, str]]:
    """The addresses that the page names, and where they are here."""
    upstream = web.Application()
    upstream.router.add_post("/{path:.*}", _model)
    async with (
        running(upstream) as model,
        running(proxy.make_app(guard, model)) as first,
        running(sidecar.make_app(guard)) as second,
    ):
        yield {"http://127.0.0.1:8088": first, "http://127.0.0.1:8089": second}


async def _printed(code: str, doors: dict[str, str], **variables: str) -> str:
    """What a snippet prints, run as a program of its own."""
    for written, real in doors.items():
        code = code.replace(written, real)
    named: Mapping[str, str] = os.environ  # noqa: TID251 - the program gets what this test has
    program = await asyncio.create_subprocess_exec(
        sys.executable, "-c", code, stdout=PIPE, stderr=PIPE, env={**named, "OPENAI_API_KEY": "sk-x", **variables}
    )
    out, errors = await program.communicate()
    assert program.returncode == 0, errors.decode()
    return out.decode()


def test_the_page_has_the_snippets_that_are_run() -> None:
    assert set(SNIPPETS) == {"asgi", "openai", "anthropic", "langchain", "agents", "plain"}


async def test_the_openai_client(guard: Guard) -> None:
    async with _doors(guard) as doors:
        assert await _printed(SNIPPETS["openai"], doors) == f"{REPLY}\n"


async def test_the_anthropic_client(guard: Guard) -> None:
    async with _doors(guard) as doors:
        assert await _printed(SNIPPETS["anthropic"], doors, ANTHROPIC_API_KEY="sk-x") == f"{REPLY}\n"


async def test_langchain(guard: Guard) -> None:
    async with _doors(guard) as doors:
        assert await _printed(SNIPPETS["langchain"], doors) == f"{REPLY}\nThe shop opens at 9. See you."


async def test_openai_agents(guard: Guard) -> None:
    """With the intent that may look a booking up, then with another, in one process: the SDK is slow to import."""
    snippets = [
        SNIPPETS["agents"].replace('/v1")', f'/v1", default_headers={{"X-Proctor-Intents": "{intents}"}})')
        for intents in ("booking", "policy")
    ]
    async with _doors(guard) as doors:
        printed = await _printed("\n".join(snippets), doors, OPENAI_AGENTS_DISABLE_TRACING="1")
    assert printed.splitlines() == ["You have Booking B1: two nights, paid.", REPLY]


async def test_plain_code(guard: Guard) -> None:
    agent = "def my_agent(text):\n    print('heard', text)\n    return 'To the casino!'\n"
    harmless = "print(answer('Where to?', 'c-18'))\n"
    async with _doors(guard) as doors:
        printed = await _printed(agent + SNIPPETS["plain"] + harmless, doors)
    assert printed.splitlines() == [REPLY, "heard Where to?", REPLY]


async def test_the_middleware(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "proctor.yaml").write_text(SETTINGS)
    monkeypatch.chdir(tmp_path)

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"application/json")]})
        await send({"type": "http.response.body", "body": b'{"reply": "To the casino!"}'})

    names: dict[str, Any] = {"app": app}
    exec(compile(SNIPPETS["asgi"], "proxy.md: asgi", "exec"), names)
    sent: list[Any] = []

    async def receive() -> Any:
        return {"type": "http.request", "body": b'{"message": "Where to?", "session": "s"}'}

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {"type": "http", "method": "POST", "path": "/chat", "headers": []}
    await names["app"](scope, receive, send)
    assert sent[0]["status"] == 403
    assert REPLY.encode() in sent[1]["body"]
    names["guard"].close()


async def test_the_curl_of_the_sidecar_is_answered(guard: Guard) -> None:
    told = re.search(r"curl -s localhost:8089(\S+) -d '(.+?)'", PAGE)
    assert told
    async with (
        _doors(guard) as doors,
        aiohttp.ClientSession(doors["http://127.0.0.1:8089"]) as client,
        client.post(told[1], data=told[2]) as answer,
    ):
        assert (answer.status, (await answer.json())["session"]) == (200, "c-17")
