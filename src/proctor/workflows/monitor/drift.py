"""Compare a month with those before it: intents, calibration, and new topics last."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from proctor.config import Config
from proctor.core.audit import AuditedConversation
from proctor.core.calibration_report import ConfidencePair
from proctor.core.codec import loads
from proctor.core.decode import decode
from proctor.core.drift_report import CalibrationDrift, DriftReport
from proctor.core.errors import InputError
from proctor.core.event import Event
from proctor.core.event_row import EventRow
from proctor.monitor.audit_sample import hash_of
from proctor.monitor.month_drift import (
    calibration_drift,
    intent_shifts,
    month_bounds,
    month_of,
    months_before,
    slice_shifts,
)
from proctor.monitor.question_topics import AskedQuestion, rising_topics
from proctor.monitor.topics import speaks
from proctor.stats.two_shares import minimum_difference
from proctor.wiring.local_models import local_model
from proctor.workflows.monitor.confidence_pairs import PairQuestion, labelled_pairs
from proctor.workflows.monitor.event_rows import RowSource, collect_facts, row_source

__all__ = ["DriftJob", "drift_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DriftJob:
    """The month, how many before it to compare with, and the events; without files the store's own log.

    ``questions`` is how many questions of each time are grouped into topics; 0 for none. ``light`` groups by words.
    """

    month: str
    files: tuple[Path, ...] = ()
    before: int = 3
    effect: float = 0.1
    questions: int = 600
    light: bool = False
    pairs: PairQuestion = field(default_factory=PairQuestion)


async def drift_of(config: Config, job: DriftJob) -> DriftReport:
    """Return how the month differs.

    Raises:
        InputError: the month is wrong, or it or those before have no conversations.
    """
    try:
        _, end = month_bounds(job.month)
        months = months_before(job.month, job.before)
        begin, _ = month_bounds(months[0])
    except ValueError as error:
        raise InputError(str(error), field="--month", hint="months are counted in UTC") from None
    rows = row_source(config, job.files)
    since, until = begin.timestamp(), end.timestamp()
    facts = collect_facts(rows(since, until))
    now = [each for each in facts if month_of(each.first) == job.month]
    before = [each for each in facts if month_of(each.first) in months]
    if not now or not before:
        missing = job.month if not now else f"{months[0]} to {months[-1]}"
        seen = sorted({month_of(each.first) for each in collect_facts(rows(None, None))})
        hint = f"there are conversations in: {', '.join(seen[-12:])}" if seen else "there are no conversations at all"
        raise InputError(f"no conversation began in {missing}", field="--month", hint=hint)
    notes: list[str] = []
    calibration = await _calibration(config, job, (since, until), notes)
    used = tuple(each for each in months if any(month_of(fact.first) == each for fact in before))
    if len(used) < 2:
        notes.append("there is one month before: how far months usually differ is not known")
    questions = _questions(rows, (since, until), now, before, job.questions) if job.questions else []
    asked, earlier = (sum(each.is_now is side for each in questions) for side in (True, False))
    topics = await rising_topics(questions, embedder=None if job.light else local_model("embedder"))
    return DriftReport(
        month=job.month,
        before=used,
        count=len(now),
        before_count=len(before),
        effect=job.effect,
        slices=slice_shifts(now, before, effect=job.effect),
        intents=intent_shifts(now, before),
        calibration=calibration,
        topics=topics,
        questions=asked,
        before_questions=earlier,
        topic_minimum=minimum_difference(0.0, asked, earlier) if asked and earlier else None,
        notes=tuple(notes),
    )


async def _calibration(
    config: Config, job: DriftJob, span: tuple[float, float], notes: list[str]
) -> CalibrationDrift | None:
    question = PairQuestion(
        labels=job.pairs.labels,
        files=job.files,
        correct=job.pairs.correct,
        wrong=job.pairs.wrong,
        since=span[0],
        until=span[1],
    )
    found = await labelled_pairs(config, question)
    sides: dict[bool, list[ConfidencePair]] = {True: [], False: []}
    for each in found.pairs:
        if each.time is not None:
            sides[month_of(each.time) == job.month].append(each)
    drift = calibration_drift(sides[True], sides[False], labels=found.labels)
    if drift is None:
        notes.append(
            f"calibration drift needs labels in both times ({found.labels}: {len(sides[True])} now, "
            f"{len(sides[False])} before); --labels names others"
        )
    return drift


def _questions(
    rows: RowSource,
    span: tuple[float, float],
    now: Sequence[AuditedConversation],
    before: Sequence[AuditedConversation],
    most: int,
) -> list[AskedQuestion]:
    """Return first questions of conversations drawn by a hash, mixed over time."""
    chosen: dict[str, tuple[bool, str | None]] = {}
    for is_now, facts in ((True, now), (False, before)):
        drawn = sorted(facts, key=lambda each: hash_of("topics", each.id))[:most]
        chosen.update({each.id: (is_now, each.intent) for each in drawn})
    first: dict[str, EventRow] = {}
    for row in rows(*span):
        if row.kind == "turn" and row.session in chosen:
            known = first.get(row.session)
            if known is None or row.time < known.time:
                first[row.session] = row
    found = []
    for session in sorted(first, key=lambda each: hash_of("topics", each)):
        turn = decode(Event, loads(first[session].line)).turn
        if turn is not None and speaks(turn.asked):
            is_now, intent = chosen[session]
            found.append(AskedQuestion(conversation=session, text=turn.asked, is_now=is_now, intent=intent))
    return found
