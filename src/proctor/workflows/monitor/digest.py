"""Make the digest of a day, a week or a month from events and from what other verbs have measured."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

from proctor.config import Config
from proctor.core.case import Case
from proctor.core.decode import decode
from proctor.core.digest import (
    DigestExample,
    DigestFigure,
    DigestSection,
    FigureTable,
    Period,
    PeriodDigest,
    PeriodKind,
)
from proctor.core.errors import InputError
from proctor.core.event import Event
from proctor.core.trajectory import Trajectory
from proctor.monitor.completion import in_utc
from proctor.monitor.digest_figures import share_figure
from proctor.monitor.digest_sections import (
    completion_section,
    escalation_section,
    gate_section,
    rating_section,
    score_section,
    spend_section,
    volume_section,
)
from proctor.monitor.period_figures import PeriodFigures
from proctor.monitor.periods import last_period, parse_period, period_before, period_with
from proctor.scorers.conversation.cross_turn import CrossTurn
from proctor.store.guard_log import FOLDER as GUARD_FOLDER
from proctor.store.guard_log_reader import read_rows
from proctor.store.period_spend import cost_between
from proctor.store.runs import RunStore
from proctor.wiring.local_models import local_model
from proctor.workflows.monitor.completion import rules_of
from proctor.workflows.monitor.digest_settings import DigestSettings, digest_settings
from proctor.workflows.monitor.event_source import EventSource
from proctor.workflows.monitor.measured_sections import (
    alert_section,
    audit_section,
    calibration_section,
    drift_section,
)
from proctor.workflows.monitor.period_counts import PeriodCounts, count_periods
from proctor.workflows.monitor.score_floors import floor_notes

__all__ = ["ConsistencySample", "DigestJob", "chosen_period", "digest_of"]

# The figures of the headline: section, table and place of the figure in it.
_HEADLINE = (
    ("completion", 0, 0),
    ("completion", 1, 0),
    ("escalations", 0, 0),
    ("escalations", 0, 1),
    ("consistency", 0, 0),
    ("ratings", 0, 0),
    ("ratings", 0, 1),
)
_NAMES = {
    ("completion", 0): "repeat contact",
    ("completion", 1): "completion",
    ("escalations", 0): "handed over",
    ("escalations", 1): "against the agent",
    ("consistency", 0): "consistent",
    ("ratings", 0): "resolved by the agent alone",
    ("ratings", 1): "rating",
}
_MAX_NOTE = 300


@dataclass(slots=True)
class ConsistencySample:
    """How many sampled conversations are free of contradictions; the rest had nothing to compare, or failed."""

    drawn: int = 0
    of: int = 0
    consistent: int = 0
    scored: int = 0
    unscored: int = 0
    contradictions: list[DigestExample] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class DigestJob:
    """What to summarise: the kind of period, its name (default: the last one that is over), and event files."""

    kind: PeriodKind
    name: str | None = None
    events: tuple[Path, ...] = ()
    rules: Path | None = None
    light: bool | None = None
    sample: int | None = None
    now: datetime | None = None


async def digest_of(config: Config, job: DigestJob) -> PeriodDigest:
    """Read the events of the period and of the one before, and summarise them.

    Raises:
        InputError: there are no events, a file cannot be read, or a setting or the period's name is wrong.
        StoreError: the store cannot be read.
    """
    settings = _settings(config, job)
    source = EventSource.of(config, job.events)
    now = job.now or datetime.now(UTC)
    period = chosen_period(job, source, settings, now)
    before = period_before(period, settings.time_zone)
    rules = rules_of(config, job.rules)
    known_until = None if job.events else min(now, period.end)
    counted, last = await count_periods(
        config, source, [period, before], rules=rules, settings=settings, until=known_until
    )
    sections = await _sections(config, counted[0], counted[1], settings, source)
    return PeriodDigest(
        period=period,
        before=before,
        headline=tuple(_headline(sections)),
        sections=tuple(sections),
        slots=counted[0].figures.slots,
        events=counted[0].figures.events,
        source=str(source),
        notes=tuple(_notes(sections, counted, period, last, known_until)),
        extra={"zone": settings.zone, "light": settings.light, "seed": settings.seed},
    )


def chosen_period(job: DigestJob, source: EventSource, settings: DigestSettings, now: datetime) -> Period:
    """Return the named period; else the last one that is over, or for files the one of their last event.

    Raises:
        InputError: the name is not one of a period.
    """
    zone = settings.time_zone
    if job.name is not None:
        try:
            return parse_period(job.kind, job.name, zone)
        except ValueError as error:
            raise InputError(
                str(error), field="PERIOD", hint=f"`proctor digest {job.kind}` takes the last one"
            ) from None
    if job.events and (last := source.last_time()) is not None:
        return period_with(job.kind, last.astimezone(zone).date(), zone)
    return last_period(job.kind, now, zone)


async def _sections(
    config: Config,
    now: PeriodCounts,
    before: PeriodCounts,
    settings: DigestSettings,
    source: EventSource,
) -> list[DigestSection]:
    assert now.tasks is not None
    assert before.tasks is not None
    assert now.causes is not None
    assert before.causes is not None
    checked = [
        await _score_consistency(
            side.sample.drawn, of=side.sample.seen, light=settings.light, examples=settings.examples
        )
        for side in (now, before)
    ]
    one, other = now.figures, before.figures
    gates, gate_source = _gates(config, one, other, str(source))
    with RunStore(config.store) as store:
        own = tuple(cost_between(store, side.period.begin, side.period.end) for side in (one, other))
    return [
        completion_section(now.tasks, before.tasks),
        escalation_section(now.causes, before.causes),
        _consistency_section(checked[0], checked[1], light=settings.light),
        rating_section(now.ratings, before.ratings),
        alert_section(config, now.period, before.period),
        score_section(one.scores, other.scores, floor_notes(config, one.scores)),
        gate_section(gates[0].gates, gates[1].gates, turns=(one.turns, other.turns), source=gate_source),
        spend_section(one, other, own=(own[0], own[1])),
        audit_section(config, now.period),
        await calibration_section(config, now.period, before.period, settings, files=source.files),
        await drift_section(config, now.period, settings, files=source.files),
        volume_section(one, other),
    ]


def _gates(
    config: Config, now: PeriodFigures, before: PeriodFigures, source: str
) -> tuple[tuple[PeriodFigures, PeriodFigures], str]:
    """Return who counted the gates' decisions: the events, or if they have none, the guard's own log."""
    folder = config.store / GUARD_FOLDER
    if now.gates.decisions or before.gates.decisions or not folder.is_dir():
        return (now, before), source
    logged = PeriodFigures(period=now.period), PeriodFigures(period=before.period)
    for row in read_rows(folder, since=before.period.begin):
        if row.get("kind") != "gate":
            continue
        event = decode(Event, row)
        time = in_utc(event.time)
        for side in logged:
            if side.period.has(time):
                side.add(event, time)
    return logged, "the guard's log"


def _settings(config: Config, job: DigestJob) -> DigestSettings:
    settings = digest_settings(config)
    if job.light is not None:
        settings = replace(settings, light=job.light)
    return settings if job.sample is None else replace(settings, sample=job.sample)


def _headline(sections: Sequence[DigestSection]) -> Iterable[DigestFigure]:
    by_name = {section.name: section for section in sections}
    for name, table, place in _HEADLINE:
        section = by_name[name]
        if table < len(section.tables) and place < len(section.tables[table].figures):
            figure = section.tables[table].figures[place]
            label = _NAMES.get((name, place if name != "completion" else table), figure.name)
            yield replace(figure, name=label)


def _notes(
    sections: Sequence[DigestSection],
    counted: Sequence[PeriodCounts],
    period: Period,
    last: datetime | None,
    known_until: datetime | None,
) -> Iterable[str]:
    if not counted[0].figures.events:
        yield "no event of this period was found"
    if not counted[1].figures.events:
        yield "no event of the period before was found, so nothing is compared"
    covered = known_until or last
    if covered is not None and covered < period.end and counted[0].figures.events:
        yield f"the period is not over: events were read up to {covered:%Y-%m-%d %H:%M} UTC"
    figures = [figure for section in sections for table in section.tables for figure in table.figures]
    compared = sum(figure.change is not None and figure.change.low is not None for figure in figures)
    clear = sum(figure.change is not None and figure.change.is_clear for figure in figures)
    if compared > 20 and clear:
        yield (
            f"{clear} of {compared} compared figures changed clearly; by chance alone about {compared * 0.05:.0f} would"
        )


async def _score_consistency(
    runs: Sequence[Trajectory], *, of: int, light: bool, examples: int = 5
) -> ConsistencySample:
    """Score each conversation with ``cross_turn``; ``of`` is how many the sample was drawn from."""
    scorer = CrossTurn(light=light, entailer=local_model("entailer"), embedder=local_model("embedder"))
    found = ConsistencySample(drawn=len(runs), of=of)
    for run in runs:
        score = await scorer.score(Case(id=run.id or "", recorded=run), run)
        if score.status == "error":
            found.unscored += 1
        elif score.value is not None:
            found.scored += 1
            found.consistent += score.value >= 1.0
            if score.value < 1.0 and len(found.contradictions) < examples:
                found.contradictions.append(_example(run, score.reason))
    return found


def _consistency_section(now: ConsistencySample, before: ConsistencySample, *, light: bool) -> DigestSection:
    """Return the share of consistent conversations of the sample."""
    title = "Consistency across turns"
    if not now.scored:
        why = "no sampled conversation has two answers to compare" if now.drawn else "no conversation was sampled"
        return DigestSection(name="consistency", title=title, missing=why)
    figure = share_figure(
        "conversations without a contradiction",
        (now.consistent, now.scored),
        (before.consistent, before.scored),
        "higher",
    )
    notes = [f"{now.unscored:,} could not be scored"] if now.unscored else []
    notes += ["compared by rules only, without the local networks"] if light else []
    hint = (
        f"{now.drawn:,} drawn at random of {now.of:,} with two turns or more; {now.scored:,} had something to compare"
    )
    return DigestSection(
        name="consistency",
        title=title,
        tables=(FigureTable(title="Sample", figures=(figure,), hint=hint),),
        examples=tuple(now.contradictions),
        notes=tuple(notes),
    )


def _example(run: Trajectory, reason: str) -> DigestExample:
    intents = [intent.name for turn in run.turns for intent in turn.intents]
    return DigestExample(
        what="contradiction", where=run.id or "", intent=intents[0] if intents else "", detail=reason[:_MAX_NOTE]
    )
