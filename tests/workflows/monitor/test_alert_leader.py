"""Several servers on one PostgreSQL: the one that decides about alerts is really killed."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from proctor.core.event_row import EventRow
from proctor.store.event_log import EventLog
from proctor.store.postgres_events import PostgresEventDatabase
from proctor.store.postgres_monitor import PostgresAlertState
from proctor.store.rollups import RollupStore
from tests.postgres_server import PostgresServer, postgres

__all__ = ["postgres"]

PROGRAM = [sys.executable, "-m", "tests.workflows.monitor.alert_server"]


class Watcher:
    """A server in a process of its own."""

    def __init__(self, folder: Path, url: str) -> None:
        self.process = subprocess.Popen(
            [*PROGRAM, str(folder), url, str(folder / "sent")], stdout=subprocess.PIPE, text=True
        )
        self.until("ready")

    def until(self, word: str) -> None:
        """Wait until it says a word."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if line.strip() == word:
                return
        raise AssertionError(f"it ended without {word!r}")

    def kill(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.communicate()


@pytest.fixture
def servers(tmp_path: Path, postgres: PostgresServer) -> Iterator[tuple[Callable[[], Watcher], str]]:
    url, running = postgres.url(), list[Watcher]()

    def start() -> Watcher:
        running.append(Watcher(tmp_path, url))
        return running[-1]

    yield start, url
    for each in running:
        each.kill()


def turn(name: str, *, bad: bool) -> EventRow:
    line = b'{"kind": "turn", "id": "%s", "time": "2026-11-17T00:00:00Z"}' % name.encode()
    return EventRow(line=line, id=name, kind="turn", time=time.time(), session="s", signals=("error",) if bad else ())


def test_no_alert_is_lost_or_sent_twice_when_the_leader_is_killed(
    tmp_path: Path, servers: tuple[Callable[[], Watcher], str]
) -> None:
    start, url = servers
    rollups = RollupStore(tmp_path, database=PostgresEventDatabase(url))
    logs = [EventLog(tmp_path / "events", writer=name) for name in ("a", "b")]  # two servers receive
    sent = tmp_path / "sent"

    def told() -> list[str]:
        return sent.read_text().splitlines() if sent.exists() else []

    def counted(number: int) -> None:
        wait(lambda: sum(cell.turns for cell in rollups.cells(0, 1e11, total=True)) == number)

    one, other = start(), start()
    one.until("leads")
    other.until("waits")
    logs[0].append([turn("1", bad=True)])
    logs[1].append([turn("2", bad=True)])
    counted(2)
    one.until("leads")  # has shown both to its rules
    one.kill()
    other.until("leads")
    assert told() == []
    logs[0].append([turn("3", bad=True), turn("2", bad=True)])  # the third in a row, and one that is sent again
    wait(lambda: bool(told()))
    assert told() == ["fired errors 1"]
    with PostgresAlertState(url) as state:
        wait(lambda: state.find("1").notified is not None)  # it has noted that it was sent
    other.kill()
    third, fourth = start(), start()
    third.until("leads")
    fourth.until("waits")
    logs[1].append([turn("4", bad=True)])
    counted(4)
    third.until("leads")
    third.kill()
    logs[0].append([turn(f"good{n}", bad=False) for n in range(3)])
    wait(lambda: len(told()) > 1)
    fourth.until("leads")
    assert told() == ["fired errors 1", "resolved errors 1"]
    rollups.close()


def wait(done: Callable[[], bool]) -> None:
    end = time.monotonic() + 300
    while not done():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.02)
