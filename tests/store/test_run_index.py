from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any, cast

import pytest

from proctor.core.errors import StoreError
from proctor.core.report import Fingerprint
from proctor.store.ledger import RunLedger
from proctor.store.runs import RunStore
from tests.store.recorded_runs import result


class _FullAtCommit:
    """A connection whose disk is full when the first transaction ends."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database
        self._full = True

    def __getattr__(self, name: str) -> Any:
        return getattr(self._database, name)

    def execute(self, sql: str, *more: Any) -> sqlite3.Cursor:
        if sql == "COMMIT" and self._full:
            self._full = False
            raise sqlite3.OperationalError("database or disk is full")
        return self._database.execute(sql, *more)


def test_rows_whose_transaction_failed_at_its_end_are_indexed_with_the_next(tmp_path: Path) -> None:
    with RunStore(tmp_path) as store:
        run = store.begin("r", name="s", fingerprint=Fingerprint(), settings={}, total=2)
        ledger = RunLedger(store, run)
        for key, kept in enumerate((result("a"), result("b", "fail"))):
            ledger.keep_trajectory(key, case=kept.case, target=kept.target, sample=0, trajectory=kept.trajectory)
            ledger.keep_result(key, kept)
        whole = store.database
        store.database = cast("sqlite3.Connection", _FullAtCommit(whole))
        with pytest.raises(StoreError, match="full"):
            ledger.flush()
        assert store.counts(run).total == 0
        ledger.close()
        store.database = whole
        counts = store.counts(run)
        assert (counts.passed, counts.failed) == (1, 1)
