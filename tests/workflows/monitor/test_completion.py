"""The completion of the project's own log as of now, and of files as of their last event."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

from proctor.config import Config
from proctor.core.task import TaskCompletion
from proctor.workflows.monitor.completion import CompletionJob, completion_of, rules_of
from proctor.workflows.monitor.digest import DigestJob, digest_of
from proctor.workflows.monitor.event_source import EventSource
from tests.monitor.logs import START, at, turn
from tests.workflows.monitor.traffic_log import config_in, keep, write_log

NOW = at(120)
ASKED = replace(turn(0, "How much is the fee?", session="s1", customer="c1"), id="asked")
FAST = replace(turn(25 * 60, "Hello", session="s2", customer="c2"), id="fast")  # by a clock that is 23 hours ahead


def _completion(config: Config, source: EventSource, **more: object) -> TaskCompletion:
    job = CompletionJob(events=source, rules=rules_of(config, None), light=True, now=NOW, **more)  # type: ignore[arg-type]
    return asyncio.run(completion_of(job))


def test_a_clock_that_is_fast_ends_no_window_of_the_log(tmp_path: Path) -> None:
    config = config_in(tmp_path)
    keep(config, [ASKED, FAST])
    table = _completion(config, EventSource.of(config))
    assert (table.total.tasks, table.total.open, table.events) == (1, 1, 1)
    assert table.until == START
    assert any(note.startswith("left out, as dated later than now: 1;") for note in table.notes)
    asked_for = _completion(config, EventSource.of(config), until=at(26 * 60))
    assert (asked_for.total.tasks, asked_for.total.open) == (2, 1), "up to a time that was asked for"


def test_a_file_ends_with_its_last_event(tmp_path: Path) -> None:
    config = config_in(tmp_path)
    log = write_log(tmp_path / "log.jsonl", [ASKED, FAST])
    table = _completion(config, EventSource.of(config, [log]))
    assert (table.total.completed, table.total.open, table.until) == (1, 1, FAST.time)
    assert not any("later than now" in note for note in table.notes)


def test_a_digest_of_a_day_under_way_counts_no_window_that_is_open(tmp_path: Path) -> None:
    sections = []
    for name, events in (("right", [ASKED]), ("fast", [ASKED, FAST])):
        (tmp_path / name).mkdir()
        config = config_in(tmp_path / name)
        keep(config, events)
        job = DigestJob(kind="daily", name="2026-11-16", light=True, sample=0, now=at(20 * 60))
        sections.append(asyncio.run(digest_of(config, job)).section("completion"))
    assert sections[0] is not None
    assert sections[1] == sections[0]
