"""Look at production: the last minutes beside what is normal, open alerts, and what each rule can see."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from proctor.config import Config
from proctor.core.alert_record import AlertRecord, RuleStatus
from proctor.core.rollup_cell import MINUTE, RollupCell, total_of
from proctor.core.watch_figures import WatchFigures, WatchRow
from proctor.store.alert_state import ALERTS_FILE
from proctor.store.history import History
from proctor.store.scoring_progress import SCORING_FILE, ScoringProgress
from proctor.wiring.monitor_state import open_alert_state, open_event_database, state_url

__all__ = ["figures_of", "watch_figures"]

_WEEK: Final = 7 * 86_400.0
_WEEKS: Final = 4
_HALF_HOUR: Final = 1800.0
_TURN_SIGNALS: Final = ("error", "escalation", "gate/injection")


def watch_figures(config: Config, now: float, *, window: float = 300.0) -> WatchFigures:
    """Return the figures of the last ``window`` seconds of a project; any process may write to its store.

    Raises:
        StoreError: a database or a file cannot be read.
    """
    end = now // MINUTE * MINUTE + MINUTE
    with History(config.store, search=False, database=open_event_database(config)) as history:
        history.catch_up()
        cells = history.windows(end - window, end, step=MINUTE)
        normal = _usual(history, now)
        last = history.indexer.conversations.span()[1]
        intents = {name: cell.turns for name, cell in history.by_intent(end - window, end).items() if cell.turns}
    alerts: Sequence[AlertRecord] = ()
    rules: Sequence[RuleStatus] = ()
    if state_url(config) is not None or (config.store / ALERTS_FILE).exists():
        with open_alert_state(config) as state:
            alerts, rules = state.alerts(open_only=True), state.status()
    scoring: Mapping[str, float | str] = {}
    if (config.store / SCORING_FILE).exists():
        with ScoringProgress(config.store) as progress:
            found = progress.figures(now)
        scoring = {
            "waiting": found.waiting,
            "lag": found.lag,
            "scored": found.scored,
            "unscored": found.unscored,
            "spent_today": found.spent_today,
            **({"last_reason": found.last_reason} if found.last_reason else {}),
        }
    return WatchFigures(
        time=now,
        window=window,
        rows=tuple(figures_of(total_of(cells), window / 60.0, normal)),
        intents=dict(sorted(intents.items(), key=lambda each: -each[1])),
        alerts=tuple(alerts),
        rules=tuple(rules),
        last_event=last,
        scoring=scoring,
    )


def figures_of(cell: RollupCell, minutes: float, normal: tuple[RollupCell, float] | None) -> Iterator[WatchRow]:
    """Yield the figures of some minutes beside those of the usual ones, which may be none."""
    usual, usual_minutes = normal if normal is not None else (RollupCell(start=0), 0.0)
    usually = usual.turns / usual_minutes if usual_minutes else None
    yield WatchRow(name="turns a minute", now=cell.turns / minutes, normal=usually, count=cell.turns, unit="number")
    yield WatchRow(
        name="P95 latency",
        now=cell.quantile(0.95),
        normal=usual.quantile(0.95),
        count=cell.turns,
        unit="seconds",
    )
    scores = {name for each in (cell, usual) for name in each.events if name.startswith("score/")}
    for signal in sorted(scores):
        yield _share(signal, cell, usual, of=signal)
    for signal in _TURN_SIGNALS:
        yield _share(signal, cell, usual, of="turn")
    yield WatchRow(name="satisfaction", now=cell.csat, normal=usual.csat, count=cell.csat_count, unit="number")


def _share(signal: str, cell: RollupCell, usual: RollupCell, *, of: str) -> WatchRow:
    count, total = cell.signals.get(signal, 0), cell.events.get(of, 0)
    before, among = usual.signals.get(signal, 0), usual.events.get(of, 0)
    return WatchRow(
        name=f"{signal} failed" if signal.startswith("score/") else signal,
        now=count / total if total else None,
        normal=before / among if among else None,
        count=count,
        of=total,
    )


def _usual(history: History, now: float) -> tuple[RollupCell, float] | None:
    """Return the same hour of the weeks before, and how many minutes of it there were; ``None`` if there is none."""
    found: list[RollupCell] = []
    minutes = 0.0
    for week in range(1, _WEEKS + 1):
        middle = now - week * _WEEK
        cells = history.windows(middle - _HALF_HOUR, middle + _HALF_HOUR, step=300)
        if any(cell.events for cell in cells):
            found += cells
            minutes += 2 * _HALF_HOUR / 60.0
    return (total_of(found), minutes) if minutes else None
