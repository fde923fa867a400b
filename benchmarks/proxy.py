"""What the proxy adds to streams: ``python -m benchmarks.proxy``.

An upstream that writes answers word by word, the real `proctor proxy` before it, and 50 streams at once that go to the
one directly and to the other, in turns within the same run. Each is a process of its own, and all tell the same time.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import signal
import statistics
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

from benchmarks.processes import ROOT
from benchmarks.proxy_upstream import asked_about, events, serve, stamps, words

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
EACH = 2  # streams of one customer in a round
MOST_ADDED = 25.0  # milliseconds at p95
MOST_NOISE = 5.0  # milliseconds at p95 of streams that nothing stands in the way of
SETTLED = 4_000  # conversations after which memory must have come to rest: what remembers words is full by then
MOST_GROWTH = 1.0  # KB for each conversation that took another's place; one that is kept has several


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
    """What streams took, in seconds: to the end, to the first word, and on their way.

    The way is from the question to its arrival upstream, and from the upstream's last word to the last byte here: what
    is added by whatever stands between, without the upstream's own time. Streams of both ways go by the same numbers.
    """

    ends: list[float] = field(default_factory=list)
    firsts: list[float] = field(default_factory=list)
    there: dict[int, float] = field(default_factory=dict)
    back: dict[int, float] = field(default_factory=dict)
    wrong: int = 0

    def ways(self) -> dict[int, float]:
        """There and back."""
        return {number: self.there[number] + self.back[number] for number in self.there}


async def _stream(client: aiohttp.ClientSession, address: str, number: int, pause: float, found: Streams) -> None:
    messages = [{"role": "user", "content": asked_about(number)}]
    body = {"model": "stub", "stream": True, "seed": number, "pause": pause, "messages": messages}
    headers = {"X-Proctor-Session": f"s-{number}"}
    begun, got, first = time.perf_counter(), b"", 0.0
    async with client.post(f"{address}/v1/chat/completions", json=body, headers=headers) as answer:
        async for piece in answer.content.iter_any():
            got += piece
            if not first and b'"own"' in got:
                first = time.perf_counter()
    ended = time.perf_counter()
    told = stamps(got)
    if told is None or got != b"".join(events(number, *told)):
        found.wrong += 1
        return
    found.ends.append(ended - begun)
    found.firsts.append(first - begun)
    found.there[number], found.back[number] = told[0] - begun, ended - told[1]


async def _rounds(addresses: dict[str, str], rounds: int, at_once: int, pause: float) -> dict[str, Streams]:
    """So many customers at once, each with one stream after the other, first this way and then that way."""
    found = {name: Streams() for name in addresses}
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as client:
        for round in range(rounds + 1):
            for name, address in addresses.items():
                into = found[name] if round else Streams()  # the first is for warmth
                first = round * at_once * EACH
                customers = [
                    _customer(client, address, range(first + each, first + at_once * EACH, at_once), pause, into)
                    for each in range(at_once)
                ]
                await asyncio.gather(*customers)
    return found


async def _customer(
    client: aiohttp.ClientSession, address: str, numbers: Sequence[int], pause: float, into: Streams
) -> None:
    await asyncio.sleep(random.random() * len(words(0)) * pause)  # customers do not come in step
    for number in numbers:
        await _stream(client, address, number, pause, into)


def _percentile(values: list[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] * 1000


# --- memory ---


def _held(pid: int) -> float:
    """MB that the process holds for itself; files that are mapped, such as weights, come in page by page as read."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("RssAnon")).split()[1]) / 1024


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
            await _at_rest(pid)
            curve.append(_held(pid))
    return curve


async def _at_rest(pid: int) -> None:
    """Until what is to be recorded is written: the proxy does next to nothing any more."""
    before = _cpu(pid)
    for _ in range(60):
        await asyncio.sleep(1.0)
        before, spent = _cpu(pid), _cpu(pid) - before
        if spent < 0.05:
            return


