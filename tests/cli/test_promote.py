from __future__ import annotations

import json
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest

from proctor.config import open_config
from proctor.core.case import Case
from proctor.suites.append import cases_in
from proctor.suites.load import open_suite
from proctor.workflows.promote import results
from tests.cli.conftest import Project

SAID = [
    {"role": "user", "content": "How long?"},
    {"role": "assistant", "content": "No idea"},
    {"role": "user", "content": "Really?"},
    {"role": "assistant", "content": "Yes"},
]
CHECKS = "scorers:\n  - contains: {value: DAYS, ignore_case: true}\ndefaults: {expect: {facts: [3 days]}}\n"


@pytest.fixture
def failed(project: Project) -> Project:
    project.write("log.jsonl", json.dumps({"id": "a", "messages": SAID}) + "\n")
    project.write("checks.yaml", CHECKS)
    project.run("score", "log.jsonl", "--suite", "checks.yaml", "-q", code=1)
    return project


def test_what_failed_becomes_a_case_that_runs(failed: Project) -> None:
    done = failed.run("promote", "last", "--failed", "--to", "suites/regressions.yaml", code=0)
    assert "1 added" in done.stdout
    assert "next: proctor run suites/regressions.yaml" in done.stderr
    path = failed.folder / "suites/regressions.yaml"
    (case,) = open_suite(path).cases()
    assert [ask.text for ask in case.asks] == ["How long?", "Really?"]
    assert case.expect.facts == ("3 days",)
    assert [(check.scorer, dict(check.settings)) for check in case.checks] == [
        ("contains", {"value": "DAYS", "ignore_case": True})
    ]
    failed.write("agent.py", "def answer(message):\n    return '3 days'\n")
    failed.run("run", "suites/regressions.yaml", "-t", "python:agent.py:answer", "-q", code=0)


def test_an_unknown_target_is_named_with_those_of_the_run(failed: Project) -> None:
    done = failed.run("promote", "last", "-t", "nobody", "--to", "r.yaml", code=2)
    assert "had no target 'nobody'" in done.stderr
    assert "it had: " in done.stderr
    named = done.stderr.partition("it had: ")[2].splitlines()[0]
    assert "1 added" in failed.run("promote", "last", "-t", named, "--to", "r.yaml", code=0).stdout


def test_it_is_added_once_and_comments_stay(failed: Project) -> None:
    path = failed.write("r.yaml", "# ours\ncases:\n  - {id: other, input: x, checks: [fluency]}  # keep\n")
    failed.run("promote", "last", "--to", "r.yaml", code=0)
    before = path.read_text()
    assert "# ours" in before
    assert "# keep" in before
    again = failed.run("promote", "last", "--to", "r.yaml", code=0)
    assert "0 added, 1 there already" in again.stdout
    assert "next:" not in again.stderr
    assert path.read_text() == before


def test_a_recording_can_be_kept_and_scored_without_an_agent(failed: Project) -> None:
    failed.run("promote", "last", "--recording", "--case", "a", "--to", "r.jsonl", code=0)
    (case,) = open_suite(failed.folder / "r.jsonl").cases()
    assert case.recorded is not None
    failed.run("score", "r.jsonl", "--suite", "checks.yaml", "-q", code=1)


def test_a_run_and_a_case_that_are_not_there_are_told(failed: Project) -> None:
    assert "nothing" in failed.run("promote", "nothing", code=2).stderr
    assert "'z'" in failed.run("promote", "last", "--case", "z", code=2).stderr
    assert ".txt" in failed.run("promote", "last", "--to", "r.txt", code=2).stderr


def test_no_case_is_lost_when_two_runs_are_promoted_at_once(failed: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = [{"role": "user", "content": "How much?"}, {"role": "assistant", "content": "No idea"}]
    first = failed.last_run()
    failed.write("log.jsonl", json.dumps({"id": "b", "messages": asked}) + "\n")
    failed.run("score", "log.jsonl", "--suite", "checks.yaml", "-q", code=1)
    both = threading.Barrier(2)

    def read(path: Path) -> list[Case]:
        found = cases_in(path)
        with suppress(threading.BrokenBarrierError):
            both.wait(timeout=1)  # if nothing holds them apart, both have read before one writes
        return found

    monkeypatch.setattr(results, "cases_in", read)
    config, out = open_config(failed.folder), failed.folder / "r.yaml"
    with ThreadPoolExecutor(2) as pool:
        made = list(pool.map(lambda run: results.promote(config, run, out), (first, failed.last_run())))
    assert [len(each.added) for each in made] == [1, 1]
    assert sorted(case.asks[0].text for case in cases_in(out)) == ["How long?", "How much?"]


def test_a_case_that_would_not_fail_what_failed_is_told(project: Project) -> None:
    at = "2026-11-15T09:30:00Z"
    said = [{"role": "user", "content": "Was kostet der Dispokredit?"}]
    said += [{"role": "assistant", "content": "Der Dispokredit ist kostenlos."}]
    turn = {"messages": said, "sources": [{"id": "fees", "text": "Der Dispokredit kostet 9,9 % im Jahr."}]}
    events = [
        {"id": "t", "kind": "turn", "time": at, "session": "s1", "turn": turn},
        {"id": "g", "kind": "score", "time": at, "session": "s1", "name": "grounded", "value": 0.0},
    ]
    project.write("events.ndjson", "".join(json.dumps(each) + "\n" for each in events))
    project.run("history", "add", "events.ndjson", code=0)
    done = project.run("promote", "--conversation", "s1", "--to", "r.yaml", code=0)
    assert "warning: incident-s1 would not fail the answer that failed: nothing to judge: grounded: " in done.stderr
    assert "metadata: {section: price}" in done.stderr
    again = project.run("promote", "--conversation", "s1", "--to", "r2.yaml", "--must-not-say", "kostenlos", code=0)
    assert "warning" not in again.stderr


def test_what_is_in_doubt_becomes_a_case_on_request(project: Project) -> None:
    call = {"id": "1", "type": "function", "function": {"name": "search_faq", "arguments": "{}"}}
    said = [
        {"role": "user", "content": "What does breakfast cost?"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "1", "content": '{"text": "Breakfast costs 18 euros per person."}'},
        {"role": "assistant", "content": "Breakfast costs 28 euros per person."},
    ]
    project.write("log.jsonl", json.dumps({"id": "a", "messages": said}) + "\n")
    project.run("score", "log.jsonl", "--light", "-q", code=0)
    assert "0 added" in project.run("promote", "last", "--failed", "--unscored", "--to", "r.jsonl", code=0).stdout
    named = project.run("promote", "last", "--case", "a", "--to", "r.jsonl", code=0)
    assert "left out: a is a case in doubt; `--doubt` adds it" in named.stderr
    done = project.run("promote", "last", "--doubt", "--case", "a", "--to", "r.jsonl", code=0)
    assert "1 added" in done.stdout
    (case,) = open_suite(project.folder / "r.jsonl").cases()
    assert [ask.text for ask in case.asks] == ["What does breakfast cost?"]
    assert [check.scorer for check in case.checks] == ["conversation"]
    (found,) = case.metadata["promoted"]["in_doubt"]
    assert (found["part"], found["turn"]) == ("turn_facts", 0)
    assert "1 there already" in project.run("promote", "last", "--doubt", "--to", "r.jsonl", code=0).stdout
