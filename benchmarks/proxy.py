"""What the proxy adds to streams: ``python -m benchmarks.proxy``.

An upstream that writes answers word by word, the real `proctor proxy` before it, and 50 streams at once that go to the
one directly and to the other, in turns within the same run. Each is a process of its own.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import aiohttp
from aiohttp import web

from benchmarks.processes import ROOT

__all__ = ["main"]

CHAINS: dict[str, dict[str, Any]] = {
    "light": {
        "input": [{"banned": ["casino"]}],
        "tool_call": [],
        "tool_result": [{"banned": ["casino"]}],
        "output": [{"banned": ["casino"]}],
    },
    "default": {},
}
SENTENCES = (
    "Your order left our house this morning.",
    "It travels by road and should be with you on Thursday.",
    "You will get a message as soon as it is near.",
    "If nobody is at home, the driver leaves it with a neighbour.",
    "The invoice is in your account under the tab orders.",
    "Is there anything else that you would like to know?",
    "配送状況はいつでもご確認いただけます。",
    "We are glad to help, and wish you a pleasant day!",
)


EACH = 2  # streams of one customer in a round


def _words(number: int) -> list[str]:
    """An answer of eight sentences in an order of its own, as the words a model would write one by one."""
    drawn = random.Random(number).sample(SENTENCES, len(SENTENCES))
    return [word + " " for word in " ".join(drawn).split(" ")]


def _events(number: int) -> list[bytes]:
    head = {"id": f"chatcmpl-{number}", "object": "chat.completion.chunk", "created": 1, "model": "stub"}

    def event(delta: dict[str, Any], finish: str | None = None, **more: Any) -> bytes:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
        return b"data: " + json.dumps({**head, "choices": [choice], **more}).encode() + b"\n\n"

    words = [event({"content": word}, own=place) for place, word in enumerate(_words(number))]
    usage = b"data: " + json.dumps({**head, "choices": [], "usage": {"total_tokens": len(words)}}).encode() + b"\n\n"
    ends = [event({}, "stop"), usage, b"data: [DONE]\n\n"]
    return [event({"role": "assistant", "content": ""}), b": ping\n\n", *words, *ends]


# --- the upstream ---


async def _answer(request: web.Request) -> web.StreamResponse:
    asked = await request.json()
    number = int(asked["seed"])
    if not asked.get("stream"):
        message = {"role": "assistant", "content": "".join(_words(number))}
        return web.json_response({"id": f"c-{number}", "choices": [{"index": 0, "message": message}]})
    response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
    await response.prepare(request)
    due = time.monotonic()
    for event in _events(number):
        if b'"content"' in event:  # a word; the end comes with the last one, as it does from models
            due += asked["pause"]
            await asyncio.sleep(max(0.0, due - time.monotonic()))
        await response.write(event)
    return response


async def _upstream() -> None:
    app = web.Application()
    app.router.add_post("/v1/chat/completions", _answer)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0, backlog=1024).start()
    print(f"http://127.0.0.1:{runner.addresses[0][1]}", flush=True)
    await asyncio.Event().wait()


@contextmanager
def _process(command: Sequence[str], stream: str, folder: Path | None = None) -> Iterator[tuple[str, int]]:
    """A server as a process: its address, which it tells in its first line, and its pid."""
    pipes: Any = {stream: subprocess.PIPE}
    process = subprocess.Popen(command, cwd=folder or ROOT, text=True, **pipes)
    told = process.stdout if stream == "stdout" else process.stderr
    assert told is not None
    try:
        line = told.readline()
        if "http" not in line:
            raise SystemExit(f"{command} did not start: {line}{told.read()}")
        yield line.split()[-1], process.pid
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait()


# --- the client ---


@dataclass
class Streams:
    """What streams took: seconds to the end, to the first word, and between what the upstream wrote and its arrival."""

    ends: list[float] = field(default_factory=list)
    firsts: list[float] = field(default_factory=list)
    wrong: int = 0


async def _stream(client: aiohttp.ClientSession, address: str, number: int, pause: float, found: Streams) -> None:
    said = f"Where is my order number {number % 40}? I am waiting for it."
    body = {
        "model": "stub",
        "stream": True,
        "seed": number,
        "pause": pause,
        "messages": [{"role": "user", "content": said}],
    }
    headers = {"X-Proctor-Session": f"s-{number}"}
    begun, got, first = time.perf_counter(), b"", 0.0
    async with client.post(f"{address}/v1/chat/completions", json=body, headers=headers) as answer:
        async for piece in answer.content.iter_any():
            got += piece
            if not first and b'"own"' in got:
                first = time.perf_counter()
    found.ends.append(time.perf_counter() - begun)
    found.firsts.append(first - begun)
    found.wrong += got != b"".join(_events(number))


async def _rounds(addresses: dict[str, str], rounds: int, at_once: int, pause: float) -> dict[str, Streams]:
    """So many customers at once, each with one stream after the other, first this way and then that way."""
    found = {name: Streams() for name in addresses}
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as client:
        for round in range(rounds + 1):
            for way, (name, address) in enumerate(addresses.items()):
                into = found[name] if round else Streams()  # the first is for warmth
                first = (round * len(addresses) + way) * at_once * EACH
                customers = [
                    _customer(client, address, range(first + each, first + at_once * EACH, at_once), pause, into)
                    for each in range(at_once)
                ]
                await asyncio.gather(*customers)
    return found


async def _customer(
    client: aiohttp.ClientSession, address: str, numbers: Sequence[int], pause: float, into: Streams
) -> None:
    await asyncio.sleep(random.random() * len(_events(0)) * pause)  # customers do not come in step
    for number in numbers:
        await _stream(client, address, number, pause, into)


def _percentile(values: list[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] * 1000


# --- memory ---


def _resident(pid: int) -> float:
    line = next(line for line in Path(f"/proc/{pid}/status").read_text().splitlines() if line.startswith("VmRSS"))
    return int(line.split()[1]) / 1024


def _cpu(pid: int) -> float:
    """Seconds of processor time so far."""
    spent = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(spent[11]) + int(spent[12])) / os.sysconf("SC_CLK_TCK")


async def _sessions(address: str, pid: int, sessions: int, rounds: int) -> list[float]:
    """The proxy's memory in MB after each round of so many new conversations of two turns; it holds one round's."""
    curve: list[float] = []
    at_once = asyncio.Semaphore(20)

    async def one(client: aiohttp.ClientSession, number: int) -> None:
        talk: list[dict[str, Any]] = []
        for turn in range(2):
            talk.append({"role": "user", "content": f"Question {turn} about order {number}."})
            body = {"model": "stub", "seed": number * 10 + turn, "messages": talk}
            headers = {"X-Proctor-Session": f"m-{number}"}
            async with at_once, client.post(f"{address}/v1/chat/completions", json=body, headers=headers) as answer:
                talk.append((await answer.json())["choices"][0]["message"])

    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as client:
        for round in range(rounds):
            await asyncio.gather(*(one(client, round * sessions + each) for each in range(sessions)))
            await asyncio.sleep(1.0)  # what is to be recorded is written
            curve.append(_resident(pid))
    return curve


# --- all together ---


@contextmanager
def _proxy(chain: str, upstream: str) -> Iterator[tuple[str, int]]:
    with tempfile.TemporaryDirectory() as folder:
        settings = {"guard": {**CHAINS[chain], "timeout": 5, "review": {"sample": 0}, "sessions": {"most": 1000}}}
        Path(folder, "proctor.yaml").write_text(json.dumps(settings))
        command = [str(Path(sys.executable).with_name("proctor")), "proxy", "--upstream", upstream, "--port", "0"]
        with _process(command, "stderr", Path(folder)) as found:
            yield found


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--upstream", action="store_true", help="be the upstream")
    parser.add_argument("--rounds", type=int, default=6, help="rounds of each way")
    parser.add_argument("--at-once", type=int, default=50, help="streams in flight")
    parser.add_argument("--pause", type=float, default=50.0, help="milliseconds between two words")
    parser.add_argument("--sessions", type=int, default=1000, help="conversations held in memory; 0 leaves this out")
    parser.add_argument("--turnover", type=int, default=6, help="how often they are all exchanged for new ones")
    parser.add_argument("--hurry", action="store_true", help="put the processes before others on this machine")
    parser.add_argument("--chains", default=";".join(CHAINS), help="which chains")
    return parser.parse_args()


def main() -> int:
    """Measure, print, and end with 1 when a bound is missed."""
    options = _options()
    if options.upstream:
        asyncio.run(_upstream())
        return 0
    load, priority = os.getloadavg(), _favoured() if options.hurry else "ordinary priority"
    missed = False
    print(f"load before: {load[0]:.1f} on {os.cpu_count()} cores; {priority}")
    with _process([sys.executable, "-m", "benchmarks.proxy", "--upstream"], "stdout") as (direct, _):
        for chain in options.chains.split(";"):
            with _proxy(chain, direct) as (address, pid):
                ways = {"direct": direct, "proxy": address}
                spent = _cpu(pid)
                found = asyncio.run(_rounds(ways, options.rounds, options.at_once, options.pause / 1000))
                missed |= _told(chain, found)
                streams = options.at_once * EACH * (options.rounds + 1)
                print(f"  processor time of the proxy: {(_cpu(pid) - spent) / streams * 1000:.1f} ms a stream")
                if options.sessions:
                    curve = asyncio.run(_sessions(address, pid, options.sessions, options.turnover))
                    shown = " ".join(f"{each:.0f}" for each in curve)
                    print(
                        f"  {options.sessions:,} sessions, MB after each of {options.turnover} rounds: {shown}",
                        flush=True,
                    )
    return int(missed)


def _favoured() -> str:
    """Put these processes before others where that is allowed; at real-time priority a busy thread would hog a core."""
    try:
        os.nice(-15)
    except PermissionError:
        return "ordinary priority"
    return "raised priority (nice -15) for every process measured, the upstream and the client"


def _told(chain: str, found: dict[str, Streams]) -> bool:
    print(f"{chain} chain, {len(found['proxy'].ends)} streams each way")
    for name, streams in found.items():
        figures = [f"p{round(share * 100)} {_percentile(streams.ends, share):.0f}" for share in (0.5, 0.95, 0.99)]
        first = [f"p{round(share * 100)} {_percentile(streams.firsts, share):.0f}" for share in (0.5, 0.95)]
        print(f"  {name:7} whole stream ms: {' '.join(figures)}; first word: {' '.join(first)}; wrong: {streams.wrong}")
    added = {
        share: _percentile(found["proxy"].ends, share) - _percentile(found["direct"].ends, share)
        for share in (0.5, 0.95)
    }
    print(f"  added: p50 {added[0.5]:.1f} ms, p95 {added[0.95]:.1f} ms (must be under 25)", flush=True)
    return added[0.95] >= 25 or bool(found["proxy"].wrong)


if __name__ == "__main__":
    sys.exit(main())