def _settled(sessions: int) -> int:
    return -(-SETTLED // sessions)


def _growth(curve: Sequence[float], sessions: int) -> float | None:
    """KB by which memory grows with each new conversation once it has settled: the middle of all slopes."""
    rest = curve[_settled(sessions) :]
    slopes = [(late - early) / (to - at) for at, early in enumerate(rest) for to, late in enumerate(rest) if to > at]
    return statistics.median(slopes) * 1024 / sessions if slopes else None


# --- all together ---


@contextmanager
def _proxy(chain: str, upstream: str, most: int) -> Iterator[tuple[str, int]]:
    with tempfile.TemporaryDirectory() as folder:
        settings = {"guard": {**CHAINS[chain], "timeout": 5, "review": {"sample": 0}, "sessions": {"most": most}}}
        Path(folder, "proctor.yaml").write_text(json.dumps(settings))
        command = [str(Path(sys.executable).with_name("proctor")), "proxy", "--upstream", upstream, "--port", "0"]
        with _process(command, "stderr", Path(folder)) as found:
            yield found


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--upstream", action="store_true", help="be the upstream")
    parser.add_argument("--rounds", type=int, default=6, help="rounds of each way; 0 leaves streams out")
    parser.add_argument("--at-once", type=int, default=50, help="streams in flight")
    parser.add_argument("--pause", type=float, default=50.0, help="milliseconds between two words")
    parser.add_argument("--sessions", type=int, default=1000, help="conversations held in memory; 0 leaves this out")
    parser.add_argument("--turnover", type=int, default=9, help="how often they are all exchanged for new ones")
    parser.add_argument("--hurry", action="store_true", help="put the processes before others on this machine")
    parser.add_argument("--chains", default=";".join(CHAINS), help="which chains")
    return parser.parse_args()


def main() -> int:
    """Measure, print, and end with 1 when a bound is missed."""
    options = _options()
    if options.upstream:
        asyncio.run(serve())
        return 0
    load, priority = os.getloadavg(), _favoured() if options.hurry else "ordinary priority"
    missed = False
    print(f"load before: {load[0]:.1f} on {os.cpu_count()} cores; {priority}")
    with _process([sys.executable, "-m", "benchmarks.proxy", "--upstream"], "stdout") as (direct, _):
        for chain in options.chains.split(";"):
            with _proxy(chain, direct, options.sessions or 1000) as (address, pid):
                if options.rounds:
                    missed |= _measured(chain, {"direct": direct, "proxy": address}, pid, options)
                if options.sessions:
                    curve = asyncio.run(_sessions(address, pid, options.sessions, options.turnover))
                    missed |= _told_memory(chain, curve, options.sessions)
    return int(missed)


def _measured(chain: str, ways: dict[str, str], pid: int, options: argparse.Namespace) -> bool:
    spent = _cpu(pid)
    found = asyncio.run(_rounds(ways, options.rounds, options.at_once, options.pause / 1000))
    missed = _told(chain, found)
    streams = options.at_once * EACH * (options.rounds + 1)
    print(f"  processor time of the proxy: {(_cpu(pid) - spent) / streams * 1000:.1f} ms a stream", flush=True)
    return missed


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
        parts = {
            "on the way": [*streams.ways().values()],
            "there": [*streams.there.values()],
            "back": [*streams.back.values()],
            "whole stream": streams.ends,
            "first word": streams.firsts,
        }
        print(f"  {name:7} ms at p50 / p95 / p99: {'; '.join(f'{what} {_line(each)}' for what, each in parts.items())}")
        print(f"          wrong: {streams.wrong}")
    direct, proxied = found["direct"].ways(), found["proxy"].ways()
    added = [proxied[number] - direct[number] for number in proxied if number in direct]
    p95 = _percentile(added, 0.95)
    verdict = "met" if p95 < MOST_ADDED and not found["proxy"].wrong else "NOT MET"
    print(f"  added, stream by stream: {_line(added)} ms; p95 must be under {MOST_ADDED:.0f}: {verdict}", flush=True)
    if (noise := _percentile([*direct.values()], 0.95)) > MOST_NOISE:
        print(f"  the machine is too busy to tell: {noise:.0f} ms at p95 on the direct way, where nothing stands")
    return verdict != "met"


def _line(seconds: list[float]) -> str:
    return " / ".join(f"{_percentile(seconds, share):.1f}" for share in (0.5, 0.95, 0.99))


def _told_memory(chain: str, curve: Sequence[float], sessions: int) -> bool:
    shown = " ".join(f"{each:.1f}" for each in curve)
    print(f"{chain} chain, log on, {sessions:,} sessions, MB after each of {len(curve)} rounds: {shown}")
    growth = _growth(curve, sessions)
    if growth is None:
        print(f"  too few rounds to tell growth: --turnover {_settled(sessions) + 2} at least", flush=True)
        return False
    verdict = "no growth" if growth < MOST_GROWTH else "GROWS"
    print(f"  {growth:+.2f} KB for each new session from round {_settled(sessions) + 1} on: {verdict}", flush=True)
    return growth >= MOST_GROWTH


if __name__ == "__main__":
    sys.exit(main())
