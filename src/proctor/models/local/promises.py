"""Tell in a fraction of a millisecond whether an agent's answer grants or promises something, in any language."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from proctor.core.errors import StoreError
from proctor.models.local.batcher import LARGE_MOST, MOST, Batcher
from proctor.models.local.evidence import sentences
from proctor.models.local.model_registry import weights_of
from proctor.models.local.ngrams import features
from proctor.models.local.probabilities import sigmoid, softmax
from proctor.models.local.second_opinion import Mixture, mixture_of, second_network
from proctor.models.local.weights import HINT

__all__ = ["ACTS", "PromiseClassifier"]

ACTS = ("refund", "discount", "upgrade", "fee_waived", "liability", "assurance", "deadline", "done")
WINDOW = 600  # characters of an answer that are judged as one; a longer answer is judged by its windows
READ = 12_000  # characters of an answer
NOTHING = -20.0  # the logit of a text without letters
LEAST = 120  # n-grams; the few of a shorter text are little evidence


@dataclass(frozen=True, kw_only=True)
class PromiseClassifier:
    """The probability of any ``promise`` in each answer, and shares of the acts that it may be.

    A linear model over character n-grams, and where it is not sure that there is none, the multilingual network. Of a
    long answer the window with the highest probability counts. ``second_opinion=False`` leaves the network out. With
    ``large``, the folder of fetched models, the large network takes its place and reads every answer.
    """

    folder: Path | None = None
    threads: int = 1
    second_opinion: bool = True
    large: Path | None = None
    _batcher: Batcher[str, float] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_batcher", Batcher(self._second, most=MOST if self.large is None else LARGE_MOST))

    async def classify(self, texts: Sequence[str]) -> Sequence[Mapping[str, float]]:
        """Return ``promise`` and the share of each act, per answer."""
        found, mixture = [self._first(text) for text in texts], self._mixture()
        some = [i for i, each in enumerate(found) if mixture is not None and each.logit >= mixture.ask]
        seconds = dict(zip(some, await self._batcher.ask([found[i].text for i in some]), strict=True))
        return [each.labels(mixture, seconds.get(i)) for i, each in enumerate(found)]

    def readings(self, texts: Sequence[str]) -> list[dict[str, float]]:
        """Return the same, computed on this thread."""
        found, mixture = [self._first(text) for text in texts], self._mixture()
        return [
            each.labels(
                mixture, self._second([each.text])[0] if mixture is not None and each.logit >= mixture.ask else None
            )
            for each in found
        ]

    def _first(self, text: str) -> _FirstReading:
        model = _model(self.folder)
        return max((model.read(part) for part in _windows(text)), key=lambda each: each.logit)

    def _mixture(self) -> Mixture | None:
        return mixture_of(self.folder, "answer", self.large) if self.second_opinion else None

    def _second(self, texts: Sequence[str]) -> list[float]:
        network = second_network(self.folder, self.threads, self.large)
        return [each.promise for each in network.read(texts, "answer")]


@dataclass(frozen=True, slots=True)
class _FirstReading:
    """What the linear model says of a window of an answer."""

    text: str
    logit: float
    acts: tuple[float, ...]

    def labels(self, mixture: Mixture | None, second: float | None) -> dict[str, float]:
        logit = self.logit if mixture is None or second is None else mixture.logit(self.logit, second)
        return {"promise": sigmoid(logit), **dict(zip(ACTS, self.acts, strict=True))}


def _windows(text: str) -> list[str]:
    text = text[:READ].strip()
    if len(text) <= WINDOW:
        return [text]
    found: list[str] = []
    for sentence in sentences(text):
        if found and len(found[-1]) + len(sentence) < WINDOW:
            found[-1] = f"{found[-1]} {sentence}"
        else:
            found.append(sentence)
    return found or [text[:WINDOW]]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Model:
    weights: np.ndarray[Any, Any]
    scale: float
    bias: float
    acts: np.ndarray[Any, Any]  # n-grams by acts: those of one n-gram are neighbours in memory
    act_scale: float
    act_bias: np.ndarray[Any, Any]

    def read(self, text: str) -> _FirstReading:
        found = features(text)
        if not len(found):
            return _FirstReading(text, NOTHING, (0.0,) * len(ACTS))
        root = math.sqrt(max(len(found), LEAST))
        logit = float(self.weights.take(found).sum(dtype=np.int64)) * self.scale / root + self.bias
        totals = self.acts.take(found, axis=0).sum(axis=0, dtype=np.int64) * (self.act_scale / root) + self.act_bias
        return _FirstReading(text, logit, softmax(totals.tolist()))


@cache
def _model(folder: Path | None) -> _Model:
    file = weights_of(folder).path("promises.npz")
    try:
        with np.load(file, allow_pickle=False) as kept:
            return _Model(
                weights=kept["weights"],
                scale=float(kept["scale"]),
                bias=float(kept["bias"]),
                acts=np.ascontiguousarray(kept["acts"].T),
                act_scale=float(kept["act_scale"]),
                act_bias=kept["act_bias"],
            )
    except Exception as broken:
        raise StoreError(f"the weights cannot be read: {broken}", file=str(file), hint=HINT) from broken
