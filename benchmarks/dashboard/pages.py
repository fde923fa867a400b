"""Measure the dashboard: start to a filled page, bytes of script, first byte on a large store, many viewers at once.

    python -m benchmarks.dashboard.pages start                  # CPU seconds and MB until a page is there
    python -m benchmarks.dashboard.pages scripts                # bytes of script over the wire, for each page
    python -m benchmarks.dashboard.pages first-byte --rows N    # of each page, on N turns (1,000,000)
    python -m benchmarks.dashboard.pages viewers --seconds 30   # 50 viewers, 500 turns a second; --rows N turns before
    python -m benchmarks.dashboard.pages start --phoenix PYTHON # Phoenix beside it, installed in that environment

CPU seconds are of the server and its indexer, with bytecode on disk as after an installation. The viewers and the
sender run on the same cores as the server. A viewer opens a page every few seconds, as people do, and hears of changes
meanwhile.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import os
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from compileall import compile_dir
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path

import aiohttp
from tests.server.ingest.servers import environment

from benchmarks.monitor.generated_history import START, generate
from benchmarks.monitor.ingest_load import turn_exports
from proctor.cli.demo_project import fill_demo, is_demo, write_demo
from proctor.config import open_config
from proctor.core.person import Person
from proctor.server.pages.app import pages
from proctor.server.pages.sign_in import cookie_name
from proctor.store.people import People

_TICKS = os.sysconf("SC_CLK_TCK")
_ROWS = 1_000_000
_VIEWERS, _TURNS_A_SECOND, _THINK = 50, 500, 5.0


@dataclass(slots=True, kw_only=True)
class Server:
    """A running `proctor serve`, and the session of an admin."""

    url: str
    process: subprocess.Popen[str]
    cookies: dict[str, str] = field(default_factory=dict)

    def usage(self) -> tuple[float, float]:
        """Return the CPU seconds and the memory in MB of the server and its children."""
        cpu = memory = 0.0
        for pid in [self.process.pid, *_children(self.process.pid)]:
            stat = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            cpu += (int(stat[11]) + int(stat[12])) / _TICKS
            found = re.search(r"Pss:\s+(\d+)", Path(f"/proc/{pid}/smaps_rollup").read_text())
            memory += int(found[1]) / 1024 if found else 0.0
        return cpu, memory

    def get(self, path: str) -> bytes:
        """Return the answer to a request."""
        cookie = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        asked = urllib.request.Request(f"{self.url}{path}", headers={"Cookie": cookie, "Accept-Encoding": "gzip"})
        with urllib.request.urlopen(asked, timeout=120) as answer:
            data: bytes = answer.read()
        return data


def _children(pid: int) -> list[int]:
    return [int(each) for each in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


@contextmanager
def running(folder: Path) -> Iterator[Server]:
    """Serve a project on a free port."""
    program = "from proctor.cli.main import main; main()"
    command = [sys.executable, "-c", program, "serve", "--port", "0"]
    process = subprocess.Popen(command, cwd=folder, stderr=subprocess.PIPE, text=True, env=_as_installed())
    assert process.stderr is not None
    url = ""
    for line in process.stderr:
        if line.startswith("receiving at "):
            url = line.split()[-1]
        if line.startswith("dashboard: "):
            break
    config = open_config(folder)
    with People(config.store) as people:
        key = people.make_link(Person(name="benchmark", role="admin"), time.time(), is_guest=True)
        session = people.use_link(key, time.time())
    assert session is not None
    try:
        yield Server(url=url, process=process, cookies={cookie_name(config.store): session})
    finally:
        process.terminate()
        process.communicate()


def _as_installed() -> dict[str, str]:
    """Return the environment of a server whose bytecode is on disk, as after `pip install`."""
    for name in ("proctor", "aiohttp", "jinja2", "click", "ruamel", "opentelemetry", "google"):
        found = find_spec(name)
        for place in (found.submodule_search_locations or ()) if found is not None else ():
            compile_dir(place, quiet=2)
    return {name: value for name, value in environment().items() if name != "PYTHONDONTWRITEBYTECODE"}


def demo(folder: Path) -> Path:
    """Return the project of the demo, made on first use."""
    if not is_demo(folder):
        fill_demo(write_demo(folder), tell=lambda line: None)
    return folder


def large(folder: Path, rows: int) -> Path:
    """Return a project with many turns up to now."""
    marker = folder / f"rows-{rows}"
    if not marker.exists():
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "proctor.yaml").write_text("")
        days = int((time.time() - START) // 86_400) + 1
        generate(open_config(folder).store, rows, days)
        marker.touch()
    return folder


def scripts_of(server: Server, path: str) -> dict[str, int]:
    """Return the scripts that a page loads, and their bytes over the wire."""
    sent = server.get(path)
    body = (gzip.decompress(sent) if sent.startswith(b"\x1f\x8b") else sent).decode()
    found = dict.fromkeys(re.findall(r'<script[^>]* src="([^"]+)"', body))
    made = {each.partition("?")[0].rpartition("/")[2]: len(server.get(each)) for each in found}
    if "data-series" in body:  # loaded by ui.js where there is a time series
        made |= {name: len(server.get(f"/ui/static/{name}")) for name in ("series.js", "uplot.js")}
    return made


def start(folder: Path, phoenix: str | None) -> None:
    """Print CPU seconds and memory until the first page is there, and of the page alone."""
    with running(demo(folder)) as server:
        before = server.usage()
        began = time.perf_counter()
        server.get("/ui/")
        first = time.perf_counter() - began
        for name in scripts_of(server, "/ui/"):
            server.get(f"/ui/static/{name}")
        cpu, memory = server.usage()
    print(
        f"start to a filled page: {cpu:.2f} CPU s, {memory:.0f} MB; listening {before[0]:.2f} CPU s, page {first:.2f} s"
    )
    if phoenix is not None:
        print(f"Phoenix: {_phoenix(phoenix)}")


def _phoenix(python: str) -> str:
    variables = {**environment(), "PHOENIX_WORKING_DIR": tempfile.mkdtemp(), "PHOENIX_PORT": "6017"}
    process = subprocess.Popen(
        [python, "-m", "phoenix.server.main", "serve"],
        env=variables,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    server = Server(url="http://127.0.0.1:6017", process=process)  # type: ignore[arg-type]
    try:
        for _ in range(600):
            try:
                server.get("/")
                break
            except OSError:
                time.sleep(0.2)
        cpu, memory = server.usage()
    finally:
        process.terminate()
        process.wait()
    return f"{cpu:.2f} CPU s, {memory:.0f} MB"


def scripts(folder: Path) -> None:
    """Print the scripts of each page."""
    with running(demo(folder)) as server:
        for page in pages():
            made = scripts_of(server, f"/ui{page.path}")
            print(
                f"{page.title:<16} {sum(made.values()):>7,} bytes  {', '.join(f'{k} {v:,}' for k, v in made.items())}"
            )


def first_byte(folder: Path, rows: int) -> None:
    """Print how long each page takes until its first byte, and the CPU of it."""
    with running(large(folder, rows)) as server:
        for page in pages():
            times = []
            cpu = server.usage()[0]
            for _ in range(6):
                began = time.perf_counter()
                server.get(f"/ui{page.path}")
                times.append(time.perf_counter() - began)
            spent = (server.usage()[0] - cpu) / 6
            median = 1000 * statistics.median(times)
            text = f"first {1000 * times[0]:6.0f} ms  median {median:6.0f} ms  cpu {1000 * spent:5.0f} ms"
            print(f"{page.title:<16} {text}", flush=True)


async def viewers(folder: Path, rows: int, seconds: float) -> None:
    """Print how long pages take for many viewers while turns come in."""
    with running(large(folder, rows)) as server:
        began, until = server.usage()[0], time.monotonic() + seconds
        took: list[float] = []
        sent = [0]
        async with aiohttp.ClientSession(cookies=server.cookies, connector=aiohttp.TCPConnector(limit=0)) as client:
            work = [_viewer(client, server.url, number, until, took) for number in range(_VIEWERS)]
            await asyncio.gather(_sender(client, server.url, until, sent), *work)
        cpu = server.usage()[0] - began
    took.sort()
    p50, p95 = (took[int(len(took) * q)] for q in (0.5, 0.95))
    print(
        f"{_VIEWERS} viewers, {len(took)} pages, {sent[0] / seconds:.0f} turns a second: median {1000 * p50:.0f} ms,"
        f" p95 {1000 * p95:.0f} ms, worst {1000 * took[-1]:.0f} ms; server and indexer {cpu / seconds:.2f} cores"
    )


async def _viewer(client: aiohttp.ClientSession, url: str, number: int, until: float, took: list[float]) -> None:
    chance = random.Random(number)
    places = [page.path for page in pages()]
    hears = asyncio.create_task(_listen(client, url))
    while time.monotonic() < until:
        await asyncio.sleep(chance.uniform(0.2, 2 * _THINK))
        began = time.perf_counter()
        async with client.get(f"{url}/ui{chance.choice(places)}") as answer:
            await answer.read()
            assert answer.status == 200
        took.append(time.perf_counter() - began)
    hears.cancel()


async def _listen(client: aiohttp.ClientSession, url: str) -> None:
    timeout = aiohttp.ClientTimeout(total=None)
    async with client.get(f"{url}/ui/live?topics=alerts,runs", timeout=timeout) as answer:
        async for _ in answer.content:
            pass


async def _sender(client: aiohttp.ClientSession, url: str, until: float, sent: list[int]) -> None:
    (lines,) = turn_exports(1, seed=1)
    turns = lines.split(b"\n")
    number, begin = 0, time.monotonic()
    while time.monotonic() < until:
        batch = [
            re.sub(rb'"id": ?"[^"]*"', b'"id":"%032x"' % (number + n), turns[n % len(turns)], count=1)
            for n in range(50)
        ]
        number += 50
        async with client.post(
            f"{url}/v1/turns", data=b"\n".join(batch), headers={"Content-Type": "application/x-ndjson"}
        ) as answer:
            assert answer.status == 200, await answer.text()
        sent[0] = number
        await asyncio.sleep(max(0.0, begin + number / _TURNS_A_SECOND - time.monotonic()))


def main() -> None:
    """Run a part."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=("start", "scripts", "first-byte", "viewers"))
    parser.add_argument("--folder", type=Path, help="where the stores are, to use them again")
    parser.add_argument("--rows", type=int, default=_ROWS)
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--phoenix", help="a Python with Phoenix")
    given = parser.parse_args()
    folder = given.folder or Path(tempfile.mkdtemp(prefix="proctor-pages-"))
    match given.part:
        case "start":
            start(folder / "demo", given.phoenix)
        case "scripts":
            scripts(folder / "demo")
        case "first-byte":
            first_byte(folder / "large", given.rows)
        case _:
            asyncio.run(viewers(folder / "large", given.rows, given.seconds))


if __name__ == "__main__":
    main()
