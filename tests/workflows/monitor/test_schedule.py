"""What is due, what an entry needs, and what one failure does to the others."""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from proctor.config import Config
from proctor.core.digest import Measured
from proctor.core.errors import MalformedError
from proctor.core.event import Event
from proctor.core.schedule_record import EntryResult
from proctor.core.trajectory import Turn
from proctor.core.verdict import Verdict
from proctor.store.schedule_state import ScheduleState
from proctor.workflows.monitor.schedule import EntryState, entry_states, run_entry
from proctor.workflows.monitor.schedule_entries import DEFAULT_ENTRIES, ScheduleEntry, entries_of
from proctor.workflows.monitor.scheduled_measures import MEASURES, MeasureContext, limited
from tests.workflows.monitor.traffic_log import config_in, keep, traffic

NOON = datetime(2026, 11, 11, 12, tzinfo=UTC)  # a Wednesday


def _one(config: Config, entry: ScheduleEntry, now: datetime) -> EntryState:
    with ScheduleState(config.store) as state:
        return next(entry_states(config, state, [entry], now))


def _done(config: Config, entry: ScheduleEntry, at: datetime, code: int = 0) -> None:
    with ScheduleState(config.store) as state:
        state.finish(state.begin(entry.name, at), at, EntryResult(code=code))


def _entry(**changes: Any) -> ScheduleEntry:
    return ScheduleEntry(**{"name": "own", "every": "2 days", "run": "list", **changes})


def test_the_methodology_is_the_default_schedule() -> None:
    rows = {entry.name: entry.every for entry in DEFAULT_ENTRIES}
    # Type, cadence: the document's table.
    assert rows["generation_quality"] == "1 h"
    assert rows["retrieval"] == "1 week"
    assert rows["consistency"] == "1 week"
    assert rows["completion"] == "1 day"
    assert rows["escalations"] == "1 day"
    assert rows["input_gate"] == rows["output_gate"] == "1 h"
    assert rows["red_team"] == "13 weeks"
    assert rows["audit"] == rows["calibration"] == "1 week"
    for entry in DEFAULT_ENTRIES:
        assert entry.unit
        assert entry.metric
        assert entry.seconds > 0
        assert bool(entry.run) != (entry.measure in MEASURES)


def test_an_entry_is_due_when_its_time_is_over(tmp_path: Path) -> None:
    config, entry = config_in(tmp_path), _entry()
    assert _one(config, entry, NOON).is_due
    _done(config, entry, NOON)
    assert _one(config, entry, NOON + timedelta(hours=30)).wait == timedelta(hours=18)
    assert _one(config, entry, NOON + timedelta(days=2, minutes=-5)).is_due, "cron may start a little early"


@pytest.mark.parametrize("calendar", [False, True])
def test_a_start_in_the_future_is_of_a_wrong_clock_and_delays_nothing(tmp_path: Path, calendar: bool) -> None:
    config = config_in(tmp_path)
    keep(config, traffic(1)[:1])
    entry = entries_of(config)["daily_digest"] if calendar else _entry()
    _done(config, entry, NOON + timedelta(days=400))
    assert _one(config, entry, NOON).is_due
    _done(config, entry, NOON)
    assert not _one(config, entry, NOON + timedelta(hours=1)).is_due
    assert not _one(config, entry, NOON - timedelta(minutes=5)).is_due, "a clock that is set right by a little"


def test_a_failed_entry_is_tried_again_sooner_and_a_killed_one_at_once(tmp_path: Path) -> None:
    config, entry = config_in(tmp_path), _entry(every="10 days")
    _done(config, entry, NOON, code=2)
    assert not _one(config, entry, NOON + timedelta(hours=12)).is_due
    assert _one(config, entry, NOON + timedelta(days=1)).is_due
    _done(config, entry, NOON + timedelta(days=1), code=1)
    assert not _one(config, entry, NOON + timedelta(days=5)).is_due, "a missed limit is a result"
    with ScheduleState(config.store) as state:
        state.begin(entry.name, NOON + timedelta(days=2))  # by `--now`
    killed = _one(config, entry, NOON + timedelta(days=2, minutes=1))
    assert killed.is_due
    assert killed.last is not None
    assert killed.last.finished is None


def test_a_digest_is_due_once_in_each_day_week_or_month(tmp_path: Path) -> None:
    config = config_in(tmp_path, "monitor: {digest: {zone: Europe/Berlin}}")
    keep(config, traffic(1)[:1])
    entries = entries_of(config)
    monthly, daily = entries["monthly_digest"], entries["daily_digest"]
    _done(config, monthly, datetime(2027, 1, 31, 12, tzinfo=UTC))
    assert _one(config, monthly, datetime(2027, 1, 31, 20, tzinfo=UTC)).wait == timedelta(hours=3)
    assert _one(config, monthly, datetime(2027, 1, 31, 23, 1, tzinfo=UTC)).is_due, "January is over in Berlin"
    _done(config, daily, datetime(2026, 11, 10, 22, 59, tzinfo=UTC))
    assert _one(config, daily, datetime(2026, 11, 10, 23, 1, tzinfo=UTC)).is_due
    changed = entries_of(config_in(tmp_path, "schedule: {daily_digest: 2 days}"))["daily_digest"]
    assert (changed.every, changed.calendar) == ("2 days", None)


