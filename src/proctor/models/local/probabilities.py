"""Convert logits to probabilities."""

from __future__ import annotations

import math
from collections.abc import Sequence

__all__ = ["sigmoid", "softmax"]


def sigmoid(x: float) -> float:
    """Return the logistic function; 0 instead of an overflow far below zero."""
    return 1 / (1 + math.exp(-x)) if x > -500 else 0.0


def softmax(logits: Sequence[float]) -> tuple[float, ...]:
    """Return probabilities that add to one."""
    top = max(logits)
    parts = [math.exp(float(x) - float(top)) for x in logits]
    return tuple(part / sum(parts) for part in parts)
