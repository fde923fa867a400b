"""The first stage: letters in, a number out, in well under a millisecond."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

__all__ = ["BITS", "LONGEST", "Linear", "features", "fold"]

BITS = 18
LENGTHS = (2, 3, 4, 5, 6)
LONGEST = 2000  # letters read at once; longer texts come in windows
_PRIME = 1099511628211
_MIX = 0x9E3779B97F4A7C15


def fold(text: str) -> str:
    """The text as the first stage reads it: lower case, digits alike, blanks joined, a blank at each end."""
    lowered = " ".join(text[: LONGEST * 2].lower().split())[:LONGEST]
    return f" {lowered.translate(_DIGITS)} "


_DIGITS = {ord(d): "0" for d in "123456789"}


def features(text: str) -> np.ndarray[Any, np.dtype[np.int64]]:
    """The numbers of the letter groups that occur in the text, each once."""
    letters = np.frombuffer(fold(text).encode("utf-32-le", "replace"), np.uint32).astype(np.uint64) + np.uint64(1)
    found = []
    with np.errstate(over="ignore"):
        rolling = np.zeros(len(letters), np.uint64)
        for length in range(1, max(LENGTHS) + 1):
            if length > len(letters):
                break
            rolling = rolling[: len(letters) - length + 1] * np.uint64(_PRIME) + letters[length - 1 :]
            if length in LENGTHS:
                salted = (rolling ^ np.uint64(length * 0x51ED2701)) * np.uint64(_MIX)
                found.append(salted >> np.uint64(64 - BITS))
    return np.unique(np.concatenate(found)).astype(np.int64) if found else np.zeros(0, np.int64)


class Linear:
    """A weight per letter group; the logit is their sum over the root of their number."""

    def __init__(self, weights: np.ndarray[Any, Any], scale: float, bias: float) -> None:
        self._weights, self._scale, self._bias = weights, scale, bias

    def logit(self, text: str) -> float:
        """How much the text looks like an attack; 0 is even."""
        found = features(text)
        if not len(found):
            return self._bias
        total = float(self._weights[found].sum(dtype="int64"))
        return total * self._scale / math.sqrt(len(found)) + self._bias
