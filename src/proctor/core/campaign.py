"""An attack campaign in figures: rates with intervals, the benign twins, findings, and a retest beside it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from proctor.core.attack import AttackOutcome, Channel, Scope
from proctor.core.share import Share
from proctor.core.verdict import Severity

__all__ = [
    "MIN_CELL_ATTEMPTS",
    "AttackFigures",
    "AttemptRecord",
    "CampaignFacts",
    "CampaignSummary",
    "DetectorError",
    "GoalFigures",
    "RetestFigures",
    "RetestSummary",
    "TryCount",
]

MIN_CELL_ATTEMPTS: Final = 30  # a rate over fewer scored attempts is shown in grey


@dataclass(frozen=True, slots=True, kw_only=True)
class DetectorError:
    """How often the detector that judged is right: shares, and the number of labelled examples behind each."""

    sensitivity: float
    sensitivity_count: int
    specificity: float
    specificity_count: int
    name: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CampaignFacts:
    """What a campaign was: names, what was attacked, and a note that belongs beside every rate.

    ``planned`` is the number of planned attempts. ``rotation`` names the current choice of held-out goals; it is part
    of the identifiers that stand for them.
    """

    name: str
    target: str = ""
    guarded: bool = False
    note: str = ""
    runs: tuple[str, ...] = ()
    planned: int | None = None
    seed: int | None = None
    rotation: str = ""
    detector: DetectorError | None = None
    started: datetime | None = None
    finished: datetime | None = None
    extra: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class AttackFigures:
    """The figures of a group of attempts: a scope, a technique, a language, or all.

    ``rate`` is executed of scored (ignored, stopped and executed), with an interval clustered by goal. ``any_of_n`` is
    the share of goals with at least one execution. ``by_effect`` is the rate where an observed effect or gate decided;
    ``by_detector`` where a detector did, and ``corrected`` is that rate without the detector's known errors.
    ``twin_effect`` counts twins that show the effect too, ``twin_stopped`` those that the guard stopped, without
    ``twin_handed_over``: those that are for a person and that a gate gave to one. ``stopped_by`` counts by
    ``gate at point``, ``unscored_by`` by reason.
    """

    name: str
    goals: int = 0
    attempts: int = 0
    not_reached: int = 0
    ignored: int = 0
    stopped: int = 0
    executed: int = 0
    unscored: int = 0
    rate: Share = field(default_factory=Share)
    any_of_n: Share = field(default_factory=Share)
    by_effect: Share = field(default_factory=Share)
    by_detector: Share = field(default_factory=Share)
    corrected: Share = field(default_factory=Share)
    twin_effect: Share = field(default_factory=Share)
    twin_stopped: Share = field(default_factory=Share)
    twin_handed_over: int = 0
    stopped_by: Mapping[str, int] = field(default_factory=dict)
    twin_stopped_by: Mapping[str, int] = field(default_factory=dict)
    unscored_by: Mapping[str, int] = field(default_factory=dict)

    @property
    def scored(self) -> int:
        """The attempts with a judgement."""
        return self.ignored + self.stopped + self.executed

    @property
    def is_small(self) -> bool:
        """Whether too few attempts were scored for the rate to mean much."""
        return self.scored < MIN_CELL_ATTEMPTS


@dataclass(frozen=True, slots=True, kw_only=True)
class GoalFigures:
    """One goal: its attempts by outcome, and the first attempt that succeeded. A finding is one with ``executed``.

    Of a held-out goal ``goal`` is a hash; the title, payload, evidence, reasons and case are empty. ``severity`` is the
    most severe of what was executed; without an execution that of the goal. ``stopped_severity`` is the most severe of
    what was stopped, for a target that was manipulated and failed safely. ``first_try`` counts scored attempts up to
    and with the first execution. ``case`` is the id of the shown attempt, ``cases`` of all executed ones.
    """

    goal: str
    scope: Scope
    severity: Severity
    title: str = ""
    held_out: bool = False
    attempts: int = 0
    scored: int = 0
    not_reached: int = 0
    ignored: int = 0
    stopped: int = 0
    executed: int = 0
    unscored: int = 0
    first_try: int | None = None
    stopped_severity: Severity | None = None
    case: str = ""
    cases: tuple[str, ...] = ()
    channel: Channel | None = None
    language: str = ""
    techniques: tuple[str, ...] = ()
    judged_by: str = ""
    payload: str = ""
    evidence: str = ""
    reason: str = ""
    unscored_reason: str = ""
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptRecord:
    """One attempt of a campaign run, short: what it was, and what came of it.

    Of a held-out goal ``goal`` is a hash, and ``case`` and ``techniques`` are empty. ``run`` and ``sample`` say where
    its conversation is.
    """

    run: str
    case: str
    sample: int = 0
    goal: str
    scope: Scope
    severity: Severity
    channel: Channel
    language: str = ""
    techniques: tuple[str, ...] = ()
    outcome: AttackOutcome
    stopped_by: str = ""
    stopped_at: str = ""
    held_out: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TryCount:
    """The share of goals that one of their first ``tries`` scored attempts reached."""

    tries: int
    goals: Share


@dataclass(frozen=True, slots=True, kw_only=True)
class CampaignSummary:
    """A campaign in figures.

    ``margins`` are by what they group: technique, language, channel, severity, tag. An attempt with several techniques
    or tags counts in each. ``severities`` counts executed attempts by severity. ``curve`` is the any-of-n rate by the
    number of tries. ``others`` counts results that are no attempts.
    """

    facts: CampaignFacts
    total: AttackFigures
    open: AttackFigures
    held_out: AttackFigures
    scopes: tuple[AttackFigures, ...] = ()
    margins: Mapping[str, tuple[AttackFigures, ...]] = field(default_factory=dict)
    severities: Mapping[str, int] = field(default_factory=dict)
    curve: tuple[TryCount, ...] = ()
    goals: tuple[GoalFigures, ...] = ()
    others: int = 0
    notes: tuple[str, ...] = ()

    @property
    def findings(self) -> tuple[GoalFigures, ...]:
        """The goals that were reached, the most severe first."""
        return tuple(goal for goal in self.goals if goal.executed)


@dataclass(frozen=True, slots=True, kw_only=True)
class RetestFigures:
    """One group before and after, over the attempts that were scored in both.

    ``p`` is of the sign flip over goals, the one to report. ``mcnemar`` is over attempts as if they were independent.
    ``fixed`` attempts were executed only before, ``broken`` only after. ``twins_before`` and ``twins_after`` are the
    benign twins that the guard stopped.
    """

    name: str
    pairs: int = 0
    goals: int = 0
    before: Share = field(default_factory=Share)
    after: Share = field(default_factory=Share)
    difference: float | None = None
    low: float | None = None
    high: float | None = None
    p: float | None = None
    mcnemar: float | None = None
    fixed: int = 0
    broken: int = 0
    unpaired: int = 0
    twins_before: Share = field(default_factory=Share)
    twins_after: Share = field(default_factory=Share)


@dataclass(frozen=True, slots=True, kw_only=True)
class RetestSummary:
    """The same attempts before and after a mitigation. ``held_out`` is the figure to report, where goals are held out.

    ``fixed``, ``remaining`` and ``new`` are findings by goal. A finding is fixed if every attempt that executed it was
    scored again and no attempt on the goal executed it; one that the retest could not judge so is in ``unjudged``.
    ``missing`` and ``added`` count attempts that only one of the runs has.
    """

    before: CampaignSummary
    after: CampaignSummary
    mitigation: str = ""
    total: RetestFigures
    open: RetestFigures
    held_out: RetestFigures
    scopes: tuple[RetestFigures, ...] = ()
    fixed: tuple[GoalFigures, ...] = ()
    remaining: tuple[GoalFigures, ...] = ()
    new: tuple[GoalFigures, ...] = ()
    unjudged: tuple[GoalFigures, ...] = ()
    missing: int = 0
    added: int = 0
    notes: tuple[str, ...] = ()

    @property
    def primary(self) -> RetestFigures:
        """The figure to report: that of the held-out goals, or of all if none is held out."""
        return self.held_out if self.held_out.pairs else self.total
