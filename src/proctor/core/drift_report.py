"""How a month differs from those before it: intents, calibration, topics."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from proctor.core.judge_card import Estimate

__all__ = ["CalibrationDrift", "DriftReport", "IntentShift", "SliceShift", "TopicShift"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SliceShift:
    """The distribution of intents in a part of the traffic, now against before.

    ``v`` is Cramér's V, ``v_chance`` what it reaches by chance in one case of twenty, ``v_usual`` the highest among the
    months before, each against the others. ``psi_excess`` is the PSI less what chance shows. ``minimum`` is the
    smallest V that these numbers show four times of five. ``adjusted`` is the p-value corrected for all slices.
    """

    name: str
    count: int
    before_count: int
    v: float
    v_chance: float
    v_usual: float | None
    js: float
    psi: float
    psi_chance: float
    psi_excess: float
    p: float
    adjusted: float
    minimum: float | None
    is_seen: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class IntentShift:
    """The share of one intent, now and before; ``change`` is the difference with its interval."""

    intent: str
    count: int
    before_count: int
    share: float
    before_share: float
    change: Estimate
    p: float
    adjusted: float
    minimum: float | None
    is_seen: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibrationDrift:
    """Whether confidences mean what they meant: the gap is the mean confidence less the share that was right."""

    labels: str
    count: int
    before_count: int
    error: Estimate
    before_error: Estimate
    gap: float
    before_gap: float
    change: Estimate
    p: float
    minimum: float
    is_seen: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicShift:
    """Similar questions that are more frequent than before; ``is_new`` if there were none before."""

    question: str
    count: int
    before_count: int
    share: float
    before_share: float
    adjusted: float
    is_new: bool
    terms: tuple[str, ...] = ()
    examples: tuple[str, ...] = ()
    intents: Mapping[str, int] = field(default_factory=dict)
    conversations: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class DriftReport:
    """A month against the months before. ``effect`` is the Cramér's V from which a shift matters."""

    month: str
    before: tuple[str, ...]
    count: int
    before_count: int
    effect: float
    slices: tuple[SliceShift, ...] = ()
    intents: tuple[IntentShift, ...] = ()
    calibration: CalibrationDrift | None = None
    topics: tuple[TopicShift, ...] = ()
    questions: int = 0
    before_questions: int = 0
    topic_minimum: float | None = None
    notes: tuple[str, ...] = ()

    @property
    def state(self) -> Literal["pass", "fail", "unscored"]:
        """Fail: a shift is seen. Pass: none is, and one that matters would have been. Else there is too little data."""
        if any(each.is_seen for each in self.slices) or (self.calibration is not None and self.calibration.is_seen):
            return "fail"
        least = self.slices[0].minimum if self.slices else None
        return "pass" if least is not None and least <= self.effect else "unscored"
