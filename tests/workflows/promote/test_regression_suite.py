"""Several people add cases to one suite at the same time."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from proctor.config import open_config
from proctor.core.errors import StoreError
from proctor.core.event_row import row_of
from proctor.store.event_log import EventLog
from proctor.store.history import History
from proctor.store.lock import one_at_a_time
from proctor.suites.append import cases_in
from proctor.workflows.promote.alert_examples import ExampleRequest, promote_examples
from proctor.workflows.promote.regression_suite import regression_suite
from tests.store.event_rows import turn_event


def test_no_case_is_lost_when_two_are_added_at_once(tmp_path: Path) -> None:
    (tmp_path / "proctor.yaml").write_text("", encoding="utf-8")
    config = open_config(tmp_path)
    names = [f"talk-{number}" for number in range(6)]
    with EventLog(config.store / "events") as log:
        log.append([row_of(turn_event(n, session=name, text=f"question {n}")) for n, name in enumerate(names)])
    with History(config.store) as history:
        history.catch_up()
    out = regression_suite(config)
    assert out == tmp_path / "suites" / "regressions.yaml"
    with ThreadPoolExecutor(len(names)) as pool:
        made = list(pool.map(lambda name: promote_examples(config, ExampleRequest(conversations=(name,)), out), names))
    assert all(each.added for each in made)
    assert sorted(case.id for case in cases_in(out)) == [f"incident-{name}" for name in names]


def test_a_lock_that_stays_is_an_error_that_says_so(tmp_path: Path) -> None:
    with (
        one_at_a_time(tmp_path / "x.lock"),
        pytest.raises(StoreError, match="held by another process"),
        one_at_a_time(tmp_path / "x.lock", seconds=0.05),
    ):
        raise AssertionError
