"""Says whether a passage entails, contradicts or leaves open a claim."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from proctor.models.local.batching import Batcher
from proctor.models.local.evidence import select_evidence, sentences
from proctor.models.local.house import network_of, pieces_of, weights_of
from proctor.models.local.pieces import END, START, Line

__all__ = ["LABELS", "LocalEntailer", "connect"]

LABELS = ("entailment", "neutral", "contradiction")
LONGEST = 256
CLAIM = 100  # pieces of a claim
PASSAGE = 800  # letters of a passage that are read in one go
WINDOWS = 3


@dataclass(frozen=True, kw_only=True)
class LocalEntailer:
    """Probabilities of entailment, neutral and contradiction, calibrated; long passages are read where they matter."""

    folder: Path | None = None
    threads: int = 1
    _batcher: Batcher[tuple[str, str], tuple[float, ...]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_batcher", Batcher(self.readings))

    async def entails(self, pairs: Sequence[tuple[str, str]]) -> Sequence[Mapping[str, float]]:
        """Probabilities per (premise, hypothesis)."""
        return [dict(zip(LABELS, found, strict=True)) for found in await self._batcher.ask(list(pairs))]

    def readings(self, pairs: Sequence[tuple[str, str]]) -> list[tuple[float, ...]]:
        """The three probabilities of each pair, computed here and now."""
        settings = weights_of(self.folder).settings["nli"]
        readings = [(passage, claim, owner) for owner, (p, claim) in enumerate(pairs) for passage in passages(p, claim)]
        pieces = pieces_of(self.folder)
        first = pieces.numbers([_flat(p) for p, _, _ in readings])
        second = pieces.numbers([_flat(c) for _, c, _ in readings])
        lines = []
        for a, b in zip(first, second, strict=True):
            tail = b[:CLAIM]
            head = a[: LONGEST - 3 - len(tail)]
            lines.append(Line((START, *head, END, *tail, END), len(head) + 2))
        outputs = network_of("nli", self.folder, self.threads).run(lines)
        best: list[tuple[float, ...] | None] = [None] * len(pairs)
        for (_, _, owner), (output,) in zip(readings, outputs, strict=True):
            shares = _calibrated(output.tolist(), settings)
            best[owner] = _stronger(best[owner], shares)
        return [found or (0.0, 1.0, 0.0) for found in best]


def passages(premise: str, claim: str) -> list[str]:
    """What is read of a premise: all of a short one; of a long one the evidence, wide and narrow."""
    if len(premise) <= PASSAGE:
        return [premise]
    chosen = select_evidence(premise, claim, budget=PASSAGE)
    parts = sentences(chosen)
    rest = select_evidence(premise, claim, budget=PASSAGE // 3)
    return [chosen, rest][: WINDOWS if len(parts) > 1 else 1]


def _calibrated(logits: Sequence[float], settings: Mapping[str, Any]) -> tuple[float, ...]:
    warmth = float(settings["temperature"])
    return _softmax([(float(x) + float(b)) / warmth for x, b in zip(logits, settings["bias"], strict=True)])


def _stronger(one: tuple[float, ...] | None, other: tuple[float, ...]) -> tuple[float, ...]:
    """The reading that entails more: support found anywhere is support."""
    return other if one is None or other[0] > one[0] else one


def _flat(text: str) -> str:
    return " ".join(text.split())


def _softmax(logits: Sequence[float]) -> tuple[float, ...]:
    top = max(logits)
    parts = [math.exp(x - top) for x in logits]
    return tuple(part / sum(parts) for part in parts)


def connect(_kit: object) -> LocalEntailer:
    """The entailment model that ships with Proctor."""
    return LocalEntailer()
