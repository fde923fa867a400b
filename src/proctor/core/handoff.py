"""Conversations handed to a person: their causes, people's labels on them, and gaps of the knowledge base."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, get_args

from proctor.core.score import Evidence
from proctor.core.share import Share

__all__ = [
    "CATEGORIES",
    "COUNTS_AGAINST",
    "Category",
    "CauseCount",
    "Disagreement",
    "EscalationCauses",
    "HandOff",
    "KnowledgeGap",
    "LabelAgreement",
]

Category = Literal["knowledge_gap", "confidence_failure", "policy_complexity", "sentiment_trigger", "explicit_request"]
CATEGORIES: tuple[Category, ...] = get_args(Category)
COUNTS_AGAINST: frozenset[str] = frozenset({"knowledge_gap", "confidence_failure"})


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
class CauseCount:
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
class KnowledgeGap:
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
class EscalationCauses:
    """Hand-offs by cause: how many conversations were handed over, and how many of those count against the agent."""

    conversations: int
    handoffs: Share
    against: Share
    rows: tuple[CauseCount, ...]
    by_intent: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    agreement: LabelAgreement | None = None
    gaps: tuple[KnowledgeGap, ...] = ()
    notes: tuple[str, ...] = ()
