from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from proctor.core.event import Alert
from proctor.core.report import Cell, Fingerprint
from proctor.store.alerts import keep_alert
from proctor.store.db import MIGRATIONS, connect
from proctor.store.decisions import decisions, false_holds, keep_decision
from proctor.store.figures import report_of
from proctor.store.lock import only_one
from proctor.store.review import ReviewItem, add_items, items, resolve
from proctor.store.runs import RunRecord, RunStore
from proctor.store.trends import TrendLine, cells_of, history, keep_points, known_lines, points


def _run(store: RunStore, number: int, *, name: str = "golden", trigger: str = "manual") -> RunRecord:
    fingerprint = Fingerprint(suite="s", trigger=trigger)
    return store.begin(f"r{number}", name=name, fingerprint=fingerprint, settings={"job": {}}, total=1)


def _cell(mean: float | None, *, intent: str | None = None, target: str = "agent") -> Cell:
    return Cell(dimension="relevance", intent=intent, target=target, cases=3, unscored=1, mean=mean, spread=0.1)


def test_points_come_back_the_oldest_first_and_only_as_many_as_asked(tmp_path: Path) -> None:
    with RunStore(tmp_path) as store:
        for number in range(5):
            keep_points(store, _run(store, number), [_cell(number / 10), _cell(0.9, intent="faq")], partial=False)
        found = points(store, TrendLine(dimension="relevance"), limit=3)
        assert [(each.run, each.mean) for each in found] == [("r2", 0.2), ("r3", 0.3), ("r4", 0.4)]
        assert [each.mean for each in points(store, TrendLine(dimension="relevance", intent="faq"))] == [0.9] * 5
        assert [each.run for each in points(store, TrendLine(dimension="relevance"), before="r2")] == ["r0", "r1"]
        assert points(store, TrendLine(dimension="fluency")) == []
        assert known_lines(store) == ({"relevance"}, {"faq"})


def test_history_is_of_whole_runs(tmp_path: Path) -> None:
    with RunStore(tmp_path) as store:
        for number in range(4):
            keep_points(store, _run(store, number), [_cell(0.5), _cell(None, intent="faq")], partial=False)
        found = history(store, TrendLine(suite="golden", target="agent"), before="r3", runs=2)
        assert [(each.run, each.intent) for each in found] == [("r1", None), ("r1", "faq"), ("r2", None), ("r2", "faq")]


def test_lines_of_other_suites_targets_and_narrowed_runs_are_kept_apart(tmp_path: Path) -> None:
    with RunStore(tmp_path) as store:
        keep_points(store, _run(store, 1), [_cell(0.1), _cell(0.2, target="other")], partial=False)
        keep_points(store, _run(store, 2, name="second"), [_cell(0.3)], partial=False)
        keep_points(store, _run(store, 3, trigger="schedule"), [_cell(0.4)], partial=True)
        keep_points(store, _run(store, 4), [_cell(0.5), _cell(0.6, intent="faq")], partial=False, some_intents=True)

        def means(**line: object) -> list[float | None]:
            return [each.mean for each in points(store, TrendLine(dimension="relevance", **line))]  # type: ignore[arg-type]

        assert means(suite="golden", target="agent") == [0.1]
        assert means(suite="second") == [0.3]
        assert means(target="other") == [0.2]
        assert means(suite="golden", target="agent", partial=True) == [0.1, 0.4, 0.5]
        assert means(trigger="schedule") == [0.4]
        assert means(trigger="manual", suite="second") == [0.3]
        assert means(intent="faq") == [0.6]


def test_a_run_that_is_closed_again_replaces_its_points_and_forgetting_it_removes_them(tmp_path: Path) -> None:
    with RunStore(tmp_path) as store:
        run = _run(store, 1)
        keep_points(store, run, [_cell(0.1)], partial=False)
        keep_points(store, run, [_cell(0.2)], partial=False)
        assert [cell.mean for cell in cells_of(store, run)] == [0.2]
        assert report_of(store, run).by_dimension == (_cell(0.2),)
        store.forget(run)
        assert points(store, TrendLine(dimension="relevance")) == []


def test_a_database_of_before_gets_the_new_tables_and_keeps_its_runs(tmp_path: Path) -> None:
    old = sqlite3.connect(tmp_path / "proctor.db")
    for number, script in enumerate(MIGRATIONS[:2]):
        old.executescript(f"{script};PRAGMA user_version = {number + 1};")
    old.execute(
        "INSERT INTO runs (id, name, status, started, fingerprint, settings)"
        " VALUES ('old', 's', 'finished', '2026-01-01T00:00:00+00:00', '{}', '{}')"
    )
    old.commit()
    old.close()
    with RunStore(tmp_path) as store:
        assert store.find("old").name == "s"
        assert points(store, TrendLine(dimension="relevance")) == []
    assert connect(tmp_path / "proctor.db").execute("PRAGMA user_version").fetchone()[0] == len(MIGRATIONS)


def _decide(store: RunStore, run: str, decision: str) -> None:
    keep_decision(store, run=run, suite="golden", target="agent", baseline="r0", decision=decision, reasons=["because"])


def test_a_decision_is_kept_once_for_each_run_and_baseline(tmp_path: Path) -> None:
    with RunStore(tmp_path) as store:
        _decide(store, "r1", "hold")
        _decide(store, "r1", "ship")
        _decide(store, "r2", "hold")
        assert [(each.run, each.decision) for each in decisions(store)] == [("r2", "hold"), ("r1", "ship")]


def test_a_hold_is_in_vain_when_people_found_everything_acceptable(tmp_path: Path) -> None:
    with RunStore(tmp_path) as store:
        assert false_holds(store) == (0, 0)
        for number, decision in enumerate(["ship", "hold", "hold", "hold", "hold"]):
            _decide(store, f"r{number}", decision)
        add_items(
            store,
            [
                ReviewItem(origin="gate", run=f"r{n}", target="agent", case_id=f"{c}{n}")
                for n in (1, 2, 3)
                for c in ("a", "b")
            ],
        )
        for item in items(store, state="open"):
            if item.run == "r1" or (item.run == "r2" and item.case_id == "a2"):
                resolve(store, item, verdict="acceptable", person="p")
            elif item.run == "r2":
                resolve(store, item, verdict="worse", person="p")
        # r3 has open items and r4 nothing to look at: neither tells.
        assert false_holds(store) == (1, 3)


def test_an_alert_is_one_file_for_one_trouble(tmp_path: Path) -> None:
    from datetime import UTC, datetime

    with RunStore(tmp_path) as store:
        alert = Alert(rule="floor", message="low", tier="high", time=datetime.now(UTC), key="a/../b c")
        path = keep_alert(store, alert)
        assert path == keep_alert(store, alert)
        assert path.parent == tmp_path / "alerts"
        assert [each.name for each in path.parent.iterdir()] == [path.name]


def test_only_one_holds_the_lock(tmp_path: Path) -> None:
    path = tmp_path / "x" / "lock"
    with only_one(path) as first, only_one(path) as second:
        assert (first, second) == (True, False)
    with only_one(path) as again:
        assert again


@pytest.mark.parametrize("limit", [1, 2])
def test_a_limit_on_decisions(tmp_path: Path, limit: int) -> None:
    with RunStore(tmp_path) as store:
        for number in range(3):
            _decide(store, f"r{number}", "ship")
        assert len(decisions(store, limit=limit)) == limit
