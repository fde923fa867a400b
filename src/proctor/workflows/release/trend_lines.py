"""Collect the lines of a trend report: each figure of a suite and target run by run, with its floor and alarm."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

from proctor.release.floors import Floors
from proctor.release.measures import ALL
from proctor.release.policy import Policy
from proctor.report.trend_view import TrendMoment, TrendSeries, TrendView
from proctor.store.runs import RunStore
from proctor.store.trends import PointRecord, TrendLine, history
from proctor.workflows.release.floor_alarms import alarm_of

__all__ = ["changed_before", "trend_view"]


def trend_view(store: RunStore, line: TrendLine, rules: Policy, *, runs: int = 20) -> TrendView:
    """Return the figures that ``line`` selects, over the newest runs; without a suite and a target, the newest run's.

    Of one dimension without an intent, the view has the line over all intents alone.
    """
    newest = history(store, line, runs=1)
    if not newest:
        return TrendView(suite=line.suite or "", target=line.target or "", time=datetime.now(UTC))
    line = replace(line, suite=line.suite or newest[-1].suite, target=line.target or newest[-1].target)
    floors = Floors(by_intent=rules.floors)
    found: dict[tuple[bool, str, str], list[PointRecord]] = {}
    for each in history(store, line, runs=max(2, runs)):
        found.setdefault((each.intent is not None, each.intent or "", each.dimension), []).append(each)
    series = [_series(records, floors, rules) for _, records in sorted(found.items())]
    return TrendView(suite=line.suite or "", target=line.target or "", lines=tuple(series), time=datetime.now(UTC))


def _series(records: Sequence[PointRecord], floors: Floors, rules: Policy) -> TrendSeries:
    first = records[0]
    floor = floors.of(first.intent or ALL, first.dimension)
    alarm = alarm_of(records, floor, floor.consecutive or rules.consecutive) if floor else None
    moments = [
        TrendMoment(
            run=each.run,
            time=each.time,
            mean=each.mean,
            cases=each.cases,
            unscored=each.unscored,
            changed=changed_before(before, each),
        )
        for before, each in zip([None, *records], records, strict=False)
    ]
    return TrendSeries(
        dimension=first.dimension,
        intent=first.intent,
        moments=tuple(moments),
        floor=floor.least if floor else None,
        alarm=alarm.message if alarm else "",
    )


def changed_before(before: PointRecord | None, now: PointRecord) -> tuple[str, ...]:
    """Return what changed since the previous run; this often explains a step in the line."""
    if before is None:
        return ()
    old, new = before.fingerprint, now.fingerprint
    changed = [name for name in ("suite", "scorers", "models") if getattr(old, name) != getattr(new, name)]
    if old.targets.get(now.target) != new.targets.get(now.target):
        changed.append("target")
    return tuple(changed)
