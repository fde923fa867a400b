"""The loop closes: a release tips a rule, the alert's example becomes a case, and the gate holds that release."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from importlib.resources import files
from math import inf
from pathlib import Path

import pytest

from proctor.core.alert_record import AlertRecord
from proctor.core.event import Event
from proctor.core.event_row import row_of
from proctor.monitor.alert_engine import AlertEngine
from proctor.monitor.alert_rules import rules_of
from proctor.monitor.simulation.manga_store import manga_store
from proctor.monitor.simulation.scenario import Incident, VersionChange
from proctor.monitor.simulation.traffic import simulate
from proctor.store.alert_state import AlertState
from proctor.suites.load import open_suite
from proctor.workflows.monitor.intake import Intake
from tests.cli.conftest import Project

BEFORE = manga_store(hours=8, turns_per_minute=16, flat=True, texts=False, day_noise=0.0)
WRONG = Incident(kind="hallucination", at_hour=0.1, hours=1, factor=inf, intent="faq", version="1.1")
RELEASE = replace(
    BEFORE,
    name="shop",
    start=BEFORE.start + timedelta(hours=BEFORE.hours),
    hours=0.5,
    turns_per_minute=60,
    texts=True,
    releases=(VersionChange(at_hour=0.1, version="1.1", share=0.5),),
    incidents=(WRONG,),
)


def _alert(store: Path) -> AlertRecord:
    """Live through the release, a few events at a time, until a rule is tipped and the slice is clear."""
    now = 0.0
    with AlertState(store) as state:
        engine = AlertEngine(rules_of({}), state, clock=lambda: now)
        engine.learn(map(row_of, simulate(BEFORE, 3)), every=600.0)
        with closing(Intake(store, alerts=engine, clock=lambda: now)) as intake:
            batch: list[Event] = []
            for event in simulate(RELEASE, 3):
                batch.append(event)
                if len(batch) < 40:
                    continue
                now = event.time.timestamp()
                intake.add(batch)
                batch = []
                intake.tick()
                found = next((each for each in state.alerts() if each.rule == "hallucination"), None)
                if found is not None and "version" in {each.dimension for each in found.moved}:
                    return found
    raise AssertionError("no rule was tipped")


@pytest.fixture
def shop(project: Project) -> Project:
    template = files("proctor.cli") / "template"
    sources = {
        "proctor.yaml": "demo/proctor.yaml",
        "agent.py": "demo_month/agent.py",
        "suites/golden.yaml": "demo/golden.yaml",
    }
    for name, source in sources.items():
        project.write(name, (template / source).read_text(encoding="utf-8"))
    return project


def test_a_bad_release_becomes_an_alert_a_case_and_a_hold(shop: Project) -> None:
    shop.run("run", "golden", "-t", "v1_0", "-q", code=0)
    shop.run("bless", "last", code=0)
    shop.run("run", "golden", "-t", "v1_1", "-q", code=0)
    shop.run("gate", "last", code=0)  # the tests know nothing of what is wrong with it

    alert = _alert(shop.folder / ".proctor")
    released = (RELEASE.start + timedelta(hours=0.1)).timestamp()
    assert released < alert.fired < released + 600
    assert {("intent", "faq"), ("version", "1.1")} <= {(each.dimension, each.value) for each in alert.moved}

    done = shop.run("promote", "--alert", "hallucination", "--to", "suites/golden.yaml", code=0)
    assert "1 added" in done.stdout
    assert "warning:" not in done.stderr, "the case fails the answer that failed"
    case = list(open_suite(shop.folder / "suites/golden.yaml").cases())[-1]
    assert case.metadata["promoted"]["version"] == "1.1"
    assert case.metadata["promoted"]["session"] in alert.examples
    assert [check.scorer for check in case.checks] == ["grounded"]

    shop.run("run", "golden", "-t", "v1_1", "-q", code=1)
    held = shop.run("gate", "last", code=1)
    assert "HOLD" in held.stdout
    assert f"1 case made from alerts in production fails again: {case.id}" in held.stdout

    shop.run("run", "golden", "-t", "v1_0", "-q", code=0)  # the version before it passes the new case
    shop.run("bless", "last", code=0)
    shop.run("run", "golden", "-t", "v1_0", "-q", code=0)
    shop.run("gate", "last", code=0)
