"""Resumed runs: one writer, one budget, and a damaged or lost run brought back."""

from __future__ import annotations

import json
import time
from collections.abc import Callable

import pytest

from proctor.core.errors import StoreError
from proctor.store.runs import RunStore
from proctor.store.trends import cells_of
from tests.cli.conftest import Project, interrupt

Suite = Callable[..., str]


@pytest.fixture
def priced(project: Project) -> Project:
    """The stub with a price: a cent for each call."""
    text = (project.folder / "proctor.yaml").read_text().replace("attempts: 3", "price: {input: 1000, output: 0}")
    project.write("proctor.yaml", text)
    return project


def _asked(project: Project) -> int:
    return sum(project.server.asked.values())


def test_a_run_that_is_alive_cannot_be_resumed(project: Project, suite_of: Suite) -> None:
    project.server.latency = 0.2
    process = project.start("run", suite_of(40), "-j", "2")
    while sum(project.server.answered.values()) < 4:
        assert process.poll() is None, process.communicate()
        time.sleep(0.01)
    run = project.last_run()
    refused = project.run("run", "--resume", run, code=2)
    assert f"run {run} is still running: process " in refused.stderr
    assert f"proctor show {run}" in refused.stderr
    assert "still running" in project.run("doctor", "--rebuild", run, code=2).stderr
    assert "running" in project.run("list", code=0).stdout
    process.kill()
    process.communicate()
    assert "interrupted" in project.run("list", code=0).stdout
    project.server.latency = 0.0
    assert "40 of 40 passed" in project.run("run", "--resume", run, code=0).stdout


def test_one_budget_for_a_run_whatever_the_legs(priced: Project, suite_of: Suite) -> None:
    done = priced.run("run", suite_of(30), "-j", "1", "--budget", "0.05", code=3)
    assert "proctor run --resume" in done.stderr
    spent = _asked(priced)
    assert 4 <= spent <= 6
    again = priced.run("run", "--resume", "last", code=3)
    assert "the budget is spent" in again.stderr
    assert _asked(priced) == spent  # the same budget, not another one
    priced.run("run", "--resume", "last", "--budget", "0.1", code=3)
    assert 9 <= _asked(priced) <= 11
    done = priced.run("run", "--resume", "last", "--budget", "1", "-o", "r.json", code=0)
    assert "30 of 30 passed" in done.stdout
    assert set(priced.server.asked.values()) == {1}
    report = json.loads((priced.folder / "r.json").read_text())["report"]
    assert report["settings"]["run"]["budget"] == 1
    assert "leg 4: the budget was changed from $0.1 to $1" in report["notes"]
    assert sum(each["cost"] for each in report["spend"]) == pytest.approx(0.3)


def test_what_a_killed_leg_spent_counts(priced: Project, suite_of: Suite) -> None:
    priced.server.latency = 0.03
    process = priced.start("run", suite_of(40), "-j", "1", "--budget", "0.3")
    while sum(priced.server.answered.values()) < 12:
        assert process.poll() is None, process.communicate()
        time.sleep(0.005)
    process.kill()
    process.communicate()
    priced.server.latency = 0.0
    priced.run("run", "--resume", "last", code=3)
    # Thirty cents are thirty calls; only the call in flight at the kill is unknown to everybody.
    assert 29 <= _asked(priced) <= 32


def test_a_budget_given_only_on_resume_counts_the_legs_before(priced: Project, suite_of: Suite) -> None:
    priced.server.latency = 0.1
    process = priced.start("run", suite_of(30), "-j", "1")
    while sum(priced.server.answered.values()) < 6:
        assert process.poll() is None, process.communicate()
        time.sleep(0.01)
    interrupt(process)
    before = _asked(priced)
    priced.server.latency = 0.0
    priced.run("run", "--resume", "last", "--budget", "0.1", code=3)
    assert 9 <= _asked(priced) <= max(11, before)


