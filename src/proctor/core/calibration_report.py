"""How well confidences are calibrated, and the mappings that would correct them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from proctor.core.judge_card import Estimate

__all__ = ["CalibrationFit", "CalibrationReport", "ConfidencePair", "MappingTrial", "ReliabilityBin"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfidencePair:
    """A confidence, whether it was right, and how many conversations it stands for."""

    confidence: float
    correct: bool
    weight: float = 1.0
    time: float | None = None
    intent: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReliabilityBin:
    """Conversations of similar confidence; ``usual_low`` to ``usual_high`` is what a calibrated agent would show."""

    low: float
    high: float
    count: int
    share: float
    confidence: float
    accuracy: Estimate
    usual_low: float
    usual_high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibrationReport:
    """The calibration of an agent's confidence over some labelled conversations.

    ``ece`` is the raw expected calibration error, ``chance`` what a calibrated agent would show on average with as many
    labels, ``debiased`` the true error that would show ``ece`` on average, with its interval. ``p`` is how often a
    calibrated agent would show at least ``ece``. ``gap`` is the mean confidence less the share that was right.
    ``minimum`` is the smallest overconfidence that these labels would show four times of five.
    """

    labels: str
    count: int
    ece: float
    chance: float
    debiased: Estimate
    p: float
    gap: float
    brier: float
    highest: float
    minimum: float | None
    threshold: float
    bins: tuple[ReliabilityBin, ...] = ()
    mapping: str = ""
    unlabelled: int = 0
    notes: tuple[str, ...] = ()

    @property
    def state(self) -> Literal["pass", "fail", "unscored"]:
        """Fail: the error is above the threshold and not by chance. Pass: it is below for certain. Else undecided."""
        value, high = self.debiased.value, self.debiased.high
        if value is not None and value > self.threshold and self.p < 0.05:
            return "fail"
        return "pass" if high is not None and high <= self.threshold else "unscored"


@dataclass(frozen=True, slots=True, kw_only=True)
class MappingTrial:
    """A method by cross-validation; ``gain`` is how much lower its squared error is than without a mapping."""

    method: str
    brier: float
    log_loss: float
    gain: Estimate
    is_chosen: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibrationFit:
    """A fitted mapping: the report before it, and that of confidences mapped by fits to other conversations."""

    before: CalibrationReport
    after: CalibrationReport | None
    trials: tuple[MappingTrial, ...]
    method: str
    mapping: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
