"""A simulated day with an incident, through the real intake and the real alert engine."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from math import inf
from pathlib import Path
from typing import Final

from proctor.core.alert_record import AlertChange, AlertRecord, RuleLimit
from proctor.core.event import Event
from proctor.core.event_row import EventRow, signals_of
from proctor.core.rollup_cell import RollupCell
from proctor.core.trajectory import Turn
from proctor.core.watch_figures import WatchRow
from proctor.monitor.alert_engine import AlertEngine
from proctor.monitor.alert_rules import rules_of
from proctor.monitor.simulation.manga_store import manga_store
from proctor.monitor.simulation.scenario import Incident, TrafficScenario, VersionChange
from proctor.monitor.simulation.traffic import simulate
from proctor.monitor.simulation.traffic_truth import TrafficTruth
from proctor.store.alert_state import AlertState
from proctor.store.history import History
from proctor.store.private_files import private_folder
from proctor.workflows.monitor.intake import Intake
from proctor.workflows.monitor.watch import figures_of

__all__ = ["DemoMoment", "DemoOutcome", "demo_scenarios", "run_demo"]

_WEDNESDAY: Final = 2  # what the day counts as: as busy as the day before, whatever day it is run on
_OPENS: Final = 8.0  # hour from which events are stored
_INCIDENT: Final = 14.0
_AFTER: Final = 1.0  # hours of the incident at most
_LONG_STEP: Final = 1800.0  # between looks, until something happens
_SHORT_STEP: Final = 30.0
_DELIVERY: Final = 60.0  # seconds between deliveries
_TOLD_FOR: Final = 240.0  # seconds that are simulated after the alert
_TURNS_PER_MINUTE: Final = 24.0
_RULE: Final = "hallucination"


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoMoment:
    """A moment of the simulated day: its figures, and what changed in the alerts."""

    time: datetime
    rows: tuple[WatchRow, ...] = ()
    changes: tuple[AlertChange, ...] = ()
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoOutcome:
    """What the day brought: the alert and an example behind it, beside what is true.

    ``delay`` is in seconds from the release to the alert; ``wrong`` is how many answers were wrong by then.
    """

    events: int
    learnt: int
    release: datetime
    alert: AlertRecord | None = None
    example: str = ""
    turns: tuple[Turn, ...] = ()
    limits: tuple[RuleLimit, ...] = ()
    delay: float | None = None
    wrong: int = 0


def demo_scenarios(start: datetime) -> tuple[TrafficScenario, TrafficScenario]:
    """Return the day before, from which the rules learn, and the day with the incident, which begins at ``start``.

    At 14:00 half of the conversations get version 1.1, which tells customers last year's rules.
    """
    shop = manga_store(turns_per_minute=_TURNS_PER_MINUTE, day_noise=0.0)
    before = replace(shop, start=start - timedelta(days=1), weekday=_WEDNESDAY - 1, hours=24.0, texts=False)
    day = replace(
        shop,
        name="shop",
        start=start,
        weekday=_WEDNESDAY,
        hours=_INCIDENT + _AFTER,
        releases=(VersionChange(at_hour=_INCIDENT, version="1.1", share=0.5),),
        incidents=(
            Incident(
                kind="hallucination",
                at_hour=_INCIDENT,
                hours=_AFTER,
                factor=inf,
                intent="faq",
                version="1.1",
            ),
        ),
    )
    return before, day


def run_demo(
    store: Path, show: Callable[[DemoMoment], None], *, seed: int = 7, now: datetime | None = None
) -> DemoOutcome:
    """Learn from the day before, then live through the day up to a moment after the alert.

    The day is the one before ``now``: what reads the store of the demo looks back, and finds it.

    Raises:
        StoreError: the store cannot be written.
    """
    today = (now or datetime.now(UTC)).astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    start = today - timedelta(days=1)
    before, day = demo_scenarios(start)
    private_folder(store)
    clock = _Clock()
    usual: dict[int, RollupCell] = {}
    truth = TrafficTruth(keep=False)
    begin = start.timestamp()
    with AlertState(store) as state:
        engine = AlertEngine(rules_of({}), state, clock=clock)
        learnt = engine.learn(_counted(simulate(before, seed), usual), every=600.0)
        show(DemoMoment(time=start, note=f"learnt what is normal from {learnt:,} events of the day before"))
        intake = Intake(store, alerts=engine, history=History(store, search=False), clock=clock)
        alert: AlertRecord | None = None
        stop = inf
        with closing(intake):
            engine.learn(_counted(_before_opening(day, seed), {}), every=600.0)
            for at, events, is_look in _steps(simulate(day, seed, truth=truth), begin):
                clock.now = at
                intake.add(events)
                if not is_look:
                    continue
                changes = tuple(intake.tick())
                figures = tuple(figures_of(_recent(intake, at), 5.0, _usual_now(usual, at)))
                moment = DemoMoment(time=datetime.fromtimestamp(at, UTC), rows=figures, changes=changes)
                show(replace(moment, note=_note(at - begin)))
                found = next((each.alert for each in changes if each.alert.rule == _RULE), None)
                if alert is None and found is not None:
                    alert, stop = found, at + _TOLD_FOR
                if at >= stop:
                    break
            intake.index()
            limits = tuple(engine.limits(clock.now))
            count = intake.figures().events
            if alert is not None:
                alert = state.find(str(alert.number))
            engine.close(clock.now)
        example, turns = _example(store, alert)
        return DemoOutcome(
            events=count,
            learnt=learnt,
            alert=alert,
            limits=limits,
            release=start + timedelta(hours=_INCIDENT),
            delay=alert.fired - begin - _INCIDENT * 3600 if alert is not None else None,
            wrong=sum(each.bad for each in truth.incidents),
            example=example,
            turns=turns,
        )


class _Clock:
    """The time of the simulation."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def _steps(events: Iterable[Event], begin: float) -> Iterator[tuple[float, list[Event], bool]]:
    """Yield the events as they are delivered, and whether it is time to look; the night before is left out."""
    opens, close = begin + _OPENS * 3600, begin + _INCIDENT * 3600 - 600
    end = opens + _DELIVERY
    batch: list[Event] = []
    for event in events:
        time = event.time.timestamp()
        while time >= end:
            yield end, batch, end > close or (end - opens) % _LONG_STEP == 0
            batch = []
            end += _SHORT_STEP if end >= close else _DELIVERY
        if time >= opens:
            batch.append(event)
    yield end, batch, True


