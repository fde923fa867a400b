from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

from proctor.core.rollup_cell import RollupCell
from proctor.store.guard_index import GuardIndex
from proctor.store.runs import RunStore
from proctor.workflows.guard.activity import guard_activity, reported_activity
from tests.server.pages.guarded_store import add_decisions, decision

NOW = datetime(2026, 11, 15, 15, 30, tzinfo=UTC)


def test_decisions_are_counted_by_hour_and_by_day(tmp_path: Path) -> None:
    add_decisions(
        tmp_path,
        [
            decision(1, "block", time=NOW - timedelta(hours=2)),
            decision(2, "block", time=NOW - timedelta(hours=2)),
            decision(3, time=NOW),
            decision(4, "escalate", time=NOW - timedelta(days=9)),
        ],
    )
    with GuardIndex(tmp_path) as index, RunStore(tmp_path) as store:
        day = guard_activity(index, store, since=NOW - timedelta(hours=15), now=NOW)
        assert (day.actions.step, len(day.actions.times), day.unread) == (3600, 16, 0)
        assert dict(day.by_gate.series) == {"injection": [0] * 13 + [2, 0, 0]}
        assert day.actions.series["allow"][-1] == 1
        month = guard_activity(index, store, since=NOW - timedelta(days=29), now=NOW)
        assert (month.actions.step, len(month.actions.times)) == (86_400, 30)
        assert month.by_kind.series == {"override": [0] * 20 + [1] + [0] * 8 + [2]}
        assert month.table.decisions == 4
        everything = guard_activity(index, store, since=None, now=NOW, gate="injection", point="input")
        assert len(everything.actions.times) == 10
        assert {row.gate for row in everything.table.gates} == {"injection"}
        assert sum(everything.actions.series["allow"]) == 1
        nothing = guard_activity(index, store, since=None, now=NOW, gate="pii")
        assert nothing.by_gate.series == {}
        old = guard_activity(index, store, since=datetime(1970, 1, 1, tzinfo=UTC), now=NOW)
        assert len(old.actions.times) <= 401


def test_an_empty_log_has_no_series(tmp_path: Path) -> None:
    with GuardIndex(tmp_path) as index, RunStore(tmp_path) as store:
        found = guard_activity(index, store, since=None, now=NOW)
    assert (found.table.decisions, dict(found.actions.series), found.unread) == (0, {}, 0)


def test_what_agents_report_is_counted_by_window() -> None:
    day = 86_400
    cells = [
        RollupCell(start=day * 20_000, step=day, signals={"gate/injection": 3, "finding/override": 2, "error": 1}),
        RollupCell(start=day * 20_002, step=day, signals={"gate/injection": 1, "gate/pii": 5}),
    ]
    found = reported_activity(cells, "gate")
    assert dict(found.series) == {"pii": [0, 0, 5], "injection": [3, 0, 1]}
    assert reported_activity([], "gate").series == {}
