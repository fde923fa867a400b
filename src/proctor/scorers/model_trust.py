"""Confidence in the local models, by language and task."""

from __future__ import annotations

from collections.abc import Mapping

from proctor.text.script import language_of

__all__ = ["trust"]

# From the model cards: entailment is fair in English, weaker in Japanese, weak elsewhere.
_ENTAILMENT: Mapping[str, float] = {"en": 0.75, "ja": 0.65}
_LIKENESS: Mapping[str, float] = {"en": 0.75, "ja": 0.65}


def trust(text: str, task: str = "entailment") -> float:
    """Return the confidence in a local model's reading of this text; ``task`` is ``entailment`` or ``likeness``."""
    by_language = _LIKENESS if task == "likeness" else _ENTAILMENT
    return by_language.get(language_of(text), 0.5)
