"""Combine several samples of one judgement; their agreement is the confidence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from proctor.core.score import Score

__all__ = ["majority", "mean"]


def mean(samples: Sequence[Score]) -> Score:
    """Return the mean of the scored samples; the confidence decreases with their spread."""
    judged = [(sample, sample.value) for sample in samples if sample.value is not None]
    if not judged:
        return _failed(samples)
    values = [value for _, value in judged]
    value = sum(values) / len(values)
    nearest = min(judged, key=lambda each: abs(each[1] - value))[0]
    measured = [sample.measured for sample, _ in judged if sample.measured is not None]
    return replace(
        nearest,
        value=min(1.0, max(0.0, value)),  # rounding can move a mean slightly out of range
        measured=sum(measured) / len(measured) if measured else None,
        reason=f"mean of {_count(samples, judged)}; the nearest says: {nearest.reason}",
        confidence=(1 - (max(values) - min(values))) * len(judged) / len(samples),
        parts=tuple(samples),
    )


def majority(samples: Sequence[Score]) -> Score:
    """Return the most frequent label; the confidence is its share. A tie gives no verdict."""
    judged = [(sample, sample.label) for sample in samples if sample.value is not None]
    if not judged:
        return _failed(samples)
    ranked = Counter(label for _, label in judged).most_common()
    if len(ranked) > 1 and ranked[0][1] == ranked[1][1]:
        votes = ", ".join(f"{count} {label}" for label, count in ranked)
        reason = f"the samples are split: {votes}; ask for an odd number of samples"
        return replace(judged[0][0], value=None, status="error", label=None, reason=reason, parts=tuple(samples))
    label, count = ranked[0]
    chosen = next(sample for sample, given in judged if given == label)
    return replace(
        chosen,
        reason=f"{count} of {_count(samples, judged)} say {label}; the first: {chosen.reason}",
        confidence=count / len(samples),
        parts=tuple(samples),
    )


def _count(samples: Sequence[Score], judged: Sequence[object]) -> str:
    lost = len(samples) - len(judged)
    return f"{len(judged)} samples" + (f" ({lost} of {len(samples)} failed)" if lost else "")


def _failed(samples: Sequence[Score]) -> Score:
    first = samples[0]
    return replace(first, reason=f"all {len(samples)} samples failed; the first: {first.reason}", parts=tuple(samples))
