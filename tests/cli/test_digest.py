"""Digests and the schedule as a user calls them, over simulated traffic in the project's own log."""

from __future__ import annotations

import json
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from proctor.core.event import Event
from proctor.core.event_row import row_of
from proctor.monitor.simulation.traffic import simulate
from proctor.monitor.simulation.travel_desk import travel_desk
from proctor.store.event_log import FOLDER, EventLog
from tests.cli.conftest import Project
from tests.workflows.monitor.traffic_log import traffic, write_log


def _keep(project: Project, events: list[Event]) -> None:
    with EventLog(project.folder / ".proctor" / FOLDER) as log:
        log.append([row_of(event) for event in events])


def _yesterday() -> datetime:
    return datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0) - timedelta(days=1)


@pytest.fixture
def busy(project: Project) -> Project:
    """A project with three days of traffic, until now."""
    start = _yesterday() - timedelta(days=2)
    hours = (datetime.now(UTC) - start).total_seconds() / 3600
    scenario = travel_desk(start=start, hours=hours, turns_per_minute=0.15)
    _keep(project, [event for event in simulate(scenario, 4) if event.time < datetime.now(UTC)])
    project.write("proctor.yaml", "monitor: {digest: {light: true, sample: 5}}\n")
    return project


def test_a_digest_in_every_format(busy: Project) -> None:
    files = ["d.html", "d.md", "d.json"]
    done = busy.run("digest", "daily", *[word for name in files for word in ("-o", name)], code=0)
    assert f"Daily digest {_yesterday():%Y-%m-%d}" in done.stdout
    assert "repeat contact" in done.stdout
    assert "not measured" in done.stdout
    data = json.loads((busy.folder / "d.json").read_text())
    assert data["headline"][0]["name"] == "repeat contact"
    assert {"value", "low", "high", "count"} == set(data["headline"][0]["now"])
    page = (busy.folder / "d.html").read_text()
    assert "<script" not in page
    assert "<svg" in page
    assert "Not measured" in page
    assert "## Daily digest" in (busy.folder / "d.md").read_text()
    assert json.loads(busy.run("digest", "daily", "--json", code=0).stdout)["headline"] == data["headline"]


def test_a_digest_of_files_takes_the_period_of_their_last_event(project: Project) -> None:
    log = write_log(project.folder / "e.jsonl", traffic(2))
    done = project.run("digest", "daily", "--events", log.name, "--light", "--sample", "0", code=0)
    assert "Daily digest 2026-11-0" in done.stdout
    weekly = project.run("digest", "weekly", "2026-W46", "--events", log.name, "--light", code=3)
    assert "nothing was measured in this period" in weekly.stdout


def test_mistakes_are_named(project: Project) -> None:
    done = project.run("digest", "daily", code=2)
    assert "this project has no event log" in done.stderr
    assert "--events" in done.stderr
    project.write("empty.jsonl", "")
    assert "there are no events in it" in project.run("digest", "daily", "--events", "empty.jsonl", code=2).stderr
    assert "no such file" in project.run("digest", "daily", "--events", "none.jsonl", code=2).stderr
    assert "daily" in project.run("digest", "hourly", code=2).stderr
    log = write_log(project.folder / "e.jsonl", traffic(1)[:3])
    done = project.run("digest", "monthly", "october", "--events", log.name, code=2)
    assert "expected a month such as 2026-10" in done.stderr
    assert (
        "end the file name with one of .html, .md, .json"
        in project.run("digest", "daily", "--events", log.name, "-o", "d.pdf", code=2).stderr
    )


def test_completion_and_escalations_read_the_project_log(busy: Project) -> None:
    assert "came again within 24 h" in busy.run("completion", "--light", code=0).stdout
    assert "policy_complexity" in busy.run("escalations", "sort", "--light", code=0).stdout


