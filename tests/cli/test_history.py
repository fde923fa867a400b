from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from proctor.core.codec import dumps
from proctor.store.event_indexer import EventIndexer
from tests.cli.conftest import Project
from tests.store.event_rows import event, turn_event

MAIL = "ann@mail.example.org"


@pytest.fixture
def events(project: Project) -> Path:
    made = [
        *[turn_event(n, customer=MAIL, text=f"I want my money back, {MAIL}", intent="refund") for n in range(5)],
        *[turn_event(n, text="返金をお願いします", id=None) for n in range(5, 10)],
        event(4, "outcome", name="resolved", customer=MAIL),
    ]
    return project.write("events.ndjson", "".join(dumps(each).decode() + "\n" for each in made))


def test_events_are_added_once_found_sealed_and_forgotten(project: Project, events: Path) -> None:
    assert project.run("history", "add", events.name, code=0).stdout == "11 new, 0 stored before\n"
    assert project.run("history", "add", events.name, code=0).stdout == "0 new, 11 stored before\n"
    hits = project.run("history", "search", "返金", "--json", code=0).stdout.splitlines()
    assert [json.loads(line)["conversation"]["session"] for line in hits] == ["s1"]
    assert "s0" in project.run("history", "search", "--outcome", "resolved", "--since", "2026-11-01", code=0).stdout
    assert "11 events of 1 files" in project.run("history", "seal", code=0).stdout.replace("sealed ", "")
    shown = project.run("history", "show", "s0", code=0).stdout
    assert "I want my money back, [EMAIL]" in shown
    assert "outcome resolved" in shown
    assert json.loads(project.run("history", "show", "s1", "--json", code=0).stdout)["session"] == "s1"
    table = project.run("history", "intents", "--last", "5000 days", code=0).stdout.splitlines()
    assert [line.split("\t")[:3] for line in table[1:]] == [["refund", "1", "5"], ["shipping", "1", "5"]]
    stats = json.loads(project.run("history", "stats", "--json", code=0).stdout)
    assert (stats["sealed_events"], stats["conversations"]) == (11, 2)
    assert "sealed events" in project.run("history", "stats", code=0).stdout
    assert project.run("history", "forget", MAIL, input="n\n").returncode == 130
    assert "erased 6 events, 1 conversations" in project.run("history", "forget", MAIL, "--yes", code=0).stdout
    assert "nothing was found" in project.run("history", "search", "money", code=0).stderr
    assert "indexed 5 events" in project.run("history", "rebuild", code=0).stdout


@pytest.mark.parametrize("name", ["index.db", "search.db"])
def test_a_damaged_index_is_made_again_as_the_hint_says(project: Project, events: Path, name: str) -> None:
    project.run("history", "add", events.name, code=0)
    project.run("history", "seal", code=0)
    path = project.folder / ".proctor" / "events" / name
    path.write_bytes(b"no database " * 1_000)
    told = project.run("history", "stats", code=3).stderr
    assert name in told
    assert "move the file away, then make it again: `proctor history rebuild`" in told
    path.rename(project.folder / name)
    project.run("history", "rebuild", code=0)
    stats = json.loads(project.run("history", "stats", "--json", code=0).stdout)
    assert (stats["conversations"], stats["texts"]) == (2, 10)


def test_a_search_that_is_cut_says_so(project: Project, events: Path) -> None:
    project.run("history", "add", events.name, code=0)
    cut = project.run("history", "search", "--limit", "1", "--json", code=0)
    assert len(cut.stdout.splitlines()) == 1
    assert "the newest 1 are shown; -n NUMBER shows more" in cut.stderr
    assert "are shown" not in project.run("history", "search", "--limit", "2", code=0).stderr


def test_a_rebuild_names_the_process_that_keeps_the_index(project: Project, events: Path) -> None:
    project.run("history", "add", events.name, code=0)
    with EventIndexer(project.folder / ".proctor") as held:
        held.catch_up()
        told = project.run("history", "rebuild", code=3).stderr
    assert f"error: process {os.getpid()} keeps the index" in told
    assert "hint: end the `proctor serve`" in told


def test_a_customer_of_whom_nothing_is_stored_is_no_done_erasure(project: Project, events: Path) -> None:
    project.run("history", "add", events.name, code=0)
    wrong = project.run("history", "forget", f"x{MAIL}", "--yes", code=2)
    assert "nothing of the customer" in wrong.stderr
    assert "check the spelling" in wrong.stderr
    assert not wrong.stdout
    project.run("history", "forget", MAIL, "--yes", code=0)
    assert "nothing of the customer" in project.run("history", "forget", MAIL, "--yes", code=2).stderr


def test_old_events_are_removed(project: Project, events: Path) -> None:
    project.run("history", "add", events.name, code=0)
    project.run("history", "seal", code=0)
    assert "removed 0 events" in project.run("history", "retain", "--keep", "50000 days", code=0).stdout
    assert "removed 11 events in 1 segments" in project.run("history", "retain", "--keep", "1 s", code=0).stdout


def test_wrong_input_is_named(project: Project, events: Path) -> None:
    assert "no conversation 'nope'" in project.run("history", "show", "nope", code=2).stderr
    assert "length of time" in project.run("history", "retain", "--keep", "soon", code=2).stderr
    assert "a time like" in project.run("history", "search", "x", "--since", "soon", code=2).stderr
    project.write("empty.ndjson", "")
    assert "no events" in project.run("history", "add", "empty.ndjson", code=2).stderr
    project.write("proctor.yaml", "monitor:\n  history:\n    masking: some\n    kep: 3 days\n")
    told = project.run("history", "stats", code=2).stderr
    assert "proctor.yaml:3: monitor.history.masking: expected one of none, patterns, names" in told
    assert "did you mean `keep`?" in told
    project.write("proctor.yaml", "monitor: {history: {keep: soon}}\n")
    assert "keep" in project.run("history", "stats", code=2).stderr


def test_masking_is_a_setting(project: Project, events: Path) -> None:
    project.write("proctor.yaml", "monitor: {history: {masking: none, search: false}}\n")
    project.run("history", "add", events.name, code=0)
    assert MAIL in project.run("history", "show", "s0", code=0).stdout
    assert "not indexed" in project.run("history", "search", "money", code=3).stderr
