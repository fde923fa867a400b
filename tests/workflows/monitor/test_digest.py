"""Digests of simulated traffic, whose truth is known."""

from __future__ import annotations

import asyncio
import random
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path

import pytest

from proctor.core.digest import DigestFigure, PeriodDigest
from proctor.core.errors import InputError, MalformedError
from proctor.core.event import Event
from proctor.monitor.simulation.scenario import Incident
from proctor.monitor.simulation.traffic_truth import TrafficTruth
from proctor.workflows.monitor.digest import DigestJob, digest_of
from tests.workflows.monitor.traffic_log import MONDAY, config_in, keep, traffic, write_log

NOW = datetime(2026, 11, 17, 6, tzinfo=UTC)
TRUTH = TrafficTruth()


@cache
def _events() -> list[Event]:
    worse = Incident(kind="escalation", at_hour=24 * 7, hours=24 * 7, factor=5)
    return traffic(15, truth=TRUTH, incidents=(worse,))


def _digest(folder: Path, **job: object) -> PeriodDigest:
    config = config_in(folder)
    keep(config, _events())
    given = {"kind": "weekly", "light": True, "sample": 20, "now": NOW, **job}
    return asyncio.run(digest_of(config, DigestJob(**given)))  # type: ignore[arg-type]


def _figure(digest: PeriodDigest, section: str, table: int = 0, name: str | None = None) -> DigestFigure:
    found = digest.section(section)
    assert found is not None
    figures = found.tables[table].figures
    return figures[0] if name is None else next(each for each in figures if each.name == name)


@pytest.fixture(scope="module")
def week(tmp_path_factory: pytest.TempPathFactory) -> PeriodDigest:
    return _digest(tmp_path_factory.mktemp("week"))


def test_a_week_is_compared_with_the_one_before_and_with_the_truth(week: PeriodDigest) -> None:
    digest = week
    assert (digest.period.name, digest.before.name) == ("2026-W46", "2026-W45")
    days = range(7, 14)
    turns = _figure(digest, "volume", name="turns")
    inside = [event for event in _events() if event.kind == "turn" and digest.period.has(event.time)]
    assert turns.now.value == len(inside)
    handed = _figure(digest, "escalations")
    truth = TRUTH.total("escalated", days=days) / TRUTH.total("conversations", days=days)
    assert handed.now.value == pytest.approx(truth, abs=0.02)
    assert handed.now.low is not None
    assert handed.now.high is not None
    assert handed.now.low < truth < handed.now.high
    assert handed.change is not None
    assert handed.change.is_clear, "five times as many were handed over"
    assert handed.better is None, "more hand-offs are neither better nor worse"
    assert handed.now.count > 250
    assert digest.headline[0].name == "repeat contact"


def test_repeat_contact_covers_tasks_whose_windows_ended_in_the_period(week: PeriodDigest, tmp_path: Path) -> None:
    repeats = _figure(week, "completion", name="all")
    begin, end = (each.timestamp() - 86_400 for each in (week.before.begin, week.before.end))
    came_back = {told.repeat_of for told in TRUTH.conversations}
    settled = [told for told in TRUTH.conversations if begin <= told.time < end]
    share = sum(told.id in came_back for told in settled) / len(settled)
    assert repeats.before.count == pytest.approx(len(settled), rel=0.1), "of the week before: those begun a day earlier"
    assert repeats.before.value == pytest.approx(share, abs=0.03)
    early = _digest(tmp_path, kind="daily", name="2026-11-10", now=datetime(2026, 11, 11, 0, 5, tzinfo=UTC), sample=0)
    late = _digest(tmp_path, kind="daily", name="2026-11-10", sample=0)
    assert late.section("completion") == early.section("completion"), "a later digest never revises a figure"


