"""A conversation as the index knows it: who, when, about what, and how it went."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from proctor.core.record import dataclass

__all__ = ["ConversationSummary"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationSummary:
    """One conversation. ``first`` and ``last`` are the times of its events, in seconds since the epoch.

    ``intent`` is that of its first turn; ``model``, ``version`` and ``source`` are those of its last. ``signals``
    counts what alert rules count, ``scores`` has the lowest value of each scorer. What is not known is ``None``.
    """

    session: str
    first: float
    last: float
    turns: int = 0
    customer: str | None = None
    intent: str | None = None
    model: str | None = None
    version: str | None = None
    source: str | None = None
    outcome: str | None = None
    escalated: bool = False
    csat: float | None = None
    confidence: float | None = None
    cost: float | None = None
    signals: Mapping[str, int] = field(default_factory=dict)
    scores: Mapping[str, float] = field(default_factory=dict)
