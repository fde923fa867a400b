"""How fast events are indexed into SQLite and into PostgreSQL, and how long a server takes to lead after another died.

A PostgreSQL server is started in a temporary folder (fsync off), as the tests do. The process time is that of the
indexer alone, without the database's own processes.

    python -m benchmarks.monitor.postgres --events 50000
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import orjson
from tests.postgres_server import PostgresServer

from proctor.core.event_row import EventRow
from proctor.store.event_indexer import EventIndexer
from proctor.store.event_log import EventLog
from proctor.store.postgres_events import PostgresEventDatabase

HOLDER = """
import sys, time
from proctor.store.postgres_events import PostgresEventDatabase
database = PostgresEventDatabase(sys.argv[1])
print(database.take_lock("indexer"), flush=True)
time.sleep(600)
"""


def rows(count: int) -> Iterator[EventRow]:
    """Yield turns of conversations with four turns, in eight intents; one in fifty has an error."""
    dice = random.Random(1)
    said = [{"role": "user", "content": "Where is my order?"}, {"role": "assistant", "content": "It comes tomorrow."}]
    for number in range(count):
        session = f"s{number // 4}"
        turn = {"kind": "turn", "id": f"e{number}", "session": session, "turn": {"messages": said}}
        yield EventRow(
            line=orjson.dumps({**turn, "time": "2026-11-17T00:00:00Z"}),
            id=f"e{number}",
            kind="turn",
            time=1.76e9 + number * 0.01,
            session=session,
            intent=f"i{number // 4 % 8}",
            model="m",
            version="v",
            source="x",
            latency=dice.random(),
            signals=("error",) if dice.random() < 0.02 else (),
        )


def index(count: int, database: PostgresEventDatabase | None, name: str) -> None:
    """Write a log, index it, and print the rate."""
    with tempfile.TemporaryDirectory() as folder:
        with EventLog(Path(folder) / "events") as log:
            some: list[EventRow] = []
            for row in rows(count):
                some.append(row)
                if len(some) == 1000:
                    log.append(some)
                    some = []
        indexer = EventIndexer(Path(folder), database=database)
        wall, used = time.perf_counter(), time.process_time()
        assert indexer.catch_up() == count
        wall, used = time.perf_counter() - wall, time.process_time() - used
        indexer.close()
    print(f"{name}: {count / wall:,.0f} events/s, {count / used:,.0f} per processor second of the indexer")


def sizes(server: PostgresServer, url: str, count: int) -> None:
    """Print what the tables take, with their indexes."""
    query = "SELECT sum(pg_total_relation_size(c.oid)) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace"
    for name, tables in (("ids", ("event_ids",)), ("conversations", ("conversations", "conversation_signals"))):
        listed = ", ".join(f"'{table}'" for table in tables)
        found = server.psql(f"{query} WHERE relname IN ({listed}) AND relkind = 'r'", urlsplit(url).path[1:])
        each, what = (count, "event") if name == "ids" else (count // 4, "conversation")
        print(f"{name}: {int(found.strip() or 0) / each:.0f} bytes of PostgreSQL per {what}")


def takeover(url: str) -> None:
    """Kill a process that leads, and print how long another one waits for its lock."""
    holder = subprocess.Popen([sys.executable, "-c", HOLDER, url], stdout=subprocess.PIPE, text=True)
    assert holder.stdout is not None
    assert holder.stdout.readline().strip() == "True"
    database = PostgresEventDatabase(url)
    assert not database.take_lock("indexer")
    holder.kill()
    begun = time.perf_counter()
    while not database.take_lock("indexer"):
        time.sleep(0.001)
    print(f"a server leads {1000 * (time.perf_counter() - begun):.0f} ms after kill -9 of the leader")
    holder.communicate()
    database.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--events", type=int, default=50_000)
    count = parser.parse_args().events // 1000 * 1000
    print(f"{count:,} events, {os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}")
    index(count, None, "SQLite")
    with PostgresServer() as server:
        url = server.url()
        index(count, PostgresEventDatabase(url), "PostgreSQL")
        sizes(server, url, count)
        takeover(server.url())


if __name__ == "__main__":
    main()
