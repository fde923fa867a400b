"""Reports that are measured in a process of their own and kept."""

from __future__ import annotations

import time
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from proctor.config import Config, open_config
from proctor.core.calibration_report import CalibrationReport
from proctor.core.drift_report import DriftReport, IntentShift, TopicShift
from proctor.core.errors import InputError, StoreError
from proctor.core.judge_card import Estimate
from proctor.workflows.monitor import measure_process
from proctor.workflows.monitor.kept_reports import (
    CalibrationMonth,
    KeptCalibration,
    keep_calibration,
    keep_drift,
    kept_calibration,
    kept_digests,
    kept_drift,
    kept_months,
    newest_digest,
)
from proctor.workflows.monitor.measure_process import MeasureProgress, MeasureTask, checked_task, measure_progress

NOW = datetime(2026, 11, 17, 12, tzinfo=UTC)


@pytest.fixture
def config(tmp_path: Path) -> Config:
    (tmp_path / "proctor.yaml").write_text("store: .proctor\n", encoding="utf-8")
    return open_config(tmp_path / "proctor.yaml")


def test_a_task_needs_events_and_a_period(config: Config) -> None:
    with pytest.raises(InputError, match="no event log"):
        checked_task(config, MeasureTask(what="digest"))
    (config.store / "events").mkdir(parents=True)
    (config.store / "events" / "w.ndjson").write_text("", encoding="utf-8")
    assert checked_task(config, MeasureTask(what="digest", kind="weekly"), NOW).period == "2026-W46"
    assert checked_task(config, MeasureTask(what="drift"), NOW).period == "2026-10"
    assert checked_task(config, MeasureTask(what="calibration"), NOW).labels == "audit"
    with pytest.raises(InputError, match="month"):
        checked_task(config, MeasureTask(what="drift", period="2026-13"))


def test_a_killed_process_is_reported(config: Config) -> None:
    assert measure_progress(config) is None
    begun = MeasureProgress(task=MeasureTask(what="drift", period="2026-10"), started=time.time() - 60)
    measure_process._note(config, begun)
    found = measure_progress(config)
    assert found is not None
    assert (found.is_running, found.failure) == (False, "it was stopped before its end")


def test_drift_is_kept_by_month(config: Config) -> None:
    assert (kept_months(config), kept_drift(config, "2026-10"), kept_digests(config)) == ([], None, [])
    assert newest_digest(config) is None
    report = DriftReport(
        month="2026-10",
        before=("2026-09",),
        count=10,
        before_count=20,
        effect=0.1,
        intents=(
            IntentShift(
                intent="<b>faq</b>",
                count=1,
                before_count=2,
                share=0.1,
                before_share=0.1,
                change=Estimate(value=0.0, low=-0.1, high=0.1),
                p=1.0,
                adjusted=1.0,
                minimum=None,
            ),
        ),
        topics=(
            TopicShift(
                question="開封した漫画は?",
                count=3,
                before_count=0,
                share=0.3,
                before_share=0.0,
                adjusted=0.01,
                is_new=True,
            ),
        ),
    )
    for month in ("2026-09", "2026-10"):
        keep_drift(config, replace(report, month=month))
    assert kept_months(config) == ["2026-10", "2026-09"]
    assert kept_drift(config, "2026-10") == report
    assert kept_drift(config, "../x") is None
    assert (config.store / "measured" / "drift-2026-10.json").stat().st_mode & 0o077 == 0


def test_calibration_is_kept(config: Config) -> None:
    report = CalibrationReport(
        labels="audit",
        count=5,
        ece=0.1,
        chance=0.05,
        debiased=Estimate(value=0.08, low=0.0, high=0.2),
        p=0.2,
        gap=0.05,
        brier=0.2,
        highest=0.3,
        minimum=None,
        threshold=0.05,
    )
    kept = KeptCalibration(
        labels="audit", measured=1.5, whole=report, months=(CalibrationMonth(month="2026-10", report=report),)
    )
    keep_calibration(config, kept)
    assert kept_calibration(config) == kept


def test_a_broken_file_names_itself(config: Config) -> None:
    (config.store / "measured").mkdir(parents=True)
    (config.store / "measured" / "calibration.json").write_text("{broken", encoding="utf-8")
    with pytest.raises(StoreError, match="cannot be read"):
        kept_calibration(config)
