from __future__ import annotations

import json

from tests.cli.conftest import Project

AGENT = """
def answer(text, history):
    here = __import__("pathlib").Path(__file__).with_name("calls.txt")
    with here.open("a") as out:  # several are asked at once
        out.write(f"{len(history)} {text}\\n")
    if "cancel" in text.lower():
        late = text.startswith("I'd like to know")
        return f"You can cancel for a full refund up to {72 if late else 24} hours before the tour starts."
    return "Yes, lunch is included in the price."
"""
SAID = [
    ("user", "Is lunch included?"),
    ("assistant", "Yes, lunch is included in the price."),
    ("user", "How late can I cancel my tour?"),
    ("assistant", "You can cancel for a full refund up to 24 hours before the tour starts."),
]


def _project(project: Project) -> None:
    project.write("agent.py", AGENT)
    project.write("proctor.yaml", "targets:\n  agent: {python: 'agent.py:answer'}\n")
    messages = [{"role": role, "content": text} for role, text in SAID]
    project.write("talks.jsonl", json.dumps({"id": "c1", "messages": messages}) + "\n")


def test_an_agent_that_minds_the_wording_fails_and_the_run_can_be_read_like_any_other(project: Project) -> None:
    _project(project)
    done = project.run("replay", "talks.jsonl", "-t", "agent", "--control", "-o", "out.jsonl", code=1)
    assert "24 hours against 72 hours" in done.stdout
    rows = [json.loads(line) for line in (project.folder / "out.jsonl").read_text().splitlines()]
    outcome = {row["case"]["id"]: row["outcome"] for row in rows}
    assert [name for name, each in outcome.items() if each == "fail"] == ["c1/turn-2/wording-2"]
    assert outcome["c1/turn-2/control"] == "pass"
    asked = (project.folder / "calls.txt").read_text().splitlines()
    assert all(line.startswith("2 ") for line in asked if "cancel" in line), "the recorded prefix was not fed"
    run = project.run("list", "runs", code=0).stdout.splitlines()[-1].split()[0]
    again = project.run("replay", run, "-t", "agent", "--plan", "--wordings", "1", code=0)
    assert "to put" in again.stdout


def test_a_plan_asks_the_agent_nothing(project: Project) -> None:
    _project(project)
    done = project.run("replay", "talks.jsonl", "--plan", code=0)
    assert "2 questions of 1 conversations, 4 to put" in done.stdout
    assert not (project.folder / "calls.txt").exists()


def test_a_finished_replay_goes_on_without_asking_again(project: Project) -> None:
    _project(project)
    project.run("replay", "talks.jsonl", "-t", "agent", code=1)
    before = (project.folder / "calls.txt").read_text()
    run = project.run("list", "runs", code=0).stdout.splitlines()[-1].split()[0]
    project.run("replay", "--resume", run, code=1)
    assert (project.folder / "calls.txt").read_text() == before


def test_what_is_missing_is_said(project: Project) -> None:
    _project(project)
    assert "RUN or a FILE" in project.run("replay", code=2).stderr
    assert "no file and no run 'nowhere'" in project.run("replay", "nowhere", "-t", "agent", code=2).stderr
    assert "nothing to test" in project.run("replay", "talks.jsonl", code=2).stderr
