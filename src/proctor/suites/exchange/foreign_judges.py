"""Convert judges of other tools to ours: their prompts use variables, our judge shows the material itself."""

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
    """Return the judge's prompt with its variables replaced by names of what our judge shows."""
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
    """Return a judge that chooses a label; any label with a positive score passes, as in the original tool."""
    most = max(*scores.values(), 1.0)
    labels = {label: max(0.0, score) / most for label, score in scores.items()}
    passing = [value for value in labels.values() if value > 0]
    settings: dict[str, Any] = {"rubric": rubric, "kind": "label", "labels": labels}
    return Check(scorer="judge", settings=settings, name=name or None, threshold=min(passing) if passing else 1.0)


def score_check(name: str, rubric: str, low: float, high: float, at_least: float | None) -> Check:
    """Return a judge that gives a number on a scale and passes from ``at_least`` on."""
    at = None if at_least is None else min(1.0, max(0.0, (at_least - low) / (high - low)))
    settings: dict[str, Any] = {"rubric": rubric, "kind": "score", "scale": [low, high]}
    return Check(scorer="judge", settings=settings, name=name or None, threshold=at)
