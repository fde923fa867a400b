"""Compare customers' ratings with automated resolution, and collect tasks in which they disagree."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from proctor.core.task import Task
from proctor.stats.two_samples import Moments

__all__ = ["RatingFigures", "ResolutionCounts", "is_resolved"]

_GOOD = 0.75  # 4 of 5
_POOR = 0.5  # below 3 of 5
_MAX_INTENTS = 200


def is_resolved(task: Task) -> bool | None:
    """Return whether the agent resolved a task alone: completed, not handed over, and no repeat contact.

    ``None`` if the outcome is unknown.
    """
    if task.state not in ("completed", "not completed"):
        return None
    return task.state == "completed" and not task.escalated and task.repeated is not True


@dataclass(slots=True)
class ResolutionCounts:
    """Resolution and ratings of one group of tasks; ratings are from 1 to 5."""

    judged: int = 0
    resolved: int = 0
    ratings: Moments = field(default_factory=Moments)
    good: int = 0
    cells: Counter[tuple[str, bool]] = field(default_factory=Counter)  # (good | middling | poor, resolved) -> tasks

    def add(self, task: Task) -> None:
        """Count one task."""
        resolved = is_resolved(task)
        if resolved is not None:
            self.judged += 1
            self.resolved += resolved
        if task.csat is None:
            return
        self.ratings.add(1 + 4 * task.csat)
        self.good += task.csat >= _GOOD
        if resolved is not None:
            self.cells[word_of(task.csat), resolved] += 1

    def rated(self, resolved: bool) -> int:
        """Return how many tasks with this outcome were rated."""
        return sum(count for (_, each), count in self.cells.items() if each is resolved)

    @property
    def apart(self) -> int:
        """How many ratings contradict the outcome: good and not resolved, or poor and resolved."""
        return self.cells["good", False] + self.cells["poor", True]


@dataclass(slots=True)
class RatingFigures:
    """Ratings against resolution, overall and by intent, with the first disagreements of each kind."""

    examples: int = 5
    total: ResolutionCounts = field(default_factory=ResolutionCounts)
    intents: dict[str, ResolutionCounts] = field(default_factory=dict)
    pleased: list[Task] = field(default_factory=list)
    displeased: list[Task] = field(default_factory=list)

    def add(self, task: Task) -> None:
        """Count one task."""
        self.total.add(task)
        if task.intent in self.intents or len(self.intents) < _MAX_INTENTS:
            self.intents.setdefault(task.intent, ResolutionCounts()).add(task)
        resolved = is_resolved(task)
        if task.csat is None or resolved is None:
            return
        word = word_of(task.csat)
        kept = self.pleased if (word, resolved) == ("good", False) else self.displeased
        if (word, resolved) in (("good", False), ("poor", True)) and len(kept) < self.examples:
            kept.append(task)


def word_of(rating: float) -> str:
    """Return a rating from 0 to 1 as a word."""
    return "good" if rating >= _GOOD else "poor" if rating < _POOR else "middling"
