"""Aggregate hand-offs by cause: what counts against the agent, and where people disagree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from proctor.core.event import Label
from proctor.core.handoff import (
    CATEGORIES,
    COUNTS_AGAINST,
    CauseCount,
    Disagreement,
    EscalationCauses,
    HandOff,
    KnowledgeGap,
    LabelAgreement,
)
from proctor.monitor.completion_figures import share_of
from proctor.stats.agreement import cohen_kappa

__all__ = ["DIMENSION", "UNKNOWN", "EscalationFigures"]

DIMENSION = "escalation"
UNKNOWN = "unknown"
_MAX_EXAMPLES = 5
_MAX_INTENTS = 200
_MAX_DISAGREEMENTS = 100


@dataclass(slots=True)
class EscalationFigures:
    """The breakdown, built incrementally; only labelled hand-offs are held, the others are counted."""

    labels: Mapping[str, Sequence[Label]] = field(default_factory=dict)
    conversations: int = 0
    _counts: Counter[str] = field(default_factory=Counter)
    _examples: dict[str, list[str]] = field(default_factory=dict)
    _by_intent: dict[str, Counter[str]] = field(default_factory=dict)
    _pairs: list[tuple[str, str]] = field(default_factory=list)
    _apart: list[Disagreement] = field(default_factory=list)

    def add(self, found: HandOff | None) -> None:
        """Count one conversation; ``None`` is one without a hand-off."""
        self.conversations += 1
        if found is None:
            return
        name = found.category or UNKNOWN
        self._counts[name] += 1
        kept = self._examples.setdefault(name, [])
        if len(kept) < _MAX_EXAMPLES:
            kept.append(found.id)
        intent = found.intent or "no intent"
        if intent in self._by_intent or len(self._by_intent) < _MAX_INTENTS:
            self._by_intent.setdefault(intent, Counter())[name] += 1
        for label in self.labels.get(found.id, ()):
            said = str(label.value)
            self._pairs.append((name, said))
            if said != name and len(self._apart) < _MAX_DISAGREEMENTS:
                self._apart.append(Disagreement(id=found.id, found=name, said=said, by=label.by, note=label.note))

    def table(self, gaps: Sequence[KnowledgeGap] = (), notes: Sequence[str] = ()) -> EscalationCauses:
        """Return the breakdown so far."""
        total = self._counts.total()
        known = total - self._counts[UNKNOWN]
        against = sum(self._counts[name] for name in COUNTS_AGAINST)
        names = [*CATEGORIES, *([UNKNOWN] if self._counts[UNKNOWN] else [])]
        return EscalationCauses(
            conversations=self.conversations,
            handoffs=share_of(total, self.conversations),
            against=share_of(against, known),
            rows=tuple(
                CauseCount(
                    category=name,
                    count=self._counts[name],
                    share=share_of(self._counts[name], total),
                    against=None if name == UNKNOWN else name in COUNTS_AGAINST,
                    examples=tuple(self._examples.get(name, ())),
                )
                for name in names
            ),
            by_intent={name: dict(counts) for name, counts in sorted(self._by_intent.items())},
            agreement=self._agreement(),
            gaps=tuple(gaps),
            notes=tuple(notes),
        )

    def _agreement(self) -> LabelAgreement | None:
        if not self._pairs:
            return None
        ours, theirs = zip(*self._pairs, strict=True)
        kappa = cohen_kappa(ours, theirs)
        same = sum(one == other for one, other in self._pairs)
        return LabelAgreement(
            labelled=len(self._pairs),
            same=share_of(same, len(self._pairs)),
            kappa=kappa.kappa if kappa else None,
            disagreements=tuple(self._apart),
        )
