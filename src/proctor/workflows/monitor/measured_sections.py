"""Sections of a digest that other verbs have measured: alerts, the human audit, calibration and drift."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from proctor.config import Config
from proctor.core.alert_record import AlertRecord
from proctor.core.calibration_report import CalibrationReport
from proctor.core.digest import DigestExample, DigestSection, FigureTable, Measured, Period
from proctor.core.errors import InputError, NotFoundError
from proctor.core.judge_card import Estimate
from proctor.core.verdict import Severity
from proctor.monitor.calibrate import measure_calibration
from proctor.monitor.digest_figures import estimate_figure, share_figure, total_figure
from proctor.store.alert_state import ALERTS_FILE
from proctor.store.review import alert_verdicts
from proctor.store.runs import RunStore
from proctor.wiring.monitor_state import open_alert_state, open_audit_store, state_url
from proctor.workflows.monitor.alert_queue import review_key
from proctor.workflows.monitor.audit import audit_report
from proctor.workflows.monitor.confidence_pairs import PairQuestion, labelled_pairs
from proctor.workflows.monitor.digest_settings import DigestSettings
from proctor.workflows.monitor.drift import DriftJob, drift_of

__all__ = ["alert_section", "audit_section", "calibration_of", "calibration_section", "drift_section"]

_TIERS: tuple[Severity, ...] = ("critical", "high", "medium", "low")
_AUDIT_FILE = "audit.db"
_MAX_ALERTS = 20
_MAX_INTENTS = 30
_MAX_TOPICS = 10
_MAX_READ = 100_000


def alert_section(config: Config, period: Period, before: Period, *, examples: int = _MAX_ALERTS) -> DigestSection:
    """Return the alerts of the period by tier, those that are open, and what people said of them.

    Raises:
        StoreError: the store cannot be read.
    """
    title = "Alerts"
    if not _has_alerts(config):
        return DigestSection(name="alerts", title=title, missing="no alert rule has been watched here")
    with open_alert_state(config) as state:
        known = state.alerts(limit=_MAX_READ)
    with RunStore(config.store) as store:
        said = alert_verdicts(store)
    now, then = _fired(known, period), _fired(known, before)
    tiers = [
        total_figure(tier, sum(each.tier == tier for each in now), sum(each.tier == tier for each in then))
        for tier in _TIERS
    ]
    standing = [each for each in known if each.fired < period.end.timestamp() and _is_open(each, period)]
    open_ones = [total_figure(tier, sum(each.tier == tier for each in standing), None) for tier in _TIERS]
    tables = [
        FigureTable(title="Fired", figures=tuple(tiers), hint="critical pages at once, high is for the daily queue"),
        FigureTable(title="Open at the end", figures=tuple(open_ones)),
        *_right(now, then, said),
    ]
    shown = sorted(
        {each.number: each for each in (*now, *standing)}.values(), key=lambda each: (_rank(each), -each.fired)
    )
    notes = [f"{len(shown) - examples:,} more: `proctor alerts list --all`"] if len(shown) > examples else []
    return DigestSection(
        name="alerts",
        title=title,
        tables=tuple(tables),
        examples=tuple(_alert_line(each, said.get(review_key(each))) for each in shown[:examples]),
        notes=tuple(notes),
    )


def _fired(alerts: Sequence[AlertRecord], period: Period) -> list[AlertRecord]:
    begin, end = period.begin.timestamp(), period.end.timestamp()
    return [each for each in alerts if begin <= each.fired < end]


def _is_open(alert: AlertRecord, period: Period) -> bool:
    return alert.resolved is None or alert.resolved >= period.end.timestamp()


def _rank(alert: AlertRecord) -> int:
    return _TIERS.index(alert.tier)


def _right(
    now: Sequence[AlertRecord], before: Sequence[AlertRecord], said: Mapping[str, bool]
) -> Iterator[FigureTable]:
    """Yield how many of the alerts that people have reviewed were right."""
    sides = [[said[key] for each in side if (key := review_key(each)) in said] for side in (now, before)]
    if sides[0]:
        counts = [(sum(side), len(side)) for side in sides]
        figure = share_figure("right, of those reviewed", counts[0], counts[1], "higher")
        yield FigureTable(title="Reviewed", figures=(figure,), hint="`proctor review list --origin alert`")


def _alert_line(alert: AlertRecord, right: bool | None) -> DigestExample:
    fired = datetime.fromtimestamp(alert.fired, UTC)
    state = "open" if alert.is_open else f"ended {datetime.fromtimestamp(alert.resolved or 0.0, UTC):%Y-%m-%d %H:%M}"
    parts = [f"{fired:%Y-%m-%d %H:%M} UTC", state, f"taken over by {alert.acked_by}" if alert.acked_by else ""]
    parts += ["" if right is None else "right" if right else "wrong", alert.message]
    return DigestExample(
        what=f"{alert.tier}: {alert.rule}",
        where=", ".join(alert.examples[:3]),
        intent=alert.slice.get("intent", ""),
        detail="; ".join(filter(None, parts)),
    )


def audit_section(config: Config, period: Period) -> DigestSection:
    """Return the quality that raters found and how far they agree: of the newest audited week up to the period.

    Raises:
        InputError: a setting under `audit:` is wrong.
        StoreError: the store cannot be read.
    """
    title, name = "Human audit", "audit"
    none = DigestSection(name=name, title=title, missing="no sample has been drawn (`proctor audit sample`)")
    if not _has_audit(config):
        return none
    with open_audit_store(config) as store:
        last = f"{period.end - timedelta(seconds=1):%G-W%V}"
        samples = store.samples()
        weeks = [each.week for each in samples if each.week <= last and store.ratings([each.week])]
    if not samples:  # drawing one was tried, and there was nothing to draw from
        return none
    if not weeks:
        return DigestSection(name=name, title=title, missing="nobody has rated a sample yet (`proctor audit rate`)")
    now = audit_report(config, week=weeks[-1])
    before = audit_report(config, week=weeks[-2]) if len(weeks) > 1 else None
    quality = {each.dimension: each for each in before.quality} if before else {}
    agreement = {each.dimension: each for each in before.agreement} if before else {}
    passes = tuple(
        estimate_figure(
            each.dimension,
            _estimate(each.share, each.rated),
            _estimate(quality[each.dimension].share, quality[each.dimension].rated)
            if each.dimension in quality
            else Measured(),
            "share",
            "higher",
        )
        for each in now.quality
    )
    kappas = tuple(
        estimate_figure(
            each.dimension,
            _estimate(each.kappa, each.items),
            _estimate(agreement[each.dimension].kappa, agreement[each.dimension].items)
            if each.dimension in agreement
            else Measured(),
            "score",
            "higher",
        )
        for each in now.agreement
    )
    compared = f", before is {weeks[-2]}" if before else ""
    hint = f"week {weeks[-1]}{compared}; {now.rated:,} of {now.sampled:,} sampled were rated"
    tables = [FigureTable(title="Conversations that pass", figures=passes, hint=hint)] if passes else []
    kind = "Fleiss' kappa" if now.agreement and now.agreement[0].is_fleiss else "Cohen's kappa"
    tables += [FigureTable(title=f"Agreement of raters: {kind}", figures=kappas)] if kappas else []
    if not tables:
        return DigestSection(name=name, title=title, missing=f"week {weeks[-1]} has too few ratings")
    return DigestSection(name=name, title=title, tables=tuple(tables), notes=now.notes)


def _estimate(estimate: Estimate, count: int) -> Measured:
    return Measured(value=estimate.value, low=estimate.low, high=estimate.high, count=count)


async def calibration_of(
    config: Config, period: Period, settings: DigestSettings, *, files: Sequence[Path] = ()
) -> CalibrationReport | str:
    """Return the calibration of a period's confidences, or why there is none; of a day, over the last seven.

    Raises:
        InputError: the labels are unknown, or a file cannot be read.
        StoreError: the store cannot be read.
    """
    if settings.calibration == "audit" and not _has_audit(config):
        return "no conversation has been rated (`proctor audit`), and no other labels are named"
    begin = period.begin if period.kind != "daily" else period.end - timedelta(days=7)
    question = PairQuestion(
        labels=settings.calibration, files=tuple(files), since=begin.timestamp(), until=period.end.timestamp()
    )
    try:
        found = await labelled_pairs(config, question)
    except NotFoundError as error:
        return error.message
    report = measure_calibration(found.pairs, labels=found.labels, unlabelled=found.unlabelled)
    return report if report is not None else "no conversation of the period has both a confidence and a label"


async def calibration_section(
    config: Config, period: Period, before: Period, settings: DigestSettings, *, files: Sequence[Path] = ()
) -> DigestSection:
    """Return the calibration error beyond chance, and how far the agent is overconfident.

    Raises:
        InputError: the labels are unknown, or a file cannot be read.
        StoreError: the store cannot be read.
    """
    title, name = "Calibration of confidence", "calibration"
    now = await calibration_of(config, period, settings, files=files)
    if isinstance(now, str):
        return DigestSection(name=name, title=title, missing=now)
    then = await calibration_of(config, before, settings, files=files)
    figures = (
        estimate_figure(
            "calibration error beyond chance",
            _estimate(now.debiased, now.count),
            Measured() if isinstance(then, str) else _estimate(then.debiased, then.count),
            "score",
            "lower",
        ),
        total_figure(
            "mean confidence less the share that was right",
            now.gap,
            None if isinstance(then, str) else then.gap,
            "number",
            counts=(now.count, 0 if isinstance(then, str) else then.count),
        ),
    )
    hint = f"labels: {now.labels}; `proctor calibrate check` has the reliability diagram"
    told = {
        "fail": "recalibrate: `proctor calibrate fit`",
        "unscored": "too few labels to decide whether to recalibrate",
    }
    notes = [told[now.state]] if now.state in told else []
    return DigestSection(
        name=name,
        title=title,
        tables=(FigureTable(title="Expected calibration error", figures=figures, hint=hint),),
        notes=(*notes, *now.notes),
    )


async def drift_section(
    config: Config, period: Period, settings: DigestSettings, *, files: Sequence[Path] = ()
) -> DigestSection:
    """Return how the intents and topics of a month differ from those of the months before.

    Raises:
        StoreError: the store cannot be read.
    """
    title, name = "Drift", "drift"
    if period.kind != "monthly":
        return DigestSection(name=name, title=title, missing="it is measured by the month")
    job = DriftJob(month=period.name, files=tuple(files), light=settings.light)
    try:
        report = await drift_of(config, job)
    except InputError as error:
        return DigestSection(name=name, title=title, missing=error.message)
    size = [
        estimate_figure(each.name, Measured(value=each.v, count=each.count), Measured(), "number", None)
        for each in report.slices
    ]
    order = sorted(report.intents, key=lambda each: -abs(each.share - each.before_share))
    shares = [
        share_figure(each.intent, (each.count, report.count), (each.before_count, report.before_count), None)
        for each in order[:_MAX_INTENTS]
    ]
    words = {
        "fail": "a shift that matters is seen",
        "pass": "no shift that matters",
        "unscored": "too few conversations",
    }
    hint = f"before: {', '.join(report.before)}; from {report.effect:g} on a shift matters: {words[report.state]}"
    return DigestSection(
        name=name,
        title=title,
        tables=(
            FigureTable(title="Shift of intents (Cramér's V)", figures=tuple(size), hint=hint),
            FigureTable(title="Shares of intents", figures=tuple(shares)),
        ),
        examples=tuple(
            DigestExample(
                what=f"{'new' if each.is_new else 'rising'} topic, {each.count:,} asked, {each.before_count:,} before",
                where=", ".join(each.conversations[:3]),
                detail=each.question,
            )
            for each in report.topics[:_MAX_TOPICS]
        ),
        notes=report.notes,
    )


def _has_audit(config: Config) -> bool:
    return (config.store / _AUDIT_FILE).is_file() or state_url(config) is not None


def _has_alerts(config: Config) -> bool:
    return (config.store / ALERTS_FILE).is_file() or state_url(config) is not None
