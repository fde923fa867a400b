from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from proctor.store.db import MIGRATIONS as MIGRATIONS_OF_RUNS
from proctor.store.db import connect, transaction

MIGRATIONS = ("CREATE TABLE notes (text TEXT NOT NULL) STRICT;",)


def test_a_transaction_that_fails_is_undone_and_the_next_one_begins(tmp_path: Path) -> None:
    database = connect(tmp_path / "notes.sqlite", MIGRATIONS)
    with pytest.raises(sqlite3.IntegrityError), transaction(database):
        database.executemany("INSERT INTO notes VALUES (?)", [("one",), (None,)])
    assert not database.in_transaction
    with transaction(database) as again:
        again.execute("INSERT INTO notes VALUES ('two')")
    assert [row["text"] for row in database.execute("SELECT text FROM notes")] == ["two"]
    database.close()


def test_a_commit_that_fails_leaves_no_open_transaction(tmp_path: Path) -> None:
    database = connect(tmp_path / "notes.sqlite", MIGRATIONS)
    database.execute("PRAGMA foreign_keys = ON")
    database.execute("CREATE TABLE marks (note INTEGER REFERENCES notes (rowid) DEFERRABLE INITIALLY DEFERRED)")
    with pytest.raises(sqlite3.Error), transaction(database):
        database.execute("INSERT INTO marks VALUES (7)")
    assert not database.in_transaction
    database.close()


def test_a_store_from_before_the_column_of_doubts_keeps_its_results(tmp_path: Path) -> None:
    path = tmp_path / "proctor.db"
    place = next(n for n, each in enumerate(MIGRATIONS_OF_RUNS) if "in_doubt" in each)
    old = connect(path, MIGRATIONS_OF_RUNS[:place])
    old.execute(
        "INSERT INTO runs (n, id, name, status, started, fingerprint, settings)"
        " VALUES (1, 'r', 's', 'finished', '', '{}', '{}')"
    )
    for key, outcome, reason in ((1, "pass", "in doubt, to be reviewed: x"), (2, "pass", ""), (3, "fail", "in doubt")):
        row = (1, key, key, "c", "t", 0, None, "", outcome, 1.0, reason, None, None, 0, 1, 2, 3)
        old.execute(f"INSERT INTO results VALUES ({','.join('?' * 17)})", row)
    old.commit()
    old.close()
    new = connect(path)
    assert [row["in_doubt"] for row in new.execute("SELECT in_doubt FROM results ORDER BY key")] == [1, 0, 0]
    new.close()
