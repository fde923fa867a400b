"""A local OpenAI-compatible server for measuring: fixed latency, faults and limits as told, and exact counts.

``python -m benchmarks.stub --latency 50`` prints its address on the first line of standard output.
``GET /stats`` tells what it saw, ``POST /reset`` begins anew.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import signal
import time
from collections import Counter, deque
from dataclasses import dataclass, field
from typing import Any, Literal

from aiohttp import web

from benchmarks.replies import envelope, reply_to

__all__ = ["Limit", "Stub", "Tally", "serve"]

_JSON = {"Content-Type": "application/json"}


@dataclass(slots=True, kw_only=True)
class Limit:
    """So many calls each second: in windows of the clock, or in any second whatever."""

    rate: int
    window: Literal["fixed", "sliding"] = "fixed"
    _begun: float = 0.0
    _granted: deque[float] = field(default_factory=deque)

    def admits(self, now: float) -> bool:
        """Whether one more call may pass at this time."""
        if self.window == "fixed" and now - self._begun >= 1.0:
            self._begun += float(int(now - self._begun)) if self._begun else now
            self._granted.clear()
        while self.window == "sliding" and self._granted and now - self._granted[0] >= 1.0:
            self._granted.popleft()
        if len(self._granted) >= self.rate:
            return False
        self._granted.append(now)
        return True


@dataclass(slots=True)
class Tally:
    """What the server saw since it began or was reset. Times are of the system's monotonic clock."""

    requests: int = 0
    answered: int = 0
    faults: int = 0
    limited: int = 0
    in_flight: int = 0
    most_in_flight: int = 0
    first_request: float | None = None
    last_response: float | None = None
    seen: Counter[bytes] = field(default_factory=Counter)
    answers: Counter[bytes] = field(default_factory=Counter)
    _area: float = 0.0
    _changed: float = 0.0
    _cpu: float = field(default_factory=time.process_time)

    def moved(self, by: int) -> float:
        """Note that a request came or went; returns the time."""
        now = time.monotonic()
        self._area += self.in_flight * (now - self._changed)
        self._changed = now
        self.in_flight += by
        if by > 0:
            self.requests += 1
            self.most_in_flight = max(self.most_in_flight, self.in_flight)
            if self.first_request is None:
                self.first_request = now
                self._cpu = time.process_time()
        else:
            self.last_response = now
        return now

    def told(self) -> dict[str, Any]:
        """The counts as JSON; ``loop`` is the time from the first request to the last response."""
        loop = None
        if self.first_request is not None and self.last_response is not None:
            loop = self.last_response - self.first_request
        return {
            "requests": self.requests,
            "answered": self.answered,
            "faults": self.faults,
            "limited": self.limited,
            "distinct": len(self.seen),
            "answered_again": self.answered - len(self.answers),
            "in_flight": self.in_flight,
            "most_in_flight": self.most_in_flight,
            "mean_in_flight": round(self._area / loop, 2) if loop else None,
            "first_request": self.first_request,
            "last_response": self.last_response,
            "loop": loop,
            "cpu": time.process_time() - self._cpu,
        }


@dataclass(slots=True, kw_only=True)
class Stub:
    """Answers chat completions. A fault depends on the request and on how often it was tried, not on the order."""

    latency: float = 0.0
    fail_share: float = 0.0
    fail_status: int = 503
    seed: int = 0
    limit: Limit | None = None
    tally: Tally = field(default_factory=Tally)

    async def handle(self, request: web.BaseRequest) -> web.Response:
        """Serve one request, whatever its path."""
        if request.method == "POST" and request.path.endswith("/chat/completions"):
            try:
                body = await request.read()
            except ConnectionError:  # the client was killed while it wrote; nobody reads the answer
                return _refused(400, "invalid_request_error", "the request is not complete")
            return await self._complete(body)
        if request.path == "/stats":
            return web.json_response(self.tally.told())
        if request.path == "/reset" and request.method == "POST":
            self.tally = Tally()
            return web.json_response({})
        return _refused(404, "not_found_error", "no such path")

    async def _complete(self, body: bytes) -> web.Response:
        tally = self.tally
        now = tally.moved(+1)
        try:
            key = hashlib.blake2b(body, digest_size=8).digest()
            tally.seen[key] += 1
            if self.limit is not None and not self.limit.admits(now):
                tally.limited += 1
                return _refused(429, "rate_limit_error", "too many calls", {"Retry-After": "1"})
            if self.latency:
                await asyncio.sleep(self.latency)
            if self._fails(key, tally.seen[key]):
                tally.faults += 1
                return _refused(self.fail_status, "server_error", "the server is overloaded")
            return self._answer(key, body)
        finally:
            tally.moved(-1)

    def _answer(self, key: bytes, body: bytes) -> web.Response:
        try:
            asked = json.loads(body)
            text = envelope(reply_to(asked), str(asked.get("model")))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            return _refused(400, "invalid_request_error", f"not a chat request: {error!r}")
        self.tally.answered += 1
        self.tally.answers[key] += 1
        return web.Response(body=text, headers=_JSON)

    def _fails(self, key: bytes, attempt: int) -> bool:
        if not self.fail_share:
            return False
        drawn = hashlib.blake2b(key + f"{self.seed}/{attempt}".encode(), digest_size=8).digest()
        return int.from_bytes(drawn, "big") < self.fail_share * 2**64


def _refused(status: int, kind: str, message: str, headers: dict[str, str] | None = None) -> web.Response:
    body = json.dumps({"error": {"message": message, "type": kind, "code": None}})
    return web.Response(status=status, body=body.encode(), headers={**_JSON, **(headers or {})})


async def serve(stub: Stub, port: int = 0) -> tuple[web.ServerRunner, str]:
    """Start the stub on this machine; returns what stops it (``cleanup``) and its address."""
    runner = web.ServerRunner(web.Server(stub.handle, access_log=None, keepalive_timeout=600))
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", port, backlog=1024).start()
    return runner, f"http://127.0.0.1:{runner.addresses[0][1]}"


async def _until_stopped(stub: Stub, port: int) -> None:
    runner, address = await serve(stub, port)
    print(address, flush=True)
    stopped = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stopped.set)
    await stopped.wait()
    await runner.cleanup()


def main() -> None:
    parser = argparse.ArgumentParser(description="A local OpenAI-compatible server for measuring.")
    parser.add_argument("--port", type=int, default=0, help="0 takes a free one")
    parser.add_argument("--latency", type=float, default=0.0, help="milliseconds before each answer")
    parser.add_argument("--fail-share", type=float, default=0.0, help="share of calls that fail")
    parser.add_argument("--fail-status", type=int, default=503, help="status of a failed call")
    parser.add_argument("--rate", type=int, help="calls allowed each second; more get 429 and Retry-After: 1")
    parser.add_argument("--window", choices=["fixed", "sliding"], default="fixed", help="how the second is counted")
    parser.add_argument("--seed", type=int, default=0, help="which calls fail")
    options = parser.parse_args()
    stub = Stub(
        latency=options.latency / 1000,
        fail_share=options.fail_share,
        fail_status=options.fail_status,
        seed=options.seed,
        limit=Limit(rate=options.rate, window=options.window) if options.rate else None,
    )
    asyncio.run(_until_stopped(stub, options.port))


if __name__ == "__main__":
    main()
