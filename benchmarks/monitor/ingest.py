"""Measure `proctor serve`: durable spans and turns per CPU second, queries meanwhile, kill -9, Phoenix beside.

    python -m benchmarks.monitor.ingest                       # spans, turns, queries
    python -m benchmarks.monitor.ingest --kills 100           # also kill -9 under load from the real exporter
    python -m benchmarks.monitor.ingest --phoenix PYTHON      # also Phoenix, installed in that environment
    python -m benchmarks.monitor.ingest --only memory --turns 1000000    # the server's memory while turns come in

"On disk" has the CPU seconds of the server until the last acknowledgement; "a turn, indexed" those of the server and
its indexer until everything can be queried. Traces wait ten seconds for more spans: the first figure has none of the
second.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.server.ingest.servers import Served, environment, serve

from benchmarks.monitor.ingest_load import SPANS_OF_EXPORT, TURNS_OF_EXPORT, otlp_exports, send_all, turn_exports
from proctor.store.event_log import FOLDER, EventLog

PROTOBUF, NDJSON = "application/x-protobuf", "application/x-ndjson"
ROOT = Path(__file__).parents[2]
EXPORTER = ROOT / "tests" / "server" / "ingest" / "exporter.py"
TICKS = os.sysconf("SC_CLK_TCK")
QUERIES = ("/api/conversations?limit=50", "/api/windows?step=300", "/api/conversations?intent=order_status", "/metrics")


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """One run: records, seconds, CPU seconds, memory in MB, and the 95th percentile of queries in ms."""

    name: str
    records: int
    acknowledged: float
    acknowledged_cpu: float | None
    done: float
    cpu: float
    memory: float
    query: float | None = None

    def row(self) -> str:
        """Return a line of the table."""
        query = f"{self.query:.0f} ms" if self.query is not None else "–"
        on_disk = f"{self.records / self.acknowledged_cpu:,.0f}" if self.acknowledged_cpu else "–"
        per_second = f"{self.records / self.acknowledged:,.0f}" if self.acknowledged_cpu else "–"
        return (
            f"| {self.name} | {self.records:,} | {on_disk} | "
            f"{self.records / self.cpu:,.0f} | {per_second} | "
            f"{self.memory:.0f} MB | {query} |"
        )


def main() -> None:
    """Run what is asked for and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--exports", type=int, default=60, help="requests of 500 records in each run")
    parser.add_argument("--kills", type=int, default=0, help="how often the server is killed under load")
    parser.add_argument("--per-kill", type=int, default=10_000, help="conversations acknowledged before each kill")
    parser.add_argument("--phoenix", help="a Python in whose environment Phoenix is installed")
    parser.add_argument("--names", action="store_true", help="also mask names, which needs the local model")
    parser.add_argument("--only", choices=("json", "kills", "memory"), help="measure this and nothing else")
    parser.add_argument("--turns", type=int, default=1_000_000, help="over how many turns memory is watched")
    given = parser.parse_args()
    if given.only == "memory":
        return _watch_memory(given.turns)
    if given.only == "kills":
        return print(_kills(given.kills or 100, given.per_kill))
    print("| run | records | on disk per CPU second | a turn, indexed | on disk per second | memory | queries p95 |")
    print("|---|---|---|---|---|---|---|", flush=True)
    for per_trace in (10, 1) if given.only is None else ():
        for masking in ("none", "patterns"):
            print(_spans(given.exports, per_trace, masking).row(), flush=True)
    for masking in ("none", "patterns", *(["names"] if given.names else [])):
        print(_turns(given.exports if masking != "names" else 2, masking).row(), flush=True)
    print(_turns(given.exports, "none", asks=True).row(), flush=True)
    if given.phoenix:
        print(_phoenix(given.phoenix, 8).row(), flush=True)
    if given.kills:
        print(_kills(given.kills, given.per_kill), flush=True)
    return None


