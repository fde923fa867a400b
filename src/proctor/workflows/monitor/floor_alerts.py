"""Raise and end alerts for scores of production that stay under their floor."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime

from proctor.config import Config
from proctor.core.alert_record import AlertChange, AlertRecord
from proctor.monitor.watched_rule import fingerprint_of
from proctor.release.trend import Alarm
from proctor.wiring.monitor_state import open_alert_state
from proctor.workflows.monitor.alert_queue import tell_channels
from proctor.workflows.monitor.event_source import EventSource
from proctor.workflows.monitor.score_floors import (
    FloorSettings,
    FloorState,
    floor_settings,
    floors_of,
    history_begin,
    score_alarms,
)

__all__ = ["RaisedFloors", "floor_message", "raise_floor_alerts"]

RULE = "score_floor"
_KIND = "floor"
_MAX_VALUES = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class RaisedFloors:
    """What was found, the alerts that are new, and those that have ended."""

    state: FloorState
    fired: tuple[AlertRecord, ...] = ()
    resolved: tuple[AlertRecord, ...] = ()


async def raise_floor_alerts(config: Config, now: datetime) -> RaisedFloors:
    """Read the scores of the last windows; open an alert for each figure under its floor, and end those above it.

    An alert is opened once, however often this runs. One whose score is not measured any more stays open.

    Raises:
        InputError: there is no event log, or a setting is invalid.
        StoreError: the store cannot be read or written.
    """
    settings = floor_settings(config)
    floors, consecutive = floors_of(config, settings)
    rows = EventSource.of(config).rows(since=history_begin(settings, floors, consecutive, now), until=now)
    found = score_alarms(config, rows, now)
    fired: list[AlertRecord] = []
    untold: list[AlertRecord] = []  # opened by an earlier process that could not hand them to the channels
    standing = {_fingerprint(alarm): alarm for alarm in found.alarms}
    with open_alert_state(config) as state:
        for fingerprint, alarm in standing.items():
            alert = _alert(alarm, fingerprint, now, settings, found)
            opened, is_new = state.open_alert(alert, again_within=settings.seconds)
            if is_new:
                fired.append(opened)
                continue
            known = replace(alert, number=opened.number, fired=opened.fired, started=opened.started)
            if (updated := state.update_alert(known)).notified is None:
                untold.append(updated)
        over = [
            state.resolve(each.number, by="proctor", now=now.timestamp())
            for each in state.alerts(open_only=True)
            if each.rule == RULE
            and each.fingerprint not in standing
            and (each.slice.get("intent", ""), each.slice.get("score", "")) in found.fresh
        ]
    await tell_channels(
        config,
        [AlertChange(kind="fired", alert=each) for each in (*fired, *untold)]
        + [AlertChange(kind="resolved", alert=each) for each in over],
        now.timestamp(),
    )
    return RaisedFloors(state=found, fired=tuple(fired), resolved=tuple(over))


def floor_message(alarm: Alarm) -> str:
    """Return the alarm in one line; only the last values are shown."""
    shown = ", ".join(f"{value:.3f}" for value in alarm.values[-_MAX_VALUES:])
    times = "in the last window" if len(alarm.runs) == 1 else f"in the last {len(alarm.runs)} windows"
    return f"{alarm.dimension} ({alarm.intent}) under {alarm.floor.least:g} {times}: {shown}"


def _fingerprint(alarm: Alarm) -> str:
    return fingerprint_of(RULE, _slice(alarm))


def _slice(alarm: Alarm) -> dict[str, str]:
    return {"score": alarm.dimension, "intent": alarm.intent}


def _alert(alarm: Alarm, fingerprint: str, now: datetime, settings: FloorSettings, found: FloorState) -> AlertRecord:
    windows = [
        point
        for point in found.points
        if (point.intent, point.dimension) == (alarm.intent, alarm.dimension) and point.run in alarm.runs
    ]
    begin = windows[0].created.timestamp() if windows and windows[0].created else now.timestamp()
    end = windows[-1].created.timestamp() + settings.seconds if windows and windows[-1].created else now.timestamp()
    return AlertRecord(
        fingerprint=fingerprint,
        rule=RULE,
        kind=_KIND,
        tier=settings.tier,
        slice=_slice(alarm),
        message=floor_message(alarm),
        started=begin,
        fired=now.timestamp(),
        updated=now.timestamp(),
        window_start=begin,
        window_end=end,
        events=sum(point.cases for point in windows),
        value=alarm.values[-1],
        baseline=alarm.floor.least,
        threshold=alarm.floor.least,
        bad=len(alarm.runs),
        examples=found.worst.get((alarm.runs[-1], alarm.intent, alarm.dimension), ()),
    )
