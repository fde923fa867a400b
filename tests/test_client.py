"""The Python client against the real server: batches, resending, spool, back-pressure."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from proctor.client import EventClient
from proctor.core.codec import loads
from tests.server.ingest.servers import rows_in, serve

CLOSED = "http://127.0.0.1:9"  # nothing listens there


def _wait(done: Callable[[], bool]) -> None:
    until = time.monotonic() + 30
    while not done():
        assert time.monotonic() < until
        time.sleep(0.02)


@contextmanager
def answering(*statuses: int) -> Iterator[tuple[str, list[bytes]]]:
    """A server that answers with these statuses in turn, the last one for ever; and the bodies it got."""
    left, bodies = list(statuses), list[bytes]()

    class Door(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            bodies.append(self.rfile.read(int(self.headers["Content-Length"])))
            status = left.pop(0) if len(left) > 1 else left[0]
            told = json.dumps({"accepted": 1, "rejected": 0}).encode()
            self.send_response(status)
            self.send_header("Retry-After", "0")
            self.send_header("Content-Length", str(len(told)))
            self.end_headers()
            self.wfile.write(told)

        def log_message(self, format: str, *args: Any) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Door)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}", bodies
    server.shutdown()
    server.server_close()
    thread.join()


def test_events_reach_the_server_also_those_of_a_spool(tmp_path: Path) -> None:
    spool = tmp_path / "spool"
    with EventClient(CLOSED, spool=spool, timeout=1) as client:
        assert client.turn(session="s-1", input="Hello?", output="Hi!", latency=0.5)
        client.flush(5)
    assert client.figures.sent == 0
    assert [oct(path.stat().st_mode & 0o777) for path in spool.iterdir()] == ["0o600"]
    (tmp_path / "proctor.yaml").write_text("monitor: {history: {masking: none}}\n")
    with serve(tmp_path) as served, EventClient(served.url, spool=spool, batch=50, every=0.05) as client:
        for number in range(120):
            client.turn(session=f"s-{number + 2}", input="Hello?", output="Hi!")
        client.score("helpful", 0.9, session="s-1")
        client.outcome("resolved", session="s-1")
        client.send({"kind": "trun"})
        _wait(lambda: client.figures.sent == 123)
        assert client.figures.rejected == 1
        assert repr(client.figures) == "ClientFigures(sent=123, rejected=1, dropped=0, spooled=0)"
        assert not list(spool.iterdir())
    rows = rows_in(tmp_path)
    assert len(rows) == 123
    first = next(row for row in rows if row.session == "s-1" and row.kind == "turn")
    assert loads(first.line)["turn"]["latency"] == 0.5


def test_a_server_that_asks_to_wait_gets_the_same_events_again() -> None:
    with answering(503, 429, 200) as (url, bodies), EventClient(url, every=0.05) as client:
        client.turn(session="s-1", input="Hello?")
        assert client.flush(20)
        assert client.figures.sent == 1
    assert len(bodies) == 3
    assert len(set(bodies)) == 1


def test_a_full_queue_goes_to_the_spool_or_is_counted(tmp_path: Path) -> None:
    with EventClient(CLOSED, max_queue=10, batch=1000, every=60) as client:
        taken = [client.turn(session=str(number), input="Hello?") for number in range(15)]
        assert (sum(taken), client.figures.dropped) == (10, 5)
        client.close(0.1)
    with EventClient(CLOSED, max_queue=10, batch=1000, every=60, spool=tmp_path / "spool") as client:
        assert all(client.turn(session=str(number), input="Hello?") for number in range(25))
        client.close(0.1)
        assert client.figures.dropped == 0
    kept = [line for path in (tmp_path / "spool").iterdir() for line in path.read_bytes().splitlines()]
    assert len({json.loads(line)["id"] for line in kept}) == 25


def test_the_spool_has_a_limit(tmp_path: Path) -> None:
    with EventClient(CLOSED, max_queue=4, every=60, spool=tmp_path, spool_bytes=1_000) as client:
        for number in range(60):
            client.turn(session=str(number), input="Hello?")
        client.close(0.1)
        assert client.figures.dropped > 0
    assert sum(path.stat().st_size for path in tmp_path.iterdir()) <= 1_000


def test_a_wrong_address_is_named_at_once() -> None:
    with pytest.raises(ValueError, match="http"):
        EventClient("localhost:4318")
