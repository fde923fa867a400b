"""The built-in measurements of the schedule: each returns one line and its figures."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Literal

from proctor.config import Config
from proctor.core.digest import DigestFigure, DigestSection, Measured, PeriodDigest, PeriodKind
from proctor.core.errors import InputError
from proctor.core.gate_decisions import GateDecisions
from proctor.core.schedule_record import EntryResult
from proctor.core.share import Share
from proctor.monitor.digest_figures import measured_mean, measured_share
from proctor.monitor.period_figures import GateCounts, ScoreCounts
from proctor.monitor.periods import last_period
from proctor.report.digest_text import digest_title, headline_text, measured_text
from proctor.store.alert_state import ALERTS_FILE
from proctor.store.guard_log import FOLDER as GUARD_FOLDER
from proctor.wiring.monitor_state import state_url
from proctor.workflows.guard.stats import guard_table
from proctor.workflows.monitor.alert_queue import queue_alerts, tell_channels
from proctor.workflows.monitor.audit import draw_due_audit
from proctor.workflows.monitor.digest import DigestJob, digest_of
from proctor.workflows.monitor.digest_delivery import send_digest
from proctor.workflows.monitor.digest_settings import digest_settings
from proctor.workflows.monitor.drift import DriftJob, drift_of
from proctor.workflows.monitor.event_source import EventSource, has_event_log
from proctor.workflows.monitor.floor_alerts import floor_message, raise_floor_alerts
from proctor.workflows.monitor.kept_calibration import measure_kept_calibration
from proctor.workflows.monitor.kept_reports import keep_calibration, keep_digest, keep_drift
from proctor.workflows.monitor.measured_sections import calibration_of
from proctor.workflows.monitor.schedule_entries import ScheduleEntry

__all__ = ["MEASURES", "MeasureContext", "limited", "needs_met"]

_NOTHING = 3
# What the methodology asks of each point, and the gates that show it.
_GATES: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "input": {"injection stopped": ("injection",), "personal data masked": ("pii",)},
    "output": {"hallucination flagged": ("grounding", "citations"), "policy violation": ("commitments",)},
}


@dataclass(slots=True)
class MeasureContext:
    """What measurements of one `schedule run` share: each digest is made once."""

    config: Config
    now: datetime
    digests: dict[PeriodKind, PeriodDigest] = field(default_factory=dict)

    async def digest(self, kind: PeriodKind) -> PeriodDigest:
        """Return the digest of the last period of this kind that is over."""
        if kind not in self.digests:
            self.digests[kind] = await digest_of(self.config, DigestJob(kind=kind, now=self.now))
        return self.digests[kind]


Measure = Callable[[MeasureContext, ScheduleEntry], Awaitable[EntryResult]]


def limited(entry: ScheduleEntry, result: EntryResult) -> EntryResult:
    """Return the result with exit code 1 if its first figure is beyond the limits of the entry."""
    first = next(iter(result.figures.values()), None)
    if result.code or first is None or first.value is None:
        return result
    broken = None
    if entry.least is not None and first.value < entry.least:
        broken = f"under its limit of {entry.least:g}"
    elif entry.most is not None and first.value > entry.most:
        broken = f"over its limit of {entry.most:g}"
    return replace(result, code=1, summary=f"{result.summary}; {broken}") if broken else result


def _section(kind: PeriodKind, name: str, tables: int = 1) -> Measure:
    """Return a measurement that takes the first figures of a section of a digest."""

    async def measure(context: MeasureContext, entry: ScheduleEntry) -> EntryResult:
        digest = await context.digest(kind)
        section = digest.section(name)
        if section is None or section.missing:
            why = section.missing if section is not None else "it has no such section"
            return EntryResult(code=_NOTHING, summary=f"{digest.period.name}: {why}")
        return _told(digest.period.name, _first(section, tables))

    return measure


def _first(section: DigestSection, tables: int) -> dict[str, DigestFigure]:
    found: dict[str, DigestFigure] = {}
    for table in section.tables[:tables]:
        for figure in table.figures:
            found[figure.name if len(section.tables) == 1 or tables == 1 else f"{table.title}: {figure.name}"] = figure
    return found


def _told(period: str, figures: Mapping[str, DigestFigure]) -> EntryResult:
    shown = [f"{name} {measured_text(each.now, each.unit)}, n = {each.now.count:,}" for name, each in figures.items()]
    return EntryResult(
        summary=f"{period}: {'; '.join(shown[:3])}", figures={name: each.now for name, each in figures.items()}
    )


async def _completion(context: MeasureContext, entry: ScheduleEntry) -> EntryResult:
    digest = await context.digest("daily")
    section = digest.section("completion")
    if section is None or section.missing:
        return EntryResult(code=_NOTHING, summary=f"{digest.period.name}: {section.missing if section else ''}")
    chosen = {
        f"{name}": section.tables[place].figures[0] for place, name in enumerate(("repeat contact", "completion"))
    }
    return _told(digest.period.name, chosen)


def _digest(kind: PeriodKind) -> Measure:
    """Return a measurement that writes the digest of a period, and sends it if the entry says so."""

    async def measure(context: MeasureContext, entry: ScheduleEntry) -> EntryResult:
        digest = await context.digest(kind)
        keep_digest(context.config, digest)
        summary = f"{digest_title(digest)}: {headline_text(digest)}"
        if entry.send:
            sent = await send_digest(context.config, digest)
            summary += f"; sent to {', '.join(each.channel for each in sent if each.delivered) or 'nobody yet'}"
            if failed := [f"{each.channel}: {each.failure}" for each in sent if not each.delivered]:
                summary += f"; {'; '.join(failed)} (tried again later)"
        figures = {figure.name: figure.now for figure in digest.headline}
        return EntryResult(code=0 if digest.headline else _NOTHING, summary=summary, figures=figures)

    return measure


def _gate(point: Literal["input", "output"]) -> Measure:
    """Return a measurement of one point's gates since the last time, from the guard's log or from events."""

    async def measure(context: MeasureContext, entry: ScheduleEntry) -> EntryResult:
        since = context.now - timedelta(seconds=entry.seconds)
        if (context.config.store / GUARD_FOLDER).is_dir():
            return _of_guard(context.config, point, since)
        return _of_events(context, point, since)

    return measure


def _of_guard(config: Config, point: str, since: datetime) -> EntryResult:
    table = guard_table(config, since=since)
    chain = next((row for row in table.points if row.point == point), None)
    if chain is None or not chain.decisions:
        return EntryResult(code=_NOTHING, summary=f"no decision of the {point} gates since {since:%Y-%m-%d %H:%M} UTC")
    stopped = chain.actions.get("block", 0) + chain.actions.get("escalate", 0)
    figures = {"stopped": measured_share(stopped, chain.decisions)}
    for name, gates in _GATES[point].items():
        rows = [row for row in table.gates if row.point == point and row.gate in gates]
        hits = max((sum(row.actions.values()) - row.actions.get("allow", 0) for row in rows), default=0)
        figures[name] = measured_share(min(hits, chain.decisions), chain.decisions)
    shown = [f"{name} {measured_text(each, 'share')}" for name, each in figures.items()]
    if point == "input":
        shown.append(_pii(next((row for row in table.gates if row.point == point and row.gate == "pii"), None)))
    return EntryResult(summary=f"{chain.decisions:,} steps: {'; '.join(shown)}", figures=figures)


def _pii(row: GateDecisions | None) -> str:
    """Return F1 of the detection of personal data as far as people have reviewed it."""
    if row is None or row.precision.value is None or row.recall.value is None:
        return f"F1 of PII not measured ({row.why if row and row.why else 'nobody has reviewed its decisions'})"
    return f"F1 of PII {_f1(row.precision, row.recall):.3f}, {row.precision.total:,} reviewed"


def _f1(precision: Share, recall: Share) -> float:
    one, other = precision.value or 0.0, recall.value or 0.0
    return 2 * one * other / (one + other) if one + other else 0.0


def _of_events(context: MeasureContext, point: str, since: datetime) -> EntryResult:
    counts, turns = GateCounts(), 0
    known = {point, "", *(gate for gates in _GATES[point].values() for gate in gates)}
    for placed in EventSource.of(context.config).read(since=since, until=context.now):
        event = placed.event
        turns += event.kind == "turn"
        named = event.name or (event.verdict.gate if event.verdict else "")
        verdicts = [event.verdict] if event.kind == "gate" and event.verdict and named in known else []
        verdicts += [each for each in (event.turn.verdicts if event.turn else ()) if each.gate in known]
        for verdict in verdicts:
            counts.add(verdict)
    if not counts.decisions:
        return EntryResult(code=_NOTHING, summary=f"no decision of the {point} gates since {since:%Y-%m-%d %H:%M} UTC")
    # Some senders log only what a gate stopped; then the share is of turns.
    is_of_turns = not counts.allowed and turns >= counts.decisions
    total, what = (turns, "turns") if is_of_turns else (counts.decisions, "decisions")
    figures = {"stopped": measured_share(counts.stopped, total)}
    for name, gates in _GATES[point].items():
        hits = sum(counts.acted[gate].total() for gate in gates if gate in counts.acted)
        figures[name] = measured_share(hits, total)
    shown = "; ".join(f"{name} {measured_text(each, 'share')}" for name, each in figures.items())
    return EntryResult(summary=f"{total:,} {what}: {shown}", figures=figures)


async def _scores(context: MeasureContext, entry: ScheduleEntry) -> EntryResult:
    since = context.now - timedelta(seconds=entry.seconds)
    found: dict[str, ScoreCounts] = {}
    for row in EventSource.of(context.config).rows(since=since, until=context.now):
        if row.kind == "score" and row.name and row.value is not None and 0.0 <= row.value <= 1.0:
            found.setdefault(row.name, ScoreCounts()).values.add(row.value)
    if not found:
        return EntryResult(code=_NOTHING, summary=f"no score since {since:%Y-%m-%d %H:%M} UTC")
    figures = {name: measured_mean(counts.values, "score") for name, counts in sorted(found.items())}
    shown = [f"{name} {measured_text(each, 'score')}, n = {each.count:,}" for name, each in figures.items()]
    return EntryResult(summary="; ".join(shown[:5]), figures=figures)


async def _floors(context: MeasureContext, entry: ScheduleEntry) -> EntryResult:
    done = await raise_floor_alerts(context.config, context.now)
    if not done.state.floors.by_intent:
        return EntryResult(summary="no floor is set (`monitor: {floors: …}` or gate.yaml)")
    if not done.state.scores:
        return EntryResult(code=_NOTHING, summary="no score in the windows that are read")
    under = "; ".join(floor_message(alarm) for alarm in done.state.alarms)
    summary = under or f"{len(done.state.points):,} figures of windows, none under its floor long enough"
    return EntryResult(code=1 if done.state.alarms else 0, summary=summary)


async def _queue(context: MeasureContext, entry: ScheduleEntry) -> EntryResult:
    done = queue_alerts(context.config)
    await tell_channels(context.config, (), context.now.timestamp())
    return EntryResult(summary=f"{done.added:,} new of {done.alerts:,} high alerts; {done.waiting:,} wait for review")


async def _calibration(context: MeasureContext, entry: ScheduleEntry) -> EntryResult:
    settings = digest_settings(context.config)
    period = last_period("weekly", context.now, settings.time_zone)
    report = await calibration_of(context.config, period, settings)
    if isinstance(report, str):
        return EntryResult(code=_NOTHING, summary=f"{period.name}: {report}")
    keep_calibration(context.config, await measure_kept_calibration(context.config, settings.calibration))
    found = report.debiased
    error = Measured(value=found.value, low=found.low, high=found.high, count=report.count)
    words = {"fail": "recalibrate: `proctor calibrate fit`", "pass": "fine", "unscored": "too few labels to decide"}
    return EntryResult(
        code={"fail": 1, "pass": 0, "unscored": _NOTHING}[report.state],
        summary=f"{period.name}: calibration error {measured_text(error, 'score')}, n = {report.count:,}; "
        f"{words[report.state]}",
        figures={"calibration error": error},
    )


async def _audit(context: MeasureContext, entry: ScheduleEntry) -> EntryResult:
    sample = draw_due_audit(context.config, context.now)
    if isinstance(sample, str):  # drawn by hand, or a week without traffic: neither is a failure
        return EntryResult(code=_NOTHING, summary=sample)
    summary = f"{sample.week}: {sample.drawn:,} of {sample.population:,} conversations are to be rated"
    return EntryResult(summary=f"{summary}: `proctor audit rate`")


async def _drift(context: MeasureContext, entry: ScheduleEntry) -> EntryResult:
    settings = digest_settings(context.config)
    month = last_period("monthly", context.now, settings.time_zone).name
    try:
        report = await drift_of(context.config, DriftJob(month=month, light=settings.light))
    except InputError as error:
        return EntryResult(code=_NOTHING, summary=error.message)
    keep_drift(context.config, report)
    shift = report.slices[0] if report.slices else None
    words = {"fail": "a shift that matters", "pass": "no shift that matters", "unscored": "too few conversations"}
    size = Measured(value=shift.v, count=report.count) if shift is not None else Measured()
    rising = f"; {len(report.topics):,} rising topics" if report.topics else ""
    return EntryResult(
        code={"fail": 1, "pass": 0, "unscored": _NOTHING}[report.state],
        summary=f"{month}: {words[report.state]}, Cramér's V {measured_text(size, 'number')}, n = {size.count:,}"
        f"{rising}",
        figures={"Cramér's V": size},
    )


MEASURES: Mapping[str, Measure] = {
    "scores": _scores,
    "consistency": _section("weekly", "consistency"),
    "completion": _completion,
    "escalations": _section("daily", "escalations", tables=1),
    "input_gate": _gate("input"),
    "output_gate": _gate("output"),
    "audit": _audit,
    "calibration": _calibration,
    "drift": _drift,
    "score_floors": _floors,
    "alert_queue": _queue,
    "daily": _digest("daily"),
    "weekly": _digest("weekly"),
    "monthly": _digest("monthly"),
}


def needs_met(config: Config, entry: ScheduleEntry) -> str:
    """Return what is missing before an entry can run; empty if nothing is."""
    if entry.needs == "events" and not has_event_log(config):
        return "no event log yet"
    if entry.needs == "gates" and not has_event_log(config) and not (config.store / GUARD_FOLDER).is_dir():
        return "no decision of a gate yet"
    if entry.needs == "alerts" and not (config.store / ALERTS_FILE).is_file() and state_url(config) is None:
        return "no alert yet"
    if entry.needs == "campaigns" and not config.settings.redteam:
        return "no campaign under `redteam:`"
    if entry.needs == "suite" and "retrieval" not in config.settings.suites:
        return "no suite `retrieval` under `suites:`"
    return f"asks the target; switch it on: `schedule: {{{entry.name}: on}}`" if entry.asks else ""
