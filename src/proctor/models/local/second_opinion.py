"""A second opinion beside a network: a linear model over hashed n-grams, combined with the network's logit.

The networks are sure of some harmless texts. A linear model errs on other texts, so a weighted sum of both logits flags
fewer of them at equal recall. It costs a few hundredths of a millisecond: the prefilters hash the same characters.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from proctor.core.errors import StoreError
from proctor.models.local.model_registry import weights_of
from proctor.models.local.ngrams import BITS, features
from proctor.models.local.weights import MEND

__all__ = ["MAX_LOGIT", "PIECE_BITS", "SIZE", "SecondOpinion", "open_second_opinion", "piece_features"]

PIECE_BITS = 18
MAX_PIECES = 400  # tokens of one text that are hashed
MAX_LOGIT = 4.0  # limit of the linear model's logit: harmless words around an attack cannot outvote a sure network
SIZE = 2**BITS + 2**PIECE_BITS  # a weight for each character n-gram, then one for each token and pair of tokens

_MIX, _SHIFT = np.uint64(0x9E3779B97F4A7C15), np.uint64(64 - PIECE_BITS)
_NEXT, _AFTER_NEXT = np.uint64(1_000_003), np.uint64(7_919)
_SINGLE, _SKIP = np.uint64(1 << 50), np.uint64(1 << 40)

Array = np.ndarray[Any, Any]


def piece_features(ids: Sequence[int]) -> Array:
    """Return the hashes of the tokens, of neighbours and of tokens with one between them, each once, sorted."""
    letters = np.array(ids[:MAX_PIECES], np.uint64)
    parts = [letters + _SINGLE]
    if len(letters) > 1:
        parts.append(letters[:-1] * _NEXT + letters[1:])
    if len(letters) > 2:
        parts.append(letters[:-2] * _AFTER_NEXT + letters[2:] + _SKIP)
    return np.unique((np.concatenate(parts) * _MIX) >> _SHIFT).astype(np.int32)


class SecondOpinion:
    """A linear model, and the numbers that combine its logit with that of a network."""

    def __init__(self, weights: Array, *, scale: float, bias: float, combination: Mapping[str, float]) -> None:
        self._letters, self._pieces = weights[: 2**BITS], weights[2**BITS :]
        self._scale, self._bias = scale, bias
        self._network, self._ngrams = float(combination["network"]), float(combination["ngrams"])
        self._offset = float(combination["offset"])

    def logit(self, text: str, ids: Sequence[int]) -> float:
        """Return the logit of the linear model alone for a text and its tokens; 0 is even odds."""
        total = 0.0
        for weights, found in ((self._letters, features(text)), (self._pieces, piece_features(ids))):
            if len(found):
                total += float(weights.take(found).sum(dtype=np.int64)) / len(found) ** 0.5
        return total * self._scale + self._bias

    def combined(self, logit: float, text: str, ids: Sequence[int]) -> float:
        """Return the logit of the network and of the linear model together, in the unit of the network."""
        opinion = min(MAX_LOGIT, max(-MAX_LOGIT, self.logit(text, ids)))
        return self._network * logit + self._ngrams * opinion + self._offset


@cache
def open_second_opinion(name: str, folder: Path | None = None) -> SecondOpinion | None:
    """Return the second opinion beside a network; None if the manifest has no numbers for it."""
    weights = weights_of(folder)
    combination = weights.of(name).get("second_opinion")
    if combination is None:
        return None
    file = weights.path("second_opinion.npz")
    try:
        with np.load(file, allow_pickle=False) as kept:
            scale, bias = float(kept[f"{name}_scale"]), float(kept[f"{name}_bias"])
            return SecondOpinion(kept[f"{name}_weights"], scale=scale, bias=bias, combination=combination)
    except Exception as broken:
        raise StoreError(f"the weights cannot be read: {broken}", file=str(file), hint=MEND) from broken
