"""The weekly audit from start to end: draw a sample, rate it, measure agreement, settle splits."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from proctor.config import Config
from proctor.core.audit import AuditItem, AuditRating, AuditSample, AuditSettings, ScorerVerdict
from proctor.core.audit_report import AuditReport, DimensionAgreement, DimensionKappa, JudgeAgreement, Split
from proctor.core.errors import InputError, NotFoundError
from proctor.monitor.audit_figures import (
    RatedItem,
    final_pass,
    final_value,
    find_splits,
    quality_of,
    rated_items,
    rater_drift,
    rater_pairs,
)
from proctor.monitor.audit_sample import draw_sample, last_week, week_bounds
from proctor.monitor.rater_agreement import agreement_in, estimate_over, kappa_in
from proctor.release.judge_card import Judged, judge_card
from proctor.stats.agreement import gwet_ac1, rating_counts
from proctor.store.audit import AuditStore
from proctor.store.event_log import FOLDER
from proctor.wiring.monitor_state import open_audit_store
from proctor.wiring.settings_section import read_section
from proctor.workflows.monitor.event_rows import RowSource, collect_facts, row_source, trajectories

__all__ = [
    "SampleJob",
    "audit_report",
    "audit_settings",
    "chosen_weeks",
    "draw_audit",
    "draw_due_audit",
    "kappas_of",
    "open_splits",
    "refresh_scores",
    "report_of",
    "splits_of",
]

_MIN_JUDGED = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleJob:
    """The week to draw from, and where its events are; without files the store's own log."""

    files: tuple[Path, ...] = ()
    week: str | None = None
    size: int | None = None
    core: int | None = None
    replace: bool = False


def audit_settings(config: Config) -> AuditSettings:
    """Return the settings under `audit:`.

    Raises:
        MalformedError: a setting is unknown or wrong; all of them are listed.
    """
    return read_section(config, ("audit",), AuditSettings, config.settings.audit)


def draw_audit(config: Config, job: SampleJob, *, now: datetime | None = None) -> tuple[AuditSample, list[AuditItem]]:
    """Draw a week's sample and store it with its conversations.

    Raises:
        InputError: the week is wrong, has no conversations, is not over, or has its sample already.
    """
    now = now or datetime.now(UTC)
    week = job.week or last_week(now)
    sample, items, rows = _drawn(config, job, week, now)
    if not items:
        hint = _weeks_hint(rows, None if job.files else now)
        raise InputError(f"no conversation began in week {week}", field="--week", hint=hint)
    return sample, items


def draw_due_audit(config: Config, now: datetime) -> AuditSample | str:
    """Draw the sample of the last week that is over, if it is still to be drawn; else say why there is none to draw.

    Raises:
        InputError: a setting is wrong.
    """
    week = last_week(now)
    with open_audit_store(config) as store:
        if store.samples([week]):
            return f"week {week} has its sample already"
    sample, items, _ = _drawn(config, SampleJob(), week, now)
    return sample if items else f"no conversation began in week {week}"


def _drawn(config: Config, job: SampleJob, week: str, now: datetime) -> tuple[AuditSample, list[AuditItem], RowSource]:
    """Draw and store a sample; one without items is not stored."""
    settings = _sized(audit_settings(config), job)
    try:
        start, end = week_bounds(week)
    except ValueError as error:
        raise InputError(str(error), field="--week", hint="weeks are counted as in ISO 8601, in UTC") from None
    if end > now and not job.files:
        raise InputError(f"week {week} is not over", field="--week", hint="a sample of a part of it would be biased")
    rows = row_source(config, job.files)
    # A day before, so that a conversation which began in the week before is known to have; and what came after it.
    since = (start - timedelta(days=1)).timestamp()
    until = (end + timedelta(hours=settings.repeat_hours)).timestamp()
    facts = collect_facts(rows(since, until), repeat_hours=settings.repeat_hours)
    with open_audit_store(config) as store:
        own = {each.conversation for each in store.items([week])}
        sample, drawn = draw_sample(facts, week, settings, taken=store.taken() - own)
        if not drawn:
            return sample, [], rows
        talks = trajectories(rows(since, until), {each.about.id for each in drawn})
        items = [
            AuditItem(
                id=each.id,
                week=week,
                conversation=each.about.id,
                stratum=each.stratum,
                probability=each.probability,
                is_core=each.is_core,
                raters=each.raters,
                place=each.place,
                reasons=each.reasons,
                about=each.about,
                trajectory=talks[each.about.id],
            )
            for each in drawn
        ]
        store.add_sample(replace(sample, created=now), items, replace=job.replace)
    return sample, items, rows


