"""What the store writes belongs to its owner alone."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from proctor.store.cache import SqliteCache
from proctor.store.db import connect
from proctor.store.journal import Journal
from proctor.store.lock import only_one
from proctor.store.private_files import private_folder
from proctor.store.shared_lines import append_lines
from proctor.text.known_secrets import add_secrets


@pytest.fixture(autouse=True)
def _open_umask() -> Iterator[None]:
    before = os.umask(0)
    yield
    os.umask(before)


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def _write_all(store: Path) -> None:
    database = connect(store / "proctor.db")
    database.execute("UPDATE runs SET name = ''")
    SqliteCache(store / "cache.db").close()
    Journal(store / "runs" / "r1" / "journal.ndjson").close()
    private_folder(store / "guard")
    append_lines(store / "guard" / "day.ndjson", b"{}\n")
    with only_one(store / "lock"):
        pass
    wide = {str(path): oct(_mode(path)) for path in (store, *store.rglob("*")) if _mode(path) & 0o077}
    database.close()
    assert wide == {}


def test_new_files_are_private_whatever_the_umask(tmp_path: Path) -> None:
    _write_all(tmp_path / ".proctor")


def test_files_of_an_older_version_are_tightened(tmp_path: Path) -> None:
    store = tmp_path / ".proctor"
    _write_all(store)
    for path in (store, *store.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)
    _write_all(store)


def test_the_folder_of_the_project_keeps_its_rights(tmp_path: Path) -> None:
    (tmp_path / "proctor.yaml").write_text("store: .\n")
    tmp_path.chmod(0o755)
    connect(tmp_path / "proctor.db").close()
    assert _mode(tmp_path) == 0o755
    assert _mode(tmp_path / "proctor.db") == 0o600


def test_the_database_and_the_journal_keep_no_secret(tmp_path: Path) -> None:
    add_secrets(["kept-nowhere-42"])
    database = connect(tmp_path / "proctor.db")
    database.execute(
        "INSERT INTO labels (subject, dimension, value, person, time) VALUES (?, 'd', '1', 'p', 't')",
        ("kept-nowhere-42",),
    )
    assert database.execute("SELECT subject FROM labels").fetchone()[0] == "***"
    database.close()
    journal = Journal(tmp_path / "journal.ndjson")
    place = journal.append({"kind": "x", "said": "it is kept-nowhere-42"})
    assert journal.read(place)["said"] == "it is ***"
    journal.close()
    assert not any(b"kept-nowhere-42" in path.read_bytes() for path in tmp_path.iterdir())
