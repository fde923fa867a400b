"""Is it safe to ship, is production healthy: one answer each, from what is recorded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from proctor.core.alert_record import AlertRecord, RuleStatus
from proctor.release.measures import PASS_RATE, QUALITY
from proctor.store.decisions import DecisionRecord, decisions
from proctor.store.runs import RunStore
from proctor.store.trends import PointRecord, TrendLine, history, points

__all__ = ["HealthAnswer", "QualityTrend", "latest_decisions", "production_answer", "quality_trend", "release_answer"]

_RUNS: Final = 30
_DECISIONS: Final = 200
_DIMENSIONS: Final = ("relevance", "factual_accuracy", "consistency", "fluency")
_MOST_LINES: Final = 4
_PAGING: Final = ("critical", "high")


@dataclass(frozen=True, slots=True, kw_only=True)
class HealthAnswer:
    """Yes, no, or not known; and why."""

    state: Literal["pass", "fail", "unscored"]
    word: str
    why: str
    run: str = ""  # the run that was decided on
    alert: int | None = None  # the only alert that is open


@dataclass(frozen=True, slots=True, kw_only=True)
class QualityTrend:
    """The means of up to four dimensions over the runs of one suite and target, the oldest first."""

    suite: str
    target: str
    runs: tuple[str, ...]
    times: tuple[float, ...]
    lines: dict[str, tuple[float | None, ...]]


def latest_decisions(store: RunStore) -> list[DecisionRecord]:
    """Return the newest decision of each suite and target, the newest first."""
    found: dict[tuple[str, str], DecisionRecord] = {}
    for each in decisions(store, limit=_DECISIONS):
        found.setdefault((each.suite, each.target), each)
    return list(found.values())


def release_answer(latest: Sequence[DecisionRecord]) -> HealthAnswer:
    """Return whether every suite was last decided to ship."""
    if not latest:
        why = "No release decision yet: `proctor run SUITE`, `proctor bless last`, then `proctor gate last`."
        return HealthAnswer(state="unscored", word="not known", why=why)
    held = [each for each in latest if each.decision == "hold"]
    open_ones = [each for each in latest if each.decision not in ("hold", "ship")]
    if held:
        names = ", ".join(f"{each.suite} on {each.target}" for each in held[:3])
        return HealthAnswer(state="fail", word="hold", why=f"The last decision holds {names}.", run=held[0].run)
    if open_ones:
        names = ", ".join(f"{each.suite} on {each.target}" for each in open_ones[:3])
        why = f"There is not enough data on {names}."
        return HealthAnswer(state="unscored", word="not known", why=why, run=open_ones[0].run)
    why = "The last decision of every suite and target is to ship."
    return HealthAnswer(state="pass", word="ship", why=why, run=latest[0].run)


def production_answer(standing: Sequence[AlertRecord], statuses: Sequence[RuleStatus]) -> HealthAnswer:
    """Return whether no alert that pages somebody is open, if anybody watches."""
    paging = [each for each in standing if each.tier in _PAGING]
    if paging:
        names = ", ".join(dict.fromkeys(each.rule for each in paging))
        only = paging[0].number if len(paging) == 1 else None
        return HealthAnswer(state="fail", word="alert", why=f"{len(paging):,} open: {names}.", alert=only)
    if all(each.state == "unknown" for each in statuses):
        why = "Nothing has been watched yet: send events to this server (docs/ingest.md)."
        return HealthAnswer(state="unscored", word="not known", why=why)
    return HealthAnswer(state="pass", word="healthy", why="No critical or high alert is open.")


def quality_trend(store: RunStore) -> QualityTrend | None:
    """Return the course of the runs that were last decided on, else of the newest; four dimensions at most."""
    decided = decisions(store, limit=1)
    newest = points(store, TrendLine(dimension=PASS_RATE), limit=1)
    if not newest:
        return None
    line = TrendLine(suite=newest[0].suite, target=newest[0].target)
    if decided and points(store, TrendLine(dimension=PASS_RATE, suite=decided[0].suite, target=decided[0].target)):
        line = TrendLine(suite=decided[0].suite, target=decided[0].target)
    found = [each for each in history(store, line, runs=_RUNS) if each.intent is None and "." not in each.dimension]
    names = _lines(found)
    runs = dict.fromkeys(each.run for each in found)
    times = {each.run: each.time.timestamp() for each in found}
    values = {(each.run, each.dimension): each.mean for each in found}
    return QualityTrend(
        suite=line.suite or "",
        target=line.target or "",
        runs=tuple(runs),
        times=tuple(times[run] for run in runs),
        lines={name: tuple(values.get((run, name)) for run in runs) for name in names},
    )


def _lines(found: Sequence[PointRecord]) -> list[str]:
    known = dict.fromkeys(each.dimension for each in found)
    chosen = [name for name in _DIMENSIONS if name in known]
    rest = [name for name in (PASS_RATE, QUALITY, *sorted(known)) if name in known and name not in chosen]
    return [*chosen, *rest][:_MOST_LINES]