def refresh_scores(config: Config, files: Sequence[Path]) -> int:
    """Store what scorers have said since of conversations in samples; return of how many.

    Raises:
        InputError: a file cannot be read.
    """
    if not files and not (config.store / FOLDER).is_dir():
        return 0
    rows = row_source(config, files)
    with open_audit_store(config) as store:
        wanted = store.taken()
        weeks = [week_bounds(each.week)[0] for each in store.samples()]
        since = min(weeks).timestamp() if weeks else None
        said: dict[str, dict[str, ScorerVerdict]] = defaultdict(dict)
        for each in collect_facts(row for row in rows(since, None) if row.session in wanted):
            for verdict in each.scores:
                said[each.id][verdict.name] = verdict
        return store.keep_scores({name: list(scores.values()) for name, scores in said.items()})


def audit_report(
    config: Config, *, weeks: int | None = 4, week: str | None = None, limit: float | None = None
) -> AuditReport:
    """Return the figures of one week, or of the last ones pooled.

    Raises:
        NotFoundError: there is no sample, or none of that week.
    """
    with open_audit_store(config) as store:
        return report_of(store, audit_settings(config), weeks=weeks, week=week, limit=limit)


def report_of(
    store: AuditStore,
    settings: AuditSettings,
    *,
    weeks: int | None = 4,
    week: str | None = None,
    limit: float | None = None,
) -> AuditReport:
    """Return the figures of an open audit.

    Raises:
        NotFoundError: there is no sample, or none of that week.
    """
    chosen = chosen_weeks(store, weeks=weeks, week=week)
    names = [each.week for each in chosen]
    settled = store.settlements()
    rated = rated_items(store.items(names, texts=False), store.ratings(names), settled)
    history = rated_items(store.items(texts=False), store.ratings(), settled)
    scores = store.scores()
    people = tuple(sorted({rater for each in rated for rater in each.ratings}))
    agreement = _agreement(rated, settings, limit)
    quality = quality_of(rated, chosen, settings)
    report = AuditReport(
        weeks=tuple(names),
        population=sum(each.population for each in chosen),
        sampled=len(rated),
        rated=sum(bool(each.ratings) for each in rated),
        ratings=sum(len(each.ratings) for each in rated),
        raters=people,
        scale=settings.scale,
        pass_at=settings.pass_at,
        limit=limit,
        quality=quality,
        agreement=agreement,
        pairs=rater_pairs(rated, settings) if len(people) > 2 else (),
        drift=rater_drift(history, settings),
        judges=_judges(rated, scores, settings),
        splits=tuple(find_splits(rated, settings)),
    )
    return replace(report, notes=tuple(_notes(report, settings)))


def chosen_weeks(store: AuditStore, *, weeks: int | None = 4, week: str | None = None) -> list[AuditSample]:
    """Return the sample of one week, or of the last ones.

    Raises:
        NotFoundError: there is no sample, or none of that week.
    """
    every = store.samples()
    if not every:
        raise NotFoundError("there is no audit sample", hint="`proctor audit sample` draws one")
    chosen = [each for each in every if week is None or each.week == week]
    if not chosen:
        known = ", ".join(each.week for each in every[-8:])
        raise NotFoundError(f"week {week} has no sample", hint=f"there are: {known}")
    return chosen[-weeks:] if weeks and week is None else chosen


def kappas_of(store: AuditStore, settings: AuditSettings, weeks: Sequence[str]) -> list[DimensionKappa]:
    """Return the kappa of each dimension with its interval, of conversations that two or more people have rated."""
    by_item: dict[str, list[AuditRating]] = defaultdict(list)
    for each in store.ratings(weeks):
        by_item[each.item].append(each)
    found = [
        kappa_in(dimension, [_values(said, dimension) for said in by_item.values()], levels=settings.levels)
        for dimension in settings.dimensions
    ]
    return [each for each in found if each is not None]


def _values(said: Sequence[AuditRating], dimension: str) -> list[tuple[str, int]]:
    return [(each.rater, value) for each in said if (value := each.values.get(dimension)) is not None]


def splits_of(store: AuditStore, settings: AuditSettings, weeks: Sequence[str] | None = None) -> list[Split]:
    """Return where raters differ, also those that are settled."""
    rated = rated_items(store.items(weeks, texts=False), store.ratings(weeks), store.settlements())
    return find_splits(rated, settings)


def open_splits(config: Config, week: str | None = None) -> list[Split]:
    """Return the splits that nobody has settled."""
    with open_audit_store(config) as store:
        found = splits_of(store, audit_settings(config), None if week is None else [week])
    return [each for each in found if not each.is_settled]


def _sized(settings: AuditSettings, job: SampleJob) -> AuditSettings:
    size = job.size if job.size is not None else settings.size
    core = job.core if job.core is not None else min(settings.core, size)
    if job.size is not None and job.core is None:
        core = round(size * settings.core / settings.size)
    try:
        return replace(settings, size=size, core=core)
    except ValueError as error:
        raise InputError(str(error), field="--core", hint="give --size and --core together") from None


