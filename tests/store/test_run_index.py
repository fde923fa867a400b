from __future__ import annotations

from pathlib import Path

import pytest

from proctor.core.errors import StoreError
from proctor.core.report import Fingerprint
from proctor.store.ledger import RunLedger
from proctor.store.runs import RunStore
from tests.store.full_disk import full_at_commit
from tests.store.recorded_runs import result


def test_rows_whose_transaction_failed_at_its_end_are_indexed_with_the_next(tmp_path: Path) -> None:
    with RunStore(tmp_path) as store:
        run = store.begin("r", name="s", fingerprint=Fingerprint(), settings={}, total=2)
        ledger = RunLedger(store, run)
        for key, kept in enumerate((result("a"), result("b", "fail"))):
            ledger.keep_trajectory(key, case=kept.case, target=kept.target, sample=0, trajectory=kept.trajectory)
            ledger.keep_result(key, kept)
        whole = store.database
        store.database = full_at_commit(whole)
        with pytest.raises(StoreError, match="full"):
            ledger.flush()
        assert store.counts(run).total == 0
        ledger.close()
        store.database = whole
        counts = store.counts(run)
        assert (counts.passed, counts.failed) == (1, 1)
