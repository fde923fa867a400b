"""Locks on a full disk: an error with a hint, and nothing stays locked."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from proctor.core.errors import StoreError
from proctor.store.event_indexer import EventIndexer
from proctor.store.event_log import EventLog
from proctor.store.history import History
from proctor.store.lock import is_held, sole_writer
from proctor.store.server_address import told_address
from tests.store.event_rows import turns


def _sole_writer(store: Path) -> None:
    with sole_writer(store / "a.lock", "a run"):
        pass
    assert not is_held(store / "a.lock")


def _told_address(store: Path) -> None:
    with told_address(store) as tell:
        tell("http://127.0.0.1:1")


def _indexer(store: Path) -> None:
    with EventIndexer(store) as indexer:
        assert indexer.catch_up() == 0


def _erasure(store: Path) -> None:
    with EventLog(store / "events") as log:
        log.append(turns(3, customer="zelda"))
    with History(store) as history:
        history.forget("zelda")
        assert list(history.events()) == []


@pytest.mark.parametrize("work", [_sole_writer, _told_address, _indexer, _erasure])
def test_what_is_written_in_place_on_a_full_disk_is_an_error_with_a_hint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, work: Callable[[Path], None]
) -> None:
    def full(*_: object) -> int:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os, "pwrite", full)
        with pytest.raises(StoreError, match="No space") as caught:
            work(tmp_path)
    assert caught.value.hint
    work(tmp_path)
