"""A store of the version before: its runs are shown, compared, decided on, resumed, scored again and rebuilt."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing

import pytest

from proctor.project import Project
from proctor.store.run_reader import RunReader
from tests.upgrade.conftest import Shop

PASS_OF_EACH = {"finished": 8, "guarded": 16, "prompt": 8, "scored": 3, "replayed": 2, "worse": 6, "stopped": 5}


def test_every_run_is_listed_with_its_figures(shop: Shop) -> None:
    rows = [line.split("\t") for line in shop.run("list").stdout.splitlines()[1:]]
    assert {row[0]: int(row[3]) for row in rows} == {shop.runs[name]: count for name, count in PASS_OF_EACH.items()}
    assert {row[2] for row in rows} == {"passed", "interrupted"}


def test_every_run_and_case_is_shown(shop: Shop) -> None:
    for name in PASS_OF_EACH.keys() - {"stopped"}:
        assert "PASSED" in shop.run("show", shop.runs[name]).stdout, name
    shown = shop.run("show", shop.runs["guarded"], "order-status").stdout
    assert "find_order" in shown
    assert "input: allow" in shown
    row = json.loads(shop.run("show", shop.runs["finished"], "returns", "--json").stdout.splitlines()[0])
    assert row["outcome"] == "pass"


def test_every_result_is_read_by_the_python_api(shop: Shop) -> None:
    with Project.open(shop.folder / "proctor.yaml") as project:
        assert project.evaluation(shop.runs["finished"]).passed
        for name, run in shop.runs.items():
            results = list(RunReader(project.store, project.store.get(run)).results())
            assert sum(each.outcome == "pass" for each in results) == PASS_OF_EACH[name], name
            assert all(each.scores for each in results if each.outcome != "unscored"), name


def test_a_run_is_compared_with_the_old_baseline_and_held(shop: Shop) -> None:
    compared = shop.run("compare", shop.runs["worse"]).stdout
    assert "10 cases are in both runs" in compared
    held = shop.run("gate", shop.runs["worse"], code=1).stdout
    assert "HOLD" in held
    assert "csv-return, returns" in held


def test_a_run_of_today_is_compared_after_the_old_baseline_was_scored_again(shop: Shop) -> None:
    shop.run("run", "first", "-t", "agent")
    assert "scorers changed since the baseline" in shop.run("gate", "last", code=3).stdout
    again = shop.run("gate", "last", "--rescore-baseline", "-o", "again.json", code=3).stdout
    assert "the baseline was scored again with today's scorers" in again
    changes = json.loads((shop.folder / "again.json").read_text())["changes"]
    assert changes
    assert all(each["before"] == pytest.approx(each["after"]) for each in changes)


def test_a_stopped_run_is_finished_by_today_s_code(shop: Shop) -> None:
    done = shop.run("run", "--resume", shop.runs["stopped"]).stdout
    assert "8 of 10 passed" in done
    assert "the code of scorers changed since the run began" in " ".join(done.split())
    # the record names both, so the run is not taken for one of today's scorers alone
    assert "scorers changed since the baseline" in shop.run("compare", shop.runs["stopped"]).stdout
    rescored = shop.run("gate", shop.runs["stopped"], "--rescore-baseline", code=3).stdout
    assert "the run and the baseline were scored again" in rescored
    with Project.open(shop.folder / "proctor.yaml") as project:
        record = project.store.get(shop.runs["stopped"])
        assert record.status == "finished"
        assert {code.count("+") for name, code in record.fingerprint.scorer_hashes.items() if name} == {1}
    again = shop.run("run", "--resume", shop.runs["stopped"]).stdout
    assert again.count("the code of scorers changed") == 1  # the note of the first time


def test_a_changed_suite_still_refuses_to_resume(shop: Shop) -> None:
    suite = shop.folder / "suites" / "first.yaml"
    suite.write_text(suite.read_text(encoding="utf-8").replace("at_most: 60", "at_most: 59"), encoding="utf-8")
    refused = shop.run("run", "--resume", shop.runs["stopped"], code=2).stderr
    assert "changed since it began" in refused


def test_a_finished_replay_is_resumed_and_a_scored_run_replayed(shop: Shop) -> None:
    _keep_where_it_was(shop)
    assert "2 of 2 passed" in shop.run("replay", "--resume", shop.runs["replayed"]).stdout
    assert "2 of 2 passed" in shop.run("replay", shop.runs["scored"], "--target", "agent", "--light").stdout


def test_failures_become_cases_and_are_run_again(shop: Shop) -> None:
    assert "wrong-colour" in shop.run("promote", shop.runs["finished"], "--failed", "--to", "suites/new.yaml").stdout
    assert "1 of 2 failed" in shop.run("run", "first", "--only-failing", shop.runs["finished"], code=1).stdout


def test_exports_are_written_and_read_again(shop: Shop) -> None:
    shop.run("export", shop.runs["prompt"], "-o", "run.html", "-o", "run.json", "-o", "run.junit.xml", "-o", "run.csv")
    scored = shop.run("score", "exported.jsonl", "--light").stdout
    assert "8 of 10 passed" in scored
    before = json.loads((shop.folder / "exported.json").read_text(encoding="utf-8"))
    shop.run("export", shop.runs["finished"], "-o", "again.json")
    after = json.loads((shop.folder / "again.json").read_text(encoding="utf-8"))
    assert before.keys() <= after.keys()


def test_a_lost_index_is_rebuilt_from_the_old_journals(shop: Shop) -> None:
    for file in (shop.folder / "store").glob("proctor.db*"):
        file.unlink()
    shop.run("doctor", "--rebuild", shop.runs["worse"])
    assert "csv-return" in shop.run("show", shop.runs["worse"], "--outcome", "fail", "--page", "1").stdout


def test_trends_and_the_review_queue_have_what_was_kept(shop: Shop) -> None:
    assert "contains" in shop.run("trend").stdout
    queued = shop.run("review", "list").stdout
    assert "csv-return" in queued
    item = next(line.split("\t")[0] for line in queued.splitlines() if "\treturns\t" in line)
    shop.run("review", "show", item)
    shop.run("review", "resolve", item, "--verdict", "worse", "--by", "desk")


def _keep_where_it_was(shop: Shop) -> None:
    """Make the copy the place in which the project was written: a replay names its questions by their whole path."""
    with closing(sqlite3.connect(shop.folder / "store" / "proctor.db")) as database, database:
        database.execute("UPDATE runs SET settings = replace(settings, '/srv/shop', ?)", (str(shop.folder),))
