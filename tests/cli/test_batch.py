from __future__ import annotations

import json

import pytest

from proctor.core.codec import dumps
from tests.cli.conftest import Project
from tests.store.event_rows import event, turn_event
from tests.workflows.batch.logs import scores_in, write_logs

CHECKS = "name: desk\nscorers:\n  - judge: is right\ncases:\n  - {id: c0-0, expect: {facts: [3 days]}}\n"


@pytest.fixture
def judged(project: Project) -> Project:
    text = (project.folder / "proctor.yaml").read_text().replace("attempts: 3", "price: {input: 1000, output: 0}")
    project.write("proctor.yaml", text)
    project.write("checks.yaml", CHECKS)
    write_logs(project.folder / "in", 4, 5, turns=1)
    return project


def test_the_budget_is_one_for_all_workers_and_no_call_is_paid_twice(judged: Project) -> None:
    words = ["batch", "score", "in", "--suite", "checks.yaml", "-o", "out", "--workers", "2", "-j", "1"]
    first = judged.run(*words, "--budget", "0.08")
    made = sum(judged.server.asked.values())
    assert first.returncode == 3
    assert "raise it and run the same command" in first.stderr
    assert 7 <= made <= 12  # a cent each; each shard under way may go over by one call
    second = judged.run(*words, "--budget", "5")
    assert "4 of 4 shards, 20 conversations" in second.stdout
    assert sum(judged.server.asked.values()) == 20
    assert "cost $0.2" in second.stdout
    assert "4 of 4 shards" in judged.run("batch", "show", "out").stdout
    assert not list((judged.folder / "out").rglob("*.ndjson"))  # the logs of calls have done their work
    rows = [json.loads(line) for data in scores_in(judged.folder / "out").values() for line in data.splitlines()]
    assert len({row["id"] for row in rows}) == 20


def test_a_model_without_a_price_has_no_budget(judged: Project) -> None:
    text = (judged.folder / "proctor.yaml").read_text().replace("price: {input: 1000, output: 0}", "attempts: 1")
    judged.write("proctor.yaml", text)
    done = judged.run("batch", "score", "in", "--suite", "checks.yaml", "-o", "out", "--budget", "1", "--workers", "1")
    assert done.returncode == 3
    assert "not scored" in done.stderr


def test_event_files_and_the_logs_of_the_store_are_read_without_naming_a_format(project: Project) -> None:
    made = [event(0, "csat", value=4.0), *[turn_event(n) for n in range(10)]]  # 10 turns in 2 sessions
    project.write("events.ndjson", "".join(dumps(each).decode() + "\n" for each in made))
    plain = project.run("batch", "score", "events.ndjson", "--scorers", "conversation", "--light", "-o", "plain")
    assert "1 of 1 shards, 2 conversations" in plain.stdout
    project.run("history", "add", "events.ndjson", code=0)
    (log,) = project.folder.glob("*/events/*.ndjson")
    project.write("log.ndjson", f"{' ' * 40}\n{log.read_text()}")  # the first line was erased
    words = ["batch", "score", "log.ndjson", "--scorers", "conversation", "--light", "-o", "logged"]
    assert "1 of 1 shards, 2 conversations" in project.run(*words).stdout


def test_what_is_wrong_is_told_with_a_hint(project: Project) -> None:
    write_logs(project.folder / "in", 1, 1)
    assert "Missing option" in project.run("batch", "score", "in", code=2).stderr
    assert "no file fits" in project.run("batch", "score", "in/*.parquet", "-o", "out", code=2).stderr
    wrong = project.run("batch", "score", "in", "--scorers", "pii_shown,fluensy", "-o", "out", code=2)
    assert "fluency" in wrong.stderr
    assert "no finished batch" in project.run("batch", "show", "in", code=2).stderr
    project.write("file", "")
    told = project.run("batch", "score", "in", "--scorers", "pii_shown", "-o", "file/out")
    assert told.returncode == 3
    assert "cannot be written" in told.stderr
