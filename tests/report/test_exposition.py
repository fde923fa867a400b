"""What `/metrics` answers, read by Prometheus' own tool; the rules that are shipped; series that do not grow."""

from __future__ import annotations

import random
import shutil
import subprocess
from pathlib import Path

import pytest

from proctor.core.alert_record import AlertRecord, RuleLimit, RuleStatus
from proctor.core.event_row import EventRow
from proctor.core.live_figures import LiveFigures
from proctor.monitor.live_counts import LiveCounts
from proctor.report.exposition import MetricFamily, alert_metrics, exposition, live_metrics, rules_file

PROMTOOL = shutil.which("promtool")
needs_promtool = pytest.mark.skipif(PROMTOOL is None, reason="needs promtool")


def row(number: int, **fields: object) -> EventRow:
    return EventRow(line=b"", id=str(number), kind="turn", time=0.0)._replace(**fields)  # type: ignore[arg-type]


def page() -> str:
    counts = LiveCounts()
    rng = random.Random(1)
    for number in range(500):
        counts.observe(
            row(number, latency=rng.lognormvariate(0, 1), cost=0.001, signals=("gate/pii", 'a"b\\c\nd')), 2.0
        )
    alert = AlertRecord(
        fingerprint="f", rule="latency", kind="p95", tier="critical", started=0, fired=0, updated=0, window_start=0,
        window_end=0,
    )  # fmt: skip
    limit = RuleLimit(rule="latency", kind="p95", smallest=0.13)
    status = RuleStatus(rule="latency", kind="p95", tier="critical", state="firing", since=0, limit=limit)
    return exposition([*live_metrics(counts.figures(late=3, leads=True)), *alert_metrics([alert], [status], waiting=1)])


@needs_promtool
def test_prometheus_reads_the_page() -> None:
    done = subprocess.run(
        [str(PROMTOOL), "check", "metrics"], input=page(), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stderr == ""


@needs_promtool
def test_prometheus_reads_the_rules(tmp_path: Path) -> None:
    file = tmp_path / "proctor.rules.yml"
    file.write_text(rules_file())
    done = subprocess.run([str(PROMTOOL), "check", "rules", str(file)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "SUCCESS" in done.stdout


TESTS = """
rule_files: [proctor.rules.yml]
evaluation_interval: 1m
tests:
  - interval: 1m
    input_series:
      - {series: 'up{job="proctor"}', values: '1x20'}
      - {series: 'proctor_alert_leader', values: '1x20'}
      - {series: 'proctor_alerts_open{tier="critical"}', values: '0x5 1x15'}
      - {series: 'proctor_events_total{kind="turn"}', values: '0+100x20'}
      - {series: 'proctor_signals_total{signal="gate/pii"}', values: '0+5x20'}
    alert_rule_test:
      - eval_time: 3m
        alertname: ProctorCriticalAlert
        exp_alerts: []
      - eval_time: 10m
        alertname: ProctorCriticalAlert
        exp_alerts:
          - exp_labels: {severity: critical, tier: critical}
            exp_annotations: {summary: 1 critical alerts are open in Proctor.}
      - eval_time: 10m
        alertname: ProctorDown
        exp_alerts: []
    promql_expr_test:
      - expr: proctor:signals:ratio5m
        eval_time: 10m
        exp_samples: [{labels: 'proctor:signals:ratio5m{signal="gate/pii"}', value: 0.05}]
"""


@needs_promtool
def test_the_rules_do_what_they_say(tmp_path: Path) -> None:
    (tmp_path / "proctor.rules.yml").write_text(rules_file())
    (tmp_path / "tests.yml").write_text(TESTS)
    done = subprocess.run(
        [str(PROMTOOL), "test", "rules", "tests.yml"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_histogram_adds_up() -> None:
    lines = page().splitlines()
    buckets = [float(line.split()[-1]) for line in lines if line.startswith("proctor_turn_latency_seconds_bucket")]
    assert buckets == sorted(buckets)
    assert buckets[-1] == 500
    assert "proctor_turn_latency_seconds_count 500" in lines
    assert 'proctor_alerts_open{tier="critical"} 1' in lines
    assert 'proctor_rule_slices{rule="latency",state="firing"} 1' in lines
    assert 'proctor_rule_smallest_spike{rule="latency",kind="p95"} 0.13' in lines


def test_series_do_not_grow_whatever_is_sent() -> None:
    counts = LiveCounts()
    for number in range(5_000):
        counts.observe(row(number, signals=(f"finding/{number}",)), 0.0)
    figures = counts.figures()
    assert len(figures.signals) == 101
    assert sum(figures.signals.values()) == 5_000


def test_an_empty_page() -> None:
    assert exposition([MetricFamily(name="x", about="Nothing.", kind="gauge", samples=())]) == ""
    assert "proctor_turn_latency_seconds_count 0" in exposition(live_metrics(LiveFigures()))
