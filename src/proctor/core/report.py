"""Results of a run: one per case, target and sample, and the report over all of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from datetime import datetime
from typing import Any, Literal

from proctor.core.case import Case
from proctor.core.chat import Usage
from proctor.core.compliance import PromptCompliance
from proctor.core.record import dataclass
from proctor.core.score import Score
from proctor.core.trajectory import Trajectory

__all__ = [
    "IN_DOUBT",
    "Cell",
    "Counts",
    "Decision",
    "Fingerprint",
    "FlakyCase",
    "Outcome",
    "RepeatTally",
    "Report",
    "Result",
    "RunStatus",
    "Spend",
    "Tally",
]

Outcome = Literal["pass", "fail", "unscored"]
RunStatus = Literal["running", "finished", "interrupted"]
Decision = Literal["passed", "failed", "unjudged"]
IN_DOUBT = "in doubt"  # how the reason of a result begins that passed and should be reviewed


@dataclass(frozen=True, slots=True, kw_only=True)
class Fingerprint:
    """What exactly was run, so that two runs can be compared.

    ``scorers`` are versions; ``scorer_hashes`` are hashes of a scorer's code, model files and prompts. The empty name
    has the hash of the suite's own checks and their settings. ``networks`` are the local ones: bundled or large.
    """

    suite: str = ""
    targets: Mapping[str, str] = field(default_factory=dict)
    scorers: Mapping[str, str] = field(default_factory=dict)
    scorer_hashes: Mapping[str, str] = field(default_factory=dict)
    models: Mapping[str, str] = field(default_factory=dict)
    networks: str = ""
    proctor: str = ""
    python: str = ""
    seed: int = 0
    trigger: str = "manual"
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """One case run once on one target, with every score.

    ``outcome`` is ``fail`` if a deciding score is under its threshold, ``unscored`` if nothing failed but
    something could not be judged (or there was nothing to judge), else ``pass``.
    """

    case: Case
    target: str
    sample: int = 0
    trajectory: Trajectory
    scores: tuple[Score, ...] = ()
    outcome: Outcome
    value: float | None = None
    reason: str = ""
    started: datetime | None = None
    duration: float | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)

    @property
    def in_doubt(self) -> bool:
        """Whether the result passed and should be reviewed."""
        return self.outcome == "pass" and any(score.in_doubt for score in self.scores)

    @property
    def asked(self) -> tuple[str, ...]:
        """What the user asks in the case; of a recorded conversation the first message, and nothing of a prompt."""
        if self.case.asks or self.case.inputs:
            return tuple(ask.text for ask in self.case.asks)
        return next(((turn.asked,) for turn in self.trajectory.turns if turn.asked.strip()), ())

    @property
    def outcome_word(self) -> str:
        """The outcome as a reader is told: one that passed and should be reviewed is in doubt."""
        return IN_DOUBT if self.in_doubt else self.outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """How many passed, failed and could not be judged.

    ``independent`` is the effective number of independent results if a case was run several times;
    ``None`` if each result is of another case. ``in_doubt`` of those that passed should be reviewed.
    """

    passed: int = 0
    failed: int = 0
    unscored: int = 0
    independent: float | None = None
    in_doubt: int = 0

    @property
    def total(self) -> int:
        """The number of all results."""
        return self.passed + self.failed + self.unscored

    @property
    def pass_rate(self) -> float | None:
        """Share of the judged results that passed; ``None`` if none was judged."""
        judged = self.passed + self.failed
        return self.passed / judged if judged else None

    @property
    def unscored_rate(self) -> float:
        """Share of all results that could not be judged."""
        return self.unscored / self.total if self.total else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """One scorer's (or target's, or intent's) figures over a run."""

    name: str
    counts: Counts = field(default_factory=Counts)
    skipped: int = 0
    mean: float | None = None
    histogram: tuple[int, ...] = ()
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class RepeatTally:
    """How stable a target's answers are if each case was run several times.

    ``always``, ``flaky`` and ``never`` count cases by their judged samples. ``pass_all`` (pass^k) is the share of cases
    whose ``samples`` samples all passed, ``pass_any`` (pass@k) of those with one that did.
    """

    target: str
    samples: int = 0
    cases: int = 0
    always: int = 0
    flaky: int = 0
    never: int = 0
    pass_all: float | None = None
    pass_any: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FlakyCase:
    """A case some of whose samples passed while others failed."""

    case: str
    target: str
    passed: int = 0
    failed: int = 0
    unscored: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One dimension over the cases of one intent (``None``: all) on one target.

    A dimension is an aspect of a good answer, such as relevance; ``dimension.part`` is a part of one.
    """

    dimension: str
    intent: str | None = None
    target: str = ""
    cases: int = 0
    unscored: int = 0
    mean: float | None = None
    spread: float | None = None
    cost: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Spend:
    """What one model cost in one role; ``cost`` is ``None`` if a price is unknown."""

    model: str
    role: str = "target"
    calls: int = 0
    cached: int = 0
    retries: int = 0
    errors: int = 0
    usage: Usage = field(default_factory=Usage)
    cost: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """A run in figures. The results are streamed and never all in memory.

    ``overview`` is set if answers were judged by the rules of their prompt, ``repeats`` and ``flaky`` if cases were run
    more than once.
    """

    id: str
    name: str = ""
    status: RunStatus = "running"
    decision: Decision | None = None
    reason: str = ""
    counts: Counts = field(default_factory=Counts)
    by_target: tuple[Tally, ...] = ()
    by_scorer: tuple[Tally, ...] = ()
    by_intent: tuple[Tally, ...] = ()
    by_tag: tuple[Tally, ...] = ()
    by_dimension: tuple[Cell, ...] = ()
    overview: PromptCompliance | None = None
    repeats: tuple[RepeatTally, ...] = ()
    flaky: tuple[FlakyCase, ...] = ()
    latency: Mapping[str, float] = field(default_factory=dict)
    spend: tuple[Spend, ...] = ()
    concurrency: tuple[Mapping[str, Any], ...] = ()
    fingerprint: Fingerprint = field(default_factory=Fingerprint)
    settings: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    started: datetime | None = None
    finished: datetime | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)
