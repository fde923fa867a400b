"""Aggregate completion by intent from a stream of tasks, holding only counts and a few examples."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from proctor.core.share import Share
from proctor.core.task import IntentCompletion, Task, TaskCompletion
from proctor.monitor.completion import TaskWatch
from proctor.monitor.completion_rules import CompletionRules
from proctor.monitor.tasks import NO_INTENT
from proctor.stats.interval import wilson

__all__ = ["CompletionFigures", "share_of"]

ALL = "all"
_MIN_PLEASED_RATING = 0.75  # 4 out of 5
_MAX_INTENTS = 500
_MAX_NAMED = 6


@dataclass(slots=True)
class _Ratings:
    count: int = 0
    total: float = 0.0

    def add(self, rating: float) -> None:
        self.count += 1
        self.total += rating

    @property
    def mean(self) -> float | None:
        return self.total / self.count if self.count else None


@dataclass(slots=True)
class _Counts:
    states: Counter[str] = field(default_factory=Counter)
    repeated: int = 0
    watched: int = 0
    escalated: int = 0
    ratings: dict[str, _Ratings] = field(default_factory=dict)
    pleased: int = 0

    def add(self, task: Task) -> None:
        self.states[task.state] += 1
        self.watched += task.repeated is not None
        self.repeated += task.repeated is True
        self.escalated += task.escalated
        if task.csat is not None:
            for name in ("", task.state):
                self.ratings.setdefault(name, _Ratings()).add(task.csat)
            self.pleased += task.state == "not completed" and task.csat >= _MIN_PLEASED_RATING

    def row(self, intent: str, rule: str) -> IntentCompletion:
        completed, failed = self.states["completed"], self.states["not completed"]
        rated = {name: self.ratings.get(name, _Ratings()) for name in ("", "completed", "not completed")}
        return IntentCompletion(
            intent=intent,
            tasks=self.states.total(),
            completed=completed,
            failed=failed,
            open=self.states["open"],
            unknown=self.states["unknown"],
            completion=share_of(completed, completed + failed),
            repeats=share_of(self.repeated, self.watched),
            escalated=self.escalated,
            csat=rated[""].mean,
            csat_completed=rated["completed"].mean,
            csat_failed=rated["not completed"].mean,
            pleased=share_of(self.pleased, rated["not completed"].count),
            rule=rule,
        )


@dataclass(slots=True)
class CompletionFigures:
    """The completion table, built incrementally."""

    rules: CompletionRules
    _counts: dict[str, _Counts] = field(default_factory=dict)
    _total: _Counts = field(default_factory=_Counts)
    _failures: dict[str, list[Task]] = field(default_factory=dict)
    _untold: Counter[str] = field(default_factory=Counter)

    def add(self, tasks: Iterable[Task]) -> None:
        """Count tasks; the first failures of each intent are kept as examples."""
        for task in tasks:
            name = task.intent if task.intent in self._counts or len(self._counts) < _MAX_INTENTS else "other intents"
            self._counts.setdefault(name, _Counts()).add(task)
            self._total.add(task)
            if task.state == "unknown":
                self._untold[task.reason] += 1
            kept = self._failures.setdefault(name, [])
            if task.state == "not completed" and len(kept) < self.rules.examples:
                kept.append(task)

    def table(self, watch: TaskWatch) -> TaskCompletion:
        """Return the figures so far, with notes about the log."""
        names = sorted(self._counts, key=lambda name: (name == NO_INTENT, -self._counts[name].states.total(), name))
        return TaskCompletion(
            rows=tuple(self._counts[name].row(name, self._rule(name)) for name in names),
            total=self._total.row(ALL, ""),
            events=watch.events,
            repeat_within=self.rules.repeat_contact.within,
            begun=watch.begun,
            until=watch.now,
            failures=tuple(task for name in names for task in self._failures.get(name, ())),
            notes=tuple(self._notes(watch)),
        )

    def _rule(self, intent: str) -> str:
        rule = self.rules.rule_of(intent)[1]
        return str(rule) if rule is not None else "no rule"

    def _notes(self, watch: TaskWatch) -> Iterable[str]:
        for reason, number in self._untold.most_common(_MAX_NAMED):
            yield f"{number:,} unknown: {reason}"
        if watch.embedder is None:
            yield "topics were compared by words only"
        for counted, told in (
            (watch.unplaced, "belong to no open task (none, or its windows were over)"),
            (watch.unused, "are used by no rule in time"),
        ):
            if counted:
                listed = ", ".join(f"{name} {number:,}" for name, number in counted.most_common(_MAX_NAMED))
                more = len(counted) - _MAX_NAMED
                listed += f" and {more} more kinds" if more > 0 else ""
                yield f"{counted.total():,} events {told}: {listed}"


def share_of(hits: int, total: int) -> Share:
    """Return a share with its interval."""
    return Share.of(hits, total, wilson(hits, total))
