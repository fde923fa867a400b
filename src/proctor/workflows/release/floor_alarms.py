"""Raise an alarm when a figure stays below its floor for several runs."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from proctor.config import Config
from proctor.core.event import Alert
from proctor.release.floors import Floor, Floors
from proctor.release.measures import ALL
from proctor.release.trend import Alarm, alarms
from proctor.store.run_reader import RunReader
from proctor.store.runs import RunStore
from proctor.store.trends import PointRecord, TrendLine, history
from proctor.workflows.alerts import send_alert, webhook_of
from proctor.workflows.release.baseline import as_point, policy_of

__all__ = ["alarm_of", "floor_of", "raise_alarms"]

_RUNS = 50


def floor_of(
    config: Config, dimension: str, intent: str | None, policy: Path | None = None
) -> tuple[Floor | None, int]:
    """Return the floor of one line, and how many runs in a row must be below it for an alarm.

    Raises:
        InputError: the policy is invalid.
    """
    rules, _ = policy_of(config, policy)
    floor = Floors(by_intent=rules.floors).of(intent or ALL, dimension)
    return floor, (floor.consecutive if floor else None) or rules.consecutive


def alarm_of(records: Sequence[PointRecord], floor: Floor, consecutive: int) -> Alarm | None:
    """Return the alarm of one line, if it was below its floor often enough."""
    points = [as_point(each) for each in records if each.mean is not None]
    if not points:
        return None
    floors = Floors(by_intent={points[-1].intent: {points[-1].dimension: floor}})
    return next(iter(alarms(points, floors, consecutive=consecutive)), None)


async def raise_alarms(config: Config, store: RunStore, run: str) -> list[Alarm]:
    """Find the alarms after a run, record and send them, and return them.

    Raises:
        InputError: the policy or the webhook is invalid.
        StoreError: an alarm cannot be recorded.
    """
    rules, _ = policy_of(config, None)
    if not rules.floors:
        return []
    reader, webhook = RunReader(store, store.get(run)), webhook_of(config)
    found: list[Alarm] = []
    for target in reader.targets():
        records = history(store, TrendLine(suite=reader.run.name, target=target), runs=_RUNS)
        if not records or records[-1].run != run:
            continue  # a run of selected cases is not comparable
        points = [as_point(each) for each in records if each.mean is not None]
        for alarm in alarms(points, Floors(by_intent=rules.floors), consecutive=rules.consecutive):
            if run not in alarm.runs:
                continue  # no value in this run
            found.append(alarm)
            await send_alert(config, store, _alert(alarm, reader.run.name, target, run), webhook)
    return found


def _alert(alarm: Alarm, suite: str, target: str, run: str) -> Alert:
    return Alert(
        rule="floor",
        message=f"{suite}: {alarm.message}",
        tier="high",
        time=datetime.now(UTC),
        key=f"floor-{suite}-{target}-{alarm.intent}-{alarm.dimension}",
        value=alarm.values[-1],
        threshold=alarm.floor.least,
        count=len(alarm.runs),
        metadata={"run": run, "suite": suite, "target": target, "intent": alarm.intent, "dimension": alarm.dimension},
    )
