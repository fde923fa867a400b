"""Collect from an event log what is known of each conversation: intent, confidence, signals, outcome, scores."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from proctor.core.audit import AuditedConversation, ScorerVerdict
from proctor.core.event_row import EventRow

__all__ = ["FactCollector", "mark_repeats"]

_HOUR = 3600.0


@dataclass(slots=True)
class _Facts:
    first: float
    last: float
    turns: int = 0
    customer: str | None = None
    intent: str | None = None
    model: str | None = None
    version: str | None = None
    source: str | None = None
    confidence: float | None = None
    confident_at: float = 0.0
    least: float | None = None
    outcome: str | None = None
    outcome_at: float = 0.0
    signals: set[str] = field(default_factory=set)
    scores: dict[str, tuple[float, ScorerVerdict]] = field(default_factory=dict)


@dataclass(slots=True)
class FactCollector:
    """Collects rows in any order; the times of a conversation are those of its turns."""

    _by_session: dict[str, _Facts] = field(default_factory=dict)

    def add(self, row: EventRow) -> None:
        """Add one event; events without a session say nothing of a conversation."""
        if not row.session:
            return
        facts = self._by_session.get(row.session)
        if facts is None:
            facts = self._by_session[row.session] = _Facts(first=row.time, last=row.time)
        if row.kind == "turn":
            self._turn(facts, row)
        elif row.kind == "outcome" and row.name and (facts.outcome is None or row.time >= facts.outcome_at):
            facts.outcome, facts.outcome_at = row.name, row.time
        elif row.kind == "score" and row.name:
            known = facts.scores.get(row.name)
            if known is None or row.time >= known[0]:
                passed = None if row.value is None else f"score/{row.name}" not in row.signals
                version = row.version or row.model or ""
                verdict = ScorerVerdict(name=row.name, value=row.value, passed=passed, version=version)
                facts.scores[row.name] = row.time, verdict
        facts.customer = facts.customer or row.customer
        facts.signals.update(row.signals)

    @staticmethod
    def _turn(facts: _Facts, row: EventRow) -> None:
        if not facts.turns:
            facts.first = facts.last = row.time
        if row.time <= facts.first or facts.intent is None:
            facts.intent = row.intent or facts.intent
        if row.time >= facts.last:
            facts.model, facts.version = row.model or facts.model, row.version or facts.version
            facts.source = row.source or facts.source
        facts.turns += 1
        facts.first, facts.last = min(facts.first, row.time), max(facts.last, row.time)
        if row.confidence is not None:
            if facts.confidence is None or row.time >= facts.confident_at:
                facts.confidence, facts.confident_at = row.confidence, row.time
            facts.least = row.confidence if facts.least is None else min(facts.least, row.confidence)

    def conversations(self, *, repeat_hours: float = 24.0) -> list[AuditedConversation]:
        """Return the conversations that have a turn, in order of their beginning."""
        found = [
            AuditedConversation(
                id=session,
                first=facts.first,
                last=facts.last,
                turns=facts.turns,
                customer=facts.customer,
                intent=facts.intent,
                model=facts.model,
                version=facts.version,
                source=facts.source,
                confidence=facts.confidence,
                least_confidence=facts.least,
                outcome=facts.outcome,
                signals=tuple(sorted(facts.signals)),
                scores=tuple(verdict for _, (_, verdict) in sorted(facts.scores.items())),
            )
            for session, facts in self._by_session.items()
            if facts.turns
        ]
        found.sort(key=lambda each: (each.first, each.id))
        return mark_repeats(found, repeat_hours=repeat_hours)


def mark_repeats(found: Iterable[AuditedConversation], *, repeat_hours: float = 24.0) -> list[AuditedConversation]:
    """Mark the conversations after which the same customer came again in time with the same or an unknown intent.

    They must be in order of their beginning.
    """
    listed = list(found)
    latest: dict[str, int] = {}
    for place, each in enumerate(listed):
        if each.customer is None:
            continue
        before = latest.get(each.customer)
        if before is not None:
            earlier = listed[before]
            same = earlier.intent is None or each.intent is None or earlier.intent == each.intent
            if same and each.first - earlier.last <= repeat_hours * _HOUR:
                listed[before] = replace(earlier, is_repeat=True)
        latest[each.customer] = place
    return listed
