"""Customers' tasks, held while their windows are open."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from proctor.core.event import Event
from proctor.core.task import Task, TaskState
from proctor.monitor.completion_rules import CompletionRule, CompletionRules
from proctor.monitor.signals import REPEAT, Condition
from proctor.monitor.topics import Contact

__all__ = ["NO_INTENT", "OpenTask", "candidates"]

NO_INTENT = "no intent"


@dataclass(slots=True, kw_only=True, eq=False)
class OpenTask:
    """A task whose windows are not all over yet."""

    session: str
    visit: int
    started: datetime
    last: datetime
    customer: str | None = None
    intent: str | None = None
    rule: CompletionRule | None = None
    contact: Contact = field(default_factory=Contact)
    seen: dict[str, datetime] = field(default_factory=dict)
    about: dict[str, set[str]] = field(default_factory=dict)
    repeat: str = ""
    repeated_at: datetime | None = None
    unsure: bool = False
    escalated: bool = False
    csat: float | None = None

    def name_intent(self, intent: str, rules: CompletionRules) -> None:
        """Set the intent once it is known."""
        self.intent, self.rule = rules.rule_of(intent)
        self.contact.intent = self.intent

    @property
    def deadline(self) -> datetime | None:
        """When the window of its rule ends."""
        if self.rule is None:
            return None
        begun = self.started if self.rule.since == "start" else self.last
        return begun + timedelta(seconds=self.rule.seconds)

    def repeat_deadline(self, rules: CompletionRules) -> datetime:
        """Return when another contact is no longer a repeat."""
        return self.last + timedelta(seconds=rules.repeat_contact.seconds)

    def expires(self, rules: CompletionRules) -> datetime:
        """Return when the task is final."""
        repeat = self.repeat_deadline(rules)
        return max(repeat, self.deadline or repeat)

    def waits_for(self, signals: Iterable[str], time: datetime) -> bool:
        """Return whether its rule uses one of the signals, within its window."""
        deadline = self.deadline
        if self.rule is None or deadline is None or time > deadline:
            return False
        return not self.rule.signals.isdisjoint(signals)

    def see(self, signals: Iterable[str], time: datetime) -> None:
        """Record signals that came within the window."""
        deadline = self.deadline
        if deadline is not None and time <= deadline:
            for signal in signals:
                self.seen.setdefault(signal, time)

    def mark_repeat(self, time: datetime, how: str) -> None:
        """Record another contact on the same topic; only the first counts."""
        if self.repeated_at is None:
            self.repeated_at, self.repeat = time, how
            self.see((REPEAT,), time)

    def learn(self, event: Event, keys: Iterable[str]) -> None:
        """Record which booking or case it is about."""
        for key in keys:
            if (value := event.metadata.get(key)) is not None:
                self.about.setdefault(key, set()).add(str(value))

    def concerns(self, event: Event, keys: Iterable[str]) -> bool:
        """Return whether the event may be about it: false if both name a booking and they differ."""
        return not any(
            (value := event.metadata.get(key)) is not None and key in self.about and str(value) not in self.about[key]
            for key in keys
        )

    def closed(self, now: datetime, rules: CompletionRules) -> Task:
        """Return the outcome as far as known now."""
        state, reason = self._verdict(now)
        over = now > self.repeat_deadline(rules)
        repeated = (self.repeated_at is not None) if over and self.customer and not self._blind else None
        return Task(
            intent=self.intent or NO_INTENT,
            state=state,
            reason=reason,
            started=self.started,
            ended=self.last,
            session=self.session,
            customer=self.customer,
            question=next(iter(self.contact.questions), ""),
            repeated=repeated,
            repeat=self.repeat,
            escalated=self.escalated,
            csat=self.csat,
            settled=self.expires(rules),
        )

    @property
    def _blind(self) -> bool:
        """Whether a contact came with an unknown topic, and none that is known to repeat."""
        return self.unsure and self.repeated_at is None

    def _verdict(self, now: datetime) -> tuple[TaskState, str]:
        rule, deadline = self.rule, self.deadline
        if rule is None or deadline is None:
            why = "no intent is known" if self.intent is None else "no rule for this intent"
            return "unknown", why
        over = now > deadline
        if REPEAT in rule.signals and REPEAT not in self.seen and (self.customer is None or self.unsure):
            return self._untold(over)
        for condition in rule.failure:
            if condition.holds(self.seen.keys(), over=over):
                return "not completed", self._told(condition, rule)
        if not over and any(condition.holds(self.seen.keys(), over=False) is None for condition in rule.failure):
            return "open", f"its window of {rule.within} is not over"
        for condition in rule.success:
            answer = condition.holds(self.seen.keys(), over=over)
            if answer:
                return "completed", self._told(condition, rule)
        if not over:
            return "open", f"its window of {rule.within} is not over"
        return "unknown", f"no signal within {rule.within}"

    def _untold(self, over: bool) -> tuple[TaskState, str]:
        if self.customer is None:
            return "unknown", "the customer is not known, so a repeat contact cannot be seen"
        return ("unknown" if over else "open"), "the customer came again, and nobody wrote down what about"

    def _told(self, condition: Condition, rule: CompletionRule) -> str:
        parts = list(self._parts(condition, rule))
        return "; ".join(parts)

    def _parts(self, condition: Condition, rule: CompletionRule) -> Iterator[str]:
        for term in condition.terms:
            if term.absent:
                yield f"no {term.signal} within {rule.within}"
            elif term.signal == REPEAT:
                yield f"{REPEAT} after {_after(self.seen[REPEAT] - self.last)} ({self.repeat})"
            else:
                yield f"{term.signal} after {_after(self.seen[term.signal] - self.started)}"


def candidates(tasks: Iterable[OpenTask], event: Event, rules: CompletionRules) -> list[OpenTask]:
    """Return the tasks that an event may belong to: not about another booking, case or intent with a rule."""
    found = [task for task in tasks if task.concerns(event, rules.about)]
    if event.intent is None:
        return found
    name, rule = rules.rule_of(event.intent)
    named = [task for task in found if task.intent == name]
    if named or rule is None or rule is rules.default:
        return named or found
    return [task for task in found if task.rule is None]


def _after(span: timedelta) -> str:
    minutes = max(0, round(span.total_seconds() / 60))
    return f"{minutes} min" if minutes < 120 else f"{minutes / 60:.1f} h"
