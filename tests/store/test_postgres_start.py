"""Servers that start at the same time on a new database: each finds its tables, and none fails."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from proctor.core.errors import StoreError
from proctor.store.postgres import connect_postgres
from tests.postgres_server import PostgresServer

# Opens every schema of the product in the databases that are named on its input, one after the other.
_OPENER = """
import sys
from pathlib import Path

import asyncpg

from proctor.store.history import History
from proctor.store.postgres_events import PostgresEventDatabase
from proctor.store.postgres_monitor import PostgresAlertState, PostgresAuditStore

print("ready", flush=True)
for line in sys.stdin:
    url = line.strip()
    with History(Path(sys.argv[1]), database=PostgresEventDatabase(url)) as history:
        found = history.texts.has_trigrams
    for database in (PostgresAlertState(url), PostgresAuditStore(url)):
        database.database.close()
    print("trigrams" if found else "no trigrams", flush=True)
"""


def test_processes_that_open_a_new_database_at_once_all_find_their_tables(
    tmp_path: Path, postgres: PostgresServer
) -> None:
    words, pipe = [sys.executable, "-c", _OPENER, str(tmp_path)], subprocess.PIPE
    opened = [
        subprocess.Popen(words, stdin=pipe, stdout=pipe, stderr=subprocess.STDOUT, text=True, bufsize=1)
        for _ in range(4)
    ]
    try:
        assert [told(each) for each in opened] == ["ready"] * 4
        for url in [postgres.url() for _ in range(5)]:  # a race is not lost every time
            for each in opened:
                assert each.stdin is not None
                each.stdin.write(f"{url}\n")
            assert [told(each) for each in opened] == ["trigrams"] * 4
    finally:
        for each in opened:
            each.communicate(timeout=60)
    assert [each.returncode for each in opened] == [0] * 4


def told(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def test_what_cannot_be_created_is_an_error_of_the_store(postgres: PostgresServer) -> None:
    database = connect_postgres(postgres.url(), "things", ("CREATE TABLE one (n INTEGER PRIMARY KEY) STRICT;",))
    with pytest.raises(StoreError, match="duplicate key"):
        database.define("INSERT INTO one VALUES (1); INSERT INTO one VALUES (1);")
    assert database.execute("SELECT count(*) FROM one").fetchone()[0] == 0
    database.close()
