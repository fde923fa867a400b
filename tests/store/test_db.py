from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

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