def test_the_schedule_measures_once_and_shows_what_came_of_it(busy: Project) -> None:
    off = "".join(f"  {name}: off\n" for name in ("audit", "calibration", "drift"))
    busy.write("proctor.yaml", f"monitor: {{digest: {{light: true, sample: 5}}}}\nschedule:\n{off}")
    listed = busy.run("schedule", "list", code=0).stdout
    assert "completion\t1 day\t24 h repeat contact rate\tnever\t\tnow" in listed
    assert not (busy.folder / ".proctor" / "schedule.db").exists(), "a list writes nothing"
    done = busy.run("schedule", "run", code=0)
    assert "completion: ok: " in done.stdout
    assert "repeat contact" in done.stdout
    assert "daily_digest: ok: Daily digest" in done.stdout
    assert (busy.folder / ".proctor" / "digests" / f"daily-{_yesterday():%Y-%m-%d}.html").is_file()
    again = busy.run("schedule", "run", code=0).stdout
    assert "completion: due in" in again
    listed = busy.run("schedule", "list", code=0).stdout
    row = next(line for line in listed.splitlines() if line.startswith("completion"))
    assert "\tok\tin " in row
    assert "repeat contact" in row
    assert len(busy.run("schedule", "list", "--json", code=0).stdout.splitlines()) == 13


def test_one_failing_entry_does_not_stop_the_others(busy: Project) -> None:
    lines = "  first: {every: 1 day, run: 'show nothing'}\n  second: {every: 1 day, run: 'list scorers'}\n"
    limit = "  completion: {most: 0.0}\n"
    busy.write("proctor.yaml", f"monitor: {{digest: {{light: true, sample: 0}}}}\nschedule:\n{lines}{limit}")
    done = busy.run("schedule", "run", "first", "second", "completion", code=2)
    assert "first: failed: " in done.stdout
    assert "second: ok: " in done.stdout
    assert "completion: limit missed: " in done.stdout
    assert "over its limit of 0" in done.stdout
    busy.run("schedule", "run", "completion", "--now", code=1)
    told = busy.run("schedule", "run", "complettion", code=2).stderr
    assert "there is no entry or trigger 'complettion'. Did you mean 'completion'?" in told
    told = busy.run("schedule", "run", "zzz", code=2).stderr
    assert all(name in told for name in ("first", "second", "completion", "audit", "drift"))
    assert "cannot run: no campaign" in busy.run("schedule", "run", "red_team", code=2).stderr


SLOW = """
import pathlib, time

def answer(question):
    pathlib.Path("begun").touch()
    for _ in range(600):
        if pathlib.Path("stop").exists():
            break
        time.sleep(0.05)
    return "x"
"""


def _until(path: Path) -> None:
    deadline = time.monotonic() + 60
    while not path.exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert path.exists()


def test_an_entry_that_was_killed_is_due_again_and_never_runs_beside_itself(project: Project) -> None:
    project.write("agent.py", SLOW)
    project.write("s.yaml", "name: s\ncases: [{id: a, input: hi, checks: [{contains: x}]}]\n")
    text = "targets: {agent: {python: 'agent.py:answer'}}\ntarget: agent\nsuites: {s: s.yaml}\n"
    project.write("proctor.yaml", f"{text}schedule:\n  slow: {{every: 1 week, run: 'run s'}}\n")
    started = project.start("schedule", "run", "slow")
    _until(project.folder / "begun")
    assert "another `proctor schedule run` is at work here" in project.run("schedule", "run", "slow", code=0).stderr
    started.kill()
    started.communicate()
    row = next(line for line in project.run("schedule", "list", code=0).stdout.splitlines() if line.startswith("slow"))
    assert "\tinterrupted\tnow\t" in row
    assert "is still at work" in project.run("schedule", "run", "slow", code=2).stdout
    project.write("stop", "")
    deadline = time.monotonic() + 60
    while "still at work" in project.run("schedule", "run", "slow", "--now").stdout and time.monotonic() < deadline:
        time.sleep(0.1)
    assert "\tok\tin 7 days" in project.run("schedule", "list", code=0).stdout


