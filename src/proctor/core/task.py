"""Customers' tasks: completed or not, and completion by intent."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from proctor.core.share import Share

__all__ = ["IntentCompletion", "Task", "TaskCompletion", "TaskState"]

TaskState = Literal["completed", "not completed", "open", "unknown"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """What a customer wanted in one session, and the outcome.

    ``open``: its window was not over when the log ended; ``unknown``: the window is over and no signal was seen.
    ``repeated`` is None while its window is open or if it cannot be determined; ``csat`` is from 0 to 1. ``settled`` is
    when its last window ends.
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
    settled: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class IntentCompletion:
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
class TaskCompletion:
    """Completion by intent; the last row is over all intents."""

    rows: tuple[IntentCompletion, ...]
    total: IntentCompletion
    events: int
    repeat_within: str = "24 h"
    begun: datetime | None = None
    until: datetime | None = None
    failures: tuple[Task, ...] = ()
    notes: tuple[str, ...] = ()
