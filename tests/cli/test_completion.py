from __future__ import annotations

import json
from pathlib import Path

import pytest

from proctor.core.codec import dumps
from tests.cli.conftest import Project
from tests.monitor.logs import other, turn

DAY = 24 * 60.0


@pytest.fixture
def log(project: Project) -> Path:
    events = [
        turn(0, "When can I cancel the boat tour for free?"),
        turn(1, "Move my tour to Friday", session="s2", customer="c2", intent="booking_change"),
        other("outcome", 20, "booking_changed", customer="c2"),
        turn(300, "How long before the boat tour can I cancel free of charge?", session="s3"),
        turn(5 * DAY, "hello", session="s9", customer="c9"),
    ]
    return project.write("events.jsonl", "".join(dumps(event).decode() + "\n" for event in events))


def test_a_table_by_intent_with_repeat_contact(project: Project, log: Path) -> None:
    done = project.run("completion", "--events", log.name, code=0)
    assert "33.3 %" in done.stdout, "one of three came again"
    assert "booking_change" in done.stdout
    assert "similarity" in done.stdout
    assert "policy_inquiry   s1" in done.stdout


def test_files_in_every_format_and_every_task(project: Project, log: Path) -> None:
    names = ["t.json", "t.csv", "t.md", "t.html"]
    flags = [word for name in names for word in ("-o", name)]
    done = project.run(
        "completion", "--events", log.name, "--light", "--tasks", "tasks.jsonl", *flags, "--json", code=0
    )
    table = json.loads(done.stdout)
    assert table == json.loads((project.folder / "t.json").read_text())
    assert table["total"]["tasks"] == 4
    lines = (project.folder / "tasks.jsonl").read_text().splitlines()
    assert [json.loads(line)["state"] for line in lines] == ["not completed", "completed", "completed", "open"]
    rows = (project.folder / "t.csv").read_text().splitlines()
    assert len(rows) == 1 + len(table["rows"]) + 1
    assert "| booking\\_change |" in (project.folder / "t.md").read_text()
    assert '<td class="word">booking_change</td>' in (project.folder / "t.html").read_text()


def test_floors_decide_the_exit_code(project: Project, log: Path) -> None:
    assert "is under 90.0%" in project.run("completion", "--events", log.name, "--floor", "0.9", code=1).stderr
    project.run("completion", "--events", log.name, "--floor", "0.5", "--most-repeats", "0.5", code=0)
    project.run("completion", "--events", log.name, "--most-repeats", "0.1", code=1)
    early = project.write("early.jsonl", dumps(turn(0, "refund rules")).decode())
    assert (
        "nothing to tell it from" in project.run("completion", "--events", early.name, "--floor", "0.5", code=3).stderr
    )


def test_rules_come_from_the_project_or_a_file(project: Project, log: Path) -> None:
    rule = "within: 10 min\n      completed: [outcome/booking_changed]\n      failed: [no outcome/booking_changed]\n"
    project.write("proctor.yaml", f"completion:\n  intents:\n    booking_change:\n      {rule}")
    table = json.loads(project.run("completion", "--events", log.name, "--json", code=0).stdout)
    states = {row["intent"]: (row["completed"], row["failed"]) for row in table["rows"]}
    assert states["booking_change"] == (0, 1)
    project.write("proctor.yaml", f"intents:\n  booking_change:\n    completion:\n      {rule}")
    again = json.loads(project.run("completion", "--events", log.name, "--json", code=0).stdout)
    assert again["rows"] == table["rows"]
    project.write("rules.yaml", f"late: 1 h\nintents:\n    booking_change:\n      {rule}")
    third = json.loads(
        project.run("completion", "--events", log.name, "--rules", "rules.yaml", "--json", code=0).stdout
    )
    assert third["rows"] == table["rows"]


@pytest.mark.parametrize(
    ("rules", "place", "hint"),
    [
        ("late: 1 h\nintent: {}\n", "rules.yaml:2", "did you mean `intents`?"),
        ("intents:\n  x:\n    within: 1 h\n    failed: [escalations]\n", "rules.yaml:2", "did you mean 'escalation'?"),
    ],
)
def test_a_wrong_rule_is_told_with_its_place(project: Project, log: Path, rules: str, place: str, hint: str) -> None:
    project.write("rules.yaml", rules)
    told = project.run("completion", "--events", log.name, "--rules", "rules.yaml", code=2).stderr
    assert place in told
    assert hint in told


def test_a_wrong_rule_of_the_project_is_told_with_its_place(project: Project, log: Path) -> None:
    project.write(
        "proctor.yaml", "intents:\n  refund:\n    completion:\n      within: 1 h\n      faild: [escalation]\n"
    )
    told = project.run("completion", "--events", log.name, code=2).stderr
    assert "proctor.yaml:5: intents.refund.completion.faild" in told
    assert "did you mean `failed`?" in told


@pytest.mark.parametrize(
    ("settings", "place", "hint"),
    [
        ("completion:\n  intents: [faq]\n", "proctor.yaml:2: completion.intents", "expected a mapping"),
        ("completion:\n  human: [phone]\n  laet: 1 h\n", "proctor.yaml:3: completion.laet", "did you mean `late`?"),
        ("completion:\n  late: soon\n", "proctor.yaml:1: completion", "late: expected a length of time such as 30 min"),
        (
            "intents:\n  refund:\n    completion: {faild: [escalation]}\n",
            "proctor.yaml:3: intents.refund.completion.faild",
            "did you mean `failed`?",
        ),
    ],
)
def test_validate_reads_the_rules(project: Project, settings: str, place: str, hint: str) -> None:
    project.write("proctor.yaml", settings)
    told = project.run("validate", code=2).stderr
    assert place in told
    assert hint in told


def test_validate_is_content_with_right_rules(project: Project) -> None:
    project.write("proctor.yaml", "completion:\n  default: {failed: [escalation]}\nescalation: {confidence: 0.5}\n")
    assert "ok" in project.run("validate", code=0).stdout


def test_a_wrong_event_is_told_with_its_place(project: Project) -> None:
    lines = [dumps(turn(9)).decode(), '{"kind": "turn", "time": "2026-11-15T10:00:00Z"}']
    project.write("events.jsonl", "\n".join(lines))
    told = project.run("completion", "--events", "events.jsonl", code=2).stderr
    assert "events.jsonl:2" in told
    assert "a turn needs a session or a customer" in told
    assert "there is no such file" in project.run("completion", "--events", "none.jsonl", code=2).stderr
    project.write("words.jsonl", "these are words")
    assert "words.jsonl:1: is not JSON" in project.run("completion", "--events", "words.jsonl", code=2).stderr


def test_logs_of_several_systems_are_read_together(project: Project) -> None:
    project.write("agent.jsonl", dumps(turn(0, "Move it", intent="booking_change")).decode())
    project.write("booking.jsonl", dumps(other("outcome", 5, "booking_changed")).decode())
    words = ["completion", "--events", "agent.jsonl", "--events", "booking.jsonl", "--until", "2026-11-20", "--json"]
    table = json.loads(project.run(*words, code=0).stdout)
    assert (table["total"]["completed"], table["total"]["tasks"]) == (1, 1)
