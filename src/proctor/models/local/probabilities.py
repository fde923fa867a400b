"""From a network's logits to probabilities."""

from __future__ import annotations

import math
from collections.abc import Sequence

__all__ = ["sigmoid", "softmax"]


def sigmoid(x: float) -> float:
    """The probability of a yes; far below zero it is zero, not an overflow."""
    return 1 / (1 + math.exp(-x)) if x > -500 else 0.0


def softmax(logits: Sequence[float]) -> tuple[float, ...]:
    """The probabilities of several, which add to one."""
    top = max(logits)
    parts = [math.exp(float(x) - float(top)) for x in logits]
    return tuple(part / sum(parts) for part in parts)