def _before_opening(day: TrafficScenario, seed: int) -> Iterator[Event]:
    """Yield the night, which the rules learn from but the store does not keep."""
    return simulate(replace(day, hours=_OPENS, texts=False, releases=(), incidents=()), seed)


def _counted(events: Iterable[Event], usual: dict[int, RollupCell]) -> Iterator[EventRow]:
    """Yield rows without their lines, which nobody reads, and count them by the hour of the day."""
    for event in events:
        time = event.time.timestamp()
        turn = event.turn
        row = EventRow(
            b"",
            event.id or "",
            event.kind,
            time,
            event.session,
            event.customer,
            event.intent,
            event.model,
            event.version,
            event.source,
            event.name,
            event.value,
            turn.latency if turn else None,
            turn.cost if turn else None,
            turn.confidence if turn else None,
            signals_of(event),
        )
        hour = int(time // 3600) % 24
        cell = usual.get(hour)
        if cell is None:
            cell = usual[hour] = RollupCell(start=0)
        cell.add(row)
        yield row


def _usual_now(usual: dict[int, RollupCell], now: float) -> tuple[RollupCell, float] | None:
    cell = usual.get(int(now // 3600) % 24)
    return (cell, 60.0) if cell is not None else None


def _recent(intake: Intake, now: float) -> RollupCell:
    total = RollupCell(start=0)
    for cell in intake.rollup.cells(now - 300.0, now):
        total.merge(cell)
    return total


def _note(second: float) -> str:
    if second == _INCIDENT * 3600:
        return "version 1.1 is released to half of the conversations"
    return ""


def _example(store: Path, alert: AlertRecord | None) -> tuple[str, tuple[Turn, ...]]:
    """Return the first example of an alert with its turns."""
    if alert is None or not alert.examples:
        return "", ()
    with History(store, search=False) as history:
        found = history.conversation(alert.examples[0])
    return alert.examples[0], found.turns if found is not None else ()
