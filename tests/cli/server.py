"""A small OpenAI-compatible server that counts, and misbehaves as it is told; it runs in a thread of its own."""

from __future__ import annotations

import asyncio
import json
import threading
from collections import Counter
from collections.abc import Callable
from typing import Any

from aiohttp import web

__all__ = ["ChatServer"]

KEY = "sk-test-0123456789abcdef-secret"


class ChatServer:
    """Answers target calls with the question's last word, and judge calls with a pass unless the answer says bad."""

    def __init__(self) -> None:
        self.asked: Counter[str] = Counter()
        self.answered: Counter[str] = Counter()
        self.latency = 0.0
        self.misbehave: Callable[[str, int], web.StreamResponse | float | None] = lambda question, times: None
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._serve, daemon=True)

    def __enter__(self) -> ChatServer:
        self._thread.start()
        assert self._ready.wait(60)
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}/v1"

    def _serve(self) -> None:
        asyncio.set_event_loop(self._loop)
        app = web.Application(client_max_size=1 << 26)
        app.router.add_post("/v1/chat/completions", self._complete)
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        self._loop.run_until_complete(runner.setup())
        site = web.TCPSite(runner, "127.0.0.1", 0)
        self._loop.run_until_complete(site.start())
        self._port: int = runner.addresses[0][1]
        self._ready.set()
        self._loop.run_forever()
        self._loop.run_until_complete(runner.cleanup())
        self._loop.run_until_complete(self._loop.shutdown_asyncgens())
        self._loop.close()

    async def _complete(self, request: web.Request) -> web.StreamResponse:
        if request.headers.get("Authorization") != f"Bearer {KEY}":
            # Some servers repeat the key they were given; it must not get into anything we keep.
            wrong = request.headers.get("Authorization", "")
            return web.json_response({"error": {"message": f"Incorrect key provided: {wrong}"}}, status=401)
        data = await request.json()
        if data["model"] == "missing":
            return web.json_response({"error": {"message": "model does not exist"}}, status=404)
        judging = "response_format" in data
        question = ("judge " if judging else "") + data["messages"][-1]["content"]
        self.asked[question] += 1
        odd = self.misbehave(question, self.asked[question])
        if isinstance(odd, web.StreamResponse):
            return odd
        await asyncio.sleep(odd if odd is not None else self.latency)
        text = self._judge(data, question) if judging else question.split()[-1]
        self.answered[question] += 1
        return web.json_response(_reply(text))

    @staticmethod
    def _judge(data: dict[str, Any], question: str) -> str:
        properties = data["response_format"]["json_schema"]["schema"]["properties"]
        verdict = {name: "because" for name in properties}
        for name, schema in properties.items():
            if schema.get("type") == "boolean":
                verdict[name] = "bad" not in question  # type: ignore[assignment]
            elif "enum" in schema:
                verdict[name] = schema["enum"][-1 if "bad" in question else 0]
        return json.dumps(verdict)


def _reply(text: str) -> dict[str, Any]:
    return {
        "model": "stub",
        "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}],
        "usage": {"prompt_tokens": 10, "completion_tokens": 2},
    }
