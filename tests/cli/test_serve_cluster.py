"""Several `proctor serve` on one PostgreSQL and one folder of logs; the one that leads is really killed."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

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
def cluster(tmp_path: Path, postgres: PostgresServer) -> Iterator[tuple[Callable[[], Server], str]]:
    url = postgres.url()
    (tmp_path / "proctor.yaml").write_text(f"monitor:\n  state: {url.replace(PASSWORD, '${DB_PASSWORD}')}\n")
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


def turn(number: int) -> dict[str, Any]:
    said = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": f"hello {number}"}]
    time = START + number
    return {"kind": "turn", "id": f"e{number}", "time": time, "session": f"s{number % 7}", "turn": {"messages": said}}


def until(done: Callable[[], bool]) -> None:
    end = time.monotonic() + 60
    while not done():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.05)


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
