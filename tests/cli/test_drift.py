"""proctor drift: a month that has changed, one that has not, and one with too little to tell."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.cli.conftest import Project
from tests.monitor.audit_traffic import traffic, write_log

LABELS = ["--labels", "outcome", "--correct", "solved", "--wrong", "unsolved"]
SHIFTED = {"refund": 0.3, "change": 0.35, "luggage": 0.15, "visa": 0.2}


@pytest.fixture
def log(project: Project) -> Path:
    return write_log(
        project.folder / "e.jsonl",
        traffic(datetime(2026, 8, 1, tzinfo=UTC), 61, per_day=15, prefix="a", seed=1),
        traffic(datetime(2026, 10, 1, tzinfo=UTC), 31, per_day=15, prefix="b", seed=2, shares=SHIFTED, over=0.15),
    )


def test_a_month_that_has_changed(project: Project, log: Path) -> None:
    words = ["drift", "e.jsonl", "--month", "2026-10", "--light", *LABELS]
    done = project.run(*words, "-o", "d.html", "-o", "d.md", "-o", "d.csv", "-o", "d.json", code=1)
    assert "traffic has shifted" in done.stdout
    data = json.loads((project.folder / "d.json").read_text())
    assert data["state"] == "fail"
    assert data["intents"][0]["intent"] == "visa"
    assert data["intents"][0]["change"]["low"] > 0.1
    assert data["slices"][0]["psi_excess"] < data["slices"][0]["psi"]
    assert data["calibration"]["is_seen"]
    assert data["calibration"]["change"]["low"] > 0.05
    assert data["topics"][0]["is_new"]
    assert "visa" in data["topics"][0]["terms"]
    assert (project.folder / "d.csv").read_text().count("\n") == 5
    assert (
        done.stdout.index("Distribution of intents")
        < done.stdout.index("Calibration")
        < done.stdout.index("New topics")
    )


def test_a_month_that_has_not(project: Project, log: Path) -> None:
    done = project.run(
        "drift", "e.jsonl", "--month", "2026-09", "--light", "--effect", "0.2", *LABELS, "--json", code=0
    )
    data = json.loads(done.stdout)
    assert data["state"] == "pass"
    assert data["topics"] == []
    assert any("one month before" in note for note in data["notes"])
    done = project.run("drift", "e.jsonl", "--month", "2026-09", "--questions", "0", "--effect", "0.01", code=3)
    assert "too few conversations" in done.stdout


def test_months_that_cannot_be(project: Project, log: Path) -> None:
    for month in ("2026-13", "october", "0000-01"):
        assert "expected a month" in project.run("drift", "e.jsonl", "--month", month, code=2).stderr
    assert "2026-08, 2026-09, 2026-10" in project.run("drift", "e.jsonl", "--month", "2027-05", code=2).stderr
    assert "no event log" in project.run("drift", "--month", "2026-10", code=2).stderr