def test_the_log_and_a_file_tell_the_same_whatever_the_order_of_the_log(tmp_path: Path) -> None:
    config = config_in(tmp_path)
    mixed = list(_events())
    random.Random(1).shuffle(mixed)
    keep(config, mixed[: len(mixed) // 2])
    keep(config, mixed[len(mixed) // 2 :])
    job = DigestJob(kind="daily", name="2026-11-12", light=True, sample=10, now=NOW)
    one = asyncio.run(digest_of(config, job))
    log = write_log(tmp_path / "events.jsonl", _events())
    other = asyncio.run(digest_of(config, replace(job, events=(log,))))
    assert one.source == "the project's event log"
    assert other.source == "events.jsonl"
    named = {"gates"}  # the source is named in a hint
    assert [each for each in one.sections if each.name not in named] == [
        each for each in other.sections if each.name not in named
    ]


def test_ratings_and_outcomes_that_disagree_have_examples(week: PeriodDigest) -> None:
    section = week.section("ratings")
    assert section is not None
    kinds = {each.what.split(": ")[1] for each in section.examples}
    assert kinds == {"rated well, not resolved", "resolved, rated poorly"}
    rated = _figure(week, "ratings", name="rating from 1 to 5")
    assert 1 <= (rated.now.value or 0) <= 5
    assert rated.now.low is not None


def test_what_nobody_measured_is_said_and_has_no_figure(tmp_path: Path) -> None:
    digest = _digest(tmp_path, kind="daily", name="2026-11-10", sample=0)
    for name in ("audit", "calibration", "drift", "alerts", "consistency"):
        section = digest.section(name)
        assert section is not None
        assert section.missing
        assert section.tables == ()
    empty = _digest(tmp_path, kind="daily", name="2026-01-01")
    assert empty.headline == ()
    assert "no event of this period was found" in empty.notes
    assert all(section.missing for section in empty.sections)


def test_a_period_that_is_not_over_says_so(tmp_path: Path) -> None:
    now = MONDAY + timedelta(days=9, hours=12)
    digest = _digest(tmp_path, now=now, kind="daily", name="2026-11-11", sample=0)
    assert any("the period is not over: events were read up to 2026-11-11 12:00" in note for note in digest.notes)
    first = _digest(tmp_path, kind="daily", name="2026-11-02", sample=0)
    assert any("no event of the period before" in note for note in first.notes)
    assert all(figure.change is None for figure in first.headline)


def test_a_zone_moves_the_beginning_of_the_day(tmp_path: Path) -> None:
    config = config_in(tmp_path, "monitor: {digest: {zone: Asia/Tokyo, sample: 0, light: true}}")
    keep(config, _events())
    digest = asyncio.run(digest_of(config, DigestJob(kind="daily", name="2026-11-10", now=NOW)))
    assert digest.period.begin == datetime(2026, 11, 9, 15, tzinfo=UTC)
    assert digest.extra["zone"] == "Asia/Tokyo"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("monitor: {digest: {zone: Mars/Base}}", "no time zone 'Mars/Base'"),
        ("monitor: {digest: {samples: 3}}", "unknown key"),
        ("monitor: {digest: {sample: -1}}", "sample must be 0 or more"),
    ],
)
def test_wrong_settings_name_the_field(tmp_path: Path, text: str, message: str) -> None:
    config = config_in(tmp_path, text)
    with pytest.raises(MalformedError) as caught:
        asyncio.run(digest_of(config, DigestJob(kind="daily")))
    assert message in caught.value.problems[0].message
    assert caught.value.problems[0].where.startswith("monitor.digest")


def test_an_unknown_zone_has_its_place_and_a_hint(tmp_path: Path) -> None:
    config = config_in(tmp_path, "monitor: {digest: {zone: Mars/Base}}")
    with pytest.raises(MalformedError) as caught:
        asyncio.run(digest_of(config, DigestJob(kind="daily")))
    problem = caught.value.problems[0]
    assert (problem.path, problem.line) == (("monitor", "digest", "zone"), 1)
    assert "Europe/Berlin" in (problem.hint or "")


def test_no_events_and_a_wrong_period_are_errors(tmp_path: Path) -> None:
    config = config_in(tmp_path)
    with pytest.raises(InputError, match="this project has no event log"):
        asyncio.run(digest_of(config, DigestJob(kind="daily")))
    keep(config, _events()[:5])
    with pytest.raises(InputError, match="expected a week such as 2026-W46"):
        asyncio.run(digest_of(config, DigestJob(kind="weekly", name="46")))
