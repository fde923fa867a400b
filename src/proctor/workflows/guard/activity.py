"""What the guard did over time: decisions by action, by gate and by finding, from the index of its log."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Final

from proctor.core.gate_decisions import GuardDecisions
from proctor.core.gate_tally import DecisionTally, GateTally
from proctor.core.rollup_cell import RollupCell
from proctor.monitor.gate_figures import GateFigures
from proctor.store.decision_query import DecisionQuery
from proctor.store.guard_index import GuardIndex
from proctor.store.review import GUARD, guard_verdicts, open_count
from proctor.store.runs import RunStore

__all__ = ["GuardActivity", "TimeCounts", "guard_activity", "reported_activity"]

_HOUR: Final = 3_600
_DAY: Final = 86_400
_HOURLY_DAYS: Final = 3  # longer periods are shown by day
_LONGEST: Final = timedelta(days=400)  # that is drawn
_SECONDS: Final = 0.1  # for reading what is new in the log while a reader waits


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeCounts:
    """How often something happened in each step of time; ``series`` are by name, the most frequent first."""

    times: Sequence[float] = ()
    step: int = _DAY
    series: Mapping[str, Sequence[int]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class GuardActivity:
    """The decisions of a period. ``unread`` counts bytes of the log that are not in the figures yet.

    ``by_gate`` counts what each gate changed or stopped, ``by_kind`` what was found.
    """

    table: GuardDecisions
    actions: TimeCounts
    by_gate: TimeCounts
    by_kind: TimeCounts
    unread: int = 0


def guard_activity(
    index: GuardIndex,
    store: RunStore,
    *,
    since: datetime | None,
    now: datetime,
    gate: str = "",
    point: str = "",
) -> GuardActivity:
    """Return the figures of whole days in UTC, from the day of ``since`` on.

    Raises:
        StoreError: the log or a database cannot be read.
    """
    unread = index.catch_up(seconds=_SECONDS)
    first = "" if since is None else f"{since.astimezone(UTC):%Y-%m-%d}"
    days = index.tallies(first)
    reviews = guard_verdicts(store)
    figures = GateFigures(reviews, gate=gate or None)
    for tally in days.values():
        figures.add_counts(tally)
    start = datetime.fromisoformat(first).replace(tzinfo=UTC).timestamp() if first else None
    for row in index.rows(index.chosen(list(reviews), DecisionQuery(since=start, point=point))):
        figures.add_review(row)
    step, times = _times(days, first, now)
    return GuardActivity(
        table=figures.table(waiting=open_count(store, origin=GUARD)),
        actions=_counted(times, step, _actions(days, point, gate)),
        by_gate=_counted(times, step, _acted(days, point, gate)),
        by_kind=_counted(times, step, _kinds(days, point, gate)),
        unread=unread,
    )


def reported_activity(cells: Sequence[RollupCell], family: str) -> TimeCounts:
    """Return how often agents reported a signal of a family (``gate``, ``finding``), from windows of one length."""
    if not cells:
        return TimeCounts()
    step = cells[0].step
    counted: Counter[tuple[str, float]] = Counter()
    for cell in cells:
        for signal, count in cell.signals.items():
            kind, _, name = signal.partition("/")
            if kind == family and name:
                counted[name, cell.start // step * step] += count
    starts = [cell.start // step * step for cell in cells]
    times = [float(each) for each in range(min(starts), max(starts) + step, step)]
    return _counted(times, step, ((name, time, count) for (name, time), count in counted.items()))


def _times(days: Mapping[str, DecisionTally], first: str, now: datetime) -> tuple[int, list[float]]:
    """Return the length of a step, and the beginnings of all steps of the period."""
    begin = max(first or min(days, default=f"{now:%Y-%m-%d}"), f"{now - _LONGEST:%Y-%m-%d}")
    start = datetime.fromisoformat(begin).replace(tzinfo=UTC)
    step = _HOUR if now - start <= timedelta(days=_HOURLY_DAYS) else _DAY
    last = max(now.timestamp(), start.timestamp())
    return step, [float(each) for each in range(int(start.timestamp()), int(last) + 1, step)]


def _counted(times: Sequence[float], step: int, counts: Iterable[tuple[str, float, int]]) -> TimeCounts:
    places = {time: number for number, time in enumerate(times)}
    series: dict[str, list[int]] = {}
    for name, time, count in counts:
        place = places.get(time // step * step)
        if place is not None:
            series.setdefault(name, [0] * len(times))[place] += count
    ordered = sorted(series.items(), key=lambda each: (-sum(each[1]), each[0]))
    return TimeCounts(times=times, step=step, series=dict(ordered))


def _tallies(days: Mapping[str, DecisionTally], point: str, gate: str) -> Iterable[tuple[float, str, GateTally]]:
    """Yield the start of the day, the gate, and the counts of each gate that is asked for."""
    for day, tally in days.items():
        start = datetime.fromisoformat(day).replace(tzinfo=UTC).timestamp()
        for place, name, counts in tally.by_gate():
            if point in ("", place) and gate in ("", name):
                yield start, name, counts


def _actions(days: Mapping[str, DecisionTally], point: str, gate: str) -> Iterable[tuple[str, float, int]]:
    """Count what became of steps; of one gate, what that gate said."""
    if gate:
        for start, _, counts in _tallies(days, point, gate):
            yield from ((action, start + hour * _HOUR, count) for (hour, action), count in counts.hours.items())
        return
    for day, tally in days.items():
        start = datetime.fromisoformat(day).replace(tzinfo=UTC).timestamp()
        for place, counts in tally.chains.items():
            if point in ("", place):
                yield from ((action, start + hour * _HOUR, count) for (hour, action), count in counts.hours.items())


def _acted(days: Mapping[str, DecisionTally], point: str, gate: str) -> Iterable[tuple[str, float, int]]:
    for start, name, counts in _tallies(days, point, gate):
        for (hour, action), count in counts.hours.items():
            if action != "allow":
                yield name, start + hour * _HOUR, count


def _kinds(days: Mapping[str, DecisionTally], point: str, gate: str) -> Iterable[tuple[str, float, int]]:
    for start, _, counts in _tallies(days, point, gate):
        yield from ((kind, start + hour * _HOUR, count) for (hour, kind), count in counts.kind_hours.items())
