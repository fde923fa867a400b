"""The process that indexes: a store that fails is tried again."""

from __future__ import annotations

import logging
import os
import sqlite3
from pathlib import Path

import pytest

from proctor.config import open_config
from proctor.store.db import explained
from proctor.workflows.monitor import index_process
from proctor.workflows.monitor.history_upkeep import HistoryUpkeep


def test_a_full_disk_is_told_once_and_indexing_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "proctor.yaml").write_text("store: .proctor\n")
    looks: list[int | None] = []
    tick = HistoryUpkeep.tick

    def full_at_first(self: HistoryUpkeep, now: float | None = None) -> int | None:
        if len(looks) < 3:
            looks.append(None)
            with explained(tmp_path / "history.db"):
                raise sqlite3.OperationalError("database or disk is full")
        looks.append(tick(self, now))
        raise SystemExit(0)

    monkeypatch.setattr(HistoryUpkeep, "tick", full_at_first)
    monkeypatch.setattr(index_process, "_AGAIN", 0.0)
    with caplog.at_level(logging.WARNING), pytest.raises(SystemExit):
        index_process.index_until_orphaned(open_config(tmp_path), parent=os.getppid())
    assert looks == [None, None, None, 0]
    (told,) = [each.getMessage() for each in caplog.records]
    assert "the disk is full" in told
    assert "free some space, then try again" in told
    assert "run" not in told.split("hint")[-1]
