"""Count what happened in one period: volume, errors, latency, spend, gates and scores, in constant memory."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from proctor.core.chat import Usage
from proctor.core.digest import Period, TimeSlot
from proctor.core.event import Event
from proctor.core.trajectory import Trajectory
from proctor.core.verdict import STOPS, Verdict
from proctor.stats.histogram import RatioHistogram
from proctor.stats.two_samples import Moments

__all__ = ["GateCounts", "ModelSpend", "PeriodFigures", "ScoreCounts"]

UNKNOWN_MODEL = "model not named"
_OTHERS = "others"
_MAX_NAMES = 200
_MAX_SECONDS = 1e7


@dataclass(slots=True)
class ModelSpend:
    """The turns of one model: how many, what they cost as far as that is known, and their tokens."""

    turns: int = 0
    cost: Moments = field(default_factory=Moments)
    usage: Usage = field(default_factory=Usage)


@dataclass(slots=True)
class GateCounts:
    """The decisions of gates. ``acted`` counts by gate and action; an allowed step is in ``decisions`` only."""

    decisions: int = 0
    allowed: int = 0
    stopped: int = 0
    redacted: int = 0
    broken: int = 0
    acted: dict[str, Counter[str]] = field(default_factory=dict)
    findings: Counter[str] = field(default_factory=Counter)

    def add(self, verdict: Verdict) -> bool:
        """Count one decision; return whether it stopped the step."""
        decided = verdict.decided
        self.decisions += 1
        self.broken += decided.broken
        if decided.action == "allow":
            self.allowed += 1
            return False
        stopped = decided.action in STOPS
        self.stopped += stopped
        self.redacted += not stopped
        name = decided.by or decided.gate or "gate not named"
        if name not in self.acted and len(self.acted) >= _MAX_NAMES:
            name = _OTHERS
        self.acted.setdefault(name, Counter())[decided.action] += 1
        for finding in decided.findings:
            if finding.kind in self.findings or len(self.findings) < _MAX_NAMES:
                self.findings[finding.kind] += 1
        return stopped


@dataclass(slots=True)
class ScoreCounts:
    """The values of one scorer: their mean, and how many failed of those that say whether they passed."""

    values: Moments = field(default_factory=Moments)
    failed: int = 0
    judged: int = 0


@dataclass(slots=True)
class PeriodFigures:
    """The counts of one period, built from its events and conversations."""

    period: Period
    slot_begins: Sequence[datetime] = ()
    events: int = 0
    turns: int = 0
    errors: int = 0
    conversations: int = 0
    latency: RatioHistogram = field(default_factory=RatioHistogram)
    cost: Moments = field(default_factory=Moments)
    unpriced: int = 0
    talk_cost: Moments = field(default_factory=Moments)
    models: dict[str, ModelSpend] = field(default_factory=dict)
    gates: GateCounts = field(default_factory=GateCounts)
    scores: dict[str, ScoreCounts] = field(default_factory=dict)
    _slots: list[Counter[str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._slots = [Counter() for _ in self.slot_begins]

    def add(self, event: Event, time: datetime) -> None:
        """Count one event of the period."""
        self.events += 1
        if event.kind == "turn":
            self._turn(event, time)
        elif event.kind == "gate" and event.verdict is not None:
            self._gate(event.verdict, time)
        elif event.kind == "score" and event.name and event.value is not None:
            self._score(event, event.name, event.value)

    def add_conversation(self, run: Trajectory, ended: datetime, *, handed_over: bool) -> None:
        """Count one conversation that ended in the period."""
        self.conversations += 1
        if (cost := run.cost) is not None:
            self.talk_cost.add(cost)
        self._in_slot(ended, conversations=1, handed_over=int(handed_over))

    @property
    def slots(self) -> tuple[TimeSlot, ...]:
        """The counts of each hour or day."""
        return tuple(
            TimeSlot(begin=begin, **counts) for begin, counts in zip(self.slot_begins, self._slots, strict=True)
        )

    def _turn(self, event: Event, time: datetime) -> None:
        turn = event.turn
        self.turns += 1
        failed = bool(turn and turn.error)
        self.errors += failed
        self._in_slot(time, turns=1, errors=int(failed))
        if turn is None:
            return
        if turn.latency is not None and 0 <= turn.latency < _MAX_SECONDS:
            self.latency.add(turn.latency)
        name = event.model or UNKNOWN_MODEL
        if name not in self.models and len(self.models) >= _MAX_NAMES:
            name = _OTHERS
        spend = self.models.setdefault(name, ModelSpend())
        spend.turns += 1
        if turn.cost is not None and 0 <= turn.cost < float("inf"):
            self.cost.add(turn.cost)
            spend.cost.add(turn.cost)
        else:
            self.unpriced += 1
        if turn.usage is not None:
            spend.usage = spend.usage + turn.usage
        for verdict in turn.verdicts:
            self._gate(verdict, time)

    def _gate(self, verdict: Verdict, time: datetime) -> None:
        if self.gates.add(verdict):
            self._in_slot(time, stopped=1)

    def _score(self, event: Event, name: str, value: float) -> None:
        if not 0.0 <= value <= 1.0 or (name not in self.scores and len(self.scores) >= _MAX_NAMES):
            return
        counts = self.scores.setdefault(name, ScoreCounts())
        counts.values.add(value)
        if isinstance(passed := event.metadata.get("passed"), bool):
            counts.judged += 1
            counts.failed += not passed

    def _in_slot(self, time: datetime, **more: int) -> None:
        place = bisect_right(self.slot_begins, time) - 1
        if 0 <= place < len(self._slots):
            self._slots[place].update(more)