def test_a_judge_that_the_budget_refused_is_asked_on_resume_and_the_target_is_not(
    priced: Project, suite_of: Suite
) -> None:
    priced.run("run", suite_of(10, judge=True), "-j", "2", "--budget", "0.07", code=3)
    assert any(question.startswith("judge") for question in priced.server.asked)
    done = priced.run("run", "--resume", "last", "--budget", "5", code=0)
    assert "10 of 10 passed" in done.stdout
    assert len(priced.server.asked) == 20
    assert set(priced.server.asked.values()) == {1}


def test_a_model_without_a_price_is_refused_before_the_first_call(project: Project, suite_of: Suite) -> None:
    done = project.run("run", suite_of(4), "--budget", "1", code=2)
    assert "the price of compatible:stub is not known" in done.stderr
    assert "prices: {'compatible:stub'" in done.stderr
    assert _asked(project) == 0
    assert "no runs yet" in project.run("list", code=0).stderr


def test_options_without_effect_on_resume_are_named(project: Project, suite_of: Suite) -> None:
    project.run("run", suite_of(2), code=0)
    done = project.run("run", "--resume", "last", "-k", "3", "--tag", "x", code=0)
    assert "ignored" in done.stderr
    assert "--repeat" in done.stderr
    assert "--tag" in done.stderr


def test_a_damaged_run_is_listed_rebuilt_and_finished(project: Project, suite_of: Suite) -> None:
    project.run("run", suite_of(6), code=0)
    run = project.last_run()
    path = project.folder / ".proctor" / "runs" / run / "journal.ndjson"
    lines = path.read_bytes().splitlines(keepends=True)
    lines[3] = lines[3][:20] + b"\n"
    path.write_bytes(b"".join(lines))
    assert f"proctor doctor --rebuild {run}" in project.run("export", run, "-o", "x.csv", code=3).stderr
    assert f"proctor doctor --rebuild {run}" in project.run("doctor", code=0).stdout
    rebuilt = project.run("doctor", "--rebuild", run, code=0).stdout
    assert "journal.ndjson:4: is not a JSON object; it was skipped" in rebuilt
    assert "5 of 6 results are indexed" in rebuilt
    assert len(project.run("show", run, "--page", "1", code=0).stdout.splitlines()) == 1 + 5
    before = _asked(project)
    assert "6 of 6 passed" in project.run("run", "--resume", run, code=0).stdout
    assert _asked(project) == before + 1


def test_a_run_of_a_lost_database_is_put_back_and_finished(project: Project, suite_of: Suite) -> None:
    project.run("run", suite_of(4), code=0)
    run = project.last_run()
    for path in (project.folder / ".proctor").glob("proctor.db*"):
        path.unlink()
    assert run in project.run("doctor", code=0).stdout
    assert "4 of 4 results" in project.run("doctor", "--rebuild", run, code=0).stdout
    before = _asked(project)
    assert "4 of 4 passed" in project.run("run", "--resume", run, code=0).stdout
    assert _asked(project) == before


def test_a_run_whose_points_met_a_full_disk_is_not_finished_before_it_has_them(
    project: Project, suite_of: Suite, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise StoreError("the disk is full")

    with monkeypatch.context() as patched:
        patched.setattr("proctor.workflows.run.job.keep_points", full)
        project.run("run", suite_of(3), code=3)
    asked = _asked(project)
    project.run("run", "--resume", "last", code=0)
    assert _asked(project) == asked
    with RunStore(project.folder / ".proctor") as store:
        (run,) = store.list()
        assert run.status == "finished"
        assert {cell.cases for cell in cells_of(store, run)} == {3}


def test_a_finished_run_that_is_resumed_stays_finished(project: Project, suite_of: Suite) -> None:
    """A process that waited for the run's lock must not take back the decision that another one just made."""
    project.run("run", suite_of(3), code=0)
    run = project.last_run()
    with RunStore(project.folder / ".proctor") as store:
        before = store.get(run)
        assert "3 of 3 passed" in project.run("run", "--resume", run, code=0).stdout
        assert store.get(run) == before
    assert not (project.folder / ".proctor" / "runs" / run / "calls.ndjson").exists()
