"""Simulated traffic in the event log of a project, and as a file."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from proctor.config import Config, Environment, load_config
from proctor.core.codec import dumps
from proctor.core.event import Event
from proctor.core.event_row import row_of
from proctor.monitor.simulation.traffic import simulate
from proctor.monitor.simulation.traffic_truth import TrafficTruth
from proctor.monitor.simulation.travel_desk import travel_desk
from proctor.store.event_log import FOLDER, EventLog

MONDAY = datetime(2026, 11, 2, tzinfo=UTC)


def traffic(days: float = 14, *, truth: TrafficTruth | None = None, **changes: Any) -> list[Event]:
    """Two weeks of a small travel desk, from a Monday."""
    scenario = travel_desk(start=MONDAY, hours=24.0 * days, turns_per_minute=0.1, **changes)
    return list(simulate(scenario, 3, truth=truth))


def config_in(folder: Path, text: str = "") -> Config:
    """The project of this folder."""
    path = folder / "proctor.yaml"
    path.write_text(text, encoding="utf-8")
    return load_config(path, Environment(values={}), start=folder)


def keep(config: Config, events: Iterable[Event]) -> None:
    """Write events to the project's log."""
    with EventLog(config.store / FOLDER) as log:
        log.append([row_of(event) for event in events])


def write_log(path: Path, events: Iterable[Event]) -> Path:
    """Write events to a file."""
    path.write_bytes(b"".join(dumps(event) + b"\n" for event in events))
    return path
