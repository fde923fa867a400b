"""Read the events of a period and of the one before once, and count everything that a digest shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from proctor.config import Config
from proctor.core.case import Case
from proctor.core.digest import Period
from proctor.core.errors import MalformedError, Problem
from proctor.core.event import Label
from proctor.core.handoff import EscalationCauses
from proctor.core.task import Task, TaskCompletion
from proctor.core.trajectory import Trajectory
from proctor.monitor.completion import TaskWatch, in_utc
from proctor.monitor.completion_figures import CompletionFigures
from proctor.monitor.completion_rules import CompletionRules
from proctor.monitor.conversation_sample import ConversationSample
from proctor.monitor.escalation import DIMENSION, EscalationFigures
from proctor.monitor.knowledge_gaps import GapFinder
from proctor.monitor.period_figures import PeriodFigures
from proctor.monitor.periods import slots_of
from proctor.monitor.rating_figures import RatingFigures
from proctor.monitor.sessions import ConversationAssembly
from proctor.scorers.conversation.escalation import EscalationCategory
from proctor.store.labels import people_said
from proctor.store.runs import RunStore
from proctor.wiring.local_models import local_model
from proctor.workflows.monitor.digest_settings import DigestSettings
from proctor.workflows.monitor.escalations import hand_off_of, scorer_of
from proctor.workflows.monitor.event_source import EventSource

__all__ = ["PeriodCounts", "count_periods"]

_SILENCE_SECONDS = 3600.0  # after this, a conversation is over
_SLACK = timedelta(hours=6)


@dataclass(slots=True)
class PeriodCounts:
    """Everything counted in one period."""

    figures: PeriodFigures
    completion: CompletionFigures
    ratings: RatingFigures
    escalation: EscalationFigures
    gaps: GapFinder
    sample: ConversationSample
    tasks: TaskCompletion | None = None
    causes: EscalationCauses | None = None

    @property
    def period(self) -> Period:
        """The period that was counted."""
        return self.figures.period


@dataclass(slots=True)
class _Reading:
    """The state of one pass over the events."""

    sides: tuple[PeriodCounts, ...]
    scorer: EscalationCategory
    watch: TaskWatch
    assembly: ConversationAssembly = field(default_factory=lambda: ConversationAssembly(silence=_SILENCE_SECONDS))

    def side(self, time: datetime) -> PeriodCounts | None:
        return next((each for each in self.sides if each.period.has(time)), None)

    def settle(self, done: Sequence[Task]) -> None:
        for task in done:
            # Only settled tasks count: their windows are over, so a later digest never revises the figure.
            side = self.side(task.settled) if task.settled is not None else None
            if side is not None:
                side.completion.add([task])
                side.ratings.add(task)

    async def end(self, runs: Sequence[Trajectory]) -> None:
        for run in runs:
            ended = next((turn.time for turn in reversed(run.turns) if turn.time is not None), None)
            if ended is None or (side := self.side(ended)) is None:
                continue
            found = await hand_off_of(self.scorer, Case(id=run.id or "", recorded=run))
            side.figures.add_conversation(run, ended, handed_over=found is not None)
            side.escalation.add(found)
            if found is not None:
                await side.gaps.add(found)
            if len(run.turns) > 1:
                side.sample.offer(run)


async def count_periods(
    config: Config,
    source: EventSource,
    periods: Sequence[Period],
    *,
    rules: CompletionRules,
    settings: DigestSettings,
    until: datetime | None = None,
) -> tuple[list[PeriodCounts], datetime | None]:
    """Count several periods in one pass; return also the time of the last event that was read.

    Tasks belong to the period in which their last window ended, conversations to that of their last turn.

    Raises:
        InputError: a file cannot be read, or an event in it is wrong.
        StoreError: the store cannot be read.
    """
    with RunStore(config.store) as store:
        labels = people_said(store, DIMENSION)
    scorer = scorer_of(config, light=settings.light)
    sides = tuple(_counts(period, rules, settings, scorer, labels) for period in periods)
    watch = TaskWatch(rules, None if settings.light else local_model("embedder"))
    reading = _Reading(sides=sides, scorer=scorer, watch=watch)
    begin, end = min(period.begin for period in periods), max(period.end for period in periods)
    # A conversation that ended late in the period is whole only after a silence.
    stop = end + timedelta(seconds=_SILENCE_SECONDS)
    if until is not None and until < end:
        stop = until  # an event that is dated later ends no window
    last: datetime | None = None
    for placed in source.read(since=begin - _lookback(rules), until=stop, late=rules.lateness):
        event = placed.event
        time = last = in_utc(event.time)
        if (side := reading.side(time)) is not None:
            side.figures.add(event, time)
        if time < end:
            try:
                reading.settle(await watch.add(event))
            except ValueError as error:
                problem = Problem((), str(error), "see the event log in docs/operations.md", placed.line)
                raise MalformedError([problem], file=placed.file) from None
        await reading.end(reading.assembly.add(event))
    await reading.end(reading.assembly.finish())
    covered = min(end, until or last or end)
    reading.settle(_settled(watch.finish(covered), covered))
    for side in sides:
        side.tasks = side.completion.table(watch)
        side.causes = side.escalation.table(await side.gaps.gaps(at_least=2))
    return list(sides), last


def _settled(tasks: Sequence[Task], by: datetime) -> list[Task]:
    return [task for task in tasks if task.settled is not None and task.settled < by]


def _counts(
    period: Period,
    rules: CompletionRules,
    settings: DigestSettings,
    scorer: EscalationCategory,
    labels: dict[str, list[Label]],
) -> PeriodCounts:
    return PeriodCounts(
        figures=PeriodFigures(period=period, slot_begins=slots_of(period, settings.time_zone)),
        completion=CompletionFigures(rules),
        ratings=RatingFigures(examples=settings.examples),
        escalation=EscalationFigures(labels),
        gaps=GapFinder(None if settings.light else scorer.embedder),
        sample=ConversationSample(size=settings.sample, seed=settings.seed),
    )


def _lookback(rules: CompletionRules) -> timedelta:
    """Return how long before a period a task can begin whose windows end in it."""
    windows = [rule.seconds for rule in rules.intents.values()] + [rules.repeat_contact.seconds]
    windows += [rules.default.seconds] if rules.default is not None else []
    return timedelta(seconds=max(windows)) + _SLACK