def test_nothing_is_scheduled_without_data(project: Project) -> None:
    project.write("proctor.yaml", "")
    assert "nothing is scheduled" in project.run("schedule", "run", code=2).stderr
    assert "no event log yet" in project.run("schedule", "list", code=0).stdout
    project.write("proctor.yaml", "schedule: {completon: 1 day}\n")
    assert "did you mean 'completion'?" in project.run("schedule", "list", code=2).stderr


def test_a_score_under_its_floor_reaches_the_review_queue(project: Project) -> None:
    project.write("proctor.yaml", "monitor: {floors: {by_intent: {all: {policy: {least: 0.9, consecutive: 1}}}}}\n")
    begin = _yesterday()
    _keep(
        project,
        [
            Event(kind="score", id=f"e{n}", time=begin + timedelta(hours=n), session=f"s{n}", name="policy", value=0.5)
            for n in range(12)
        ],
    )
    done = project.run("schedule", "run", "score_floors", "alert_queue", code=1)
    assert "score_floors: limit missed: policy (all) under 0.9 in the last window: 0.500" in done.stdout
    assert "alert_queue: ok: 1 new of 1 high alerts; 1 wait for review" in done.stdout
    again = project.run("schedule", "run", "alert_queue", "--now", code=0).stdout
    assert "0 new of 1 high alerts" in again
    listed = project.run("review", "list", "--origin", "alert", code=0).stdout.splitlines()
    assert len(listed) == 2
    item = listed[1].split("\t")[0]
    assert "policy (all) under 0.9" in project.run("review", "show", item, code=0).stdout
    wrong = project.run("review", "resolve", item, "--verdict", "worse", code=2)
    assert "is an alert: 'worse' says nothing of it" in wrong.stderr
    project.run("review", "resolve", item, "--verdict", "right", "--by", "kim", code=0)
    assert "nothing is waiting" in project.run("review", "list", code=0).stderr
    digest = project.run("digest", "daily", f"{datetime.now(UTC):%Y-%m-%d}", "--json").stdout
    alerts = next(each for each in json.loads(digest)["sections"] if each["name"] == "alerts")
    assert alerts["examples"][0]["what"] == "high: score_floor"
    assert alerts["tables"][2]["figures"][0]["now"]["value"] == 1.0


def test_validate_checks_the_schedule_the_digest_and_the_floors(project: Project) -> None:
    text = "schedule: {completon: 1 day}\nmonitor: {digest: {zone: Mars}, floors: {fewest: 0}}\n"
    project.write("proctor.yaml", text)
    told = project.run("validate", code=2).stderr
    assert "did you mean 'completion'?" in told
    assert "monitor.digest" in told
    assert "monitor.floors" in told


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("monitor: {scoring: {scorers: [groundet]}}", "did you mean 'grounded'?"),
        ("monitor: {scoring: {scorers: [grounded], rate: 1.5}}", "rate must be from 0 to 1, not 1.5"),
        ("monitor: {history: {masking: pattern}}", "monitor.history.masking"),
        ("monitor: {history: {keep: 90 dys}}", "monitor.history: keep"),
        ("monitor: {ingest: {tokens: {desk: '${UNSET_TOKEN}'}}}", "UNSET_TOKEN is not set"),
        ("monitor: {state: 'postgresql://a:${UNSET_TOKEN}@db/x'}", "UNSET_TOKEN is not set"),
        ("alerts: {channels: {desk: {slack: '${UNSET_TOKEN}'}}}", "UNSET_TOKEN is not set"),
        (
            "monitor: {digest: {channels: [dsek]}}\nalerts: {channels: {desk: {slack: 'https://x.test'}}}",
            "mean 'desk'?",
        ),
        ("audit: {size: 10, core: 20}", "audit"),
        ("schedule: {completion: {every: often}}", "schedule.completion"),
    ],
)
def test_validate_refuses_what_serve_would_refuse(project: Project, text: str, said: str) -> None:
    project.write("proctor.yaml", text + "\n")
    assert said in project.run("validate", code=2).stderr