def _weeks_hint(rows: RowSource, now: datetime | None) -> str:
    """Say which weeks have conversations; with ``now``, only a week that is over can be drawn from."""
    times = [row.time for row in rows(None, None) if row.kind == "turn" and row.session]
    if not times:
        return "a conversation is made of `turn` events with a `session`"
    first, last = (datetime.fromtimestamp(each, UTC) for each in (min(times), max(times)))
    weeks = f"{first:%G-W%V}", f"{last:%G-W%V}"
    over = week_bounds(weeks[0])[1]
    if now is not None and over > now:
        return f"the first conversations are of {weeks[0]}; its sample can be drawn when it is over, on {over:%Y-%m-%d}"
    if weeks[0] == weeks[1]:
        return f"all conversations are of {weeks[0]}: use --week {weeks[0]}"
    return f"the conversations are from {weeks[0]} to {weeks[1]}; name one of these weeks with --week"


def _agreement(
    rated: Sequence[RatedItem], settings: AuditSettings, limit: float | None
) -> tuple[DimensionAgreement, ...]:
    found = []
    for dimension in settings.dimensions:
        units = [
            [(rater, value) for rater, said in each.ratings.items() if (value := said.get(dimension)) is not None]
            for each in rated
        ]
        made = agreement_in(dimension, units, levels=settings.levels, pass_at=settings.pass_at, limit=limit)
        if made is not None:
            found.append(made)
    return tuple(found)


def _judges(
    rated: Sequence[RatedItem], scores: dict[str, list[ScorerVerdict]], settings: AuditSettings
) -> tuple[JudgeAgreement, ...]:
    """Compare every scorer that spoke about rated conversations with people's final verdicts."""
    by_scorer: dict[tuple[str, str], list[tuple[RatedItem, ScorerVerdict]]] = defaultdict(list)
    for each in rated:
        for verdict in scores.get(each.item.id, ()):
            if each.ratings and verdict.value is not None and 0 <= verdict.value <= 1:
                by_scorer[verdict.name, verdict.version].append((each, verdict))
    found = []
    for (name, version), pairs in sorted(by_scorer.items()):
        dimension = _dimension_of(name, settings)
        judged, verdicts = [], []
        for each, verdict in pairs:
            passed, value = final_pass(each, dimension, settings.pass_at), final_value(each, dimension)
            if passed is None or value is None or verdict.passed is None:
                continue
            # The scorer's own verdict decides what passes, whatever its threshold: both are put on 0 and 1.
            judged.append(Judged(case=each.item.id, people=(float(passed),), judge=(float(verdict.passed),)))
            verdicts.append([passed, verdict.passed])
        if len(judged) < _MIN_JUDGED:
            continue
        counts = rating_counts(verdicts, (False, True))
        found.append(
            JudgeAgreement(
                scorer=name,
                version=version,
                dimension=dimension,
                items=len(judged),
                agreement=judge_card(judged, scorer=name).agreement,
                ac1=estimate_over(len(judged), lambda at, counts=counts: gwet_ac1(counts[at])),  # type: ignore[misc]
            )
        )
    return tuple(found)


def _dimension_of(scorer: str, settings: AuditSettings) -> str:
    """Return the dimension to compare a scorer with: as set, of its own name, else the first."""
    named = settings.judges.get(scorer, scorer.rpartition(".")[2].rpartition("/")[2])
    return named if named in settings.dimensions else settings.dimensions[0]


def _notes(report: AuditReport, settings: AuditSettings) -> list[str]:
    notes = []
    if missing := report.sampled - report.rated:
        notes.append(f"{missing} of {report.sampled} conversations are not rated yet")
    if waiting := sum(not each.is_settled for each in report.splits):
        notes.append(f"{waiting} splits wait for a decision: `proctor audit settle`")
    for each in report.agreement:
        low, high = each.kappa.low, each.kappa.high
        if report.limit is not None and low is not None and high is not None and low < report.limit <= high:
            more = f"; about {each.needed:,} conversations would decide it" if each.needed else ""
            asked = f"{each.items} conversations do not show whether kappa is {report.limit:g}"
            notes.append(f"{each.dimension}: {asked}{more}")
        if each.kappa.value is None:
            notes.append(f"{each.dimension}: everyone gave the same rating, so kappa says nothing; see AC1")
    if report.drift and len(report.raters) == 2 and any(each.is_seen for each in report.drift):
        notes.append("with two raters a drift of one looks like the opposite drift of the other, except where settled")
    covered = min((each.covered for each in report.quality if each.covered), default=1.0)
    if covered < 0.999:
        notes.append(
            f"a part of the sample has no final verdict at all; quality speaks of {covered:.1%} of conversations"
        )
    if len(report.raters) == 1 and settings.raters > 1:
        notes.append("one person has rated so far; agreement needs a second one")
    return notes
