from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from proctor.core.chat import Message, ToolCall
from proctor.core.codec import dumps
from proctor.core.trajectory import Escalation, Intent, Trajectory, Turn
from tests.cli.conftest import Project
from tests.monitor.logs import other, turn

ASKED = Escalation(reason="the customer asked for a person")


def _talk(name: str, asked: str, answer: str, escalation: Escalation | None = None, **more: object) -> Trajectory:
    said = (Message(role="user", content=asked), Message(role="assistant", content=answer))
    intents = (Intent(name="policy_inquiry"),)
    return Trajectory(id=name, turns=(Turn(messages=said, escalation=escalation, intents=intents, **more),))  # type: ignore[arg-type]


def _gap(name: str, question: str) -> Trajectory:
    looked = ToolCall(name="get_faq", arguments={"query": question}, result=[])
    return _talk(name, question, "I could not find any information.", Escalation(), tool_calls=(looked,))


@pytest.fixture
def talks(project: Project) -> Path:
    made = [
        _talk("t1", "When does it start?", "At nine."),
        _talk("t2", "Let me speak to a human", "Of course.", ASKED),
        _gap("t3", "Can I bring my parrot on the boat?"),
        _gap("t4", "Is my parrot allowed on the boat?"),
        _gap("t5", "Do you sell gift vouchers? I am ann@mail.example.org"),
    ]
    return project.write("talks.jsonl", "".join(dumps(each).decode() + "\n" for each in made))


def test_hand_offs_by_cause(project: Project, talks: Path) -> None:
    table = json.loads(project.run("escalations", talks.name, "--light", "--json", code=0).stdout)
    counts = {row["category"]: row["count"] for row in table["rows"]}
    assert (table["conversations"], counts["explicit_request"], counts["knowledge_gap"]) == (5, 1, 3)
    assert table["against"]["hits"] == 3
    shown = project.run("escalations", talks.name, "--light", "-o", "out.html", "-o", "out.md", "-o", "out.csv", code=0)
    assert "knowledge_gap" in shown.stdout
    assert "explicit_request" in (project.folder / "out.html").read_text()


def test_gaps_are_gathered_and_exported(project: Project, talks: Path) -> None:
    flags = ["--gaps", "gaps.jsonl", "--gaps", "gaps.csv", "--gaps", "gaps.md", "--hand-offs", "all.jsonl"]
    project.run("escalations", talks.name, *flags, code=0)
    gaps = [json.loads(line) for line in (project.folder / "gaps.jsonl").read_text().splitlines()]
    assert [gap["count"] for gap in gaps] == [2, 1]
    assert "parrot" in gaps[0]["terms"]
    assert sorted(gaps[0]["conversations"]) == ["t3", "t4"]
    with (project.folder / "gaps.csv").open() as file:
        assert [row["asked"] for row in csv.DictReader(file)] == ["2", "1"]
    page = (project.folder / "gaps.md").read_text()
    assert "parrot" in page
    assert "ann@" not in page
    assert len((project.folder / "all.jsonl").read_text().splitlines()) == 4


def test_a_persons_word_is_put_on_record_and_shown(project: Project, talks: Path) -> None:
    project.run("escalations", talks.name, "--light", code=0)
    said = project.run("escalations", "label", "t3", "--category", "policy_complexity", "--by", "kim", code=0)
    assert "disagrees with knowledge_gap" in said.stdout
    agreed = project.run("escalations", "label", "t2", "--category", "explicit_request", "--by", "kim", code=0)
    assert "agrees with explicit_request" in agreed.stdout
    table = json.loads(project.run("escalations", "sort", talks.name, "--light", "--json", code=0).stdout)
    assert table["agreement"]["labelled"] == 2
    assert [each["id"] for each in table["agreement"]["disagreements"]] == ["t3"]
    listed = project.run("escalations", "labels", code=0)
    assert "policy_complexity" in listed.stdout
    assert "1 of 2 agree" in listed.stderr
    assert "`proctor escalations FILE`" in project.run(
        "escalations", "label", "zzz", "--category", "explicit_request", code=2
    ).stderr  # fmt: skip


def test_an_event_log_is_read_too(project: Project) -> None:
    events = [
        turn(0, "When does it start?", session="a"),
        turn(1, "I want to talk to a person", session="b", customer="c2"),
        other("escalation", 2, session="b", customer="c2", reason="asked for a person"),
    ]
    project.write("events.jsonl", "".join(dumps(event).decode() + "\n" for event in events))
    table = json.loads(project.run("escalations", "--events", "events.jsonl", "--light", "--json", code=0).stdout)
    assert (table["conversations"], table["handoffs"]["hits"]) == (2, 1)
    assert "name a file" in project.run("escalations", code=2).stderr
    project.run("history", "add", "events.jsonl", code=0)
    assert "handed over 1" in project.run("escalations", code=0).stdout  # the project's own log


@pytest.mark.parametrize(
    ("settings", "place", "hint"),
    [
        ("escalation:\n  lookback: 1\n  confidenc: 1\n", "proctor.yaml:3: escalation.confidenc", "mean `confidence`?"),
        ("escalation: {lookback: many}\n", "proctor.yaml:1: escalation.lookback", "expected a whole number"),
        ("escalation: {confidence: 3}\n", "proctor.yaml:1: escalation", "confidence must be from 0 to 1"),
        ("escalation:\n  embedder: big\n", "proctor.yaml:2: escalation.embedder", "take it out"),
    ],
)
def test_validate_reads_the_settings(project: Project, settings: str, place: str, hint: str) -> None:
    project.write("proctor.yaml", settings)
    told = project.run("validate", code=2).stderr
    assert place in told
    assert hint in told


def test_settings_come_from_the_project(project: Project, talks: Path) -> None:
    project.write("proctor.yaml", "escalation:\n  lookbakc: 1\n")
    told = project.run("escalations", talks.name, code=2).stderr
    assert "escalation.lookbakc" in told
    assert "did you mean `lookback`?" in told
    assert "conversations, or an event log" in project.run("escalations", "sort", code=2).stderr


def test_a_file_that_is_missing_is_told_with_a_mend(project: Project, talks: Path) -> None:
    told = project.run("escalations", f"{talks.name}x", code=2).stderr
    assert "no such file" in told
    assert f"did you mean {talks.name}" in told
    assert "there is no such file" in project.run("escalations", "--events", "none.jsonl", code=2).stderr
