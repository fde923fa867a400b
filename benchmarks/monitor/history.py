"""Measures the store of the monitor: appending, sealing, querying 10 M turns, memory, a reader beside, killed writers.

``python -m benchmarks.monitor.history [append|seal|queries|memory|beside|kills|search] [--rows N] [--store FOLDER]``
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

from benchmarks.monitor.generated_history import DAY, START, TURNS, generate, sentences
from proctor.core.chat import Message
from proctor.core.event import Event
from proctor.core.event_row import EventRow, row_of
from proctor.core.trajectory import Turn
from proctor.monitor.rollup import Rollup
from proctor.store.event_indexer import EventIndexer
from proctor.store.event_log import EventLog
from proctor.store.history import History
from proctor.store.log_lines import ids_in
from proctor.store.mask_events import EventMasker, Masking

BATCH = 500
NOON = datetime(2026, 11, 15, 12, tzinfo=UTC)
PARTS = ("append", "seal", "queries", "memory", "beside", "kills", "search")


def events(count: int, seed: int = 0) -> Iterator[Event]:
    """Turns of about 1 kB with real sentences; one in ten has an address and a telephone number."""
    dice = random.Random(seed)
    said = sentences()
    for n in range(count):
        asked = " ".join(dice.choices(said, k=4))
        if n % 10 == 0:
            asked += f" Write to anna{n}@example.com or call +44 20 7946 0{n % 1000:03d}."
        messages = (
            Message(role="user", content=asked),
            Message(role="assistant", content=" ".join(dice.choices(said, k=8))),
        )
        yield Event(
            kind="turn",
            time=NOON + timedelta(seconds=n / 100),
            id=f"{seed:04x}{n:028x}",
            session=f"s{seed}-{n // TURNS}",
            customer=f"c{n % 5_000}",
            intent=f"intent-{n // TURNS % 15}",
            model="model-1",
            version="v1",
            source="web",
            turn=Turn(messages=messages, latency=dice.lognormvariate(0, 0.5), cost=0.002, confidence=dice.random()),
        )


def batches(rows: list[EventRow]) -> Iterator[list[EventRow]]:
    for start in range(0, len(rows), BATCH):
        yield rows[start : start + BATCH]


def say(name: str, **figures: object) -> None:
    load = os.getloadavg()[0]
    told = "  ".join(
        f"{key} {value:,.1f}" if isinstance(value, float) else f"{key} {value}" for key, value in figures.items()
    )
    print(f"{name:<34} {told}  (load {load:.1f})", flush=True)


def times(name: str, ask: Callable[[], object], rounds: int) -> None:
    ask()
    walls, busy = [], []
    for _ in range(rounds):
        wall, cpu = time.perf_counter(), time.process_time()
        ask()
        walls.append((time.perf_counter() - wall) * 1e3)
        busy.append((time.process_time() - cpu) * 1e3)
    walls.sort()
    busy.sort()
    at = min(rounds - 1, int(rounds * 0.95))
    say(name, p50_ms=walls[rounds // 2], p95_ms=walls[at], cpu_p50_ms=busy[rounds // 2], cpu_p95_ms=busy[at])


def append(count: int) -> None:
    made = list(events(count))
    rows = [row_of(event) for event in made]
    with tempfile.TemporaryDirectory() as name:
        log = EventLog(Path(name) / "events")
        log.append(rows[:1])
        cpu, wall = time.process_time(), time.perf_counter()
        for batch in batches(rows):
            log.append(batch)
        cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
        say("append of rows, durable", per_cpu_s=count / cpu, per_s=count / wall, bytes=len(rows[0].line))
    maskings: tuple[tuple[Masking, int], ...] = (("none", count), ("patterns", count // 10), ("names", 100))
    for masking, some in maskings:
        with tempfile.TemporaryDirectory() as name:
            tagger = None
            if masking == "names":
                from proctor.wiring.guard_names import EventTagger

                tagger = EventTagger()
            masker = EventMasker(Path(name), masking=masking, tagger=tagger)
            masker.rows(made[:20])
            log = EventLog(Path(name) / "events")
            log.append(rows[:1])
            cpu, unread = time.process_time(), 0
            for start in range(0, some, BATCH):
                masked = masker.rows(made[start : min(some, start + BATCH)])
                unread += sum(b"nobody could look" in row.line for row in masked)
                log.append(masked)
            say(f"events to disk, masking {masking}", per_cpu_s=some / (time.process_time() - cpu), left_out=unread)
            masker.close()


def seal(count: int) -> None:
    with tempfile.TemporaryDirectory() as name:
        store = Path(name)
        with EventLog(store / "events") as log:
            for batch in batches([row_of(event) for event in events(count)]):
                log.append(batch)
        with History(store, search=False) as history:
            cpu = time.process_time()
            history.catch_up()
            say("indexed", per_cpu_s=count / (time.process_time() - cpu))
            size = history.stats().log_bytes / count
            cpu = time.process_time()
            done = history.seal(now=NOON)
            stats = history.stats()
            say(
                "sealed",
                per_cpu_s=done.rows / (time.process_time() - cpu),
                log_bytes=size,
                sealed_bytes=stats.sealed_bytes / count,
            )
            customer = "c77"
            cpu = time.process_time()
            gone = history.forget(customer)
            say("a customer erased", events=gone.events, cpu_ms=(time.process_time() - cpu) * 1e3)


def queries(rows: int, days: int, folder: Path | None) -> None:
    with tempfile.TemporaryDirectory() as name:
        store = folder or Path(name)
        wall = time.perf_counter()
        generate(store, rows, days)
        say("generated", rows=rows, days=days, s=time.perf_counter() - wall)
        with History(store, search=False) as history:
            stats = history.stats()
            say(
                f"{rows:,} turns",
                rows=stats.sealed_events,
                bytes_a_turn=stats.sealed_bytes / stats.sealed_events,
                index_bytes_a_turn=stats.index_bytes / stats.sealed_events,
                segments=stats.segments,
            )
            dice = random.Random(1)
            end = START + days * DAY
            with history.indexer.database.reading() as database:
                picked = [
                    database.execute("SELECT session FROM conversations WHERE n = ?", (n,)).fetchone()[0]
                    for n in dice.sample(range(1, stats.conversations + 1), 500)
                ]

            def at(length: float) -> float:
                return dice.uniform(START, end - length)

            times("any five-minute window", lambda: history.windows(start := at(300), start + 300), 300)
            times("24 h of windows", lambda: history.windows(start := at(DAY), start + DAY), 60)
            times("24 h of windows of an intent", lambda: history.windows(s := at(DAY), s + DAY, intent="intent-3"), 60)
            times(f"{days} days × intent", lambda: history.by_intent(START, end), 20)
            times("odd times × intent", lambda: history.by_intent(START + 12_345, end - 23_456), 20)
            times("one conversation", lambda: history.conversation(dice.choice(picked)), 200)


def memory(count: int) -> None:
    """One process that appends, counts and indexes, as a server does."""
    rollup = Rollup()
    with tempfile.TemporaryDirectory() as name:
        store = Path(name)
        log, indexer = EventLog(store / "events"), EventIndexer(store)
        sent, cpu = 0, time.process_time()
        template = [row_of(event) for event in events(10_000)]
        while sent < count:
            for batch in batches(template):
                fresh = [
                    row._replace(id=f"{sent + n:032x}", session=f"s{(sent + n) // TURNS}", time=row.time + sent / 100)
                    for n, row in enumerate(batch)
                ]
                rollup.extend(log.append(fresh).new)
                sent += len(fresh)
            indexer.catch_up()
            log.rotate()
            for path in (store / "events").glob("*.ndjson"):  # instead of sealing, to save the disk
                path.unlink()
            indexer.drop_files([])
            if sent % 100_000 == 0:
                with Path("/proc/self/status").open() as file:
                    now = next(int(line.split()[1]) for line in file if line.startswith("VmRSS"))
                say("memory", events=sent, mb=now / 1e3)
        say("append, count and index", per_cpu_s=sent / (time.process_time() - cpu))
        indexer.close()


def beside(seconds: float) -> None:
    """A reader in another process while this one writes 5,000 events a second and indexes them."""
    with tempfile.TemporaryDirectory() as name:
        store = Path(name)
        log, indexer = EventLog(store / "events"), EventIndexer(store)
        log.append([row_of(event) for event in events(5_000, seed=9)])
        indexer.catch_up()
        reader = subprocess.Popen(
            [
                sys.executable,
                "-m",
                "benchmarks.monitor.history",
                "reader",
                "--store",
                name,
                "--rows",
                str(int(seconds)),
            ],
            stdout=subprocess.PIPE,
            text=True,
        )
        rows = [row_of(event) for event in events(20_000, seed=10)]
        start, sent, waits = time.perf_counter(), 0, []
        while (passed := time.perf_counter() - start) < seconds:
            batch = [
                row._replace(id=f"b{sent + n:031x}", session=f"b{(sent + n) // TURNS}")
                for n, row in enumerate(rows[sent % 20_000 : sent % 20_000 + BATCH])
            ]
            wall = time.perf_counter()
            log.append(batch)
            waits.append((time.perf_counter() - wall) * 1e3)
            sent += len(batch)
            if sent % 5_000 == 0:
                indexer.catch_up()
            time.sleep(max(0.0, sent / 5_000 - passed))
        waits.sort()
        say(
            "writer beside a reader",
            per_s=sent / seconds,
            write_p50_ms=waits[len(waits) // 2],
            write_p99_ms=waits[-len(waits) // 100],
        )
        print((reader.communicate()[0] or "").rstrip())
        indexer.close()


def reader(folder: Path, seconds: float) -> None:
    start, now = time.perf_counter(), NOON.timestamp()
    asks: dict[str, list[float]] = {"24 h of windows": [], "one conversation": []}
    with History(folder, search=False) as history:
        while time.perf_counter() - start < seconds - 1:
            for name, ask in (
                ("24 h of windows", lambda: history.windows(now - DAY / 2, now + DAY / 2)),
                ("one conversation", lambda: history.conversation(f"s9-{random.randrange(1_000)}")),
            ):
                wall = time.perf_counter()
                assert ask() is not None
                asks[name].append((time.perf_counter() - wall) * 1e3)
            time.sleep(0.01)
    for name, found in asks.items():
        found.sort()
        say(f"reader: {name}", asked=len(found), p50_ms=found[len(found) // 2], p95_ms=found[int(len(found) * 0.95)])


def kills(rounds: int) -> None:
    """A writer is killed at a random moment; its client sends what was not acknowledged again to the next one."""
    with tempfile.TemporaryDirectory() as name:
        dice = random.Random(3)
        acknowledged, killed = 0, 0
        command = [sys.executable, "-m", "benchmarks.monitor.history", "writer", "--store", name]
        while killed < rounds:
            child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            assert child.stdin
            assert child.stdout
            os.set_blocking(child.stdout.fileno(), True)
            stop = time.monotonic() + 60
            batches_left = dice.randrange(1, 30)
            while time.monotonic() < stop:
                child.stdin.write(f"{acknowledged}\n")
                child.stdin.flush()
                if not batches_left:
                    time.sleep(dice.random() * 0.02)  # before, during or after the write
                    os.kill(child.pid, signal.SIGKILL)
                    break
                if not child.stdout.readline():
                    break
                acknowledged += 200
                batches_left -= 1
            child.wait()
            killed += 1
        folder = Path(name) / "events"
        found = [
            each for path in folder.glob("*.ndjson") for each in ids_in(path.read_bytes().rpartition(b"\n")[0] + b"\n")
        ]
        read = {row.id for row in EventLog(folder).read()}
        wanted = {f"{n:032x}" for n in range(acknowledged)}
        with EventIndexer(Path(name)) as indexer:
            indexed = indexer.catch_up()
            counted = sum(cell.turns for cell in indexer.rollups.cells(0, 1e11, step=86_400, total=True))
        say(
            "killed writers",
            rounds=killed,
            acknowledged=acknowledged,
            lost=len(wanted - read),
            doubled=len(found) - len(set(found)),
            in_log=len(read),
            indexed=indexed,
            counted=counted,
        )


def writer(folder: Path) -> None:
    row = row_of(next(events(1)))
    log = EventLog(folder / "events")
    for line in sys.stdin:
        start = int(line)
        log.append([row._replace(id=f"{n:032x}", session=f"s{n // TURNS}") for n in range(start, start + 200)])
        print(start, flush=True)


def search(count: int) -> None:
    with tempfile.TemporaryDirectory() as name:
        store = Path(name)
        with EventLog(store / "events") as log:
            for batch in batches([row_of(event) for event in events(count)]):
                log.append(batch)
        with History(store) as history:
            history.indexer.catch_up()
            cpu = time.process_time()
            assert history.texts is not None
            history.texts.catch_up()
            busy = time.process_time() - cpu
            stats = history.stats()
            say("texts indexed", per_cpu_s=count / busy, bytes_a_turn=stats.search_bytes / count)
            words = random.Random(5).sample(
                [word for line in sentences() for word in line.split() if len(word) > 3], 200
            )
            at = iter(words * 2)
            times("a word is searched", lambda: history.search(next(at)), 100)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("part", nargs="*", default=list(PARTS))
    parser.add_argument("--rows", type=int)
    parser.add_argument("--days", type=int, default=30, help="of the queries; a store that was begun is completed")
    parser.add_argument("--store", type=Path)
    given = parser.parse_args()
    rows: int | None = given.rows
    if given.part == ["reader"]:
        return reader(given.store, float(rows or 10))
    if given.part == ["writer"]:
        return writer(given.store)
    jobs: dict[str, Callable[[], None]] = {
        "append": lambda: append(rows or 50_000),
        "seal": lambda: seal(rows or 100_000),
        "queries": lambda: queries(rows or 10_000_000, given.days, given.store),
        "memory": lambda: memory(rows or 1_000_000),
        "beside": lambda: beside(float(rows or 20)),
        "kills": lambda: kills(rows or 100),
        "search": lambda: search(rows or 20_000),
    }
    for part in given.part:
        jobs[part]()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    print(json.dumps({"parts": given.part, "peak_mb": round(peak)}))
    return None


if __name__ == "__main__":
    main()
