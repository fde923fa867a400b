"""The upstream of the proxy's benchmark: it answers word by word, and says when it was asked and when it was done."""

from __future__ import annotations

import asyncio
import json
import random
import re
import time
from collections.abc import Iterator
from typing import Any

from aiohttp import web

__all__ = ["asked_about", "events", "serve", "stamps", "words"]

DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
# Every answer has numbers and days of its own: what a gate remembers of one stream must not answer for another.
SENTENCES = (
    "Your order {order} left our house on {day} morning.",
    "It travels by road and should be with you on {other_day}, at about {hour}:{minute:02d}.",
    "You will get a message as soon as it is {some} km away.",
    "If nobody is at home, the driver leaves it with the neighbour at number {some}.",
    "The invoice over {some}.{minute:02d} euros is in your account under the tab orders.",
    "Is there anything else that you would like to know about order {order}?",
    "ご注文{order}の配送状況はいつでもご確認いただけます。",
    "We are glad to help, and wish you a pleasant {other_day}!",
)
_STAMPS = re.compile(rb'"asked": ([\d.]+)[,}]|"written": ([\d.]+)[,}]')


def _own(number: int) -> tuple[random.Random, dict[str, Any]]:
    drawn = random.Random(number)
    return drawn, {
        "order": drawn.randrange(100_000, 1_000_000),
        "day": drawn.choice(DAYS),
        "other_day": drawn.choice(DAYS),
        "hour": drawn.randrange(8, 20),
        "minute": drawn.randrange(60),
        "some": drawn.randrange(4, 99),
    }


def asked_about(number: int) -> str:
    """What the customer of a stream says."""
    own = _own(number)[1]
    return f"Where is my order {own['order']}? I have been waiting for it since {own['day']}."


def words(number: int) -> list[str]:
    """An answer of eight sentences in an order of its own, as the words a model would write one by one."""
    drawn, own = _own(number)
    sentences = [each.format(**own) for each in drawn.sample(SENTENCES, len(SENTENCES))]
    return [word + " " for word in " ".join(sentences).split(" ")]


def events(number: int, asked: float, written: float | None = None) -> Iterator[bytes]:
    """The stream's events. The first says when the question came, the end when the last word was about to be written.

    Without ``written`` the end tells the time at which it is drawn.
    """
    head = {"id": f"chatcmpl-{number}", "object": "chat.completion.chunk", "created": 1, "model": "stub"}

    def event(delta: dict[str, Any], finish: str | None = None, **more: Any) -> bytes:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
        return b"data: " + json.dumps({**head, "choices": [choice], **more}).encode() + b"\n\n"

    drawn = words(number)
    yield event({"role": "assistant", "content": ""}, asked=asked)
    yield b": ping\n\n"
    for place, word in enumerate(drawn[:-1]):
        yield event({"content": word}, own=place)
    now = time.perf_counter() if written is None else written
    # The end comes with the last word, as it does from models.
    last = event({"content": drawn[-1]}, own=len(drawn) - 1) + event({}, "stop", written=now)
    usage = json.dumps({**head, "choices": [], "usage": {"total_tokens": len(drawn)}}).encode()
    yield last + b"data: " + usage + b"\n\n" + b"data: [DONE]\n\n"


def stamps(got: bytes) -> tuple[float, float] | None:
    """When the upstream was asked and when it wrote the last word, by what it said in a stream."""
    found = [float(hit[1] or hit[2]) for hit in _STAMPS.finditer(got)]
    return (found[0], found[1]) if len(found) == 2 else None


async def _answer(request: web.Request) -> web.StreamResponse:
    asked = time.perf_counter()  # of the machine, the same for every process
    body = await request.json()
    number = int(body["seed"])
    if not body.get("stream"):
        message = {"role": "assistant", "content": "".join(words(number))}
        return web.json_response({"id": f"c-{number}", "choices": [{"index": 0, "message": message}]})
    response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
    await response.prepare(request)
    due = time.perf_counter()
    drawn = events(number, asked)
    for place in range(len(words(number)) + 2):
        if place != 1:  # the comment comes with the first event
            due += body["pause"]
            await asyncio.sleep(max(0.0, due - time.perf_counter()))
        await response.write(next(drawn))
    return response


async def serve() -> None:
    """Be the upstream, and print its address."""
    app = web.Application()
    app.router.add_post("/v1/chat/completions", _answer)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0, backlog=1024).start()
    print(f"http://127.0.0.1:{runner.addresses[0][1]}", flush=True)
    await asyncio.Event().wait()