def test_entries_wait_for_what_they_need(tmp_path: Path) -> None:
    config = config_in(tmp_path, "suites: {retrieval: r.yaml}\n")
    entries = entries_of(config)
    assert _one(config, entries["completion"], NOON).missing == "no event log yet"
    assert _one(config, entries["input_gate"], NOON).missing == "no decision of a gate yet"
    assert _one(config, entries["red_team"], NOON).missing == "no campaign under `redteam:`"
    assert "switch it on: `schedule: {retrieval: on}`" in _one(config, entries["retrieval"], NOON).missing
    keep(config, traffic(1)[:1])
    assert _one(config, entries["completion"], NOON).missing == ""
    on = config_in(tmp_path, "suites: {retrieval: r.yaml}\nschedule: {retrieval: on}\n")
    assert _one(on, entries_of(on)["retrieval"], NOON).missing == ""


def test_proctor_yaml_changes_switches_off_and_adds_entries(tmp_path: Path) -> None:
    text = """
schedule:
  completion: {every: 12 h, most: 0.1}
  red_team: off
  daily_digest: {send: true}
  audit: 2 weeks
  nightly: {every: 1 day, run: "score talks.jsonl", timeout: 1 h}
"""
    entries = entries_of(config_in(tmp_path, text))
    assert (entries["completion"].every, entries["completion"].most, entries["completion"].measure) == (
        "12 h",
        0.1,
        "completion",
    )
    assert "red_team" not in entries
    assert entries["daily_digest"].send
    assert entries["daily_digest"].calendar == "daily"
    assert entries["audit"].every == "2 weeks"
    assert entries["nightly"].run == "score talks.jsonl"


def test_every_problem_of_the_schedule_is_named(tmp_path: Path) -> None:
    text = """
schedule:
  complettion: 1 day
  own: {every: 1 day}
  audit: {every: soon}
  drift: {colour: red}
  escalations: 3
"""
    with pytest.raises(MalformedError) as caught:
        entries_of(config_in(tmp_path, text))
    told = {each.where: f"{each.message} {each.hint}" for each in caught.value.problems}
    assert "did you mean 'completion'?" in told["schedule.complettion"]
    assert "or give it `every:` and `run:`" in told["schedule.own"]
    assert "expected a length of time" in told["schedule.audit"]
    assert "unknown key" in told["schedule.drift.colour"]
    assert "expected a length of time, on, off" in told["schedule.escalations"]
    assert {each.line for each in caught.value.problems} >= {3, 4}


