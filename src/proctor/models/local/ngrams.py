"""A linear model over character n-grams, the first stage: well under a millisecond per text."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np

__all__ = ["BITS", "LONGEST", "Linear", "features", "fold"]

BITS = 18
LENGTHS = (2, 3, 4, 5, 6)
LONGEST = 2000  # characters read at once; longer texts are split into windows
# 64-bit numbers that wrap around: array products do so without a warning
_ONE, _PRIME, _MIX = np.uint64(1), np.uint64(1099511628211), np.uint64(0x9E3779B97F4A7C15)
_SHIFT = np.uint64(64 - BITS)
_SALTS = {length: np.uint64(length * 0x51ED2701) for length in LENGTHS}


def fold(text: str) -> str:
    """Normalise the text for the first stage: lower case, digits alike, whitespace joined, a space at each end."""
    lowered = " ".join(text[: LONGEST * 2].lower().split())[:LONGEST]
    return f" {lowered.translate(_DIGITS)} "


_DIGITS = {ord(d): "0" for d in "123456789"}


def features(text: str) -> np.ndarray[Any, np.dtype[np.int32]]:
    """Return the hashes of the character n-grams in the text, each once, sorted."""
    return _features(fold(text))


@lru_cache(maxsize=64)  # the first stages of several models read the same message
def _features(folded: str) -> np.ndarray[Any, np.dtype[np.int32]]:
    letters = np.frombuffer(folded.encode("utf-32-le", "replace"), np.uint32).astype(np.uint64)
    letters += _ONE
    lengths = range(2, min(max(LENGTHS), len(letters)) + 1)
    found = np.empty(sum(len(letters) - length + 1 for length in lengths), np.uint64)
    rolling, at = letters, 0
    for length in lengths:
        rolling = rolling[:-1] * _PRIME
        rolling += letters[length - 1 :]
        np.bitwise_xor(rolling, _SALTS[length], out=found[at : at + len(rolling)])
        at += len(rolling)
    found *= _MIX
    found >>= _SHIFT
    kept = found.astype(np.int32)
    kept.sort()
    first = np.empty(len(kept), bool)
    first[:1] = True
    np.not_equal(kept[1:], kept[:-1], out=first[1:])
    kept = kept[first]
    kept.flags.writeable = False
    return kept


class Linear:
    """A weight per n-gram; the logit is their sum over the root of their number."""

    def __init__(self, weights: np.ndarray[Any, Any], scale: float, bias: float) -> None:
        self._weights, self._scale, self._bias = weights, scale, bias

    def logit(self, text: str) -> float:
        """Return the logit of an attack; 0 is even odds."""
        found = features(text)
        if not len(found):
            return self._bias
        total = float(self._weights.take(found).sum(dtype=np.int64))
        return total * self._scale / math.sqrt(len(found)) + self._bias