def _spans(exports: int, per_trace: int, masking: str) -> Figures:
    bodies = otlp_exports(exports, per_trace=per_trace, seed=1)
    records = exports * (SPANS_OF_EXPORT // per_trace) * per_trace
    turns = records // per_trace
    name = f"OTLP spans, {per_trace} a trace, masking {masking}"
    return _run(name, "/v1/traces", PROTOBUF, bodies, records=records, events=turns, masking=masking)


def _turns(exports: int, masking: str, *, asks: bool = False) -> Figures:
    records = exports * TURNS_OF_EXPORT
    bodies = turn_exports(exports, seed=2)
    name = f"JSON turns, masking {masking}" + (", asked 20 times a second" if asks else "")
    return _run(name, "/v1/turns", NDJSON, bodies, records=records, events=records, masking=masking, asks=asks)


def _run(
    name: str, path: str, kind: str, bodies: list[bytes], *, records: int, events: int, masking: str, asks: bool = False
) -> Figures:
    with tempfile.TemporaryDirectory() as folder:
        settings = f"monitor: {{ingest: {{settle: 10, patience: 10, late: 5}}, history: {{masking: {masking}}}}}\n"
        (Path(folder) / "proctor.yaml").write_text(settings)
        with serve(Path(folder)) as served, _queries(served, asks=asks) as took:
            _until_idle(served.process.pid)
            before, started = _cpu(served.process.pid), time.monotonic()
            own = _own_cpu(served.process.pid)
            sent = send_all(served.port, path, kind, bodies)
            acknowledged = _own_cpu(served.process.pid) - own
            _until_stored(served, events)
            done = time.monotonic() - started
            cpu = _cpu(served.process.pid) - before
            memory = _memory(served.process.pid)
        stored = Counter(row.id for row in EventLog(Path(folder) / ".proctor" / FOLDER).read())
        assert len(stored) == events, f"{len(stored)} of {events} are stored"
        slow = statistics.quantiles(took, n=20)[-1] * 1000 if len(took) > 20 else None
    return Figures(
        name=name,
        records=records,
        acknowledged=sent.seconds,
        acknowledged_cpu=acknowledged,
        done=done,
        cpu=cpu,
        memory=memory,
        query=slow,
    )


def _watch_memory(turns: int) -> None:
    """Send turns that all differ; tell the memory of the server and of its indexer as they come in."""
    part = min(turns, 100_000)
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "proctor.yaml").write_text("monitor: {history: {masking: none}}\n")
        print("| turns on disk | server | indexer | turns indexed | load |\n|---|---|---|---|---|", flush=True)
        with serve(Path(folder)) as served:
            _until_idle(served.process.pid)
            for sent in range(0, turns + 1, part):
                if sent:
                    bodies = turn_exports(part // TURNS_OF_EXPORT, seed=sent)
                    send_all(served.port, "/v1/turns", NDJSON, bodies)
                _tell_memory(served, sent)
            _until_stored(served, turns // part * part)
            _tell_memory(served, turns // part * part)


def _tell_memory(served: Served, sent: int) -> None:
    server = served.process.pid
    children = Path(f"/proc/{server}/task/{server}/children").read_text().split()
    indexed = sum(each["turns"] for each in served.get("/api/windows?step=86400")["windows"])
    beside, load = sum(map(_memory, children)), os.getloadavg()[0]
    print(f"| {sent:,} | {_memory(server):.0f} MB | {beside:.0f} MB | {indexed:,} | {load:.1f} |", flush=True)


def _until_stored(served: Served, events: int) -> None:
    until = time.monotonic() + 600
    while time.monotonic() < until:
        windows = served.get("/api/windows?step=86400")["windows"]
        if sum(each["turns"] for each in windows) >= events:
            return
        time.sleep(0.5)
    raise AssertionError("not everything was stored in ten minutes")


@contextlib.contextmanager
def _queries(served: Served, *, asks: bool) -> Iterator[list[float]]:
    """Ask the API again and again while the server is under load."""
    took: list[float] = []
    stop = threading.Event()
    if not asks:
        yield took
        return

    def ask() -> None:
        number = 0
        while not stop.wait(0.05):
            started = time.monotonic()
            with urllib.request.urlopen(served.url + QUERIES[number % len(QUERIES)], timeout=60) as answer:
                answer.read()
            took.append(time.monotonic() - started)
            number += 1

    thread = threading.Thread(target=ask)
    thread.start()
    try:
        yield took
    finally:
        stop.set()
        thread.join()


def _until_idle(pid: int) -> None:
    """Wait until the server and its indexer have started."""
    before = -1.0
    while (now := _cpu(pid)) - before > 0.05:
        before = now
        time.sleep(1)


def _kills(kills: int, per_kill: int) -> str:
    """Kill the server again and again under load from real exporters; count what is lost and doubled."""
    acknowledged: list[int] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        settings = "monitor: {ingest: {settle: 0.5, late: 5}, history: {masking: none, search: false}}\n"
        (folder / "proctor.yaml").write_text(settings)
        served = Served(folder)
        senders = [_exporter(served.url, number * 10**9, acknowledged) for number in range(2)]
        for kill in range(kills):
            while len(acknowledged) < (kill + 1) * per_kill:
                time.sleep(0.01)
            served.kill()
            served = Served(folder, port=served.port)
            print(f"kill {kill + 1}: {len(acknowledged):,} acknowledged", file=sys.stderr, flush=True)
        for process, thread in senders:
            process.kill()
            process.wait()
            thread.join()
        served.stop(patience=600)  # what waits is written first; on a busy machine that takes a while
        stored = Counter(row.session for row in EventLog(folder / ".proctor" / FOLDER).read())
        lost = sum(f"s-{number}" not in stored for number in acknowledged)
        doubled = sum(times > 1 for times in stored.values())
    spans = 2 * len(acknowledged)
    return f"\nkill -9, {kills} times: {spans:,} spans acknowledged, {lost} turns lost, {doubled} doubled"


def _exporter(url: str, first: int, acknowledged: list[int]) -> tuple[subprocess.Popen[str], threading.Thread]:
    command = [sys.executable, str(EXPORTER), url, str(first), str(10**9)]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, env=environment())

    def follow() -> None:
        assert process.stdout is not None
        with process.stdout:
            for line in process.stdout:
                acknowledged.extend(map(int, line.split()))

    thread = threading.Thread(target=follow)
    thread.start()
    return process, thread


def _phoenix(python: str, exports: int) -> Figures:
    """Send the same spans to Phoenix; wait until its database has them."""
    bodies = otlp_exports(exports, per_trace=10, seed=1)
    records = exports * SPANS_OF_EXPORT
    with tempfile.TemporaryDirectory() as folder:
        more = {"PHOENIX_WORKING_DIR": folder, "PHOENIX_PORT": "16006", "PHOENIX_GRPC_PORT": "16007"}
        command = [python, "-m", "phoenix.server.main", "serve"]
        with open(os.devnull, "wb") as nowhere:
            server = subprocess.Popen(command, env=environment(**more), stdout=nowhere, stderr=nowhere)
        try:
            _until_listening("http://127.0.0.1:16006/healthz")
            time.sleep(5)  # its start goes on after it listens
            before, started = _cpu(server.pid), time.monotonic()
            sent = send_all(16006, "/v1/traces", PROTOBUF, bodies)
            while _phoenix_spans(Path(folder) / "phoenix.db") < records:
                time.sleep(0.5)
            done, cpu, memory = time.monotonic() - started, _cpu(server.pid) - before, _memory(server.pid)
        finally:
            server.kill()
            server.wait()
    return Figures(
        name="Phoenix, OTLP spans, 10 a trace",
        records=records,
        acknowledged=sent.seconds,
        acknowledged_cpu=None,  # it acknowledges before anything is on disk
        done=done,
        cpu=cpu,
        memory=memory,
    )


def _phoenix_spans(path: Path) -> int:
    with contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=30)) as database:
        return int(database.execute("SELECT count(*) FROM spans").fetchone()[0])


def _until_listening(url: str) -> None:
    until = time.monotonic() + 300
    while time.monotonic() < until:
        with contextlib.suppress(OSError), urllib.request.urlopen(url, timeout=5):
            return
        time.sleep(0.5)
    raise AssertionError(f"nothing answers at {url}")


def _cpu(pid: int) -> float:
    """Return the CPU seconds of a process and its children."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return _own_cpu(pid) + sum(map(_own_cpu, children))


def _own_cpu(pid: int | str) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def _memory(pid: int | str) -> float:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) / 1024
    return 0.0


if __name__ == "__main__":
    main()
