"""Alerts in SQLite: one open alert for a problem whoever writes, nothing half done after a kill."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from proctor.core.alert_record import AlertRecord, RuleLimit, RuleStatus, Silence
from proctor.core.errors import NotFoundError, StoreError
from proctor.store.alert_spool import AlertSpool
from proctor.store.alert_state import AlertState

NOW = 1_763_000_000.0


def alert(fingerprint: str = "a" * 16, fired: float = NOW) -> AlertRecord:
    return AlertRecord(
        fingerprint=fingerprint,
        rule="latency",
        kind="p95",
        tier="critical",
        started=fired,
        fired=fired,
        updated=fired,
        window_start=fired - 300,
        window_end=fired,
        examples=("s1",),
    )


@pytest.fixture
def state(tmp_path: Path) -> Iterator[AlertState]:
    with AlertState(tmp_path) as made:
        yield made


def test_a_problem_has_one_open_alert(state: AlertState) -> None:
    first, new = state.open_alert(alert(), again_within=1800)
    assert (first.number, new) == (1, True)
    same, new = state.open_alert(alert(), again_within=1800)
    assert (same.number, new) == (1, False)
    state.update_alert(replace(first, resolved=NOW + 60, state="resolved"))
    again, new = state.open_alert(alert(fired=NOW + 600), again_within=1800)
    assert (again.number, new, again.times) == (1, True, 2)
    state.update_alert(replace(again, resolved=NOW + 700, state="resolved"))
    later, new = state.open_alert(alert(fired=NOW + 7200), again_within=1800)
    assert (later.number, new, later.times) == (2, True, 1)
    assert [each.number for each in state.alerts()] == [2, 1]
    assert [each.number for each in state.alerts(open_only=True)] == [2]


def test_figures_do_not_overwrite_what_a_person_said(state: AlertState) -> None:
    made, _ = state.open_alert(alert(), again_within=0)
    state.acknowledge(made.number, by="ann", now=NOW + 5, note="looking")
    kept = state.update_alert(replace(made, value=9.0))
    assert (kept.acked_by, kept.note, kept.value) == ("ann", "looking", 9.0)
    ended = state.resolve(made.number, by="ann", now=NOW + 9)
    assert ended.state == "resolved"
    assert state.update_alert(replace(made, value=3.0)).resolved == NOW + 9
    with pytest.raises(StoreError, match="has ended"):
        state.acknowledge(made.number, by="bob", now=NOW + 10)


def test_alerts_are_found_by_number_rule_and_fingerprint(state: AlertState) -> None:
    state.open_alert(alert(), again_within=0)
    state.open_alert(alert("b" * 16), again_within=0)
    assert state.find("1").number == 1
    assert state.find("#2").number == 2
    assert state.find("latency").number == 2
    assert state.find("aaaaaa").number == 1
    for name in ("3", "aaa", ""):
        with pytest.raises(NotFoundError, match="no alert"):
            state.find(name)


def test_silences(state: AlertState) -> None:
    made = state.add_silence(Silence(match={"rule": "latency"}, until=NOW + 60, by="ann", created=NOW))
    assert state.silences(NOW) == [made]
    assert made.covers(alert(), NOW)
    assert not made.covers(alert(), NOW + 60)
    assert not Silence(match={"rule": "latency", "intent": "x"}, until=NOW + 60).covers(alert(), NOW)
    state.end_silence(made.number, NOW + 1)
    assert state.silences(NOW + 2) == []
    with pytest.raises(NotFoundError, match="no silence"):
        state.end_silence(made.number, NOW + 3)


def test_one_process_leads_until_its_time_is_over(state: AlertState) -> None:
    assert state.lead("a", NOW, 60)
    assert not state.lead("b", NOW + 59, 60)
    assert state.lead("a", NOW + 59, 60)
    assert state.lead("b", NOW + 120, 60)
    assert not state.lead("a", NOW + 121, 60)
    state.step_down("b")
    assert state.lead("a", NOW + 122, 60)
    assert state.lead("c", NOW - 100_000, 60)  # the clock was far ahead, and was set back


def test_what_was_learnt_and_the_status_are_kept(state: AlertState) -> None:
    state.save_all({"x": {"a": [1, 2.5]}})
    assert state.load("x") == {"a": [1, 2.5]}
    assert state.load("y") is None
    limit = RuleLimit(rule="latency", kind="p95", smallest=0.13, text="sees 13 %")
    status = RuleStatus(rule="latency", kind="p95", tier="critical", state="ok", since=NOW, limit=limit)
    state.set_status([status])
    assert state.status() == [status]


def _open_many(folder: str, count: int) -> None:
    with AlertState(Path(folder)) as state:
        for number in range(count):
            state.open_alert(alert(f"{number:016x}"), again_within=0)


def test_two_processes_open_each_problem_once(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=_open_many, args=(str(tmp_path), 40)) for _ in range(2)]
    for each in workers:
        each.start()
    for each in workers:
        each.join()
    assert [each.exitcode for each in workers] == [0, 0]
    with AlertState(tmp_path) as state:
        assert len(state.alerts()) == 40


WRITER = """
import sys
from pathlib import Path
from dataclasses import replace
from tests.store.test_alert_state import alert
from proctor.store.alert_state import AlertState
from proctor.store.alert_spool import AlertSpool
folder = Path(sys.argv[1])
state, spool = AlertState(folder), AlertSpool(folder)
number = 0
while True:
    number += 1
    made, _ = state.open_alert(alert(f"{number:016x}"), again_within=0)
    spool.add("desk", {"number": made.number}, 1.0)
    state.mark_notified(made.number, 1.0, "fired")
    state.save_all({"count": {"opened": number}, "same": {"opened": number}})
    print(number, flush=True)
"""


def test_a_killed_writer_leaves_nothing_half_done(tmp_path: Path) -> None:
    for _ in range(3):
        process = subprocess.Popen(
            [sys.executable, "-c", WRITER, str(tmp_path)], stdout=subprocess.PIPE, text=True, cwd=Path.cwd()
        )
        assert process.stdout is not None
        while int(process.stdout.readline()) < 10:
            pass
        time.sleep(0.02)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        process.stdout.close()
        with AlertState(tmp_path) as state:
            assert state.load("count") == state.load("same")
            told = {each.number for each in state.alerts() if each.notified is not None}
            spooled = {each.envelope["number"] for each in AlertSpool(tmp_path).waiting()}
            assert told <= spooled  # who counts as told has a message on disk
            assert len(told) >= 10


def test_a_message_waits_longer_each_time_and_is_given_up_after_a_day(tmp_path: Path) -> None:
    spool = AlertSpool(tmp_path)
    message = spool.add("desk", {"alerts": []}, NOW)
    assert spool.folder.stat().st_mode & 0o077 == 0
    waits = []
    for _ in range(10):
        message = spool.failed(message, "it was down", NOW, final=False)
        waits.append(message.due - NOW)
    assert waits[:4] == [5, 10, 20, 40]
    assert max(waits) == 600
    spool.failed(message, "it was down", NOW + 86_400, final=False)
    assert spool.waiting() == []
    assert [each.failure for each in spool.dead()] == ["it was down"]


def test_a_torn_file_in_the_spool_stops_nothing(tmp_path: Path) -> None:
    spool = AlertSpool(tmp_path)
    spool.add("desk", {"alerts": []}, NOW)
    (spool.folder / "0-torn.json").write_text('{"id": ')
    assert len(spool.waiting()) == 1
    assert (spool.folder / "dead" / "0-torn.json").exists()