def test_a_failure_is_a_result(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def broken(context: MeasureContext, entry: ScheduleEntry) -> EntryResult:
        raise ValueError("a defect")

    config = config_in(tmp_path)
    monkeypatch.setitem(MEASURES, "scores", broken)
    context = MeasureContext(config=config, now=NOON)
    with ScheduleState(config.store) as state:
        entries = {entry.name: entry for entry in DEFAULT_ENTRIES}
        done = run_entry(context, state, entries["generation_quality"], lambda: NOON)
        assert (done.code, done.summary) == (2, "ValueError: a defect")
        done = run_entry(context, state, entries["completion"], lambda: NOON)
        assert done.code == 2
        assert "this project has no event log" in done.summary
        last = state.last("completion", finished=True)
        assert last is not None
        assert last.result == done


def test_a_command_runs_in_its_own_process_and_its_last_line_is_kept(tmp_path: Path) -> None:
    config = config_in(tmp_path)
    context = MeasureContext(config=config, now=NOON)
    with ScheduleState(config.store) as state:
        assert run_entry(context, state, _entry(run="list scorers"), lambda: NOON).code == 0
        wrong = run_entry(context, state, _entry(run="lisst"), lambda: NOON)
        assert wrong.code == 2
        assert "there is no verb 'lisst'" in wrong.summary
        slow = run_entry(context, state, _entry(run="list scorers", timeout="0.01 s"), lambda: NOON)
        assert slow == EntryResult(code=2, summary="`proctor list scorers` took longer than 0.01 s")


def test_the_reason_of_a_failed_command_is_kept_with_its_hint(tmp_path: Path) -> None:
    config = config_in(tmp_path)
    with ScheduleState(config.store) as state:
        context = MeasureContext(config=config, now=NOON)
        done = run_entry(context, state, _entry(run="audit sample"), lambda: NOON)
    assert done.code == 2
    assert "there is no event log in the store" in done.summary
    assert "hint: name event log files" in done.summary


def test_the_audit_is_drawn_once_and_a_week_without_conversations_is_no_failure(tmp_path: Path) -> None:
    config = config_in(tmp_path)
    keep(config, traffic(1))  # of Monday, 2 November: week 45
    entry = next(each for each in DEFAULT_ENTRIES if each.name == "audit")

    def result(now: datetime) -> EntryResult:
        with ScheduleState(config.store) as state:
            return run_entry(MeasureContext(config=config, now=now), state, entry, lambda: now)

    early = result(NOON - timedelta(days=7))
    assert (early.code, early.summary) == (3, "no conversation began in week 2026-W44")
    drawn = result(NOON)
    assert drawn.code == 0
    assert drawn.summary.startswith("2026-W45: ")
    again = result(NOON)
    assert (again.code, again.summary) == (3, "week 2026-W45 has its sample already")


def test_limits_are_about_the_first_figure() -> None:
    result = EntryResult(
        summary="12 %", figures={"repeat": Measured(value=0.12, count=50), "other": Measured(value=0.9)}
    )
    assert limited(_entry(most=0.2), result).code == 0
    assert limited(_entry(most=0.1), result) == EntryResult(
        code=1, summary="12 %; over its limit of 0.1", figures=result.figures
    )
    assert limited(_entry(least=0.5), result).code == 1
    assert limited(_entry(least=0.5), EntryResult(code=3)).code == 3
    assert limited(_entry(least=0.5), EntryResult(figures={"x": Measured()})).code == 0


def _gate_event(number: int, action: Any, by: str = "injection", *, point: str = "input") -> Event:
    verdict = Verdict(action=action, gate=point, by=by if action != "allow" else None)
    time = NOON - timedelta(minutes=30) + timedelta(seconds=number)
    return Event(kind="gate", id=f"g{number}", time=time, session=f"s{number}", name=point, verdict=verdict)


def _measured(config: Config, name: str) -> EntryResult:
    entry = next(each for each in DEFAULT_ENTRIES if each.name == name)

    async def measured() -> EntryResult:
        return await MEASURES[entry.measure](MeasureContext(config=config, now=NOON), entry)

    return asyncio.run(measured())


def test_gates_are_measured_from_events_over_decisions_or_turns(tmp_path: Path) -> None:
    config = config_in(tmp_path)
    keep(config, [_gate_event(n, "block" if n < 3 else "allow") for n in range(20)])
    done = _measured(config, "input_gate")
    assert done.summary.startswith("20 decisions: stopped 15.0 % (5.2–36.0 %); injection stopped 15.0 %")
    assert done.figures["stopped"].count == 20
    assert _measured(config, "output_gate").code == 3, "no gate decided about an answer"


def test_gates_that_log_only_what_they_stop_are_measured_over_turns(tmp_path: Path) -> None:
    config = config_in(tmp_path)
    turns = [
        Event(kind="turn", id=f"t{n}", time=NOON - timedelta(minutes=20), session=f"s{n}", turn=Turn())
        for n in range(50)
    ]
    keep(config, [*turns, _gate_event(1, "block"), _gate_event(2, "escalate", "commitments", point="output")])
    assert _measured(config, "input_gate").summary.startswith("50 turns: stopped 2.0 %")
    assert "policy violation 2.0 %" in _measured(config, "output_gate").summary


def test_gates_are_measured_from_the_guards_log_with_what_people_said(tmp_path: Path) -> None:
    config = config_in(tmp_path)
    lines = []
    for number in range(10):
        action = "redact" if number < 2 else "allow"
        part = {"gate": "pii", "action": action, "findings": [{"kind": "email"}] if number < 2 else []}
        row = {
            "id": f"g{number}",
            "kind": "gate",
            "time": (NOON - timedelta(minutes=10)).isoformat(),
            "session": f"s{number}",
            "name": "input",
            "verdict": {"action": action, "gate": "input", "by": "pii"},
            "metadata": {"parts": [part]},
        }
        lines.append(json.dumps(row))
    folder = config.store / "guard"
    folder.mkdir(parents=True)
    (folder / "2026-11-11.ndjson").write_text("\n".join(lines) + "\n", encoding="utf-8")
    done = _measured(config, "input_gate")
    assert "10 steps: stopped 0 %" in done.summary
    assert "personal data masked 20.0 %" in done.summary
    assert "F1 of PII not measured" in done.summary
    assert _measured(config, "output_gate").code == 3


def test_scores_of_the_last_hour_stay_on_their_scale(tmp_path: Path) -> None:
    config = config_in(tmp_path)
    values = (0.99, 0.8)
    keep(
        config,
        [
            Event(kind="score", id=f"e{n}", time=NOON - timedelta(minutes=n + 1), name="grounded", value=value)
            for n, value in enumerate(values)
        ],
    )
    done = _measured(config, "generation_quality")
    assert done.figures["grounded"].high == 1.0
    assert done.figures["grounded"].count == 2
