"""A small project as production leaves it: traffic of some days, an incident with its alert, an audit of two raters."""

from __future__ import annotations

from collections import deque
from contextlib import closing
from datetime import UTC, datetime, timedelta
from math import inf
from pathlib import Path
from random import Random

from proctor.config import Config, open_config
from proctor.core.audit import AuditRating
from proctor.monitor.simulation.scenario import Incident
from proctor.monitor.simulation.traffic import simulate
from proctor.monitor.simulation.travel_desk import travel_desk
from proctor.store.alert_state import AlertState
from proctor.store.private_files import private_folder
from proctor.wiring.alert_settings import engine_of
from proctor.workflows.monitor.audit import SampleJob, audit_settings, draw_audit
from proctor.workflows.monitor.intake import Intake

__all__ = ["make_store"]

_SETTINGS = """
alerts:
  rules:
    ungrounded: {in_a_row: score/grounded, count: 4, tier: critical}  # rings with little traffic
"""
_DAYS = 12
_INCIDENT = 3.0  # the last hours
_TICK = 60.0  # simulated seconds
_TURNS_PER_MINUTE = 0.1
_LEARNT = 500  # events from which the rules learn what is normal


def make_store(folder: Path) -> Path:
    """Make a project in a new folder; return the folder."""
    folder.mkdir(parents=True)
    (folder / "proctor.yaml").write_text(_SETTINGS, encoding="utf-8")
    config = open_config(folder)
    now = datetime.now(UTC).replace(minute=0, second=0, microsecond=0)
    _live_through(config, now)
    _rate(config, now)
    return folder


def _live_through(config: Config, now: datetime) -> None:
    """Store the days before, from which the rules learn, then send the last hours through the intake and the rules."""
    start = now - timedelta(days=_DAYS)
    incident = Incident(kind="hallucination", at_hour=_DAYS * 24 - _INCIDENT, hours=_INCIDENT, factor=inf)
    scenario = travel_desk(
        start=start,
        hours=_DAYS * 24.0,
        turns_per_minute=_TURNS_PER_MINUTE,
        incidents=(incident,),
        injection=0.02,
        flat=True,
    )
    events = list(simulate(scenario, 3))
    begin = (now - timedelta(hours=_INCIDENT)).timestamp()
    before = [event for event in events if event.time.timestamp() < begin]
    private_folder(config.store)
    clock = [begin]
    with AlertState(config.store) as state, closing(Intake(config.store, clock=lambda: clock[0])) as intake:
        engine = engine_of(config, state, clock=lambda: clock[0])
        engine.learn(intake.rows(before[-_LEARNT:]), every=3600.0)
        intake.add(before)
        intake.alerts = engine
        waiting = deque(events[len(before) :])
        while waiting:
            clock[0] += _TICK
            due = []
            while waiting and waiting[0].time.timestamp() < clock[0]:
                due.append(waiting.popleft())
            if due:
                intake.add(due)
            intake.tick()
        intake.index()
        engine.close(clock[0])


def _rate(config: Config, now: datetime) -> None:
    """Draw the audit of the last week, which two people have rated half."""
    _, items = draw_audit(config, SampleJob(size=20, core=12), now=now)
    settings, draw = audit_settings(config), Random(5)
    from proctor.wiring.monitor_state import open_audit_store

    with open_audit_store(config) as store:
        for item in items[: len(items) // 2]:
            for rater in ("ben", "cleo"):
                values = {name: draw.choice((2, 4, 4, 5, 5)) for name in settings.dimensions}
                store.rate([AuditRating(item=item.id, rater=rater, values=values, time=now)])
