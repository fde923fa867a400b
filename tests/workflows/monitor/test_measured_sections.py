"""What alerts and the audit have measured appears in the digest; nothing is invented where they have not."""

from __future__ import annotations

import asyncio
import random
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from proctor.config import Config
from proctor.core.alert_record import AlertRecord
from proctor.core.audit import DIMENSIONS, AuditRating
from proctor.core.errors import InputError
from proctor.core.verdict import Severity
from proctor.monitor.periods import parse_period, period_before
from proctor.store.alert_state import AlertState
from proctor.store.audit import AuditStore
from proctor.store.review import items, resolve
from proctor.store.runs import RunStore
from proctor.workflows.monitor.alert_queue import queue_alerts
from proctor.workflows.monitor.audit import SampleJob, draw_audit
from proctor.workflows.monitor.digest_settings import DigestSettings
from proctor.workflows.monitor.measured_sections import (
    alert_section,
    audit_section,
    calibration_section,
    drift_section,
)
from tests.workflows.monitor.traffic_log import config_in, keep, traffic

WEEK = parse_period("weekly", "2026-W46")


def _alert(rule: str, tier: Severity, day: int, **more: Any) -> AlertRecord:
    time = datetime(2026, 11, day, 9, tzinfo=UTC).timestamp()
    return AlertRecord(
        fingerprint=f"{rule}-{day}", rule=rule, kind="rate", tier=tier, message=f"{rule} is high", started=time,
        fired=time, updated=time, window_start=time - 300, window_end=time, examples=("s1", "s2"), **more,
    )  # fmt: skip


@pytest.fixture
def alerted(tmp_path: Path) -> Config:
    config = config_in(tmp_path)
    with AlertState(config.store) as state:
        for made in (
            _alert("injection", "critical", 4),
            _alert("hallucination", "high", 10),
            _alert("escalation", "high", 11),
            _alert("latency", "medium", 12, slice={"intent": "faq"}),
            _alert("latency", "low", 20),
        ):
            opened, _ = state.open_alert(made, again_within=60)
            if made.rule == "injection":
                state.resolve(opened.number, by="kim", now=made.fired + 60)
    return config


def test_alerts_of_the_week_by_tier_with_those_that_are_open(alerted: Config) -> None:
    queue_alerts(alerted)
    with RunStore(alerted.store) as store:
        resolve(store, items(store)[0], verdict="wrong", person="kim")
    section = alert_section(alerted, WEEK, period_before(WEEK))
    fired = {figure.name: (figure.now.value, figure.before.value) for figure in section.tables[0].figures}
    assert fired == {"critical": (0, 1), "high": (2, 0), "medium": (1, 0), "low": (0, 0)}
    standing = {figure.name: figure.now.value for figure in section.tables[1].figures}
    assert standing == {"critical": 0, "high": 2, "medium": 1, "low": 0}, "what fired later is not in it"
    reviewed = section.tables[2].figures[0]
    assert (reviewed.now.value, reviewed.now.count) == (0.0, 1)
    shown = [(each.what, each.where, each.intent) for each in section.examples]
    assert shown == [
        ("high: escalation", "s1, s2", ""),
        ("high: hallucination", "s1, s2", ""),
        ("medium: latency", "s1, s2", "faq"),
    ]
    assert "wrong" in section.examples[1].detail


def test_more_alerts_than_fit_are_counted(alerted: Config) -> None:
    section = alert_section(alerted, WEEK, period_before(WEEK), examples=1)
    assert len(section.examples) == 1
    assert section.notes == ("2 more: `proctor alerts list --all`",)


def test_the_audit_has_quality_and_agreement_of_the_newest_rated_week(tmp_path: Path) -> None:
    config = config_in(tmp_path)
    assert audit_section(config, WEEK).missing.startswith("no sample has been drawn")
    keep(config, traffic(14))
    with pytest.raises(InputError) as none:
        draw_audit(config, SampleJob(week="2026-W20", size=40), now=datetime(2026, 11, 17, tzinfo=UTC))
    assert none.value.hint == "the conversations are from 2026-W45 to 2026-W46; name one of these weeks with --week"
    assert audit_section(config, WEEK).missing.startswith("no sample has been drawn"), "though one was tried"
    for week in ("2026-W45", "2026-W46"):
        draw_audit(config, SampleJob(week=week, size=40), now=datetime(2026, 11, 17, tzinfo=UTC))
    assert audit_section(config, WEEK).missing.startswith("nobody has rated")
    rng = random.Random(1)
    with AuditStore(config.store) as store:
        for item in store.items(["2026-W45"]):
            good = rng.random() < 0.8
            for rater in ("ann", "ben"):
                value = 5 if good == (rng.random() < 0.9) else 2
                store.rate([AuditRating(item=item.id, rater=rater, values=dict.fromkeys(DIMENSIONS, value))])
    section = audit_section(config, WEEK)
    assert section.missing == ""
    passes, kappas = section.tables
    assert passes.hint.startswith("week 2026-W45; 40 of 40 sampled were rated")
    assert {figure.name for figure in passes.figures} == set(DIMENSIONS)
    assert passes.figures[0].now.low is not None
    assert kappas.title == "Agreement of raters: Cohen's kappa"
    assert 0.2 < (kappas.figures[0].now.value or 0) < 1
    assert kappas.figures[0].now.count == 40


def test_on_the_first_day_a_sample_says_when_it_can_be_drawn(tmp_path: Path) -> None:
    config = config_in(tmp_path)
    keep(config, traffic(1))
    day = datetime(2026, 11, 3, tzinfo=UTC)
    with pytest.raises(InputError) as none:
        draw_audit(config, SampleJob(), now=day)
    assert none.value.message == "no conversation began in week 2026-W44"
    assert none.value.hint == (
        "the first conversations are of 2026-W45; its sample can be drawn when it is over, on 2026-11-09"
    )


def test_calibration_needs_labels_and_has_its_interval(tmp_path: Path) -> None:
    config = config_in(tmp_path)
    keep(config, traffic(14))
    before = period_before(WEEK)
    missing = asyncio.run(calibration_section(config, WEEK, before, DigestSettings()))
    assert missing.missing.startswith("no conversation has been rated")
    section = asyncio.run(calibration_section(config, WEEK, before, DigestSettings(calibration="score/grounded")))
    assert section.missing == ""
    error, gap = section.tables[0].figures
    assert error.now.count > 200
    assert error.now.low is not None
    assert error.change is not None
    assert gap.now.value is not None
    unknown = asyncio.run(calibration_section(config, WEEK, before, DigestSettings(calibration="score/none")))
    assert unknown.missing == "no conversation has a score named 'none'"


def test_drift_is_measured_by_the_month(tmp_path: Path) -> None:
    config = config_in(tmp_path)
    settings = DigestSettings(light=True)
    assert asyncio.run(drift_section(config, WEEK, settings)).missing == "it is measured by the month"
    november = parse_period("monthly", "2026-11")
    earlier = [
        replace(event, id=f"o-{event.id}", session=f"o-{event.session}", time=event.time - timedelta(days=30))
        for event in traffic(6)
    ]
    keep(config, traffic(6))
    assert "no conversation began in" in asyncio.run(drift_section(config, november, settings)).missing
    keep(config, earlier)
    section = asyncio.run(drift_section(config, november, settings))
    assert section.missing == ""
    assert section.tables[0].figures[0].now.count > 100
    assert {figure.name for figure in section.tables[1].figures} >= {"policy_inquiry", "booking_change"}
