"""The conversation index, the rollups and the positions in the log on PostgreSQL: the cases of SQLite, and its own."""

from __future__ import annotations

import inspect
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from proctor.core.errors import StoreError
from proctor.core.event_row import EventRow, row_of
from proctor.store.event_indexer import EventIndexer
from proctor.store.event_log import EventLog
from proctor.store.postgres_events import PostgresEventDatabase
from tests.postgres_server import PostgresServer
from tests.store import test_event_indexer
from tests.store.event_rows import turn_event, turns


def cases(module: Any) -> list[Any]:
    """Return the tests of a module that need nothing but a folder."""
    found = [each for name, each in vars(module).items() if name.startswith("test_") and callable(each)]
    plain = [each for each in found if set(inspect.signature(each).parameters) == {"tmp_path"}]
    return [pytest.param(each, id=each.__name__) for each in plain]


@pytest.mark.parametrize("case", cases(test_event_indexer))
def test_as_on_sqlite(
    case: Callable[[Path], None], tmp_path: Path, postgres: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    urls: dict[Path, str] = {}
    databases: list[PostgresEventDatabase] = []

    def opened(store: Path, **more: Any) -> EventIndexer:
        if store not in urls:
            urls[store] = postgres.url()
        databases.append(PostgresEventDatabase(urls[store]))
        return EventIndexer(store, database=databases[-1], **more)

    monkeypatch.setattr(test_event_indexer, "EventIndexer", opened)
    try:
        case(tmp_path)
    finally:
        for database in databases:
            database.close()


def indexer_of(store: Path, url: str) -> EventIndexer:
    return EventIndexer(store, database=PostgresEventDatabase(url))


def counted(indexer: EventIndexer) -> int:
    return sum(cell.turns for cell in indexer.rollups.cells(0, 1e11, total=True))


def test_one_server_indexes_for_all_and_another_takes_over(tmp_path: Path, postgres: PostgresServer) -> None:
    url = postgres.url()
    EventLog(tmp_path / "events", writer="a").append(turns(5))
    one, other = indexer_of(tmp_path, url), indexer_of(tmp_path, url)
    assert one.catch_up() == 5
    assert other.catch_up() is None
    EventLog(tmp_path / "events", writer="b").append([row_of(turn_event(n)) for n in range(3, 9)])  # 3 and 4 again
    one.close()
    assert other.catch_up() == 4
    assert counted(other) == 9
    other.close()


def test_servers_with_folders_of_their_own_count_each_event_once(tmp_path: Path, postgres: PostgresServer) -> None:
    url = postgres.url()
    rows = turns(40)

    def serve(name: str, some: list[EventRow]) -> None:
        EventLog(tmp_path / name / "events", writer=name).append(some)
        indexer = indexer_of(tmp_path / name, url)
        # Each server follows its own folder: the lock of a shared one does not apply.
        indexer.database.take_lock = lambda name: True  # type: ignore[method-assign]
        indexer.catch_up()
        indexer.close()

    threads = [threading.Thread(target=serve, args=(f"s{n}", rows[n * 5 :])) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    reader = indexer_of(tmp_path, url)
    assert counted(reader) == 40
    found = reader.conversations.get("s0")
    assert found is not None
    assert found.turns == sum(row.session == "s0" for row in rows)
    assert isinstance(reader.database, PostgresEventDatabase)
    assert reader.database.drop_claims_before(1e11) == 40
    reader.close()


def test_a_claim_ends_with_its_transaction(tmp_path: Path, postgres: PostgresServer) -> None:
    one, other = (PostgresEventDatabase(url) for url in [postgres.url()] * 2)
    rows = turns(3)

    def fail() -> None:
        with one.writing():
            assert len(one.claim(rows)) == 3
            raise RuntimeError("killed before the end")

    with pytest.raises(RuntimeError):
        fail()
    assert len(other.claim(rows)) == 3
    assert len(one.claim(rows)) == 0
    one.close()
    other.close()


def test_a_leader_that_lost_its_connection_does_not_go_on(tmp_path: Path, postgres: PostgresServer) -> None:
    url = postgres.url()
    EventLog(tmp_path / "events", writer="a").append(turns(2))
    one, other = indexer_of(tmp_path, url), indexer_of(tmp_path, url)
    assert one.catch_up() == 2
    # With a timeout it waits until the process is gone, and with it its lock.
    end = "SELECT pg_terminate_backend(l.pid, 10000) FROM pg_locks l JOIN pg_database d ON d.oid = l.database"
    postgres.psql(f"{end} WHERE locktype = 'advisory' AND datname = current_database()", urlsplit(url).path[1:])
    assert other.catch_up() == 0  # took over
    EventLog(tmp_path / "events", writer="b").append([row_of(turn_event(7))])
    assert other.catch_up() == 1
    with pytest.raises(StoreError):
        one.catch_up()
    assert one.catch_up() is None
    assert counted(other) == 3
    one.close()
    other.close()


def test_who_waited_in_vain_for_another_writer_writes_when_it_has_ended(
    postgres: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("proctor.store.postgres._STATEMENT_SECONDS", 0.5)
    url = postgres.url()
    one, other = PostgresEventDatabase(url), PostgresEventDatabase(url)

    def write() -> None:
        with other.writing() as database:
            database.execute("INSERT INTO log_files (name, at) VALUES (?, ?)", ("a", 1))

    with one.writing(), pytest.raises(StoreError, match="did not answer in time"):
        write()
    assert not other.connection.in_transaction
    write()
    assert one.connection.execute("SELECT count(*) FROM log_files").fetchone()[0] == 1
    one.close()
    other.close()
