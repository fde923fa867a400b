"""What is true about simulated traffic: every conversation as it really went, and counts by day and intent."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from proctor.core.share import Share
from proctor.monitor.completion_figures import share_of
from proctor.monitor.simulation.scenario import Incident

__all__ = ["ConversationTruth", "IncidentTruth", "TrafficTruth", "TrueState"]

TrueState = Literal["completed", "not completed", "unknown"]
_MAX_EXAMPLES = 20


class ConversationTruth(NamedTuple):
    """How one conversation really went; ``state`` is what the completion rule of its intent must say of it.

    ``wrong`` counts its wrong answers, ``failed`` the answers whose score says so. ``repeat_of`` is the conversation
    whose matter was not solved.
    """

    id: str
    customer: str
    intent: str
    topic: str
    language: str
    version: str
    model: str
    time: float
    turns: int
    wrong: int = 0
    failed: int = 0
    attacked: bool = False
    followed: bool = False
    solved: bool = False
    escalated: str = ""
    csat: int | None = None
    state: TrueState = "unknown"
    repeat_of: str = ""


@dataclass(slots=True)
class IncidentTruth:
    """An incident, how many turns it touched, how many of them went wrong, and the first conversations of those."""

    incident: Incident
    begins: float
    ends: float
    turns: int = 0
    bad: int = 0
    conversations: list[str] = field(default_factory=list)

    def saw(self, conversation: str, *, bad: bool) -> None:
        """Count a turn that it touched."""
        self.turns += 1
        if bad:
            self.bad += 1
            if len(self.conversations) < _MAX_EXAMPLES and conversation not in self.conversations:
                self.conversations.append(conversation)


@dataclass(slots=True)
class TrafficTruth:
    """The truth beside the events; it grows while they are taken.

    ``counts`` has (day, intent, what): conversations, turns, wrong, failed, attacks, followed, solved, escalated,
    repeats, and the states of completion. ``conversations`` are kept unless ``keep`` is off. ``dropped`` counts
    conversations that nobody saw because of an outage.
    """

    keep: bool = True
    counts: Counter[tuple[int, str, str]] = field(default_factory=Counter)
    conversations: list[ConversationTruth] = field(default_factory=list)
    incidents: list[IncidentTruth] = field(default_factory=list)
    dropped: int = 0

    def add(self, told: ConversationTruth, day: int) -> None:
        """Count a conversation."""
        if self.keep:
            self.conversations.append(told)
        counts, intent = self.counts, told.intent
        counts[day, intent, "conversations"] += 1
        counts[day, intent, "turns"] += told.turns
        counts[day, intent, told.state] += 1
        for what, many in (
            ("wrong", told.wrong),
            ("failed", told.failed),
            ("attacks", told.attacked),
            ("followed", told.followed),
            ("solved", told.solved),
            ("escalated", bool(told.escalated)),
            ("repeats", bool(told.repeat_of)),
        ):
            if many:
                counts[day, intent, what] += int(many)

    def total(self, what: str, *, intent: str | None = None, days: range | None = None) -> int:
        """Return a count over intents and days; the first day is 0."""
        return sum(
            many
            for (day, name, each), many in self.counts.items()
            if each == what and intent in (None, name) and (days is None or day in days)
        )

    def share(self, what: str, *, of: str = "conversations", intent: str | None = None) -> Share:
        """Return one count as a share of another, with its interval."""
        return share_of(self.total(what, intent=intent), self.total(of, intent=intent))
