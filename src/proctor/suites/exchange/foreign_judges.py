"""Judges of other tools as our judge: their prompts speak of things by variables, ours shows the things itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from proctor.core.case import Check
from proctor.suites.exchange.templates import renamed

__all__ = ["label_check", "rubric_of", "score_check"]

_ANSWER = ("completion", "output", "sample.output_text", "sample.output", "response", "item.output")
_REFERENCE = ("expected", "item.expected", "ideal", "item.ideal", "item.groundtruth", "groundtruth", "reference")
_INPUT = ("input", "item.input", "query", "item.query")


def rubric_of(*texts: str) -> str:
    """The judge's prompt, its variables replaced by words for what our judge is shown beside it."""
    return "\n\n".join(renamed(text, _word).strip() for text in texts if text.strip())


def _word(name: str) -> str:
    if name in _ANSWER:
        return "[the answer]"
    if name in _REFERENCE:
        return "[the reference]"
    if name in _INPUT:
        return "[the input]"
    return f"[{name.removeprefix('item.')} of the input]"


def label_check(name: str, rubric: str, scores: Mapping[str, float]) -> Check:
    """A judge that chooses one of some labels; it passes where the tool it comes from passes: above nothing."""
    most = max(*scores.values(), 1.0)
    labels = {label: max(0.0, score) / most for label, score in scores.items()}
    passing = [value for value in labels.values() if value > 0]
    settings: dict[str, Any] = {"rubric": rubric, "kind": "label", "labels": labels}
    return Check(scorer="judge", settings=settings, name=name or None, threshold=min(passing) if passing else 1.0)


def score_check(name: str, rubric: str, low: float, high: float, at_least: float | None) -> Check:
    """A judge that gives a number on a scale, passed from ``at_least`` on."""
    at = None if at_least is None else min(1.0, max(0.0, (at_least - low) / (high - low)))
    settings: dict[str, Any] = {"rubric": rubric, "kind": "score", "scale": [low, high]}
    return Check(scorer="judge", settings=settings, name=name or None, threshold=at)
