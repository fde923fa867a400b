"""Measure the calibration of confidences, and choose a mapping for them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from proctor.calibration import CalibrationMap
from proctor.core.calibration_report import (
    CalibrationFit,
    CalibrationReport,
    ConfidencePair,
    MappingTrial,
    ReliabilityBin,
)
from proctor.core.judge_card import Estimate
from proctor.stats.calibration import calibration_error, minimum_shift
from proctor.stats.calibration_fit import CalibrationMethod, FittedMap, compare_methods, cross_fitted, fit_map

__all__ = ["MIN_LABELS", "fit_calibration", "measure_calibration"]

MIN_LABELS = 30  # below this a mapping would be fitted to noise
_BINS = 15
_PER_BIN = 8  # fewer labels a bin are spread over fewer bins


def measure_calibration(
    pairs: Sequence[ConfidencePair],
    *,
    labels: str,
    threshold: float = 0.05,
    mapping: CalibrationMap | None = None,
    unlabelled: int = 0,
    seed: int = 0,
) -> CalibrationReport | None:
    """Return the calibration of some labelled confidences, after a mapping if there is one; None without any."""
    confidence = [each.confidence if mapping is None else mapping(each.confidence) for each in pairs]
    correct = [each.correct for each in pairs]
    weights = _weights(pairs)
    bins = max(2, min(_BINS, len(pairs) // _PER_BIN))
    found = calibration_error(confidence, correct, weights=weights, bins=bins, seed=seed)
    if found is None:
        return None
    notes = []
    if len(set(correct)) == 1:
        notes.append(f"every label is {'right' if correct[0] else 'wrong'}; look at how labels are made")
    if len(set(confidence)) < 3:
        notes.append(f"the agent gives only {len(set(confidence))} different confidence(s)")
    return CalibrationReport(
        labels=labels,
        count=len(pairs),
        ece=found.ece,
        chance=found.chance,
        debiased=Estimate(value=found.debiased, low=found.interval.low, high=found.interval.high),
        p=found.p,
        gap=found.gap,
        brier=found.brier,
        highest=found.highest,
        minimum=minimum_shift(confidence, weights=weights, bins=bins, seed=seed),
        threshold=threshold,
        bins=tuple(
            ReliabilityBin(
                low=each.low,
                high=each.high,
                count=each.count,
                share=each.weight,
                confidence=each.confidence,
                accuracy=Estimate(value=each.accuracy, low=each.interval.low, high=each.interval.high),
                usual_low=each.expected.low,
                usual_high=each.expected.high,
            )
            for each in found.bins
        ),
        mapping=mapping.method if mapping else "",
        unlabelled=unlabelled,
        notes=tuple(notes),
    )


def fit_calibration(
    pairs: Sequence[ConfidencePair],
    *,
    labels: str,
    method: CalibrationMethod | None = None,
    threshold: float = 0.05,
    facts: dict[str, Any] | None = None,
    seed: int = 0,
) -> CalibrationFit | None:
    """Fit all methods and choose one by cross-validation, or the given one; None below 30 labels.

    A method is chosen if its gain is more than chance and no simpler one is as good within the noise of their
    difference: no mapping, then temperature, Platt, isotonic.
    """
    before = measure_calibration(pairs, labels=labels, threshold=threshold, seed=seed)
    if before is None or len(pairs) < MIN_LABELS:
        return None
    confidence, correct, weights = [p.confidence for p in pairs], [p.correct for p in pairs], _weights(pairs)
    trials = compare_methods(confidence, correct, weights=weights, seed=seed)
    assert trials is not None
    chosen: CalibrationMethod = "identity"
    if method is not None:
        chosen = method
    else:
        best = 0.0
        for each in trials[1:]:
            spread = (each.interval.high - each.interval.low) / 4  # about one standard error
            if each.interval.low > 0 and each.gain > best + (spread if best else 0.0):
                chosen, best = each.method, each.gain
    fitted = fit_map(chosen, confidence, correct, weights)
    held = cross_fitted(chosen, confidence, correct, weights=weights, seed=seed)
    mapped = [
        ConfidencePair(confidence=float(value), correct=each.correct, weight=each.weight)
        for value, each in zip(np.clip(held, 0.0, 1.0), pairs, strict=True)
    ]
    notes = []
    if chosen == "identity" and method is None:
        notes.append("no mapping is better than the confidences as they are; the file leaves them unchanged")
    return CalibrationFit(
        before=before,
        after=measure_calibration(mapped, labels=f"{labels}, mapped", threshold=threshold, seed=seed),
        trials=tuple(
            MappingTrial(
                method=each.method,
                brier=each.brier,
                log_loss=each.log_loss,
                gain=Estimate(value=each.gain, low=each.interval.low, high=each.interval.high),
                is_chosen=each.method == chosen,
            )
            for each in trials
        ),
        method=chosen,
        mapping=_file(fitted, facts or {}),
        notes=tuple(notes),
    )


def _file(fitted: FittedMap, facts: dict[str, Any]) -> dict[str, Any]:
    made = CalibrationMap(
        method=fitted.method, slope=fitted.slope, intercept=fitted.intercept, x=fitted.x, y=fitted.y, facts=facts
    )
    return made.as_data()


def _weights(pairs: Sequence[ConfidencePair]) -> list[float] | None:
    weights = [each.weight for each in pairs]
    return None if len(set(weights)) <= 1 else weights
