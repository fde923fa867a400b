"""--keep: digests, drift and calibration stay in the store, where the dashboard shows them."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from proctor.config import open_config
from proctor.workflows.monitor.kept_reports import kept_calibration, kept_digests, kept_drift
from tests.cli.conftest import Project
from tests.monitor.audit_traffic import traffic, write_log


@pytest.fixture
def log(project: Project) -> Path:
    return write_log(
        project.folder / "e.jsonl",
        traffic(datetime(2026, 9, 20, tzinfo=UTC), 20, per_day=6, prefix="a", seed=1),
    )


def test_reports_are_kept(project: Project, log: Path) -> None:
    project.run("history", "add", "e.jsonl")
    project.run("digest", "monthly", "2026-10", "--light", "--sample", "0", "--keep")
    project.run("drift", "--month", "2026-10", "--questions", "0", "--light", "--keep", code=3)
    config = open_config(project.folder)
    assert kept_digests(config) == [("monthly", "2026-10")]
    drift = kept_drift(config, "2026-10")
    assert drift is not None
    assert drift.before == ("2026-09",)
    assert kept_calibration(config) is None


@pytest.mark.parametrize(
    "words",
    [
        ["digest", "monthly", "--events", "e.jsonl", "--keep"],
        ["drift", "e.jsonl", "--keep"],
        ["calibrate", "check", "e.jsonl", "--keep"],
        ["calibrate", "check", "--since", "2026-10-01", "--keep"],
    ],
)
def test_only_of_the_own_log(project: Project, log: Path, words: list[str]) -> None:
    assert "--keep is for" in project.run(*words, code=2).stderr
