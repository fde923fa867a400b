"""Classify whether a passage entails, contradicts or leaves open a claim."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from proctor.models.local.batcher import Batcher
from proctor.models.local.evidence import select_evidence, sentences
from proctor.models.local.model_registry import pieces_of, weights_of
from proctor.models.local.pairs import CLAIM, Claim, claims, flat, line, refuse_long
from proctor.models.local.probabilities import softmax
from proctor.models.local.run_entailment import judge_of
from proctor.models.local.tokenizer import Pieces

__all__ = ["LABELS", "LocalEntailer"]

LABELS = ("entailment", "neutral", "contradiction")
LONGEST = 256  # tokens in one line
PASSAGE = 800  # characters of a passage that are read at once

Shares = tuple[float, ...]


@dataclass(frozen=True, kw_only=True)
class LocalEntailer:
    """Calibrated probabilities of entailment, neutral and contradiction.

    Only the relevant sentences of a long passage are read. A long hypothesis is judged in parts: its entailment is that
    of its weakest part, and its contradiction the highest of any part.
    """

    folder: Path | None = None
    threads: int = 1
    _batcher: Batcher[tuple[str, str], Shares] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_batcher", Batcher(self.readings))

    async def entails(self, pairs: Sequence[tuple[str, str]]) -> Sequence[Mapping[str, float]]:
        """Return probabilities per (premise, hypothesis).

        Raises:
            InputError: a text is too long to be judged whole.
        """
        refuse_long(pairs)
        asked = [(premise, hypothesis) for premise, hypothesis in pairs]
        return [dict(zip(LABELS, found, strict=True)) for found in await self._batcher.ask(asked)]

    def readings(self, pairs: Sequence[tuple[str, str]]) -> list[Shares]:
        """Return the three probabilities of each pair, computed on this thread."""
        settings, pieces = weights_of(self.folder).of("nli"), pieces_of(self.folder)
        lines, owners = [], list[tuple[int, int]]()  # the pair, and the part of its hypothesis
        for number, (premise, hypothesis) in enumerate(pairs):
            for part, claim in enumerate(_parts(hypothesis, pieces)):
                for passage in pieces.numbers([flat(p) for p in passages(premise, claim.text)]):
                    lines.append(line(passage, claim.ids, LONGEST))
                    owners.append((number, part))
        outputs = judge_of(self.folder, self.threads).logits(lines)
        best: dict[tuple[int, int], Shares] = {}
        for owner, output in zip(owners, outputs, strict=True):
            shares = _calibrated(output[: len(LABELS)].tolist(), settings)
            # support anywhere in the passage counts
            best[owner] = max(best.get(owner, shares), shares, key=lambda found: found[0])
        parts: list[list[Shares]] = [[] for _ in pairs]
        for (number, _), shares in best.items():
            parts[number].append(shares)
        return [_whole(found) for found in parts]


def _parts(hypothesis: str, pieces: Pieces) -> list[Claim]:
    text = flat(hypothesis)
    (ids,) = pieces.numbers([text])
    return [Claim(text, tuple(ids))] if len(ids) <= CLAIM else claims(text, pieces, most=1)


def passages(premise: str, claim: str) -> list[str]:
    """Return the parts of a premise to read: all of a short one; the evidence, wide and narrow, of a long one."""
    if len(premise) <= PASSAGE:
        return [premise]
    chosen = select_evidence(premise, claim, budget=PASSAGE)
    if len(sentences(chosen)) <= 1:
        return [chosen]
    return [chosen, select_evidence(premise, claim, budget=PASSAGE // 3)]


def _calibrated(logits: Sequence[float], settings: Mapping[str, Any]) -> Shares:
    temperature = float(settings.get("temperature", 1.0))
    bias = settings.get("bias", (0.0,) * len(LABELS))
    return softmax([(float(x) + float(b)) / temperature for x, b in zip(logits, bias, strict=True)])


def _whole(parts: Sequence[Shares]) -> Shares:
    if len(parts) == 1:
        return parts[0]
    follows, against = min(part[0] for part in parts), max(part[2] for part in parts)
    total = max(1.0, follows + against)
    return follows / total, max(0.0, 1 - (follows + against) / total), against / total
