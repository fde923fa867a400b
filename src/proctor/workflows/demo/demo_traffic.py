"""Weeks of simulated traffic through the real intake, with incidents through the real alert engine."""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice
from math import inf
from typing import Final

from proctor.config import Config
from proctor.core.event import Event
from proctor.monitor.simulation.manga_store import manga_store
from proctor.monitor.simulation.scenario import ConfidenceDrift, Incident, MixDrift, TrafficScenario, VersionChange
from proctor.monitor.simulation.traffic import simulate
from proctor.monitor.simulation.traffic_truth import TrafficTruth
from proctor.monitor.simulation.travel_desk import travel_desk
from proctor.store.private_files import private_folder
from proctor.wiring.alert_settings import engine_of
from proctor.wiring.history_settings import open_history
from proctor.wiring.monitor_state import open_alert_state
from proctor.workflows.demo.demo_guard import GuardedTraffic
from proctor.workflows.monitor.intake import Intake

__all__ = ["DemoTraffic", "demo_incidents", "fill_traffic", "scenarios_of"]

_BATCH_EVENTS: Final = 2_000
_LEARNT_EVENTS: Final = 600  # from which the rules learn what is normal before an incident
_STEP: Final = 60.0  # seconds between deliveries and looks during an incident
_AFTER: Final = 1800.0  # seconds that are watched after an incident
_LAST_HOURS: Final = 3.0  # of the incident that is still open at the end


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoTraffic:
    """How much traffic: two agents for ``days`` up to now, ``turns_per_minute`` each on average."""

    days: int = 45
    turns_per_minute: float = 0.08
    seed: int = 7


def demo_incidents(wanted: DemoTraffic) -> tuple[Incident, ...]:
    """Return what the alert rules live through: an outage of the model nine days ago, wrong answers now."""
    end = wanted.days * 24.0
    found = []
    if wanted.days > 10:
        found.append(Incident(kind="errors", at_hour=end - 9 * 24, hours=4, factor=0.9))
    found.append(Incident(kind="hallucination", at_hour=end - _LAST_HOURS, hours=_LAST_HOURS, factor=inf))
    return tuple(found)


def _attacks(wanted: DemoTraffic) -> tuple[Incident, ...]:
    """Return days with many attacks, which the gate stops."""
    return tuple(
        Incident(kind="injection", at_hour=wanted.days * 24.0 - days * 24.0, hours=20, factor=15)
        for days in (4, 18)
        if days < wanted.days
    )


def scenarios_of(wanted: DemoTraffic, now: datetime) -> tuple[TrafficScenario, ...]:
    """Return the traffic of both agents; in the second half intents and confidences move."""
    end, middle = wanted.days * 24.0, wanted.days * 12.0
    start = now - timedelta(days=wanted.days)
    desk = travel_desk(
        start=start,
        hours=end,
        turns_per_minute=wanted.turns_per_minute,
        flat=True,  # at any hour there is enough of it for an incident
        incidents=(*demo_incidents(wanted), *_attacks(wanted)),
        injection=0.01,
        mix=(MixDrift(from_hour=middle, to_hour=middle + 48, shares={"cancellation": 0.3, "general_browsing": 0.08}),),
        calibration=(ConfidenceDrift(from_hour=middle, to_hour=middle + 72, temperature=1.8),),
    )
    shop = manga_store(
        start=start,
        hours=end,
        turns_per_minute=wanted.turns_per_minute,
        releases=(VersionChange(at_hour=end - 5 * 24, version="1.1", share=0.5),),
    )
    return desk, shop


def fill_traffic(
    config: Config,
    now: datetime,
    wanted: DemoTraffic,
    *,
    truth: TrafficTruth | None = None,
    guarded: GuardedTraffic | None = None,
    progress: Callable[[int], None] | None = None,
) -> int:
    """Put the traffic into the store of a project, with the alerts that it raises; return the number of events.

    ``guarded`` are the conversations in which the project's own gates decided; the rules watch their attack too.

    Raises:
        StoreError: the store cannot be written.
    """
    private_folder(config.store)
    desk, *others = scenarios_of(wanted, now)
    flows = [simulate(desk, wanted.seed, truth=truth), *(simulate(each, wanted.seed) for each in others)]
    if guarded is not None:
        flows.append(iter(guarded.events))
    events = _Ahead(heapq.merge(*flows, key=lambda event: event.time))
    begin = desk.start.timestamp()
    windows = [
        (begin + each.at_hour * 3600, begin + (each.at_hour + each.hours) * 3600) for each in demo_incidents(wanted)
    ]
    if guarded is not None and guarded.attack is not None:
        windows = sorted([*windows, guarded.attack])
    clock = [begin]
    count = 0
    with open_alert_state(config) as state:
        engine = engine_of(config, state, clock=lambda: clock[0])
        intake = Intake(config.store, history=open_history(config), clock=lambda: clock[0])
        with closing(intake):
            recent: deque[Event] = deque(maxlen=_LEARNT_EVENTS)
            for opens, ends in windows:
                while batch := list(islice(events.until(opens), _BATCH_EVENTS)):
                    intake.add(batch)
                    recent.extend(batch)
                    count += len(batch)
                    if progress is not None:
                        progress(count)
                clock[0] = opens
                engine.learn(intake.rows(tuple(recent)), every=3600.0)
                intake.alerts = engine
                until = min(ends + _AFTER, now.timestamp())
                while clock[0] < until:
                    clock[0] += _STEP
                    due: Sequence[Event] = list(events.until(clock[0]))
                    if due:
                        intake.add(due)
                        count += len(due)
                    intake.tick()
                intake.alerts = None
                recent.clear()
            count += len(rest := list(events.until(inf)))
            if rest:
                intake.add(rest)
            intake.index()
            engine.close(clock[0])
    with open_history(config) as history:
        history.catch_up()  # all texts: a server indexes them for some seconds at a time
    return count


class _Ahead:
    """Events in time order, taken up to a time."""

    def __init__(self, events: Iterator[Event]) -> None:
        self._events = events
        self._next: Event | None = next(events, None)

    def until(self, time: float) -> Iterator[Event]:
        """Yield the events before a time."""
        while (event := self._next) is not None and event.time.timestamp() < time:
            self._next = next(self._events, None)
            yield event
