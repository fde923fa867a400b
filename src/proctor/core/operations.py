"""Figures from production: task completion, hand-offs and their causes, and gaps of the knowledge base."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, get_args

from proctor.core.score import Evidence

__all__ = [
    "CATEGORIES",
    "COUNTS_AGAINST",
    "Category",
    "CompletionRow",
    "CompletionTable",
    "Disagreement",
    "EscalationRow",
    "EscalationTable",
    "Gap",
    "HandOff",
    "LabelAgreement",
    "Share",
    "Task",
    "TaskState",
]

TaskState = Literal["completed", "not completed", "open", "unknown"]
Category = Literal["knowledge_gap", "confidence_failure", "policy_complexity", "sentiment_trigger", "explicit_request"]
CATEGORIES: tuple[Category, ...] = get_args(Category)
COUNTS_AGAINST: frozenset[str] = frozenset({"knowledge_gap", "confidence_failure"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """``hits`` of ``total`` with the 95 % interval; the share is None if nothing was counted."""

    hits: int = 0
    total: int = 0
    value: float | None = None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """What a customer wanted in one session, and the outcome.

    ``open``: its window was not over when the log ended; ``unknown``: the window is over and no signal was seen.
    ``repeated`` is None while its window is open or if it cannot be determined; ``csat`` is from 0 to 1.
    """

    intent: str
    state: TaskState
    reason: str
    started: datetime
    ended: datetime
    session: str | None = None
    customer: str | None = None
    question: str = ""
    repeated: bool | None = None
    repeat: str = ""
    escalated: bool = False
    csat: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CompletionRow:
    """The figures of one intent. ``completion`` covers tasks with an outcome, ``repeats`` those whose window is over.

    ``pleased`` counts the rated tasks with a good rating among those not completed.
    """

    intent: str
    tasks: int
    completed: int
    failed: int
    open: int
    unknown: int
    completion: Share
    repeats: Share
    escalated: int = 0
    csat: float | None = None
    csat_completed: float | None = None
    csat_failed: float | None = None
    pleased: Share = field(default_factory=Share)
    rule: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CompletionTable:
    """Completion by intent; the last row is over all intents."""

    rows: tuple[CompletionRow, ...]
    total: CompletionRow
    events: int
    repeat_within: str = "24 h"
    begun: datetime | None = None
    until: datetime | None = None
    failures: tuple[Task, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class HandOff:
    """One conversation that was handed to a person, and why; ``category`` is None if the cause is unknown.

    ``declared`` is the reason that the agent itself gave; ``also`` are other possible causes.
    """

    id: str
    turn: int
    category: str | None
    reason: str = ""
    question: str = ""
    declared: str = ""
    also: tuple[str, ...] = ()
    confidence: float | None = None
    intent: str | None = None
    customer: str | None = None
    time: datetime | None = None
    evidence: tuple[Evidence, ...] = ()
    person: str | None = None

    @property
    def against(self) -> bool | None:
        """Whether it counts against the agent; None if the cause is unknown."""
        return None if self.category is None else self.category in COUNTS_AGAINST


@dataclass(frozen=True, slots=True, kw_only=True)
class EscalationRow:
    """How many hand-offs have one cause."""

    category: str
    count: int
    share: Share
    against: bool | None
    examples: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Disagreement:
    """A hand-off whose cause a person labelled differently."""

    id: str
    found: str
    said: str
    by: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelAgreement:
    """How far the categories agree with people's labels."""

    labelled: int
    same: Share
    kappa: float | None = None
    disagreements: tuple[Disagreement, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """A topic that customers ask about and the knowledge base lacks, with the questions that showed it."""

    id: str
    question: str
    count: int
    terms: tuple[str, ...] = ()
    intents: Mapping[str, int] = field(default_factory=dict)
    examples: tuple[str, ...] = ()
    conversations: tuple[str, ...] = ()
    first: datetime | None = None
    last: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EscalationTable:
    """Hand-offs by cause: how many conversations were handed over, and how many of those count against the agent."""

    conversations: int
    handoffs: Share
    against: Share
    rows: tuple[EscalationRow, ...]
    by_intent: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    agreement: LabelAgreement | None = None
    gaps: tuple[Gap, ...] = ()
    notes: tuple[str, ...] = ()
