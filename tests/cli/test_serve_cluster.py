"""Several `proctor serve` on one PostgreSQL and one folder of logs; the one that leads is really killed."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from proctor.monitor.alert_rules import DEFAULT_RULES
from proctor.store.postgres_events import PostgresEventDatabase
from proctor.store.rollups import RollupStore
from tests.postgres_server import PASSWORD, PostgresServer, postgres

__all__ = ["postgres"]

PROGRAM = [sys.executable, "-c", "from proctor.cli.main import main; main()", "serve", "--port", "0"]
START = 1_763_200_000.0


class Server:
    """A `proctor serve` in a process of its own."""

    def __init__(self, folder: Path, environment: dict[str, str]) -> None:
        self.process = subprocess.Popen(
            PROGRAM,
            cwd=folder,
            env={**os.environ, **environment},  # noqa: TID251 - the program gets what this test has
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self.process.stderr is not None
        self.said = ""
        while (found := re.search(r"receiving at (http://\S+)", self.said)) is None:
            line = self.process.stderr.readline()
            assert line, f"it ended: {self.said}"
            self.said += line
        self.url = found.group(1).rstrip("/")

    def send(self, events: list[dict[str, Any]]) -> None:
        body = "\n".join(map(json.dumps, events)).encode()
        headers = {"Content-Type": "application/x-ndjson"}
        with urllib.request.urlopen(urllib.request.Request(f"{self.url}/v1/turns", body, headers), timeout=30) as got:
            assert got.status == 200

    def kill(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.said += self.process.communicate()[1]


@pytest.fixture
def pages() -> Iterator[tuple[str, list[str]]]:
    """A receiver of alerts: its address, and what it was told."""
    told: list[str] = []

    class Receiver(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            told.extend(f"{each['labels']['alertname']} {each['status']}" for each in body["alerts"])
            self.send_response(200)
            self.end_headers()

        def log_message(self, format: str, *args: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Receiver) as running:
        threading.Thread(target=running.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{running.server_address[1]}", told
        running.shutdown()


def write_settings(folder: Path, url: str, receiver: str) -> None:
    off = ", ".join(f"{name}: false" for name in DEFAULT_RULES)
    (folder / "proctor.yaml").write_text(
        f"monitor:\n  state: {url.replace(PASSWORD, '${DB_PASSWORD}')}\n"
        f"alerts:\n  channels: {{hook: {{webhook: '{receiver}'}}}}\n  routes: {{critical: [hook]}}\n"
        f"  rules: {{{off}, errors: {{in_a_row: error, count: 3, tier: critical}}}}\n"
    )


@pytest.fixture
def cluster(
    tmp_path: Path, postgres: PostgresServer, pages: tuple[str, list[str]]
) -> Iterator[tuple[Callable[[], Server], str]]:
    url = postgres.url()
    write_settings(tmp_path, url, pages[0])
    running: list[Server] = []

    def start() -> Server:
        running.append(Server(tmp_path, {"DB_PASSWORD": PASSWORD}))
        return running[-1]

    yield start, url
    for each in running:
        each.kill()
        assert PASSWORD not in each.said
    for file in tmp_path.rglob("*"):
        assert not file.is_file() or PASSWORD.encode() not in file.read_bytes()


def turn(number: int, *, at: float | None = None, error: str | None = None) -> dict[str, Any]:
    said = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": f"hello {number}"}]
    told: dict[str, Any] = {"messages": said, **({"error": error} if error else {})}
    time = START + number if at is None else at
    return {"kind": "turn", "id": f"e{number}", "time": time, "session": f"s{number % 7}", "turn": told}


def until(done: Callable[[], bool]) -> None:
    end = time.monotonic() + 300
    while not done():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.05)


@pytest.mark.slow
def test_the_leader_is_killed_and_every_event_is_counted_once(cluster: tuple[Callable[[], Server], str]) -> None:
    start, url = cluster
    one, other = start(), start()
    database = PostgresEventDatabase(url)
    rollups = RollupStore(Path(), database=database)

    def counted() -> int:
        return sum(cell.turns for cell in rollups.cells(0, 1e11, total=True))

    one.send([turn(n) for n in range(0, 50)])
    other.send([turn(n) for n in range(40, 100)])  # ten of them again
    until(lambda: counted() == 100)
    one.send([turn(n) for n in range(100, 150)])
    one.kill()  # it led, or not; what it had acknowledged is on disk
    other.send([turn(n) for n in range(140, 200)])  # the client sends some again
    until(lambda: counted() == 200)
    third = start()
    third.send([turn(n) for n in range(190, 230)])
    other.kill()
    until(lambda: counted() == 230)
    assert sum(cell.conversations for cell in rollups.cells(0, 1e11, total=True)) == 7
    rollups.close()


@pytest.mark.slow
def test_an_alert_is_sent_once_whichever_server_dies(
    cluster: tuple[Callable[[], Server], str], pages: tuple[str, list[str]]
) -> None:
    start, url = cluster
    told = pages[1]
    one, other = start(), start()
    database = PostgresEventDatabase(url)
    rollups = RollupStore(Path(), database=database)

    def counted(number: int) -> None:
        until(lambda: sum(cell.turns for cell in rollups.cells(0, 1e11, total=True)) == number)

    now = time.time()
    one.send([turn(0, at=now, error="broken")])
    other.send([turn(1, at=now + 0.1, error="broken")])
    counted(2)
    one.kill()  # the one that leads, most likely: it was first
    other.send([turn(2, at=now + 0.2, error="broken"), turn(1, at=now + 0.1, error="broken")])
    until(lambda: bool(told))
    third = start()
    other.kill()
    third.send([turn(n, at=time.time()) for n in range(3, 7)])
    until(lambda: len(told) > 1)
    assert told == ["errors firing", "errors resolved"]
    rollups.close()


def test_events_are_taken_while_the_database_is_away(
    tmp_path: Path, postgres: PostgresServer, pages: tuple[str, list[str]]
) -> None:
    with PostgresServer() as own:
        url = own.url()
        write_settings(tmp_path, url, pages[0])
        server = Server(tmp_path, {"DB_PASSWORD": PASSWORD})
        server.send([turn(n) for n in range(5)])
        own.kill()
        server.send([turn(n) for n in range(5, 15)])
        time.sleep(3)  # rounds of the index and of the rules that fail
        own.start()
        rollups = RollupStore(Path(), database=PostgresEventDatabase(url))
        until(lambda: sum(cell.turns for cell in rollups.cells(0, 1e11, total=True)) == 15)
        rollups.close()
        server.kill()
        assert PASSWORD not in server.said
