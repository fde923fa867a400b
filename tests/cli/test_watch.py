"""proctor watch: one look, a live view that ends cleanly, and the demo."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import time
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from proctor.config import open_config
from proctor.core.alert_record import AlertRecord, MovedSlice, RuleLimit, RuleStatus
from proctor.monitor.simulation.manga_store import manga_store
from proctor.monitor.simulation.traffic import simulate
from proctor.store.alert_state import AlertState
from proctor.workflows.monitor.demo_day import demo_scenarios
from proctor.workflows.monitor.intake import Intake
from tests.cli.conftest import PROGRAM, Project
from tests.cli.in_process import call
from tests.tables import table

SHOP = manga_store(hours=0.5, turns_per_minute=20, flat=True, day_noise=0.0)


@pytest.fixture
def live(project: Project) -> Project:
    """A project whose store has half an hour of traffic up to now, and half an hour of a week ago."""
    project.write("proctor.yaml", "store: .proctor\n")
    now = datetime.now(UTC)
    with closing(Intake(open_config(project.folder).store)) as intake:
        for seed, begin in enumerate((now - timedelta(days=7, minutes=15), now - timedelta(minutes=30))):
            intake.add(list(simulate(replace(SHOP, start=begin), seed)))
    return project


def _alert(store: Path) -> None:
    now = time.time()
    moved = MovedSlice(dimension="version", value="1.1", bad=13, events=50, expected=1.2, evidence=9.0)
    alert = AlertRecord(
        fingerprint="f" * 16,
        rule="hallucination",
        kind="rate",
        tier="critical",
        message="score/grounded: 13 of 158\x1b[2J",
        started=now - 300,
        fired=now - 60,
        updated=now,
        window_start=now - 300,
        window_end=now,
        examples=("manga-1-0000007",),
        moved=(moved,),
    )
    limit = RuleLimit(rule="hallucination", kind="rate", text="sees 3 times that in 5 min")
    with AlertState(store) as state:
        state.open_alert(alert, again_within=0.0)
        state.set_status(
            [RuleStatus(rule="hallucination", kind="rate", tier="critical", state="firing", since=now, limit=limit)]
        )


def test_one_look_shows_rates_beside_what_is_normal(live: Project) -> None:
    done = live.run("watch", "--once", code=0)
    assert "turns a minute" in done.stdout
    lines = {line.split("  ")[1]: line.split()[-2:] for line in done.stdout.splitlines() if line.startswith("  ")}
    now, normal = lines["turns a minute"]
    assert float(now) == pytest.approx(20, rel=0.6)
    assert float(normal) > 5
    assert "score/grounded failed" in done.stdout
    assert "turns by intent: faq" in done.stdout
    assert "no alert rule has been watched here" in done.stdout


def test_an_open_alert_has_its_window_slice_and_examples_and_exit_code_1(live: Project) -> None:
    _alert(live.folder / ".proctor")
    done = live.run("watch", "--once", code=1)
    assert "CRITICAL hallucination, alert 1" in done.stdout
    assert "slice     version 1.1: 13 of 50, normally 1.2" in done.stdout
    assert "examples  manga-1-0000007" in done.stdout
    assert "sees 3 times that in 5 min" in done.stdout
    assert "\x1b[2J" not in done.stdout


def test_json_is_one_object_for_each_look(live: Project) -> None:
    _alert(live.folder / ".proctor")
    seen = json.loads(live.run("watch", "--once", "--json", "--window", "30", code=1).stdout)
    assert seen["window"] == 1800
    assert seen["alerts"][0]["rule"] == "hallucination"
    assert {row["name"] for row in seen["rows"]} >= {"turns a minute", "escalation", "score/grounded failed"}


def test_an_empty_store_is_shown_as_such(project: Project) -> None:
    project.write("proctor.yaml", "")
    done = project.run("watch", "--once", code=0)
    assert "no event yet" in done.stdout


def test_it_goes_on_until_interrupted(live: Project) -> None:
    started = live.start("watch", "--every", "0.2")
    for _ in range(2):
        while "turns a minute" not in (line := started.stdout.readline()):
            assert line, "it ended by itself"
    started.send_signal(signal.SIGINT)
    _, problems = started.communicate()
    assert started.returncode == 130
    assert "Traceback" not in problems


def test_it_ends_when_nobody_reads_it_any_more(live: Project) -> None:
    words = [*PROGRAM, "watch", "--every", "0.2"]
    with subprocess.Popen(words, cwd=live.folder, env=live.variables(), stdout=subprocess.PIPE) as started:
        assert started.stdout is not None
        assert started.stdout.readline()
        started.stdout.close()
        assert started.wait(timeout=60) == 0


def test_wrong_use_is_named(project: Project, tmp_path: Path) -> None:
    project.write("proctor.yaml", "")
    assert "--keep goes with --demo" in project.run("watch", "--keep", "x", code=2).stderr
    assert "not empty" in project.run("watch", "--demo", "--keep", ".", code=2).stderr
    file = tmp_path / "file"
    file.write_text("")
    project.run("watch", "--demo", "--keep", str(file), code=2)


def test_the_demo_shows_the_alert_and_how_it_becomes_a_test(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("proctor.workflows.monitor.demo_day._OPENS", 12.5)  # the hours before are as the last of them
    done = call(["watch", "--demo", "--keep", "demo"], folder=tmp_path, env={})
    assert done.returncode == 0, done.stdout + done.stderr
    for text in (
        "learnt what is normal from",
        "14:00  version 1.1 is released to half of the conversations",
        "CRITICAL hallucination, alert 1",
        "slice     intent faq",
        "version 1.1:",
        "examples  shop-7-",
        "agent     ",
        "what each rule can see at this traffic",
        "proctor promote --alert 1 --to suites/golden.yaml",
    ):
        assert text in done.stdout
    added = call(["promote", "--alert", "1", "--to", "suites/golden.yaml"], folder=tmp_path / "demo", env={})
    assert "1 added" in added.stdout, added.stderr
    # The day is over: what looks back from now finds it.
    watched = call(["watch", "--once"], folder=tmp_path / "demo", env={})
    assert watched.returncode == 1, watched.stdout + watched.stderr
    assert re.search(r"last event \d+\.\d h ago", watched.stdout)
    intents = call(["history", "intents"], folder=tmp_path / "demo", env={})
    assert "faq" in intents.stdout, intents.stderr
    digest = call(["digest", "daily", "--light", "--sample", "0", "--json"], folder=tmp_path / "demo", env={})
    assert digest.returncode == 0, digest.stderr
    assert json.loads(digest.stdout)["period"]["name"] == (datetime.now(UTC) - timedelta(days=1)).date().isoformat()


@table("day", range(7))
def test_the_days_of_the_demo_are_as_busy_on_every_day_of_the_week(day: int) -> None:
    before, shown = demo_scenarios(datetime(2026, 11, 2 + day, tzinfo=UTC))
    hours = [each + 0.5 for each in range(14)]
    assert [shown.weight_at(hour) for hour in hours] == pytest.approx(
        [before.weight_at(hour) for hour in hours], rel=0.1
    )
