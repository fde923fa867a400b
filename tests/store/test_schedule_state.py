from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

from proctor.core.digest import Measured
from proctor.core.schedule_record import EntryResult
from proctor.store.schedule_state import ScheduleState

NOON = datetime(2026, 11, 15, 12, tzinfo=UTC)


def test_an_execution_without_an_end_does_not_count_as_done(tmp_path: Path) -> None:
    result = EntryResult(code=1, summary="12 %", figures={"repeat": Measured(value=0.12, low=0.1, high=0.15, count=9)})
    with ScheduleState(tmp_path) as state:
        assert state.last("completion") is None
        first = state.begin("completion", NOON)
        state.finish(first, NOON + timedelta(minutes=1), result)
        state.begin("completion", NOON + timedelta(days=1))
    with ScheduleState(tmp_path) as state:
        last, done = state.last("completion"), state.last("completion", finished=True)
        assert last is not None
        assert done is not None
        assert (last.started, last.finished) == (NOON + timedelta(days=1), None)
        assert (done.started, done.result) == (NOON, result)
        assert state.last("other") is None


def test_old_executions_are_removed(tmp_path: Path) -> None:
    with ScheduleState(tmp_path) as state:
        for hour in range(120):
            state.finish(state.begin("gate", NOON + timedelta(hours=hour)), NOON, EntryResult())
        state.begin("other", NOON)
        count = state.database.execute("SELECT count(*) FROM schedule_runs WHERE entry = 'gate'").fetchone()[0]
        assert count == 100
        last = state.last("gate")
        assert last is not None
        assert last.started == NOON + timedelta(hours=119)
    assert (tmp_path / "schedule.db").stat().st_mode & 0o077 == 0
