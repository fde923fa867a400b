"""A store that cannot be written is still read: an archive, or results mounted from another machine."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from proctor.core.errors import StoreError
from proctor.core.report import Fingerprint
from proctor.store import db
from proctor.store.runs import RunStore


def _begin(store: RunStore, run: str) -> None:
    store.begin(run, name="first", fingerprint=Fingerprint(), settings={}, total=1)


@pytest.fixture
def read_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """The folder refuses writes, as a read-only mount does. The rights of a file do not bind the administrator."""

    def refuse(path: Path) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS), str(path))

    monkeypatch.setattr(db, "private_database", refuse)


@pytest.fixture
def written(tmp_path: Path) -> Path:
    with RunStore(tmp_path) as store:
        _begin(store, "r1")
    return tmp_path


def test_runs_are_read_and_a_write_is_refused_with_a_hint(written: Path, read_only: None) -> None:
    with RunStore(written) as store:
        assert store.get("r1").name == "first"
        with pytest.raises(StoreError, match="cannot be written") as caught:
            _begin(store, "r2")
    assert "writable" in (caught.value.hint or "")


def test_a_log_that_is_not_yet_in_the_file_is_read_too(written: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with RunStore(written) as writer:
        _begin(writer, "r2")
        assert (written / "proctor.db-wal").stat().st_size
        monkeypatch.setattr(db, "private_database", lambda path: (_ for _ in ()).throw(PermissionError(path)))
        with RunStore(written) as store:
            assert store.get("r2").name == "first"


def test_an_older_format_cannot_be_migrated_there(written: Path, read_only: None) -> None:
    with RunStore(written) as store:
        version = store.database.execute("PRAGMA user_version").fetchone()[0]
    with pytest.raises(StoreError, match="cannot be written"):
        db.connect(written / "proctor.db", ["SELECT 1"] * (version + 1), may_be_read_only=True)


def test_without_a_file_there_is_nothing_to_read(tmp_path: Path, read_only: None) -> None:
    with pytest.raises(StoreError, match="cannot be written"):
        RunStore(tmp_path / "none")


def test_other_databases_are_not_opened_for_reading_only(written: Path, read_only: None) -> None:
    with pytest.raises(StoreError, match="cannot be written"):
        db.connect(written / "proctor.db")
