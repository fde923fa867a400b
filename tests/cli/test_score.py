from __future__ import annotations

import json
from typing import Any

import pytest

from tests.cli.conftest import Project


def chat(name: str, answer: str, **more: Any) -> str:
    said = [{"role": "user", "content": "How long?"}, {"role": "assistant", "content": answer}]
    return json.dumps({"id": name, "messages": said, **more}) + "\n"


CHECKS = "name: desk\nscorers:\n  - contains: days\ncases:\n  - {id: b, expect: {facts: [3 days]}}\n"


@pytest.fixture
def logs(project: Project) -> Project:
    project.write("log.jsonl", chat("a", "14 days") + chat("b", "No idea"))
    project.write("checks.yaml", CHECKS)
    return project


def test_conversations_are_a_run_like_any_other(logs: Project) -> None:
    done = logs.run("score", "log.jsonl", "--suite", "checks.yaml", "--name", "desk-agent", "-o", "r.jsonl", code=1)
    assert "desk-agent" in done.stdout
    rows = [json.loads(line) for line in (logs.folder / "r.jsonl").read_text().splitlines()]
    assert {row["case"]["id"]: row["outcome"] for row in rows if "case" in row} == {"a": "pass", "b": "fail"}
    shown = logs.run("show", "last", "b", code=0)
    assert "No idea" in shown.stdout
    logs.write("again.jsonl", chat("a", "14 days") + chat("b", "3 days"))
    logs.run("score", "again.jsonl", "--suite", "checks.yaml", "--name", "desk-agent", code=0)
    assert "1" in logs.run("list", code=0).stdout
    out = logs.run("score", "r.jsonl", "--suite", "checks.yaml", "-q", code=1)  # what was exported can be scored again
    assert "1 of 2 failed" in out.stdout


def test_scorers_can_be_named_instead_of_a_suite(logs: Project) -> None:
    done = logs.run("score", "log.jsonl", "--scorer", "fluency", "-n", "1", code=0)
    assert "fluency" in done.stdout
    wrong = logs.run("score", "log.jsonl", "--scorer", "fluensy", code=2)
    assert "fluency" in wrong.stderr


def test_an_expectation_of_nothing_is_told(logs: Project) -> None:
    logs.write("checks.yaml", CHECKS.replace("id: b", "id: z"))
    done = logs.run("score", "log.jsonl", "--suite", "checks.yaml", "-q")
    assert "not here: z" in done.stderr


def test_a_broken_log_is_found_before_anything_is_scored(logs: Project) -> None:
    logs.write("log.jsonl", chat("a", "x") + '{"messages": [{"content": "y"}]}\n')
    done = logs.run("score", "log.jsonl", "--scorer", "fluency", code=2)
    assert "log.jsonl:2: messages[0].role: the message has no role" in done.stderr
    assert "no runs" in logs.run("list", code=0).stdout.lower() + logs.run("list", code=0).stderr.lower()


@pytest.mark.parametrize(
    ("words", "what"),
    [
        ((), "FILES"),
        (("log.jsonl", "--resume", "last"), "FILES"),
        (("log.jsonl", "--retry-unscored"), "--resume"),
        (("log.jsonl", "-o", "report.pdf"), "pdf"),
        (("nothing.jsonl",), "no such file"),
        (("log.jsonl", "--format", "otel"), "what was said"),
    ],
)
def test_what_is_wrong_is_told(logs: Project, words: tuple[str, ...], what: str) -> None:
    done = logs.run("score", *words, "--scorer", "fluency", code=2)
    assert what.lower() in done.stderr.lower()


def test_a_run_that_stopped_goes_on(logs: Project) -> None:
    logs.run("score", "log.jsonl", "--scorer", "latency", code=3)
    done = logs.run("score", "--resume", "last", "--retry-unscored", code=3)
    assert "2" in done.stdout


def test_a_check_that_is_left_out_for_want_of_a_network_is_told_once(project: Project) -> None:
    lines = [
        {"id": name, "messages": [{"role": "user", "content": name}, {"role": "assistant", "content": "Yes."}]}
        for name in ("a", "b")
    ]
    project.write("log.jsonl", "".join(json.dumps(line) + "\n" for line in lines))
    said = project.run("score", "log.jsonl", "-o", "r.html", "-o", "r.md", "-o", "r.json").stdout
    assert said.count("not checked: turn_faults, which needs the large network") == 1
    assert "not checked: turn_faults" in project.run("show", "last", code=0).stdout
    assert (project.folder / "r.md").read_text().count("not checked: turn\\_faults") == 1
    report = json.loads((project.folder / "r.json").read_text())["report"]
    assert [note.partition(",")[0] for note in report["notes"]] == ["not checked: turn_faults"]
    assert report["fingerprint"]["networks"] == "bundled"
    page = (project.folder / "r.html").read_text()
    assert '"networks":"bundled"' in page
    assert page.count("not checked: turn_faults") == 1
    assert "turn_faults" not in project.run("score", "log.jsonl", "--light").stdout
    project.write("own.yaml", "scorers: [{conversation: {off: [turn_faults]}}]\n")
    assert "turn_faults" not in project.run("score", "log.jsonl", "--suite", "own.yaml").stdout
