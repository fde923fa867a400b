"""Events from production, alerts about them, and labels by people."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from proctor.core.trajectory import Turn
from proctor.core.verdict import Severity, Verdict

__all__ = ["Alert", "Event", "EventKind", "Label"]

EventKind = Literal["turn", "gate", "escalation", "csat", "outcome", "contact", "score", "note"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One event in production.

    A ``score`` has its scorer's name in ``name`` and 0 to 1 in ``value``; ``metadata`` says whether it ``passed``, if
    that is known. ``version`` is what was released: of the prompt, the agent or the knowledge. ``source`` is the sender
    that a token names. ``masked`` says that personal data was removed before the event was sent.
    """

    kind: EventKind
    time: datetime
    id: str | None = None
    session: str | None = None
    customer: str | None = None
    intent: str | None = None
    turn: Turn | None = None
    verdict: Verdict | None = None
    value: float | None = None
    name: str | None = None
    model: str | None = None
    version: str | None = None
    source: str | None = None
    masked: bool = False
    metadata: Mapping[str, Any] = field(default_factory=dict)
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Alert:
    """A message for a person; ``key`` merges repeats of the same problem."""

    rule: str
    message: str
    tier: Severity
    time: datetime
    key: str = ""
    value: float | None = None
    threshold: float | None = None
    count: int = 1
    resolved: datetime | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """A person's label on a result, a turn or a gate's decision."""

    subject: str
    dimension: str
    value: float | str | bool
    by: str
    time: datetime | None = None
    note: str = ""
    extra: Mapping[str, Any] = field(default_factory=dict)
